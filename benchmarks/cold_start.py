"""Cold start: `tradewind --help` and `tradewind offers --gpu T4` as multiples of bare Python.

``--peer PROGRAM`` (repeatable), the path of another tool that is installed here, asks that for its ``--help`` as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from installation import TRADEWIND
from measure import paired, process, tell

PAIRS = 25
PEER_PAIRS = 9  # they take seconds
SUBJECTS = {"help": (["--help"], 6.0), "offers": (["offers", "--gpu", "T4"], 10.0)}


def main() -> None:
    """Print one line for each command; the catalog's first build is in the round that is not counted."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--peer", type=Path, action="append", default=[])
    bare = process([sys.executable, "-c", "pass"])
    for name, (words, bar) in SUBJECTS.items():
        with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as home:
            taken = paired(bare, process([TRADEWIND, *words], {"TRADEWIND_HOME": home}), PAIRS)
        tell(f"cold-start/{name}", "times bare Python", taken.ratio, bar, **taken.fields())
    for peer in asked.parse_args().peer:
        taken = paired(bare, process([str(peer), "--help"]), PEER_PAIRS)
        tell(f"cold-start/help-of-{peer.name}", "times bare Python", taken.ratio, None, **taken.fields())


if __name__ == "__main__":
    main()
