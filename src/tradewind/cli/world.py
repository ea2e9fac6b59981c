"""What a command finds around it: streams, environment, clock and the inside. Tests bring another world."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from tradewind.cli.terminal import coloured, dumb, takes_all

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, RenderableType

    from tradewind.app.interface import Answer, Catalog, Clouds, ControlPlane, Machines, Service
    from tradewind.app.queries import OffersQuery, SimulateQuery, SizeOverrides
    from tradewind.app.sizes.batch import Answered
    from tradewind.cli.draw.pen import Pen
    from tradewind.domain.plan import Objective
    from tradewind.domain.workload import Workload

PIPED_WIDTH = 100  # columns when nobody says how wide the reader is
PLAIN_WIDTH = 10_000  # columns of plain lines: who has them read aloud wants none of them broken


class Inside(Protocol):
    """The use cases that commands call."""

    def home(self) -> Path:
        """The folder that holds all state."""
        ...

    def size(self, workload: Workload, overrides: SizeOverrides, tell: Callable[[str], None]) -> Answer:
        """The ``size`` answer; ``tell`` hears of each model that is traced."""
        ...

    def batch(self, lines: Sequence[str], file: str, workers: int, tell: Callable[[str], None]) -> Iterator[Answered]:
        """Answers to the rows of a batch file of sizes, in their order."""
        ...

    def offers(self, query: OffersQuery) -> Answer:
        """What matches, in the order asked for, with ``more``, ``unpriced``, ``left_out``, ``rates``, ``near``."""
        ...

    def catalog(self) -> Catalog:
        """The catalog that offers come from."""
        ...

    def rate(self, base: str, quote: str) -> Answer | None:
        """The exchange rate (``base``, ``quote``, ``value``, ``as_of``, ``source``); None where none leads there."""
        ...

    def candidates(self, kind: str) -> list[tuple[str, str]]:
        """Names of a kind that may be typed, each with what it is the name of."""
        ...

    def plan(self, workload: Workload, now: datetime, tell: Callable[[str], None], objective: Objective) -> Answer:
        """The ``plan`` answer, the best by ``objective``."""
        ...

    def simulate(
        self, workload: Workload, query: SimulateQuery, now: datetime, tell: Callable[[str], None],
        progress: Callable[[int, int], None],
    ) -> Answer:  # fmt: skip
        """The ``simulate`` answer; ``progress`` hears how many runs of how many are done."""
        ...

    def control(self) -> ControlPlane:
        """The control plane that holds this installation's jobs."""
        ...

    def service(self) -> Service:
        """The supervisor as a service of the user."""
        ...

    def machines(self) -> Machines:
        """The user's own machines."""
        ...

    def clouds(self) -> Clouds:
        """Accounts at clouds."""
        ...


def typed_unseen(question: str) -> str:
    """What is typed in answer to ``question``, without an echo."""
    from getpass import getpass

    return getpass(question)


def become(argv: Sequence[str]) -> int:
    """Nothing: this process goes on as another program.

    Raises:
        OSError: there is no such program.
    """
    os.execvp(argv[0], list(argv))  # noqa: S606  a program of the user's, without a shell between


@dataclass
class World:
    """Everything outside a command. ``lang``, ``json`` and ``plain`` are set from the command line before it runs.

    Attributes:
        currency: that of the reader's country, in which sums are told too; never in JSON.
        zone: in which times are told; None: the computer's own.
        program: how the command was called.
    """

    env: Mapping[str, str]
    stdin: TextIO
    out: TextIO
    err: TextIO
    inside: Inside
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    typed_unseen: Callable[[str], str] = typed_unseen
    become: Callable[[Sequence[str]], int] = become
    lang: str = "en"
    json: bool = False
    plain: bool = False
    currency: str | None = None
    zone: tzinfo | None = None
    program: str = "tradewind"

    def say(self, code: str, **facts: object) -> str:
        """The sentence of ``code`` in the world's language."""
        from tradewind import words

        return words.say(code, self.lang, **facts)

    def answer(self, value: Any) -> None:
        """Print ``value`` as the one JSON value on stdout; numbers that are not finite are unknown, thus null."""
        import json

        indent = 2 if self.out.isatty() else None
        try:
            text = json.dumps(value, ensure_ascii=not takes_all(self.out), indent=indent, allow_nan=False)
        except ValueError:
            text = json.dumps(_finite(value), ensure_ascii=not takes_all(self.out), indent=indent)
        self.out.write(text + "\n")
        self.out.flush()

    def line(self, value: Any) -> None:
        """Print ``value`` as one line of JSON on stdout, at once."""
        import json

        self.out.write(json.dumps(_finite(value), ensure_ascii=not takes_all(self.out)) + "\n")
        self.out.flush()

    def interactive(self) -> bool:
        """Whether a person can be asked."""
        return self.stdin.isatty() and self.err.isatty()

    def redraws(self, file: TextIO) -> bool:
        """Whether lines on ``file`` may be drawn over: on a terminal that can, unless plain lines are asked for."""
        return file.isatty() and not self.plain and not dumb(self.env)

    def coloured(self, file: TextIO) -> bool:
        """Whether what goes to ``file`` has colours."""
        return not self.plain and coloured(self.env, file.isatty())

    def console(self, *, to_err: bool = False) -> Console:
        """Where prose and tables go: stdout, or stderr when stdout is kept for JSON or ``to_err`` asks so."""
        from rich.console import Console

        file = self.err if to_err or self.json else self.out
        return Console(
            file=self._voiced(file), width=self._width(file), force_terminal=self.redraws(file),
            color_system="standard" if self.coloured(file) else None,
            markup=False, emoji=False, highlight=False, legacy_windows=False, _environ=self.env,
        )  # fmt: skip

    def pen(self, console: Console) -> Pen:
        """What drawings need to know of their reader."""
        return self._pen(console.width)

    def _pen(self, width: int) -> Pen:
        from tradewind.cli.draw.pen import Pen

        return Pen(self.lang, width, self.plain, self.zone)

    def write(self, drawing: Callable[..., str], *given: Any) -> None:
        """Print the plain text that ``drawing(pen, *given)`` makes, without the drawing library."""
        file = self.err if self.json else self.out
        pen = self._pen(self.columns(file))
        self._voiced(file).write(drawing(pen, *given) + "\n")

    def draw(self, drawing: Callable[..., Any], *given: Any) -> None:
        """Print what ``drawing(pen, *given)`` makes."""
        console = self.console()
        put(console, drawing(self.pen(console), *given))

    def _voiced(self, file: TextIO) -> TextIO:
        """``file``, or for plain lines what makes them so on their way there."""
        if not self.plain:
            return file
        from tradewind.cli.draw.spoken import Spoken

        return cast("TextIO", Spoken(self.lang, file))

    def columns(self, file: TextIO) -> int:
        """How wide the reader is."""
        return self._width(file) or get_terminal_size().columns

    def _width(self, file: TextIO) -> int | None:
        if self.plain:
            return PLAIN_WIDTH
        columns = self.env.get("COLUMNS", "")
        if columns.isdigit() and int(columns) > 0:
            return int(columns)
        return None if file.isatty() else PIPED_WIDTH


def put(console: Console, *parts: RenderableType) -> None:
    """Print parts one after the other; into pipes and files without the blanks that fill lines up."""
    if console.is_terminal:
        for part in parts:
            console.print(part, crop=False)
        return
    with console.capture() as drawn:
        for part in parts:
            console.print(part, crop=False)
    console.file.write("".join(line.rstrip() + "\n" for line in drawn.get().splitlines()))
    console.file.flush()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(below) for below in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
