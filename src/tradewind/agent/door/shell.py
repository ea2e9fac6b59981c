"""A shell where the job works: operation ``shell`` gives its command line, the verb ``shell`` becomes it."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from tradewind.agent import container, environment
from tradewind.agent.door import layout, login
from tradewind.wire import spec as wire
from tradewind.wire.door import Header


def shell(root: str, request: Header) -> Header:
    """The command line, to be run in a terminal on this host."""
    folder = layout.folder_of(root, request["id"])
    return {"argv": [sys.executable, "-I", "-S", layout.zipapp(), "shell", folder]}


def main(folder: str) -> NoReturn:
    """Become a shell where the job works, with its environment but no secrets; in its container, where it has one."""
    node = layout.node_of(folder)
    try:
        with open(os.path.join(node, wire.SPEC), encoding="utf-8") as file:
            spec = wire.read_spec(file.read())
        os.chdir(os.path.join(node, wire.WORK))
    except OSError as fault:
        sys.exit("no job is here: {}".format(fault))
    found = login.of_instance(folder)
    os.environ.update(found.environment)
    os.umask(found.umask)
    command, env = container.shell(node) or (["bash", "-i"], environment.environment(node, spec, {}))
    os.execvpe(command[0], command, {"TERM": os.environ.get("TERM", "dumb"), **env})  # noqa: S606 - the user's wish
