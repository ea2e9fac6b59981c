"""Which commands there are, in which group of the help. A command stands here once it works.

Each is loaded when called for: module ``tradewind.cli.commands.NAME``, attribute ``command``. A command that has
commands of its own is a package there, with one module each.
"""

from __future__ import annotations

GROUPS: dict[str, tuple[str, ...]] = {
    "plan": ("init", "size", "offers", "catalog", "plan", "simulate", "calibrate"),
    "run": ("run", "ps", "show", "wait", "logs", "attach", "stop", "extend", "fetch", "ssh", "explain"),
    "money": ("leases", "sweep", "cost"),
    "nodes": ("machines", "clouds"),
    "team": ("supervisor",),
}

BESIDE: tuple[str, ...] = ("completion",)  # of no group: what sets the program up

COMMANDS: tuple[str, ...] = (*(name for names in GROUPS.values() for name in names), *BESIDE)

CATALOG: tuple[str, ...] = ("show", "gpus", "regions", "compare", "rates", "list", "add", "refresh")

MACHINES: tuple[str, ...] = ("add", "list", "check", "remove")

CLOUDS: tuple[str, ...] = ("check", "policy")
