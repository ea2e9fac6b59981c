"""Which of the keys that a host shows are pinned: those that were given, known, or agreed to by a person. Pure but for
the question."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tradewind.app.interface import AddMachine, Prompt
from tradewind.domain.errors import BadInput
from tradewind.domain.machine import Machine

if TYPE_CHECKING:
    from tradewind.nodes.ssh.keys import HostKey

YES = "yes"


def pinned(
    shown: Sequence[HostKey], draft: Machine, known: Machine | None, asked: AddMachine, prompt: Prompt | None
) -> tuple[str, ...]:
    """The host keys to pin.

    A fingerprint that is given must be shown. Without one, keys that are pinned stay as long as the host shows one of
    them; the user's own known hosts do for a host that is new; a person is asked about all others.

    Raises:
        BadInput: ``machine-name-taken``, ``host-key-differs``, ``host-key-unasked``, ``host-key-other``,
            ``host-key-not-agreed``.
    """
    same = known is not None and bool({each.text for each in shown} & set(known.host_keys))
    if known is not None and not same and (known.host, known.port) != (draft.host, draft.port):
        raise BadInput("machine-name-taken", name=known.name, target=known.target)
    if asked.host_key is not None:
        return _matching(shown, draft, asked.host_key)
    if known is not None and same:
        return known.host_keys
    changed = known is not None or any(each.clash for each in shown)
    if not changed and (trusted := tuple(each.text for each in shown if each.known)):
        return trusted
    return _agreed(shown, draft, asked, prompt, changed=changed)


def _matching(shown: Sequence[HostKey], draft: Machine, given: str) -> tuple[str, ...]:
    wanted = given.strip().rstrip("=")
    found = tuple(each.text for each in shown if each.fingerprint.rstrip("=") in (wanted, f"SHA256:{wanted}"))
    if not found:
        raise BadInput("host-key-differs", target=draft.target, given=given, fingerprints=_told(shown, ", "))
    return found


def _agreed(
    shown: Sequence[HostKey], draft: Machine, asked: AddMachine, prompt: Prompt | None, *, changed: bool
) -> tuple[str, ...]:
    if prompt is None:
        raise BadInput("host-key-other" if changed else "host-key-unasked", target=draft.target,
                       fingerprints=_told(shown, ", "), command=_command(asked, shown[0].fingerprint))  # fmt: skip
    facts = {"target": draft.target, "fingerprints": _told(shown, "\n"), "changed": YES if changed else "no"}
    if prompt.ask("host-key", facts) != YES:
        raise BadInput("host-key-not-agreed", target=draft.target)
    return tuple(each.text for each in shown)


def _told(shown: Sequence[HostKey], between: str) -> str:
    return between.join(f"{each.text.partition(' ')[0]} {each.fingerprint}" for each in shown)


def _command(asked: AddMachine, fingerprint: str) -> str:
    """The command that was typed, with the key that the host shows agreed to."""
    price, gpus = asked.price, asked.gpus
    flags = {
        "--name": asked.name, "--price": f"{price.amount:f} {price.currency}" if price else None,
        "--gpus": ",".join(map(str, gpus)) if gpus else None, "--folder": asked.folder, "--country": asked.country,
        "--host-key": fingerprint,
    }  # fmt: skip
    words = [word for flag, value in flags.items() if value for word in (flag, value)]
    return shlex.join(["tradewind", "machines", "add", asked.target, *words])
