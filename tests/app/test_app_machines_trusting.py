"""Which host keys are pinned: nobody's word is taken for a key that nobody gave, knew or agreed to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from machine_world import KEY, OTHER_KEY, Person, machine

from tradewind.app.interface import AddMachine
from tradewind.app.machines.trusting import pinned
from tradewind.domain.errors import BadInput
from tradewind.domain.machine import Machine
from tradewind.domain.money import parse_money
from tradewind.nodes.ssh.keys import HostKey

SHOWN = HostKey(KEY, "SHA256:one", known=False, clash=False)
OTHER = HostKey(OTHER_KEY, "SHA256:other", known=False, clash=False)
DRAFT, ASKED = machine("box", user="me"), AddMachine("me@box.lab.org")


def refused(*shown: HostKey, known: Machine | None = None, asked: AddMachine = ASKED,
            person: Person | None = None, draft: Machine = DRAFT) -> BadInput:  # fmt: skip
    with pytest.raises(BadInput) as fault:
        pinned(shown, draft, known, asked, person)
    return fault.value


def test_a_key_that_the_users_known_hosts_have_is_pinned_without_a_question() -> None:
    person = Person()
    shown = (replace(SHOWN, known=True), OTHER)
    assert pinned(shown, DRAFT, None, ASKED, person) == (KEY,)  # and not the one that they have not
    assert person.heard == []


def test_a_new_key_is_shown_once_and_pinned_when_it_is_agreed_to() -> None:
    person = Person()
    assert pinned((SHOWN, OTHER), DRAFT, None, ASKED, person) == (KEY, OTHER_KEY)
    told = {
        "target": "me@box.lab.org",
        "fingerprints": "ssh-ed25519 SHA256:one\nssh-ed25519 SHA256:other",
        "changed": "no",
    }
    assert person.heard == [("host-key", told)]
    assert refused(SHOWN, person=Person(None)).code == "host-key-not-agreed"


def test_without_a_terminal_the_exact_command_is_told() -> None:
    asked = AddMachine("me@box.lab.org", price=parse_money("2 CNY"), gpus=(0, 1), name="my box", country="de")
    fault = refused(SHOWN, asked=asked)
    assert (fault.code, fault.facts["fingerprints"]) == ("host-key-unasked", "ssh-ed25519 SHA256:one")
    assert fault.facts["command"] == (
        "tradewind machines add me@box.lab.org --name 'my box' --price '2 CNY' --gpus 0,1 --country de "
        "--host-key SHA256:one"
    )


@pytest.mark.parametrize("given", ["SHA256:other", "other", " SHA256:other= "])
def test_a_fingerprint_that_is_given_must_be_shown_and_is_all_that_is_pinned(given: str) -> None:
    assert pinned((SHOWN, OTHER), DRAFT, None, replace(ASKED, host_key=given), None) == (OTHER_KEY,)
    fault = refused(SHOWN, asked=replace(ASKED, host_key=given))
    assert (fault.code, fault.facts["given"]) == ("host-key-differs", given)
    # what the user's known hosts say does not matter then
    assert refused(replace(SHOWN, known=True), asked=replace(ASKED, host_key=given)).code == "host-key-differs"


def test_a_pinned_key_stays_and_another_needs_a_person_whatever_known_hosts_say() -> None:
    known = machine("box", user="me")
    assert pinned((SHOWN, OTHER), DRAFT, known, ASKED, None) == (KEY,)
    fault = refused(replace(OTHER, known=True), known=known)
    assert fault.code == "host-key-other"
    person = Person()
    assert pinned((OTHER,), DRAFT, known, ASKED, person) == (OTHER_KEY,)
    assert person.heard[0][1]["changed"] == "yes"
    assert pinned((OTHER,), DRAFT, known, replace(ASKED, host_key="SHA256:other"), None) == (OTHER_KEY,)


def test_a_key_that_clashes_with_the_known_hosts_is_a_changed_one() -> None:
    assert refused(replace(SHOWN, clash=True)).code == "host-key-other"
    assert refused(replace(SHOWN, clash=True), replace(OTHER, known=True)).code == "host-key-other"


def test_a_name_moves_to_another_address_only_with_the_key_that_is_pinned() -> None:
    known, moved = machine("box", user="me"), machine("box", user="me", host="10.0.0.9")
    assert pinned((SHOWN,), moved, known, ASKED, None) == (KEY,)
    for asked in (ASKED, replace(ASKED, host_key="SHA256:other")):
        fault = refused(OTHER, known=known, asked=asked, person=Person(), draft=moved)
        assert (fault.code, fault.facts["target"]) == ("machine-name-taken", "me@box.lab.org")
