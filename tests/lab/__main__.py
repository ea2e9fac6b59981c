"""``make lab``: the lab to try things by hand. It says what to set, and runs until Ctrl-C."""

from __future__ import annotations

import shlex
import signal
import sys
import tempfile
from pathlib import Path

from lab.hypervisor import lacking
from lab.lab import Lab

_HELP = """The lab runs: AWS and Alibaba Cloud, on this computer alone. Ctrl-C ends it, and every machine in it.

In another terminal:

{exports}
    tradewind clouds

What goes wrong is ordered over its control socket (tests/lab/control_socket.py):

    export PYTHONPATH=tests LAB={socket}
    python -m lab.tell do=instances
    python -m lab.tell do=fault kind=capacity cloud=aws operation=RunInstances
    python -m lab.tell do=reclaim id=i-… notice_s=120
"""


def main() -> int:
    if why := lacking():
        print(f"The lab boots machines in namespaces of this computer, and lacks {why}.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="tradewind-lab-") as folder:
        home, socket = Path(folder) / "home", Path(folder) / "control"
        home.mkdir()
        with Lab(socket=socket) as lab:
            (home / "clouds.yaml").write_text(lab.clouds_yaml())
            told = {"TRADEWIND_HOME": str(home), **lab.environment()}
            exports = "".join(f"    export {name}={shlex.quote(value)}\n" for name, value in told.items())
            print(_HELP.format(exports=exports, socket=socket), flush=True)
            signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return 0


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    sys.exit(main())
