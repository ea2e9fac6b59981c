"""A world for commands: real parsing and drawing, captured streams, and an inside that holds given answers."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from tradewind.app.asked import Step
from tradewind.app.extending import Limits
from tradewind.app.interface import AddMachine, Prompt, Submit
from tradewind.app.queries import CompareQuery, OffersQuery, SimulateQuery, SizeOverrides
from tradewind.app.sizes.batch import Answered, answers
from tradewind.cli.main import run
from tradewind.cli.world import World
from tradewind.domain.errors import BadInput, CloudRefused, NotConfigured, NotFound, TimedOut
from tradewind.domain.workload import Workload

ANSWERS = Path(__file__).parent / "answers"
NOW = datetime(2026, 11, 21, 17, 30, tzinfo=UTC)
Answer = dict[str, Any]


def answer(name: str) -> Any:
    """A recorded answer of the control plane."""
    return json.loads((ANSWERS / f"{name}.json").read_text(encoding="utf-8"))


def place(account: str, complete: bool = True) -> Answer:
    """A place that was looked at."""
    return {"cloud": account, "account": account, "region": None, "complete": complete,
            "seen_at": "2026-11-21T17:29:58.400Z"}  # fmt: skip


def growing(show: Answer) -> list[Answer]:
    """The show object as a follower sees it over time: event by event, attempt by attempt."""
    seen = []
    for count in range(1, len(show["events"]) + 1):
        part = copy.deepcopy(show)
        part["events"] = show["events"][:count]
        now = part["events"][-1]["at"]
        resumed = [event["data"]["attempt"] for event in part["events"] if event["kind"] == "resumed"]
        part["attempts"] = [_as_of(each, now, resumed) for each in part["attempts"] if each["from"] <= now]
        part["checkpoints"] = [each for each in part["checkpoints"] if each["at"] <= now]
        if part["progress"]:
            part["progress"]["step"] = max((each["step"] for each in part["checkpoints"]), default=0)
        part["state"], part["ended_at"], part["exit_code"] = "RUNNING", None, None
        seen.append(part)
    return [*seen, show]


def _as_of(attempt: Answer, now: str, resumed: list[int]) -> Answer:
    if attempt["attempt"] not in resumed:
        attempt = {**attempt, "resumed_step": None}
    if attempt["to"] is None or attempt["to"] > now:
        return {**attempt, "to": None, "outcome": None, "exit_code": None}
    return attempt


@dataclass
class Control:
    """The port ``ControlPlane`` in memory."""

    shown: Answer = field(default_factory=lambda: answer("show"))
    clouds: tuple[str, ...] = ()
    plan: Answer | None = field(default_factory=lambda: answer("plan"))
    rows: list[Answer] = field(default_factory=list)
    places: list[Answer] = field(default_factory=lambda: [place("local")])
    swept: Answer = field(default_factory=lambda: answer("sweep"))
    log: bytes = b""
    calibrated: Answer = field(default_factory=lambda: answer("calibrate"))
    reported: Answer | None = None  # what its report tells, where that matters
    interrupt: bool = False
    outputs: int = 3
    tunnels: list[str] = field(default_factory=lambda: ["ssh", "-N", "box"])
    submitted: list[Submit] = field(default_factory=list)
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def plan_for(self, submit: Submit) -> Answer | None:
        return None if submit.local else self.plan

    def stakes(self, submit: Submit) -> Answer | None:
        if submit.local or submit.rehearse or submit.on == "box":
            return None
        if not self.clouds:
            raise NotConfigured("no-cloud-configured", file="JOB.yaml")
        return {"price_per_hour": {"amount": "0.05", "currency": "USD"}, "hours": 2.0,
                "at_most": {"amount": "0.15", "currency": "USD"}}  # fmt: skip

    def needs_of(self, submit: Submit) -> Answer | None:
        return answer("size")  # type: ignore[no-any-return]

    def submit(self, submit: Submit) -> Answer:
        self.submitted.append(submit)
        plan_id = None if submit.local or self.plan is None else self.plan["plan_id"]
        return {"job": self.shown["job"], "name": submit.workload.name, "state": "QUEUED", "plan_id": plan_id,
                "rehearsal": submit.rehearse}  # fmt: skip

    def ps(self, everything: bool) -> list[Answer]:
        self.calls.append(("ps", everything))
        return [self.shown] if everything else []

    def show(self, job: str) -> Answer:
        return self._find(job)

    def report(self, job: str) -> Answer:
        used = dict.fromkeys(("rss_bytes", "cpu_percent", "gpu", "gpu_memory_mb"))
        told = {"measures": [], "journals": 0, "used": used}
        return {"show": self._find(job), "cost": answer("cost")["jobs"][0], "series": told,
                "made_at": "2026-11-21T17:40:00.000Z"} | (self.reported or {})  # fmt: skip

    def _find(self, job: str) -> Answer:
        if job not in (self.shown["job"], self.shown["name"]):
            raise NotFound("job-unknown", name=job, known=self.shown["job"])
        return self.shown

    def log_chunk(self, job: str, offset: int) -> tuple[bytes, int, bool]:
        self._find(job)
        chunk = self.log[offset : offset + 7]
        return chunk, offset + len(chunk), offset + len(chunk) >= len(self.log)

    def wait(self, job: str, timeout: float | None, on_change: Callable[[Answer], None] | None) -> Answer:
        shown = self._find(job)
        self.calls.append(("wait", timeout))
        if timeout is not None and timeout < 10:
            raise TimedOut("wait-timeout", job=shown["job"], seconds=f"{timeout:g}")
        for part in growing(shown):
            if on_change:
                on_change(part)
        if self.interrupt:
            raise KeyboardInterrupt
        return shown

    def stop(self, job: str) -> Answer:
        return {**self._find(job), "state": "STOPPED"}

    def extend(self, job: str, limits: Limits) -> Answer:
        self.calls.append(("extend", limits))
        return self._find(job)

    def calibrate(self, submit: Submit, steps: int, on_change: Callable[[Answer], None]) -> Answer:
        self.submitted.append(submit)
        self.calls.append(("calibrate", steps))
        on_change(self.shown)
        return self.calibrated

    def explain(self, id_: str, everything: bool) -> Answer:
        self.calls.append(("explain", (id_, everything)))
        return answer("explain-lease" if id_.startswith("lease") else "explain-job")  # type: ignore[no-any-return]

    def leases(self, everything: bool) -> Answer:
        return {"leases": self.rows, "checked": self.places}

    def sweep(self, end: bool) -> Answer:
        self.calls.append(("sweep", end))
        return self.swept

    def visit(self, job: str, ports: bool) -> Answer:
        self._find(job)
        if not ports:
            return {"argv": ["ssh", "-t", "box"], "target": "ada@gpu-box", "ports": []}
        return {"argv": self.tunnels, "target": "ada@gpu-box", "ports": [
            {"port": 6006, "local": 6006}, {"port": 8888, "local": 41234},
        ]}  # fmt: skip

    def fetch(self, job: str, to: Path | None) -> Answer:
        self.calls.append(("fetch", to))
        kept = Path("/home/ada/.tradewind/jobs") / self._find(job)["job"] / "outputs"
        files = [{"name": f"out/{number:02d} 结果.pt", "bytes": 4_000_000} for number in range(self.outputs)]
        return {"job": self.shown["job"], "path": str(kept), "to": str(to) if to else None, "files": files,
                "bytes": 4_000_000 * self.outputs, "running": self.shown["state"] == "RUNNING"}  # fmt: skip

    def cost(self, job: str | None, rehearsals: bool, currency: str | None) -> Answer:
        self.calls.append(("cost", (job, rehearsals, currency)))
        return answer("cost") if job or rehearsals else {"jobs": [], "open_leases": 0}


@dataclass
class Keeper:
    """The port ``Service`` in memory."""

    installed: bool = True

    def text(self, kind: str | None) -> str:
        return f"[{kind or 'own'}]\n"

    def install(self, kind: str | None) -> Answer:
        return self._changed(True, ["loginctl enable-linger"])

    def uninstall(self, kind: str | None) -> Answer:
        return self._changed(False, [])

    def _changed(self, installed: bool, to_type: list[str]) -> Answer:
        service = answer("supervisor")["service"]
        return {"kind": service["kind"], "name": service["name"], "path": service["path"], "installed": installed,
                "to_type": to_type}  # fmt: skip

    def status(self, kind: str | None) -> Answer:
        told: Answer = answer("supervisor")
        if not self.installed:
            told["supervisor"] = None
            told["service"] |= {"installed": False, "current": False, "state": None}
        return told


@dataclass
class Shelf:
    """The port ``Catalog`` with recorded answers."""

    shown: Answer = field(default_factory=lambda: answer("catalog-show"))
    compared: Answer = field(default_factory=lambda: answer("catalog-compare"))
    refreshed: list[Answer] = field(default_factory=lambda: answer("catalog-refresh"))
    steps: list[Step] = field(default_factory=lambda: [
        Step("azure", "spot", 0, 2, 0), Step("azure", "spot", 0, 2, 0, 12.0), Step("azure", "spot", 1, 2, 1_000),
    ])  # fmt: skip
    asked: list[Any] = field(default_factory=list)

    def show(self, name: str) -> Answer:
        return self.shown

    def gpus(self, names: tuple[str, ...]) -> list[Answer]:
        self.asked.append(names)
        return answer("catalog-gpus")  # type: ignore[no-any-return]

    def regions(self, clouds: tuple[str, ...], near: str | None) -> list[Answer]:
        self.asked.append((clouds, near))
        return answer("catalog-regions")  # type: ignore[no-any-return]

    def compare(self, query: CompareQuery) -> Answer:
        self.asked.append(query)
        return self.compared

    def held(self) -> Answer:
        return answer("catalog-list")  # type: ignore[no-any-return]

    def add(self, path: Path, name: str | None) -> Answer:
        self.asked.append((path, name))
        return {"name": name or path.stem, "path": "/home/ada/own.csv", "prices": 12, "replaced": name is not None}

    def rates(self, refresh: bool) -> list[Answer]:
        self.asked.append(refresh)
        return answer("catalog-rates")  # type: ignore[no-any-return]

    def refresh(self, clouds: tuple[str, ...], tell: Callable[[Step], None]) -> list[Answer]:
        self.asked.append(clouds)
        for step in self.steps:
            tell(step)
        return self.refreshed


@dataclass
class Park:
    """The port ``Machines`` with recorded answers; adding asks what a new host with a locked key makes it ask."""

    listed: list[Answer] = field(default_factory=lambda: answer("machines"))
    checked: list[Answer] = field(default_factory=lambda: answer("machines-check"))
    reached: bool = True
    folders: list[str] = field(default_factory=lambda: ["/data/tradewind/3f1c"])
    changed: str = "no"
    asked: list[Any] = field(default_factory=list)

    def add(self, asked: AddMachine, prompt: Prompt | None) -> Answer:
        target, keys = asked.target, "ssh-ed25519 SHA256:n1\nssh-rsa SHA256:n2"
        if prompt is None and asked.host_key is None:
            command = f"tradewind machines add {target} --host-key SHA256:n1"
            raise BadInput("host-key-unasked", target=target, fingerprints=keys.replace("\n", ", "), command=command)
        answers = [] if prompt is None else [
            prompt.ask("host-key", {"target": target, "fingerprints": keys, "changed": self.changed}),
            prompt.ask("passphrase", {"key": "~/.ssh/id_ed25519", "target": target}),
            prompt.ask("own-key", {"target": target}),
        ]  # fmt: skip
        self.asked.append((asked, answers))
        if answers and answers[0] is None:
            raise BadInput("host-key-not-agreed", target=target)
        return {"machine": self.listed[0], "check": self.checked[0], "updated": self.changed == "yes"}

    def list(self) -> Sequence[Answer]:
        return self.listed

    def check(self, name: str | None) -> Sequence[Answer]:
        return [each for each in self.checked if name in (None, each["machine"])]

    def remove(self, name: str, *, force: bool) -> Answer:
        self.asked.append((name, force))
        if not self.reached and not force:
            raise CloudRefused("timed-out", target="ada@gpu-box", why="it does not answer")
        return {"name": name, "target": "ada@gpu-box", "reached": self.reached,
                "removed": self.folders if self.reached else [], "left": [] if self.reached else self.folders,
                "own_key": "taken-out" if self.reached else "left"}  # fmt: skip


@dataclass
class Sky:
    """The port ``Clouds`` with recorded answers; at ``gcp`` nothing can be rented."""

    listed: list[Answer] = field(default_factory=lambda: answer("clouds"))
    checked: Answer = field(default_factory=lambda: answer("clouds-check"))
    asked: list[Any] = field(default_factory=list)

    def list(self) -> Sequence[Answer]:
        return self.listed

    def check(self, cloud: str, region: str | None) -> Answer:
        self.asked.append((cloud, region))
        if cloud == "gcp":
            raise NotConfigured("cloud-not-rentable", cloud=cloud)
        return self.checked

    def policy(self, cloud: str) -> Answer:
        statement = {"Effect": "Allow", "Action": ["ec2:RunInstances"], "Resource": "*"}
        return {"Version": "2012-10-17", "Statement": [statement]}


@dataclass
class Inside:
    """The use cases with given answers, over a control plane in memory."""

    folder: Path
    plane: Control = field(default_factory=Control)
    keeper: Keeper = field(default_factory=Keeper)
    park: Park = field(default_factory=Park)
    sky: Sky = field(default_factory=Sky)
    found: list[Answer] = field(default_factory=list)
    beside: Answer = field(default_factory=dict)
    shelf: Shelf = field(default_factory=Shelf)
    asked: list[Any] = field(default_factory=list)
    broken: BaseException | None = None
    sized: Answer = field(default_factory=lambda: answer("size"))
    simulated: Answer = field(default_factory=lambda: answer("simulate"))
    traced: str = ""  # the model that is traced on the way

    def home(self) -> Path:
        return self.folder

    def size(self, workload: Workload, overrides: SizeOverrides, tell: Callable[[str], None]) -> Answer:
        self.asked.append((workload, overrides))
        if self.traced:
            tell(self.traced)
        return self.sized

    def batch(self, lines: Sequence[str], file: str, workers: int, tell: Callable[[str], None]) -> Iterator[Answered]:
        def one(workload: Workload, overrides: SizeOverrides) -> Answer:
            return self.size(workload, overrides, tell)

        return answers(lines, file, one, workers)

    def offers(self, query: OffersQuery) -> Answer:
        self.asked.append(query)
        nothing = {"unpriced": 0, "left_out": {}, "rates": [], "near": None, "sorted_by": "price_per_gpu",
                   "specialists": 0, "passed_over": [], "rebuilt": False, "clock_behind": None}  # fmt: skip
        most = query.limit or len(self.found)
        return {"offers": self.found[:most], "more": len(self.found[most:]), **nothing, **self.beside}

    def catalog(self) -> Shelf:
        return self.shelf

    def rate(self, base: str, quote: str) -> Answer | None:
        value = {("USD", "CNY"): "6.7758"}.get((base, quote))
        return {"base": base, "quote": quote, "value": value, "as_of": "2026-06", "source": "x"} if value else None

    def candidates(self, kind: str) -> list[tuple[str, str]]:
        return {"job": [("digits", "job-3f RUNNING"), ("digits-long", "job-2c STOPPED")],
                "cloud": [("aws", ""), ("azure", "")], "model": [("preset:resnet50", "")],
                "machine": [("gpu box", "")]}.get(kind, [])  # fmt: skip

    def plan(self, workload: Workload, now: datetime, tell: Callable[[str], None], objective: str) -> Answer:
        self.asked.append((workload, objective))
        assert self.plane.plan is not None
        return self.plane.plan

    def simulate(
        self, workload: Workload, query: SimulateQuery, now: datetime, tell: Callable[[str], None],
        progress: Callable[[int, int], None],
    ) -> Answer:  # fmt: skip
        self.asked.append(query)
        for done in range(1, query.runs + 1):
            progress(done, query.runs)
        return self.simulated

    def service(self) -> Keeper:
        return self.keeper

    def machines(self) -> Park:
        return self.park

    def clouds(self) -> Sky:
        return self.sky

    def control(self) -> Control:
        if self.broken:
            raise self.broken
        return self.plane


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass
class Result:
    """What a command line left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON value on stdout."""
        return json.loads(self.out)


@dataclass
class Shell:
    """Runs command lines in one world."""

    inside: Inside
    env: dict[str, str] = field(default_factory=lambda: {"COLUMNS": "100", "LANG": "C.UTF-8", "PATH": "/usr/bin"})
    terminal: bool = False
    typed: str = ""
    unseen: str = ""
    questions: list[str] = field(default_factory=list)
    became: list[list[str]] = field(default_factory=list)
    zone: tzinfo = UTC

    def __call__(self, *args: str) -> Result:
        make = Terminal if self.terminal else io.StringIO
        stdin, out, err = make(self.typed), make(), make()
        clock = iter(range(0, 10_000, 2))
        world = World(self.env, stdin, out, err, self.inside, now=lambda: NOW, monotonic=lambda: float(next(clock)),
                      sleep=lambda _: None, typed_unseen=self._typed, become=self._become, zone=self.zone)  # fmt: skip
        return Result(run(args, world), out.getvalue(), err.getvalue())

    def _typed(self, question: str) -> str:
        self.questions.append(question)
        return self.unseen

    def _become(self, argv: Sequence[str]) -> int:
        self.became.append(list(argv))
        if argv[0] == "absent":
            raise FileNotFoundError(2, "No such file or directory")
        return 0

    @property
    def plane(self) -> Control:
        """The control plane in memory."""
        return self.inside.plane


def job_file(folder: Path, more: Sequence[str] = ()) -> str:
    """A job file in ``folder``; its path."""
    path = folder / "job.yaml"
    lines = ["name: digits", "run: python train.py", "model: {parameters: 590890}", *more]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)
