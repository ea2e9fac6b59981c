"""``tradewind run``: needs and plan, a question where money is spent, the run itself, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import given
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import BadInput, NotConfigured, NothingFits

if TYPE_CHECKING:
    from tradewind.app.interface import Answer, ControlPlane, Submit
    from tradewind.cli.world import World
    from tradewind.domain.workload import PreemptAt


@worded("run")
@click.argument("file", type=click.Path(path_type=Path), metavar="JOB.yaml")
@click.option("--rehearse", is_flag=True)
@click.option("--local", is_flag=True)
@click.option("--detach", is_flag=True)
@click.option("--yes", "-y", is_flag=True)
@click.option("--max-cost", metavar="MONEY")
@click.option("--request-id", metavar="ID")
@click.option("--preempt-at", metavar="25%,60%|15s,35s|none")
@click.option("--trace", metavar="NAME|FILE")
@click.option("--trace-speed", metavar="auto|N")
@click.option("--seed", type=int, metavar="N")
@click.option("--time-scale", default="auto", metavar="auto|N")
@with_json
def command(world: World, file: Path, detach: bool, yes: bool, **flags: Any) -> int:
    """Submit the job, and follow it to its end unless ``--detach``."""
    submit = submit_of(world, file, flags)
    control = world.inside.control()
    plan = _told(world, control, submit) if not (detach and world.json) else None
    paid = not (submit.rehearse or submit.local)
    if paid:
        _allowed(world, control, submit, plan, yes)
    if detach:
        return _detached(world, _submitted(world, control, submit))
    return _followed(world, control, submit)


def submit_of(world: World, job: Path, flags: dict[str, Any]) -> Submit:
    """What the command line and the job file ask for.

    Raises:
        BadInput: options that exclude or need each other, or what cannot be read.
        NotFound: ``trace-unknown``.
    """
    from tradewind.app import jobfile
    from tradewind.app.interface import Submit
    from tradewind.domain.money import parse_money

    _compatible(flags)
    workload, source = jobfile.read(job)
    submit = Submit(
        path=job,
        workload=workload,
        source=source,
        rehearse=flags["rehearse"],
        local=flags["local"],
        preempt_at=_points(flags["preempt_at"]),
        trace=flags["trace"],
        trace_speed=given.trace_speed(flags["trace_speed"] or "auto"),
        seed=flags["seed"] or 0,
        time_scale=given.time_scale(flags["time_scale"]),
        max_cost=parse_money(flags["max_cost"]) if flags["max_cost"] else None,
        request_id=flags["request_id"],
        env=given.travelling(world.env, world.program),
        secrets=given.secrets(workload, world.env),
    )
    if submit.trace:
        from tradewind.app.replaying import asked_trace

        asked_trace(submit)  # what is wrong with it is told before a plan is made
    return submit


def _compatible(flags: dict[str, Any]) -> None:
    """Nothing, when every option has what it needs.

    Raises:
        BadInput: ``rehearse-and-local``, ``preempt-without-rehearse``, ``trace-without-rehearse``, ``needs-trace``.
    """
    if flags["rehearse"] and flags["local"]:
        raise BadInput("rehearse-and-local")
    if flags["preempt_at"] and not flags["rehearse"]:
        raise BadInput("preempt-without-rehearse")
    if flags["trace"] and not flags["rehearse"]:
        raise BadInput("trace-without-rehearse")
    if not flags["trace"]:
        for name in ("trace_speed", "seed"):
            if flags[name] is not None:
                raise BadInput("needs-trace", option="--" + name.replace("_", "-"))


def _points(text: str | None) -> tuple[PreemptAt, ...] | None:
    """Preemptions to inject; none at all for ``none``, and None where the job file says."""
    from tradewind.app.jobfile.spans import parse_preempt_at

    if text is None:
        return None
    return () if text.strip().lower() == "none" else parse_preempt_at(text)


def _told(world: World, control: ControlPlane, submit: Submit) -> Answer | None:
    """The plan, after needs and plan were shown.

    Raises:
        NothingFits: ``nothing-fits``: the plan chose nothing.
    """
    from tradewind.cli.draw import needs, plan

    sizing, planned = control.needs_of(submit), control.plan_for(submit)
    if sizing is not None:
        chosen = planned["chosen"] if planned else None
        world.draw(needs.needs, sizing, chosen["offer"]["gpu"] if chosen else None)
        world.console().print()
    if planned is None:
        return None
    world.draw(plan.plan, planned)
    world.console().print()
    if planned["chosen"] is None:
        raise NothingFits("nothing-fits")
    return planned


def _allowed(world: World, control: ControlPlane, submit: Submit, plan: Answer | None, yes: bool) -> None:
    """Nothing, once it is certain that money may be spent.

    Raises:
        NotConfigured: ``no-cloud-configured``.
        BadInput: ``limit-missing`` for ``--yes`` without a limit, ``nobody-to-ask`` without a terminal.
    """
    if not control.configured():
        raise NotConfigured("no-cloud-configured")
    limit = submit.max_cost or submit.workload.budget.limit
    if yes:
        if limit is None:
            raise BadInput("limit-missing")
        return
    if not world.interactive():
        raise BadInput("nobody-to-ask")
    world.err.write(at_most(world, plan, limit) + "\n" + world.say("ask-to-spend") + " ")
    world.err.flush()
    if world.stdin.readline().strip().lower() not in {"y", "yes", "是", "好"}:
        raise BadInput("not-agreed")


def at_most(world: World, plan: Answer | None, limit: Any) -> str:
    """The last line before money is spent: the limit, or what the hard end allows at the planned price."""
    if limit is not None:
        return world.say("at-most", money=limit)
    from tradewind.domain.money import Money

    placed = plan["chosen"] if plan else None
    price = placed["offer"]["price_per_hour"] if placed else None
    if not placed or not price or not placed["hours"]:
        return world.say("at-most-unknown")
    # The hard end is 1.5 × the upper predicted hours (design, "Hard end").
    return world.say("at-most", money=Money.from_json(price) * placed["nodes"] * (1.5 * placed["hours"]["high"]))


def _submitted(world: World, control: ControlPlane, submit: Submit) -> Answer:
    """The answer of the submit, its remarks told on stderr."""
    accepted = control.submit(submit)
    for remark in accepted.get("remarks", []):
        world.err.write(world.say(f"remark-{remark['code']}", **remark["facts"]) + "\n")
    world.err.flush()
    return accepted


def _detached(world: World, accepted: Answer) -> int:
    if world.json:
        world.answer(accepted)
    else:
        world.out.write(world.say("submitted", job=accepted["job"], name=accepted["name"]) + "\n")
    return 0


def _followed(world: World, control: ControlPlane, submit: Submit) -> int:
    from tradewind.cli.follow import detached, ending, follow

    job = submit.workload.name  # how to come back to it when Ctrl-C cuts the answer off
    try:
        job = _submitted(world, control, submit)["job"]
        shown = follow(world, control, job)
        ending(world, control, shown)
    except KeyboardInterrupt:
        return detached(world, job)
    if world.json:
        world.answer(shown)
    return given.exit_code_of(shown["state"])
