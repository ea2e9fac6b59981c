"""What the command line and the server may ask of the inside: one interface, whether embedded or served.

Answers are the contracts' JSON shapes as plain dicts, so that ``--json`` prints exactly what was answered. Besides the
contracts' fields:

    show      ``time_scale``: planned-offer seconds that one real second stands for (null: not measured yet);
              ``here``: of a rehearsal, else null: what this computer was expected to take before it began
              (``predicted``: ``hours``, ``cost``, ``machines``, ``measured``: ``at``, ``job``; null where nothing was
              measured here before), and what it took (``actual``: ``hours``, ``cost``)
              ``next``: what the policy would do now (``action``, ``pool``, ``why``, ``code``, ``facts``, ``at_risk``),
              ``if_lost`` the same after a loss, ``on_demand_by``, ``decided_at`` (null: ended, or nothing to choose);
              ``limits``: ``deadline``, ``budget`` (``limit``, ``spent``, ``held``), the machine's ``hard_end``
              ``checkpoints`` also have ``epoch`` and ``verified``: false of a script that does not say itself what is
              whole; their ``step`` is then null unless the script told it
              ``decisions`` also have ``pool``, ``code``, ``facts`` where the policy made them
    explain   ``decisions``: the last of a job, with ``same`` (made again, is it the same?), ``again``, ``options``
    size      ``model``, ``source`` (traced, closed-form, parameters), ``task``, ``parameters``, ``flops_total``,
              ``total_steps`` (null when unknown), ``assumptions`` and ``limits`` (codes with facts), ``explain``,
              ``setup`` of a guide; for work without a model ``needs``, ``gpus``, ``machines`` and no fits
    progress  ``accuracy`` (0 to 1) when the training tells it
    ps, show  ``on``: the name of the user's machine, also of a rehearsal there; null anywhere else
    events    their ``kind`` is free; a ``what`` that is a lease or job id, with ``from`` and ``to``, is a change of
              state; a kind of ``notice`` or ``reclaim`` is a spot notice
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from tradewind.app.asked import Step
    from tradewind.app.extending import Limits
    from tradewind.app.queries import CompareQuery
    from tradewind.domain.money import Money
    from tradewind.domain.workload import PreemptAt, Workload

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Submit:
    """A job to be carried out.

    Attributes:
        path: the job file; its folder is what ``workload.workdir`` is relative to. None: the current folder.
        source: the job file's text as read.
        on: the name of the user's machine to run on, or to rehearse on; None: where the plan says.
        preempt_at: injected preemptions; they replace those of the file, and the trace. None: those of the file.
        trace: the name of a shipped trace that a rehearsal replays, or the path of a file; ``seed`` says which window.
        trace_speed: the trace's seconds that one real second stands for; None: as ``time_scale``.
        time_scale: planned-offer seconds that one real second stands for; None: predicted ÷ measured.
        teaches: whether what its steps took is kept at its end; a calibration keeps its own.
        env: what of the submitting shell goes with the job.
        secrets: NAME → value of the named secrets; never shown or stored in the open.
    """

    path: Path | None
    workload: Workload
    source: str
    rehearse: bool = False
    local: bool = False
    on: str | None = None
    preempt_at: tuple[PreemptAt, ...] | None = None
    trace: str | None = None
    trace_speed: float | None = None
    seed: int = 0
    time_scale: float | None = None
    max_cost: Money | None = None
    request_id: str | None = None
    teaches: bool = True
    env: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


def open_count(listed: Answer) -> int | None:
    """How many leases a ``leases`` answer shows open; None when a place was not listed: unknown is not none."""
    if not all(each["complete"] for each in listed["checked"]):
        return None
    return len(listed["leases"])


class ControlPlane(Protocol):
    """Jobs and leases of one installation. ``job`` is an id, a unique beginning of one, or the newest job's name."""

    def plan_for(self, submit: Submit) -> Answer | None:
        """The plan as shown before asking; None when the job needs none: ``local``, or on a named machine of which
        nothing can be predicted (no model in the file, or no GPU there that is known)."""
        ...

    def stakes(self, submit: Submit) -> Answer | None:
        """``{"price_per_hour": Money, "hours": float | null, "at_most": Money}``: what the run may cost, by the upper
        predicted hours, or by the hard end where nothing is predicted. None when it costs nothing.

        Raises:
            NotConfigured: ``no-cloud-configured``: it needs a machine, and there is none to be had.
            NotFound, BadInput: ``machine-not-added``, ``machine-too-small``.
        """
        ...

    def needs_of(self, submit: Submit) -> Answer | None:
        """The ``size`` answer for the workload; None when neither model nor resources say enough."""
        ...

    def submit(self, submit: Submit) -> Answer:
        """``{"job", "name", "state", "plan_id", "rehearsal", "remarks"}``. The same request id gives the same job.

        ``remarks`` stop nothing but should be read: ``[{"code", "facts"}]``.

        Raises:
            TradewindError: the job was not accepted; nothing exists then.
        """
        ...

    def ps(self, everything: bool) -> list[Answer]:
        """Live jobs, newest first; with ``everything`` ended ones too."""
        ...

    def show(self, job: str) -> Answer:
        """The show object.

        Raises:
            NotFound: no such job, or several begin so.
        """
        ...

    def report(self, job: str) -> Answer:
        """``{"show", "cost", "series", "made_at"}``: the show object, the job's element of ``cost``, and what it told
        while it trained, thinned for pictures (``views.series``).

        Raises:
            NotFound: as ``show``.
        """
        ...

    def log_chunk(self, job: str, offset: int) -> tuple[bytes, int, bool]:
        """Log bytes from ``offset`` on, the next offset, and whether nothing more will come."""
        ...

    def wait(self, job: str, timeout: float | None, on_change: Callable[[Answer], None] | None) -> Answer:
        """The show object of the job once it has ended; ``on_change`` gets one whenever something changed.

        Raises:
            TimedOut: ``wait-timeout`` (job, seconds): it goes on after ``timeout`` seconds.
        """
        ...

    def stop(self, job: str) -> Answer:
        """The show object once the job has stopped; a job that has ended stays as it is."""
        ...

    def extend(self, job: str, limits: Limits) -> Answer:
        """The show object of a job whose budget or deadline was set anew; the policy reads both at once.

        Raises:
            BadInput: nothing was given, the job has ended, or it would be over already.
        """
        ...

    def visit(self, job: str, ports: bool) -> Answer:
        """``{"argv", "target", "ports": [{"port", "local"}]}``: the command line that opens a shell where the job
        works, or with ``ports`` holds tunnels to the ports of its file; ``argv`` is empty where those need none.

        Raises:
            BadInput: ``job-not-on-a-node`` (job, state), ``no-ports`` (job).
            CloudRefused: the machine does not answer; the code says why.
        """
        ...

    def fetch(self, job: str, to: Path | None) -> Answer:
        """``{"job", "path", "to", "files": [{"name", "bytes"}], "bytes", "running"}``: the outputs, which lie at
        ``path`` in the home, copied into ``to`` when it is given; files of the same names are written over.

        Raises:
            BadInput: ``no-outputs`` (job, state), ``fetch-target-taken`` (path).
        """
        ...

    def calibrate(self, submit: Submit, steps: int, on_change: Callable[[Answer], None]) -> Answer:
        """``{"workload", "job", "state", "exit_code", "subject", "lesson", "lessons"}``: the job run here for so many
        steps, then stopped; ``lesson`` is what they took, null when it ended before enough was measured.

        Raises:
            BadInput: ``calibration-batch-unknown``.
        """
        ...

    def explain(self, id_: str, everything: bool) -> Answer:
        """The explain object of a job or a lease: ``{"row", "events", "events_in_all", "next_wake", "code", "facts",
        "leases", "supervisor"}``; its last events, with ``everything`` all. ``why`` is the sentence of ``code`` (the
        words' ``explain-…``) with ``facts``, made where the reader's language is known.

        Raises:
            NotFound: nothing, or more than one thing, begins so.
        """
        ...

    def leases(self, everything: bool) -> Answer:
        """``{"leases": [lease], "checked": [place]}``: open leases, with ``everything`` ended ones too, and things of
        ours without a row; beside them the places that were looked at. Only if all were listed is the answer whole.
        """
        ...

    def sweep(self, end: bool) -> Answer:
        """The sweep object, with ``ending``: ids of what was asked to end and is not yet seen gone."""
        ...

    def cost(self, job: str | None, rehearsals: bool, currency: str | None) -> Answer:
        """The cost object of one job or of all; a job asked for by name is told even when a rehearsal."""
        ...


class Catalog(Protocol):
    """What is known of machines, GPUs, places and prices. Names that mean nothing raise BadInput with the nearest."""

    def show(self, name: str) -> Answer:
        """``{"asked", "kind", "gpus", "machines", "prices", "claims"}`` of a family, a machine or a GPU."""
        ...

    def gpus(self, names: tuple[str, ...]) -> list[Answer]:
        """Data sheets, of all GPUs when none is named."""
        ...

    def regions(self, clouds: tuple[str, ...], near: str | None) -> list[Answer]:
        """Regions, with their distance from ``near`` and the nearest first when it is given."""
        ...

    def compare(self, query: CompareQuery) -> Answer:
        """``{"columns", "rates", "hours_per_month", "rent_or_buy"}``: machines side by side."""
        ...

    def held(self) -> Answer:
        """``{"snapshot", "clouds", "own", "passed_over", …}``: what answers come from, and how old it is."""
        ...

    def add(self, path: Path, name: str | None) -> Answer:
        """``{"name", "path", "prices", "replaced"}``: the prices in the file are now in the catalog as ``name``.

        Raises:
            BadInput: ``own-prices-faulty``, with every fault of the file; nothing was added.
        """
        ...

    def rates(self, refresh: bool) -> list[Answer]:
        """``[{"base", "quote", "value", "as_of", "source", "from": "own" | "refreshed" | "shipped"}]``, those that win
        first; with ``refresh`` today's are asked for.

        Raises:
            CloudRefused: ``rates-not-answered`` (words), ``rates-implausible``: the last good ones stay in force.
        """
        ...

    def refresh(self, clouds: tuple[str, ...], tell: Callable[[Step], None]) -> list[Answer]:
        """What came of each cloud, of all when none is named; ``tell`` hears how far it is."""
        ...


@dataclass(frozen=True, slots=True)
class AddMachine:
    """A machine to be added, or to be set anew; what is None stays as it was, or as it usually is.

    Attributes:
        target: ``user@host:port``, ``ssh://…``, or a name that ``~/.ssh/config`` knows.
        price: of an hour of the whole machine.
        gpus: indices of those that may be used.
        folder: where state lies on the host, absolute or below the log-in's home.
        country: ISO code.
        host_key: fingerprint (``SHA256:…``) of the key that the host must show.
        own_key: whether a key of this installation is put there; None: ask, where nothing else logs in unattended.
    """

    target: str
    price: Money | None = None
    gpus: tuple[int, ...] | None = None
    name: str | None = None
    folder: str | None = None
    country: str | None = None
    host_key: str | None = None
    own_key: bool | None = None


class Prompt(Protocol):
    """A person at a terminal."""

    def ask(self, code: str, facts: Mapping[str, str]) -> str | None:
        """The answer to a question; None for no. ``host-key`` (target, fingerprints, changed) and ``own-key`` (target)
        are answered ``yes``, ``passphrase`` (key, host) with the text."""
        ...


class Machines(Protocol):
    """The user's own machines.

    machine   ``name``, ``target``, ``account``, ``state`` (``reachable``, ``away``, ``unknown``), ``why`` (``code``,
              ``facts``; null when reachable), ``price_per_hour`` (null: free), ``gpus`` (below), ``allowed``, ``jobs``
              (``job``, ``name``, ``lease``, ``state``, ``gpus``), ``checked_at``, ``added_at``, ``own_key``,
              ``country``, ``folder``, ``host_keys`` (fingerprints)
    gpus      null where they are not known; each ``index``, ``uuid``, ``name``, ``gpu``, ``memory_gib``, ``allowed``,
              ``used_by``, ``held_by`` (null where that is not known now), ``job`` (``job``, ``name``: ours that has it)
    check     ``machine`` (its name), ``target``, ``checked_at``, ``facts`` (of ``agent.door.facts``; null without an
              answer), ``gpus``, ``findings`` (``id``, ``severity``, ``facts``), ``error`` (``code``, ``facts``; null)
    """

    def add(self, asked: AddMachine, prompt: Prompt | None) -> Answer:
        """``{"machine", "check", "updated"}``. One that is there already is set anew.

        Raises:
            BadInput: what was given cannot be used, or the host's key was not agreed to.
            CloudRefused: the host does not let us in; the code says why.
        """
        ...

    def list(self) -> Sequence[Answer]:
        """Every machine, each asked now."""
        ...

    def check(self, name: str | None) -> Sequence[Answer]:
        """A check of one machine, or of all; one that does not answer has an ``error``.

        Raises:
            NotFound: ``machine-not-added`` (name, known).
        """
        ...

    def remove(self, name: str, *, force: bool) -> Answer:
        """``{"name", "target", "reached", "removed": [path], "left": [path], "own_key"}``; ``own_key`` is
        ``taken-out``, ``left``, or null where there was none.

        Raises:
            NotFound: ``machine-not-added``.
            BadInput: ``machine-in-use`` (name, jobs).
            CloudRefused: it does not answer, and nobody insists.
        """
        ...


class Clouds(Protocol):
    """Accounts at clouds.

    cloud     ``cloud``, ``state`` (``ready``; ``lacking``: may launch nowhere; ``unknown``: whether it may;
              ``refused``: cannot be asked; ``no-credentials``, ``extra-missing``, ``prices-only``: nothing can be
              rented there yet),
              ``credentials`` (where they were found; null), ``settings`` (whether clouds.yaml speaks of it),
              ``regions``, ``checks`` (below), ``error`` (``code``, ``facts``; null), ``checked_at``
    region    ``region``, ``may_launch`` (null: not known)
    check     ``code``, ``verdict`` (``ok``, ``warning``, ``missing``, ``unknown``), ``region`` (null: of the account),
              ``facts``, ``words`` (the cloud's own; null)
    """

    def list(self) -> Sequence[Answer]:
        """Every cloud, each that is configured asked now, in all regions to rent in.

        Raises:
            BadInput: the settings file is faulty, or names a region that there is not: ``region-unknown`` (name,
                nearest).
        """
        ...

    def check(self, cloud: str, region: str | None) -> Answer:
        """One cloud with everything that was looked at, in one region or in all to rent in. Nothing is rented.

        Raises:
            NotConfigured: ``extra-missing``, ``credentials-missing``, ``cloud-not-rentable`` (cloud).
            BadInput: ``cloud-unknown``, ``region-unknown`` (name, nearest), or the settings file is faulty.
            CloudRefused: ``cloud-not-asked`` (cloud, kind, words).
        """
        ...

    def policy(self, cloud: str) -> Mapping[str, Any]:
        """The least rights that renting there needs, as the cloud's own policy document. Raises as :meth:`check`."""
        ...


class Service(Protocol):
    """The supervisor of this home as a service of the user: ``kind`` is ``systemd``, ``launchd``, or None for this
    system's own."""

    def text(self, kind: str | None) -> str:
        """The service file; nothing is written."""
        ...

    def install(self, kind: str | None) -> Answer:
        """``{"kind", "name", "path", "installed", "to_type"}``; ``to_type``: commands that are left to the user.

        Raises:
            BadInput: ``service-not-ours``: another's file is there.
            NotConfigured: ``service-command-failed``: the service manager refused.
        """
        ...

    def uninstall(self, kind: str | None) -> Answer:
        """As :meth:`install`, the other way; what is not installed is uninstalled."""
        ...

    def status(self, kind: str | None) -> Answer:
        """``{"home", "supervisor": {"pid", "host", "since"} | null, "service": {"kind", "name", "path", "installed",
        "current", "state"}}``; ``current``: the file is as it would be written now; ``state`` null: not known."""
        ...
