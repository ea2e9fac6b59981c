"""From a submit to a job row: which account, which offer it wears, what travels with it."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from tradewind.app import jobfile
from tradewind.app.accounts import HERE, LOCAL
from tradewind.app.clouds.discovery import Discovered
from tradewind.app.interface import Submit
from tradewind.app.placement import account_for
from tradewind.app.pools import LOCAL_NOTICE_S, Pool, lone_pool, pools_of, rehearsed_pool
from tradewind.app.replaying import asked_trace, injected, keep, setting, window_hours
from tradewind.app.sizes import lessons
from tradewind.catalog import rates
from tradewind.domain.billing import millionths
from tradewind.domain.errors import BadInput
from tradewind.domain.ids import CHANCE_BITS, new_id
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.records import Budget, Job
from tradewind.domain.states import JobState
from tradewind.domain.trace import SpotTrace
from tradewind.domain.workload import Workload
from tradewind.jobs.parcel import image_of, mounts_of
from tradewind.nodes.bundle import pack

MAX_LIFETIME_S = 12 * 3600.0  # the hard end of a lease when the job file sets no shorter one


def job_of(
    submit: Submit,
    plan: dict[str, Any] | None,
    now: datetime,
    table: rates.Table | None = None,
    offer: Offer | None = None,
) -> Job:
    """The job as it will be stored, QUEUED. ``table`` are the exchange rates; None: the shipped ones.

    Without a plan it runs on ``offer``, a share of a machine; without either on this computer.

    Raises:
        BadInput: a trace that cannot be replayed.
    """
    id_ = new_id("job", now, secrets.randbits(CHANCE_BITS))
    settings = _settings(submit, plan, now, table, offer)
    account = account_for(submit, settings["offer"])
    until_deadline = _until_deadline(submit.workload)
    limited = bool(_limits(submit)) and settings["offer"].get("price_per_hour") and not until_deadline
    settings |= {"budget": id_ if limited else None, "until_deadline": until_deadline}
    return Job(
        id=id_, name=submit.workload.name, state=JobState.QUEUED,
        wanted=True, rehearsal=submit.rehearse, account=account,
        workload=jobfile.dump(submit.workload), plan=plan, settings=settings, submitted_at=now,
        state_since=now, wake_at=now, request_id=submit.request_id,
    )  # fmt: skip


def _settings(
    submit: Submit, plan: dict[str, Any] | None, now: datetime, table: rates.Table | None, offer: Offer | None
) -> dict[str, Any]:
    workload = submit.workload
    settings: dict[str, Any] = {
        "run": workload.run, "store": _store(workload.checkpoint.store), "max_lifetime_s": lifetime_s(workload),
        "total_steps": workload.training.total_steps, "time_scale": 1, "notice_s": LOCAL_NOTICE_S,
        "teaches": _subject(submit),
    }  # fmt: skip
    trace = asked_trace(submit)
    pools = asked_pools(submit, plan, trace, table, offer)
    if not pools:
        return {**settings, "offer": this_computer().to_json(), "env": _env(submit, LOCAL)}
    chosen, rehearse = pools[0], workload.rehearse
    settings |= {
        "offer": chosen["offer"], "pools": pools, "env": _env(submit, chosen["account"]),
        "notice_s": chosen["notice_s"], "predicted_step_seconds": chosen["step_seconds"],
    }  # fmt: skip
    if plan is None or not submit.rehearse:
        return settings
    return {
        **settings, "run": rehearse.run or workload.run, "total_steps": rehearse.steps or settings["total_steps"],
        "trace": setting(submit, trace, window_hours(workload, plan, now)),
        "preempt_at": [str(each) for each in injected(submit)], "time_scale": submit.time_scale or "auto",
    }  # fmt: skip


def asked_pools(
    submit: Submit,
    plan: dict[str, Any] | None,
    trace: SpotTrace | None,
    table: rates.Table | None,
    offer: Offer | None,
) -> list[Pool]:
    """Where the submit would rent, in order, each place with its account; nowhere when it runs on this computer."""
    pools = [lone_pool(offer)] if offer else []
    if plan is not None and plan["chosen"]:
        pools = pools_of(plan, trace, table)
    if submit.rehearse:
        pools = [rehearsed_pool(pool) for pool in pools]
    return [{**pool, "account": account_for(submit, pool["offer"])} for pool in pools]


def lifetime_s(workload: Workload) -> float:
    """Seconds that one machine is rented for at most."""
    return min(workload.schedule.max_duration_seconds or MAX_LIFETIME_S, MAX_LIFETIME_S)


def _env(submit: Submit, account: str) -> dict[str, str]:
    """The job's environment: the submitting shell's paths mean something on this computer alone."""
    return {**(submit.env if account in HERE else {}), **dict(submit.workload.env)}


def _subject(submit: Submit) -> str | None:
    """What the job's steps are a lesson about; None where they teach nothing."""
    if not submit.teaches:
        return None
    workload = jobfile.anchored(submit.workload, submit.path)
    return lessons.rehearsed(workload) if submit.rehearse else lessons.subject(workload)


def limited(submit: Submit, table: rates.Table | None = None) -> Workload:
    """The workload as it is to be planned: ``--max-cost`` is a limit like the file's own, and the smaller one holds."""
    given, asked = submit.workload.budget.limit, submit.max_cost
    if asked is None or (given is not None and _converted(given, asked.currency, table) <= asked):
        return submit.workload
    return replace(submit.workload, budget=replace(submit.workload.budget, limit=asked))


def budget_of(submit: Submit, job: Job, table: rates.Table | None = None) -> Budget | None:
    """The budget that pays for a job, in its offer's currency; None where nothing limits it or it costs nothing.

    ``table`` are the exchange rates; None: the shipped ones.

    Raises:
        BadInput: ``limit-not-convertible``: no rate is known between the limit's currency and the offer's.
    """
    price = job.settings["offer"].get("price_per_hour")
    if not price or not job.settings["budget"]:
        return None
    cap = min(millionths(_converted(limit, price["currency"], table)) for limit in _limits(submit))
    return Budget(job.settings["budget"], price["currency"], cap, 0, 0)


def _limits(submit: Submit) -> list[Money]:
    return [limit for limit in (submit.max_cost, submit.workload.budget.limit) if limit is not None]


def _converted(money: Money, currency: str, table: rates.Table | None) -> Money:
    if money.currency == currency:
        return money
    rate = rates.rate(money.currency, currency, table)
    if rate is None:
        raise BadInput("limit-not-convertible", money=money, currency=currency)
    return money.converted(rate)


def _until_deadline(workload: Workload) -> bool:
    """Whether the job may pass its budget, until its deadline."""
    schedule = workload.schedule
    given = schedule.deadline_at is not None or schedule.deadline_seconds is not None
    return given and workload.budget.on_limit == "continue_to_deadline"


def remarks(submit: Submit, settings: dict[str, Any], left_out: tuple[str, ...]) -> list[dict[str, Any]]:
    """What whoever submits should know although it stops nothing: ``code`` and ``facts``, worded elsewhere."""
    workload, told = submit.workload, []
    idle = _without_effect(workload)
    if idle:
        told.append({"code": "keys-without-effect", "facts": {"keys": ", ".join(idle)}})
    store = workload.checkpoint.store
    if store and "://" in store:
        told.append({"code": "store-not-used", "facts": {"store": store}})
    if left_out:
        told.append({"code": "left-behind", "facts": {"names": ", ".join(left_out)}})
    if submit.rehearse:
        told += _stand_in_remarks(submit, settings) + _market_remarks(submit, settings) + _time_remarks(settings)
    return told


def clouds_left_out(found: Discovered) -> list[dict[str, Any]]:
    """That a cloud was meant to be among the places to rent from, and could not be."""
    return [{"code": "cloud-left-out", "facts": {"cloud": each}} for each in sorted(found.faults)]


def _stand_in_remarks(submit: Submit, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """That another command than the job's is rehearsed, and how many steps of it."""
    if submit.workload.rehearse.run is None:
        return []
    steps, of = settings["total_steps"], submit.workload.training.total_steps
    told = {"steps": f"{steps:,}", "of": f"{of:,}" if of else None} if steps and steps != of else {}
    return [{"code": "stand-in", "facts": {"run": submit.workload.rehearse.run.strip().splitlines()[0], **told}}]


def _time_remarks(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """How long it takes here, where that is known."""
    expected = settings.get("expected")
    if not expected:
        return []
    facts = {"seconds": f"{expected['hours']['value'] * 3600:.0f}", "date": expected["measured"]["at"][:10]}
    return [{"code": "takes-here", "facts": facts}]


def _market_remarks(submit: Submit, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """What a rehearsal's market will not do, although somebody might expect it."""
    points = ", ".join(str(each) for each in injected(submit))
    if submit.trace and points:
        return [{"code": "trace-replaced", "facts": {"points": points}}]
    if submit.trace and not any(pool["zone"] for pool in settings["pools"]):
        return [{"code": "trace-without-spot", "facts": {"name": settings["trace"]["name"]}}]
    return [] if submit.trace or points else [{"code": "not-preempted", "facts": {}}]


def _without_effect(workload: Workload) -> list[str]:
    """Keys of the file that nothing acts on yet; data in folders of the node are mounted into a container."""
    told = jobfile.dump(workload)
    given = {
        "image": workload.image and not image_of(told),
        "data": len(mounts_of(told)) < len(workload.data) if image_of(told) else workload.data,
        "compliance": workload.compliance, "schedule.idle_stop": workload.schedule.idle_stop_seconds,
    }  # fmt: skip
    return [name for name, value in given.items() if value]


def this_computer() -> Offer:
    """What a ``local`` job runs on: this computer, without a price."""
    return Offer(
        cloud="local", region=socket.gethostname(), zone=None, instance_type="this-computer", gpu="none", form=None,
        gpu_known=False, gpus=Decimal(0), gpu_memory_gib=None, cpus=os.cpu_count(), memory_gib=None,
        network_gbps=None, rdma=None, nvlink=None, purchase=Purchase.ON_DEMAND, price_per_hour=None,
        price_status=PriceStatus.UNKNOWN, as_of=None, source=None, carbon_g_per_kwh=None,
    )  # fmt: skip


def _store(given: str | None) -> str | None:
    """A folder given as the store; object stores are reached from rented machines, not from this computer."""
    if given is None or "://" in given:
        return None
    return str(Path(given).expanduser().absolute())


def lay_out(submit: Submit, settings: dict[str, Any], folder: Path, home: Path) -> tuple[str, ...]:
    """Put what travels with the job into its folder: the workdir's archive, the file as given, a trace.

    Returns what of the workdir had to stay behind, each with why; ``home`` never travels.

    Raises:
        BadInput: the workdir cannot be sent, or a named secret has no value.
    """
    missing = [name for name in submit.workload.secrets if name not in submit.secrets]
    if missing:
        raise BadInput("secret-missing", names=", ".join(missing), first=missing[0])
    folder.mkdir(parents=True, mode=0o700)
    bundle = pack(jobfile.workdir_of(submit.workload, submit.path), folder / "work.tar", (home,), home / "bundles")
    (folder / "job.yaml").write_text(submit.source)
    keep(submit, settings.get("trace"), folder)
    return bundle.left_out
