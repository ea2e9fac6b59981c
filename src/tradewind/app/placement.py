"""Where a submit may run: on what is configured, on the machine that was named, under which account, at what stakes.

rehearsal    planned over everything, run on this computer or on the machine that was named
on NAME      planned on that machine, where something can be predicted of it; otherwise it takes what the file asks for
paid         planned on the user's machines and in the places of clouds where one may rent, at the prices of today
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tradewind.app.accounts import LOCAL, REHEARSAL, account_of
from tradewind.app.clouds.within import Within
from tradewind.app.machines.offers import CLOUD, offer_for
from tradewind.domain.errors import BadInput, NotConfigured, NothingFits
from tradewind.domain.gpus import data_sheet
from tradewind.domain.money import Money
from tradewind.domain.residency import allowed
from tradewind.domain.workload import Placement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date

    from tradewind.app.clouds.discovery import Discovered, Places
    from tradewind.app.interface import Submit
    from tradewind.app.pools import Pool
    from tradewind.domain.machine import Machine
    from tradewind.domain.offer import Offer
    from tradewind.domain.workload import Workload

_MARGIN = Decimal("1.5")  # of the upper predicted hours: a lease's hard end (design, "Hard end")


def renting(submit: Submit) -> bool:
    """Whether the submit is looked for a place among all that may be rented."""
    return not (submit.rehearse or submit.local or submit.on)


def placed(submit: Submit, workload: Workload, machines: Collection[str], places: Places) -> Workload:
    """The workload as it is to be planned for this submit; ``machines`` are the names of the user's."""
    where = workload.placement
    if submit.rehearse:
        return workload
    if submit.on:
        return replace(workload, placement=Placement((CLOUD,), (submit.on,), where.residency))
    clouds = _usable(where, machines, places)
    # Where nothing that it may run on is configured the plan shows what there is.
    return replace(workload, placement=replace(where, clouds=clouds)) if clouds else workload


def _usable(where: Placement, machines: Collection[str], places: Places) -> tuple[str, ...]:
    """The configured clouds that a workload may run on; the user's machines are one."""
    configured = ({CLOUD} if machines else set()) | {cloud for cloud, _ in places}
    return tuple(sorted(configured.intersection(where.clouds) if where.clouds else configured))


def bounds(submit: Submit, workload: Workload, places: Places, today: date) -> Within | None:
    """What a paid plan is made within; None where it comes to no cloud that is configured. ``workload``: as placed."""
    clouds = workload.placement.clouds
    open_to = frozenset(each for each in places if not clouds or each[0] in clouds)
    return Within(open_to, today) if open_to and renting(submit) else None


def require_place(submit: Submit, machines: Collection[str], found: Discovered) -> None:
    """Nothing, when the submit has somewhere to run.

    Raises:
        BadInput: ``local-and-on``.
        NotConfigured: ``no-cloud-configured``, with what keeps each cloud that was meant from being used; of one alone
            that itself.
        CloudRefused: the only cloud that was meant refuses to be asked.
    """
    if submit.local and submit.on:
        raise BadInput("local-and-on")
    where = submit.workload.placement
    if not renting(submit) or _usable(where, machines, found.places):
        return
    faults = tuple(error for cloud, error in found.faults.items() if not where.clouds or cloud in where.clouds)
    if len(faults) == 1:
        raise faults[0]
    raise NotConfigured("no-cloud-configured", faults=faults, file="JOB.yaml")


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
    return LOCAL if offer["cloud"] == LOCAL else account_of(offer["cloud"], offer["region"])


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
    dearest = max((_most(pool) * pool["nodes"] for pool in pools), default=hour.amount)
    predicted = plan["chosen"]["hours"] if plan else None
    hours = Decimal(str(predicted["high"])) * _MARGIN if predicted else Decimal(str(longest_hours))
    return {
        "price_per_hour": hour.to_json(), "hours": predicted["high"] if predicted else None,
        "at_most": Money(dearest * hours, hour.currency).to_json(),
    }  # fmt: skip


def _most(pool: Pool) -> Decimal:
    """What a machine of a pool may cost an hour at most: a spot machine up to its cap."""
    price, cap = Decimal(str(pool["price"])), pool["offer"]["billing"].get("price_cap")
    listed = pool["offer"]["price_per_hour"]
    return price if cap is None else price * Decimal(cap) / Decimal(listed["amount"])
