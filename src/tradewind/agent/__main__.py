"""The agent's two verbs: ``serve ROOT`` starts the daemon, ``exec ROOT`` is the runner that the daemon starts."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Exit code of the verb in ``sys.argv``."""
    if len(sys.argv) != 3 or sys.argv[1] not in ("serve", "exec"):
        print("usage: agent.pyz serve|exec ROOT", file=sys.stderr)
        return 2
    root = os.path.realpath(sys.argv[2])
    if sys.argv[1] == "exec":
        from tradewind.agent import runner

        return runner.main(root)
    from tradewind.agent import serve

    return serve.serve(root)


if __name__ == "__main__":
    sys.exit(main())
