"""Where the program begins, with as little as can be: from here on, before all else is read, Ctrl-C is no traceback."""

from __future__ import annotations

import os
import sys

OLDEST = (3, 11)
_TOO_OLD = """\
Tradewind needs Python 3.11 or newer; this is {found}. With one: python3.12 -m pip install tradewind
Tradewind 需要 Python 3.11 或更新的版本，当前为 {found}。请改用新版本：python3.12 -m pip install tradewind"""


def main() -> None:
    """The entry point of the ``tradewind`` program."""
    if sys.version_info < OLDEST:
        sys.exit(_TOO_OLD.format(found=".".join(map(str, sys.version_info[:3]))))
    try:
        _open_closed_streams()
        from tradewind.cli.main import main as called

        called()
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        sys.exit(130)


def _open_closed_streams() -> None:
    """What was closed (``>&-``) becomes the null device; the next file to be opened would be taken for it otherwise."""
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(opened)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode))


if __name__ == "__main__":
    main()
