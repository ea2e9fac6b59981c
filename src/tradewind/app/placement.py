"""Where a submit may run: on what is configured, on the machine that was named, under which account, at what stakes.

rehearsal    planned over everything, run on this computer or on the machine that was named
on NAME      planned on that machine, where something can be predicted of it; otherwise it takes what the file asks for
paid         planned on the user's machines
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tradewind.app.accounts import LOCAL, MACHINES, REHEARSAL, account_of
from tradewind.app.machines.offers import CLOUD, offer_for
from tradewind.domain.errors import BadInput, NotConfigured, NothingFits
from tradewind.domain.gpus import data_sheet
from tradewind.domain.money import Money
from tradewind.domain.residency import allowed
from tradewind.domain.workload import Placement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tradewind.app.interface import Submit
    from tradewind.app.pools import Pool
    from tradewind.domain.machine import Machine
    from tradewind.domain.offer import Offer
    from tradewind.domain.workload import Workload

_MARGIN = Decimal("1.5")  # of the upper predicted hours: a lease's hard end (design, "Hard end")


def placed(submit: Submit, workload: Workload, machines: Collection[str]) -> Workload:
    """The workload as it is to be planned for this submit; ``machines`` are the names of the user's."""
    where = workload.placement
    if submit.rehearse:
        return workload
    if submit.on:
        return replace(workload, placement=Placement((CLOUD,), (submit.on,), where.residency))
    if machines and CLOUD in (where.clouds or (CLOUD,)):
        return replace(workload, placement=replace(where, clouds=(CLOUD,)))
    return workload  # nothing that it may run on is configured: the plan shows what there is


def require_place(submit: Submit, machines: Collection[str]) -> None:
    """Nothing, when the submit has somewhere to run.

    Raises:
        BadInput: ``local-and-on``.
        NotConfigured: ``no-cloud-configured``.
    """
    if submit.local and submit.on:
        raise BadInput("local-and-on")
    anywhere = submit.rehearse or submit.local or submit.on
    if not anywhere and not (machines and CLOUD in (submit.workload.placement.clouds or (CLOUD,))):
        raise NotConfigured("no-cloud-configured", file="JOB.yaml")


def unplanned(workload: Workload, machine: Machine) -> Offer | None:
    """What a job takes of the machine that was named for it; None where a plan can say more.

    Raises:
        BadInput: ``machine-too-small``, ``machine-elsewhere`` (name, country, residency).
    """
    kinds = [kind for kind in machine.kinds if data_sheet(kind)]
    if workload.model is not None and kinds:
        return None
    residency = workload.placement.residency
    if residency and machine.country not in allowed(residency):
        raise BadInput("machine-elsewhere", name=machine.name, country=machine.country or "?", residency=residency)
    return offer_for(machine, workload.resources.accelerators if workload.resources else None)


def account_for(submit: Submit, offer: dict[str, Any]) -> str:
    """The account that rents an offer for this submit."""
    if submit.rehearse:
        return account_of(REHEARSAL, submit.on) if submit.on else REHEARSAL
    return account_of(MACHINES, offer["region"]) if offer["cloud"] == CLOUD else LOCAL


def stakes(plan: dict[str, Any] | None, pools: Sequence[Pool], longest_hours: float) -> dict[str, Any] | None:
    """What the run may cost on its pools; None when they cost nothing. ``longest_hours``: a lease's at most.

    Raises:
        NothingFits: ``nothing-fits``: the plan chose nothing.
    """
    if plan is not None and plan["chosen"] is None:
        raise NothingFits("nothing-fits", file="JOB.yaml", plan=plan["plan_id"])
    price = pools[0]["offer"]["price_per_hour"]
    if price is None:
        return None
    hour = Money.from_json(price) * pools[0]["nodes"]
    dearest = max((Decimal(str(pool["price"])) * pool["nodes"] for pool in pools), default=hour.amount)
    predicted = plan["chosen"]["hours"] if plan else None
    hours = Decimal(str(predicted["high"])) * _MARGIN if predicted else Decimal(str(longest_hours))
    return {
        "price_per_hour": hour.to_json(), "hours": predicted["high"] if predicted else None,
        "at_most": Money(dearest * hours, hour.currency).to_json(),
    }  # fmt: skip
