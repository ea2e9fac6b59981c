"""Brings what is made from the sources in step with them; see the package."""

from __future__ import annotations

import sys

from generate.made import ROOT, behind


def main() -> int:
    """Exit status: with ``--check`` 1 when something is not in step, else 0."""
    late = behind()
    for path, text in late:
        print(path.relative_to(ROOT))
        if "--check" not in sys.argv[1:]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(bool(late) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
