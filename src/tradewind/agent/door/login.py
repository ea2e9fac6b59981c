"""What a login on this host finds: the environment that its user's shell gives to programs.

The shell is asked with its profile read; what it prints besides is passed over, and it gets ten seconds.
"""

from __future__ import annotations

import os
import pwd
import select
import shlex
import signal
import subprocess
import sys
import time
import uuid
from typing import Dict, List, NamedTuple, Optional, Tuple

from tradewind.agent.door import layout
from tradewind.wire.spec import ENV_GPUS, ENV_INSTANCE

_SECONDS = 10.0
_CHUNK = 1 << 16
_UMASK = 0o022  # a login's, where its profile says nothing
# What a program needs to be found, and to find its libraries, its files and the way out; nothing that is kept secret.
_KEPT = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME",
    "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV", "CONDA_EXE", "CONDA_PYTHON_EXE", "CONDA_SHLVL", "MODULEPATH", "HF_HOME", "TORCH_HOME",
    "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST",
    "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
})  # fmt: skip
_KEPT_PREFIXES = ("LC_", "NCCL_")
# Says the environment and, under no name, the umask.
_TELL = (
    "import os, sys; mark = sys.argv[1].encode(); pairs = [n + b'=' + v for n, v in os.environb.items()]; "
    "pairs += [b'=%04o' % os.umask(0)]; sys.stdout.buffer.write(mark + bytes(1).join(pairs) + mark)"
)


class Login(NamedTuple):
    """What a program started by a login here would have; ``why``: why it is this process's own instead, or None."""

    environment: Dict[str, str]
    umask: int
    why: Optional[str]

    def starts(self, command: List[str]) -> List[str]:
        """The command line that starts ``command`` with the login's umask: the door's own keeps everybody out."""
        return ["/bin/sh", "-c", 'umask "$0" && exec "$@"', "{:04o}".format(self.umask), *command]


def look() -> Login:
    """Ask the user's shell."""
    shell = _shell()
    mark = uuid.uuid4().hex
    tell = " ".join(shlex.quote(word) for word in (sys.executable, "-I", "-S", "-c", _TELL, mark))
    # csh knows `-l` only when nothing else is said.
    flags = [] if os.path.basename(shell) in ("csh", "tcsh") else ["-l"]
    profile = Login({}, _UMASK, None).starts([shell, *flags, "-c", "exec " + tell])
    told, why = _ask(profile, mark.encode())
    if told is None:
        return Login(_kept(dict(os.environ)), _UMASK, "{} does not tell: {}".format(shell, why))
    return Login(_kept(told), int(told[""], 8), None)


def _shell() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"
    except KeyError:  # a user whom only a directory service knows, or none does
        return os.environ.get("SHELL", "/bin/sh")


def of_instance(folder: str) -> Login:
    """What the agent of an instance starts with: a login's, the instance, and its GPUs where it has a say in them."""
    login = look()
    own = {ENV_INSTANCE: os.path.basename(folder)}
    gpus = (layout.identity(folder) or {}).get("gpus")
    if gpus is not None:
        own[ENV_GPUS] = ",".join(gpu["uuid"] for gpu in gpus)
    return login._replace(environment={**login.environment, **own})


def _kept(environment: Dict[str, str]) -> Dict[str, str]:
    kept = {n: v for n, v in environment.items() if n in _KEPT or n.startswith(_KEPT_PREFIXES)}
    return {"PATH": os.defpath, "HOME": os.path.expanduser("~"), **kept}


def _ask(command: List[str], mark: bytes) -> Tuple[Optional[Dict[str, str]], str]:
    """What stands between two marks in the output of a command; None and why, without both."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/",
            start_new_session=True,
        )  # fmt: skip
    except OSError as fault:
        return None, str(fault)
    try:
        said, why = _read(process, mark)
    finally:
        _end(process)
    if said.count(mark) < 2:
        return None, why
    pairs = (part.partition(b"=") for part in said.split(mark)[1].split(b"\0"))
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}, ""


def _read(process: "subprocess.Popen[bytes]", mark: bytes) -> Tuple[bytes, str]:
    """The output up to the second mark: what the profile left running may keep the pipe open for ever."""
    assert process.stdout is not None
    said, deadline = b"", time.monotonic() + _SECONDS
    while said.count(mark) < 2:
        if not select.select([process.stdout], [], [], max(deadline - time.monotonic(), 0.0))[0]:
            return said, "no answer within {:.0f} s".format(_SECONDS)
        chunk = os.read(process.stdout.fileno(), _CHUNK)
        if not chunk:
            return said, "it ends with exit code {}".format(process.wait())
        said += chunk
    return said, ""


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the shell, and its children where it hangs; what a profile started with a session of its own stays."""
    assert process.stdout is not None
    process.stdout.close()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass  # it ended
    process.wait()
