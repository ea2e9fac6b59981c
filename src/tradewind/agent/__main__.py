"""The agent's verbs.

``serve ROOT`` starts the daemon, ``exec ROOT`` is the runner that the daemon starts. On a host that is reached over
SSH, ``door ROOT`` answers the control plane, ``hold FOLDER LOCK [GPU…]`` is the process that holds an instance, and
``shell FOLDER`` a shell where its job works.
"""

from __future__ import annotations

import os
import sys
from typing import List

_USAGE = "usage: agent.pyz serve|exec|door ROOT, hold FOLDER LOCK [GPU...], shell FOLDER"


def main() -> int:
    """Exit code of the verb in ``sys.argv``."""
    verb, rest = sys.argv[1:2], sys.argv[2:]
    if verb == ["hold"] and len(rest) >= 2:
        from tradewind.agent.door import hold

        return hold.main(os.path.realpath(rest[0]), int(rest[1]), [int(handle) for handle in rest[2:]])
    if len(rest) == 1:
        return _in_folder(verb, os.path.realpath(rest[0]))
    return _misused()


def _in_folder(verb: List[str], folder: str) -> int:
    if verb == ["serve"]:
        from tradewind.agent import serve

        return serve.serve(folder)
    if verb == ["exec"]:
        from tradewind.agent import runner

        return runner.main(folder)
    if verb == ["door"]:
        from tradewind.agent.door import loop

        return loop.main(folder)
    if verb == ["shell"]:
        from tradewind.agent.door import shell

        shell.main(folder)
    return _misused()


def _misused() -> int:
    print(_USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
