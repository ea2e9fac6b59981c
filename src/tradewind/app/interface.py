"""What the command line and the server may ask of the inside: one interface, whether embedded or served.

Answers are the contracts' JSON shapes as plain dicts, so that ``--json`` prints exactly what was answered. Besides the
contracts' fields:

    show      ``time_scale``: planned-offer seconds that one real second stands for (null: not measured yet)
    size      ``parameters``, ``flops_total``, ``total_steps`` (null when unknown)
    progress  ``accuracy`` (0 to 1) when the training tells it
    events    their ``kind`` is free; a ``what`` that is a lease or job id, with ``from`` and ``to``, is a change of
              state; a kind of ``notice`` or ``reclaim`` is a spot notice
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tradewind.domain.errors import CloudRefused

if TYPE_CHECKING:
    from pathlib import Path

    from tradewind.domain.money import Money
    from tradewind.domain.workload import PreemptAt, Workload

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Submit:
    """A job to be carried out.

    Attributes:
        path: the job file; its folder is what ``workload.workdir`` is relative to. None: the current folder.
        source: the job file's text as read.
        preempt_at: injected preemptions; they replace those of the file.
        time_scale: planned-offer seconds that one real second stands for; None: predicted ÷ measured.
        env: what of the submitting shell goes with the job.
        secrets: NAME → value of the named secrets; never shown or stored in the open.
    """

    path: Path | None
    workload: Workload
    source: str
    rehearse: bool = False
    local: bool = False
    preempt_at: tuple[PreemptAt, ...] = ()
    time_scale: float | None = None
    max_cost: Money | None = None
    request_id: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


class ListingIncomplete(CloudRefused):
    """Some place could not be listed: ``rows`` are the leases known all the same, ``places`` those not seen."""

    def __init__(self, rows: list[Answer], places: tuple[str, ...]) -> None:
        super().__init__("listing-incomplete", places=", ".join(places), rows=len(rows))
        self.rows = rows
        self.places = places


class ControlPlane(Protocol):
    """Jobs and leases of one installation. ``job`` is an id, a unique beginning of one, or the newest job's name."""

    def configured(self) -> tuple[str, ...]:
        """Names of the clouds on which a paid run may rent; empty: none is configured."""
        ...

    def plan_for(self, submit: Submit) -> Answer | None:
        """The plan as shown before asking; None when the job needs none (``local``)."""
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

    def leases(self, everything: bool) -> list[Answer]:
        """Open leases; with ``everything`` ended ones too.

        Raises:
            ListingIncomplete: a place could not be listed.
        """
        ...

    def sweep(self, end: bool) -> Answer:
        """What was checked and found; with ``end`` what is ours and has no purpose is ended."""
        ...

    def cost(self, job: str | None, rehearsals: bool, currency: str | None) -> Answer:
        """The cost object of one job or of all; a job asked for by name is told even when a rehearsal."""
        ...
