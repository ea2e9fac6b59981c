"""Cold start: `tradewind --help` and `tradewind offers --gpu T4` as multiples of bare Python."""

from __future__ import annotations

import sys
import tempfile

from installation import TRADEWIND
from measure import paired, process, tell

PAIRS = 25
SUBJECTS = {"help": (["--help"], 6.0), "offers": (["offers", "--gpu", "T4"], 10.0)}


def main() -> None:
    """Print one line for each command; the catalog's first build is in the round that is not counted."""
    bare = process([sys.executable, "-c", "pass"])
    for name, (words, bar) in SUBJECTS.items():
        with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as home:
            taken = paired(bare, process([TRADEWIND, *words], {"TRADEWIND_HOME": home}), PAIRS)
        tell(f"cold-start/{name}", "times bare Python", taken.ratio, bar, **taken.fields())


if __name__ == "__main__":
    main()
