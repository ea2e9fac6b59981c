"""Adding a machine: whose host it is, how one gets in unattended, what it has.

target ─▶ keys shown ─▶ agreed to and pinned ─▶ log in as the supervisor will ─▶ facts ─▶ record
                                                    └─ only a person gets in ─▶ a key of our own, if wanted
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tradewind.app.interface import AddMachine, Prompt
from tradewind.app.machines.answering import Answer, refused
from tradewind.app.machines.checking import facts_of, jobs_by_gpu, jobs_on, of_facts, seen
from tradewind.app.machines.registry import Registry, name_for, require_name
from tradewind.app.machines.removing import lock_out
from tradewind.app.machines.targets import Target, parse_target
from tradewind.app.machines.trusting import YES, pinned
from tradewind.domain.errors import BadInput
from tradewind.domain.machine import Machine
from tradewind.ports.host import Host, HostRefused
from tradewind.ports.transport import Unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tradewind.app.inside import Inside

PERSON_SECONDS = 120.0  # for somebody who looks for a passphrase
# Ways in that a person at a terminal may still have.
_BY_HAND = frozenset({"passphrase-needed", "password-only", "login-refused"})


def add(inside: Inside, asked: AddMachine, prompt: Prompt | None) -> Answer:
    """The answer of ``add``; raises as the interface says. Of a host that was not added nothing stays."""
    from tradewind.nodes.ssh.keys import offered_keys

    target = parse_target(asked.target)
    known = _known(inside.registry, target, asked)
    draft = _draft(inside, target, asked, known)
    with _told(draft.target):
        shown = offered_keys(inside.reach.address(replace(draft, own_key=False)))
        draft = replace(draft, host_keys=pinned(shown, draft, known, asked, prompt))
        draft = _let_in(inside, draft, asked, prompt)
        host = inside.reach.road(draft)
        facts, jobs = facts_of(inside, host), jobs_by_gpu(host)
        machine = replace(draft, facts=facts)
        _require_other(machine, inside.registry)  # before anything is taken away there
        try:
            _require_gpus(machine)
        except BadInput:
            if known is None:
                _leave(inside, draft, host)
            raise
    inside.registry.write(machine)
    check = {"machine": machine.name, "target": machine.target, **of_facts(machine, facts, jobs, host.skew_s)}
    there = seen(inside, machine, jobs_on(inside, (machine,))[machine.name])
    return {"machine": there, "check": check, "updated": known is not None}


@contextmanager
def _told(target: str) -> Iterator[None]:
    """What keeps a host away, as an error."""
    try:
        yield
    except (Unreachable, HostRefused) as fault:
        raise refused(fault, target) from fault


def _known(registry: Registry, target: Target, asked: AddMachine) -> Machine | None:
    """The machine that is set anew: the one of the name, or else the one that is reached so."""
    there = ((each, Target(each.host, each.user, each.port)) for each in registry.all())
    same = next((machine for machine, where in there if where == target), None)
    if asked.name is None:
        return same
    named = registry.get(require_name(asked.name))
    if named is None and same:
        raise BadInput("machine-known-as", target=asked.target, name=same.name)
    return named


def _draft(inside: Inside, target: Target, asked: AddMachine, known: Machine | None) -> Machine:
    """The machine as it will be, without what only the host can tell."""
    registry = inside.registry
    if known is None:
        name = asked.name or name_for(target.host, registry.names())
        known = Machine(name, target.host, inside.clock.now(), ())
    given = {
        "price": asked.price, "gpus": asked.gpus, "folder": _folder(asked.folder), "country": _country(asked.country),
    }  # fmt: skip
    told: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(known, host=target.host, user=target.user, port=target.port, **told)


def _folder(given: str | None) -> str | None:
    if given is None:
        return None
    if not given.strip() or not given.isprintable():
        raise BadInput("folder-unreadable", folder=given)
    return given.rstrip("/") if given.startswith(("/", "~/")) else f"~/{given.strip('/')}"


def _country(given: str | None) -> str | None:
    if given is None:
        return None
    if not re.fullmatch("[A-Za-z]{2}", given.strip()):
        raise BadInput("country-unreadable", country=given)
    return given.strip().upper()


def _let_in(inside: Inside, draft: Machine, asked: AddMachine, prompt: Prompt | None) -> Machine:
    """The machine with the way in that needs nobody: the user's own, else a key of this installation's.

    Raises:
        Unreachable: there is none.
    """
    plain = replace(draft, own_key=False)
    if draft.own_key and _opens(inside, draft):
        return draft
    try:
        inside.reach.road(plain).ask("hello", {})
    except Unreachable as fault:
        if fault.code not in _BY_HAND or prompt is None or asked.own_key is False:
            raise
        return _by_hand(inside, plain, asked, prompt, fault)
    return _with_own_key(inside, plain, inside.reach.road(plain)) if asked.own_key else plain


def _opens(inside: Inside, machine: Machine) -> bool:
    try:
        inside.reach.road(machine).ask("hello", {})
    except Unreachable as fault:
        if fault.code not in _BY_HAND:
            raise
        return False
    return True


def _by_hand(inside: Inside, plain: Machine, asked: AddMachine, prompt: Prompt, fault: Unreachable) -> Machine:
    """The machine with a key of our own, put there by way of a person at the terminal."""
    roads = inside.reach.roads(prompt)
    try:
        road = roads.to(inside.reach.address(plain))
        road.ask("hello", {}, PERSON_SECONDS)
        if not asked.own_key and prompt.ask("own-key", {"target": plain.target}) != YES:
            if inside.registry.get(plain.name) is None:
                _leave(inside, plain, road)
            raise fault
        return _with_own_key(inside, plain, road)
    finally:
        roads.close()


def _with_own_key(inside: Inside, plain: Machine, host: Host) -> Machine:
    """The machine once the key of this installation lets us in."""
    from tradewind.nodes.ssh.login import install_own_key, make_own_key, public_key

    install_own_key(host, public_key(make_own_key(inside.settings.home)))
    owned = replace(plain, own_key=True)
    try:
        inside.reach.road(owned).ask("hello", {})
    except BaseException:
        with suppress(Unreachable, HostRefused):
            lock_out(inside, host)
        raise
    return owned


def _require_gpus(machine: Machine) -> None:
    """Nothing, when it has the GPUs that may be used.

    Raises:
        BadInput: ``machine-gpus-unknown`` (name, gpus, known).
    """
    there = [each["index"] for each in (machine.facts.get("gpus") or {}).get("gpus") or ()]
    missing = [str(each) for each in machine.gpus or () if each not in there]
    if missing:
        known = ", ".join(map(str, there))
        raise BadInput("machine-gpus-unknown", name=machine.name, gpus=", ".join(missing), known=known)


def _require_other(machine: Machine, registry: Registry) -> None:
    """Nothing, when the host is not that of another machine under another target.

    Raises:
        BadInput: ``machine-known-as`` (target, name).
    """
    for other in registry.all():
        shared = set(other.host_keys) & set(machine.host_keys)
        if other.name != machine.name and shared and _place(other) == _place(machine) is not None:
            raise BadInput("machine-known-as", target=machine.target, name=other.name)


def _place(machine: Machine) -> tuple[str, str] | None:
    """The host's own name and the folder of our state there; None where they are not known."""
    name, folder = machine.facts.get("hostname"), machine.facts.get("root")
    return (name, folder["path"]) if name and folder else None


def _leave(inside: Inside, machine: Machine, host: Host) -> None:
    """Take away what the first contact left on a host that is not added after all; not where something of ours lives.

    Raises:
        HostRefused, Unreachable: it is not known to be done.
    """
    if machine.own_key:
        lock_out(inside, host)
    if not host.ask("instances", {"ids": None})["instances"]:
        host.ask("remove", {})
