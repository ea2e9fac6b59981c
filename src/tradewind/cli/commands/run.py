"""``tradewind run``: needs and plan, a question where money is spent, the run itself, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import completing, given, own_currency
from tradewind.cli.asking import agreed
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import BadInput, NothingFits

if TYPE_CHECKING:
    from tradewind.app.interface import Answer, ControlPlane, Submit
    from tradewind.cli.world import World
    from tradewind.domain.workload import PreemptAt


@worded("run")
@click.argument("file", type=click.Path(path_type=Path), metavar="JOB.yaml")
@click.option("--rehearse", is_flag=True)
@click.option("--local", is_flag=True)
@click.option("--on", metavar="MACHINE", shell_complete=completing.of("machine"))
@click.option("--detach", is_flag=True)
@click.option("--yes", "-y", is_flag=True)
@click.option("--max-cost", metavar="MONEY")
@click.option("--request-id", metavar="ID")
@click.option("--preempt-at", metavar="25%,60%|15s,35s|none")
@click.option("--trace", metavar="NAME|FILE", shell_complete=completing.of("trace"))
@click.option("--trace-speed", metavar="auto|N")
@click.option("--seed", type=int, metavar="N")
@click.option("--time-scale", default="auto", metavar="auto|N")
@with_json
def command(world: World, file: Path, detach: bool, yes: bool, **flags: Any) -> int:
    """Submit the job, and follow it to its end unless ``--detach``."""
    submit = submit_of(world, file, flags)
    control = world.inside.control()
    with given.naming(file):
        if not (detach and world.json):
            _told(world, control, submit)
        stakes = control.stakes(submit)
        if stakes is not None:
            _allowed(world, submit, stakes, yes)
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
    workload, source = jobfile.read(job, world.now())
    submit = Submit(
        path=job,
        workload=workload,
        source=source,
        rehearse=flags["rehearse"],
        local=flags["local"],
        on=flags["on"],
        preempt_at=_points(flags["preempt_at"]),
        trace=flags["trace"],
        trace_speed=given.trace_speed(flags["trace_speed"] or "auto"),
        seed=flags["seed"] or 0,
        time_scale=given.time_scale(flags["time_scale"]),
        max_cost=given.option("--max-cost", parse_money, flags["max_cost"]),
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
        BadInput: ``rehearse-and-local``, ``local-and-on``, ``preempt-without-rehearse``, ``trace-without-rehearse``,
            ``needs-trace``.
    """
    if flags["rehearse"] and flags["local"]:
        raise BadInput("rehearse-and-local")
    if flags["local"] and flags["on"]:
        raise BadInput("local-and-on")
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
    return () if text.strip().lower() == "none" else given.option("--preempt-at", parse_preempt_at, text)


def _told(world: World, control: ControlPlane, submit: Submit) -> None:
    """Show needs and plan, where there are any.

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
        return
    world.draw(plan.plan, planned)
    own_currency.tell(world, planned)
    world.console().print()
    if planned["chosen"] is None:
        raise NothingFits("nothing-fits", file="JOB.yaml")


def _allowed(world: World, submit: Submit, stakes: Answer, yes: bool) -> None:
    """Nothing, once it is certain that money may be spent.

    Raises:
        BadInput: ``limit-missing`` for ``--yes`` without a limit, ``nobody-to-ask`` without a terminal.
    """
    from tradewind.domain.money import Money

    limit = submit.max_cost or submit.workload.budget.limit
    if yes:
        if limit is None:
            raise BadInput("limit-missing")
        return
    if not world.interactive():
        raise BadInput("nobody-to-ask")
    at_most = world.say("at-most", money=limit or Money.from_json(stakes["at_most"]))
    if not agreed(world, f"{at_most}\n{world.say('ask-to-spend')}"):
        raise BadInput("not-agreed")


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
    from tradewind.cli.follow import detached, to_the_end

    try:
        job = _submitted(world, control, submit)["job"]
    except KeyboardInterrupt:
        return detached(world, submit.workload.name)  # how to come back to it when Ctrl-C cuts the answer off
    return to_the_end(world, control, job)
