"""Following a job to its end: a live line, and what happens as it happens; Ctrl-C leaves the job running."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from rich.text import Text

from tradewind.cli.draw.cost import job_money, still_open
from tradewind.cli.draw.ending import comparison, lost, outcome
from tradewind.cli.draw.jobs import log_tail
from tradewind.cli.draw.live import bar, live
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.replayed import replayed
from tradewind.cli.draw.strokes import WARN, Unbroken, gap
from tradewind.cli.draw.timeline import Moment, heading, line, moments
from tradewind.cli.given import exit_code_of
from tradewind.cli.reporting import keep_report
from tradewind.cli.world import World, put

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

    from tradewind.app.interface import Answer, ControlPlane

LINE_SECONDS = 5.0  # between progress lines where lines cannot be redrawn
REDRAWS_PER_SECOND = 8
INTERRUPTED = 130


class Follower:
    """Tells of a job's changes on a console."""

    def __init__(self, world: World, console: Console, live_line: Live | None) -> None:
        self.world, self.console, self.live_line = world, console, live_line
        self.pen = world.pen(console)
        self.told: set[Moment] = set()
        self.headed: set[int] = set()
        self.state = ""
        self.last_line = float("-inf")

    def changed(self, job: Answer) -> None:
        """Tell what is new in a show object."""
        for moment in moments(job):
            self._tell(moment)
        if self.live_line is not None:
            self.live_line.update(bar(self.pen, job, self.world.now()), refresh=True)
        else:
            self._line(job)

    def _tell(self, moment: Moment) -> None:
        if moment in self.told:
            return
        self.told.add(moment)
        if moment.attempt not in self.headed:
            self.headed.add(moment.attempt)
            self.console.print(heading(self.pen, moment))
        self.console.print(line(self.pen, moment))

    def _line(self, job: Answer) -> None:
        """A plain line: at once when the state changes, else every few seconds."""
        now = self.world.monotonic()
        if job["state"] == self.state and now - self.last_line < LINE_SECONDS:
            return
        self.state, self.last_line = job["state"], now
        self.console.print(live(self.pen, job, self.world.now()))


def to_the_end(world: World, control: ControlPlane, job: str, timeout: float | None = None) -> int:
    """The exit code of a job that was followed to its end and told of; 130 after Ctrl-C, which leaves it running.

    Raises:
        TimedOut: it goes on after ``timeout`` seconds.
    """
    try:
        shown = follow(world, control, job, timeout)
        ending(world, control, shown)
    except KeyboardInterrupt:
        return detached(world, job)
    if world.json:
        world.answer(shown)
    return exit_code_of(shown["state"])


def follow(world: World, control: ControlPlane, job: str, timeout: float | None = None) -> Answer:
    """The show object of the job once it has ended.

    Raises:
        TimedOut: it goes on after ``timeout`` seconds.
    """
    with following(world) as changed:
        shown = control.wait(job, timeout, changed)
        changed(shown)
    return shown


@contextmanager
def following(world: World) -> Iterator[Callable[[Answer], None]]:
    """What to call with each show object of a job that is looked at."""
    console = world.console()
    with _live(console) as live_line:
        yield Follower(world, console, live_line).changed


def _live(console: Console) -> AbstractContextManager[Live | None]:
    if not console.is_terminal:
        return nullcontext()
    from rich.live import Live

    return Live(console=console, auto_refresh=False, refresh_per_second=REDRAWS_PER_SECOND, transient=True)


def detached(world: World, job: str) -> int:
    """130, after saying that the job goes on, how to come back, and how to stop it. A second Ctrl-C cuts this short."""
    world.err.write("\n" + world.say("detached", job=job) + "\n")
    world.err.flush()
    return INTERRUPTED


def ending(world: World, control: ControlPlane, job: Answer) -> None:
    """The end of a run: outcome, money, prediction beside outcome, and last of all the open leases."""
    console = world.console()
    pen = world.pen(console)
    told = control.cost(job["job"], True, None)
    report = Unbroken("  " + keep_report(world, control, job["job"]))
    put(
        console, gap(), outcome(pen, job), report, *log_tail(pen, job), *_money(pen, told), *comparison(pen, job),
        *_aside(pen, job), *replayed(pen, job), gap(), still_open(pen, control.leases(False)),
    )  # fmt: skip


def _aside(pen: Pen, job: Answer) -> list[Text]:
    """What the interruptions took, and which injected ones were never reached."""
    taken = lost(pen, job)
    missed = [str(event["why"]) for event in job["events"] if event["kind"] == "preemption-not-reached"]
    return [Text(f"  {taken}")] * bool(taken) + [Text("  " + pen.say("not-reached", at=at), WARN) for at in missed]


def _money(pen: Pen, told: Answer) -> list[RenderableType]:
    return [part for job in told["jobs"] for part in (gap(), job_money(pen, job))]
