"""The one tree of errors.

    TradewindError                 exit 1   a bug of ours unless a subclass says otherwise
    ├── BadInput                   exit 2   what was given cannot be used
    ├── NothingFits                exit 3   no offer, GPU or place satisfies what was asked
    ├── NotConfigured              exit 3   a cloud or setting is missing
    ├── NotTraceable               exit 3   a model cannot be traced here; closed forms may still answer
    ├── CloudRefused               exit 4   a cloud refused, or could not be asked
    ├── Unavailable                exit 4   the store cannot be reached or written just now: try again
    ├── NotFound                   exit 2   no such job, lease or file
    └── TimedOut                   exit 9   a wait ran out

An error carries a stable ``code`` and ``facts``; the sentences for people (what, why, next step) are in the room
``words``, by code and language. ``str(error)`` is for logs: code and facts, never a secret.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a user's file; lines and columns count from 1."""

    file: str
    line: int | None = None
    column: int | None = None


class TradewindError(Exception):
    """Root of all errors that Tradewind raises on purpose.

    Args:
        code: stable kebab-case id; key of the sentences in ``words``.
        where: place in the user's file, when there is one.
        faults: for a document, every fault found in it, so that all are reported at once.
        facts: values that the sentences name (never secrets).
    """

    exit_code = 1
    http_status = 500
    retryable = False

    def __init__(
        self,
        code: str,
        *,
        where: Where | None = None,
        faults: tuple[TradewindError, ...] = (),
        **facts: object,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.where = where
        self.faults = faults
        self.facts = {key: str(value) for key, value in facts.items()}

    def __str__(self) -> str:
        told = " ".join(f"{key}={value!r}" for key, value in self.facts.items())
        return f"{self.code} {told}".strip()


class BadInput(TradewindError):
    """Something given by the user cannot be used."""

    exit_code = 2
    http_status = 400


class NotFound(BadInput):
    """No such job, lease, offer or file."""

    http_status = 404


class NothingFits(TradewindError):
    """No offer, GPU or place satisfies what was asked."""

    exit_code = 3
    http_status = 422


class NotConfigured(TradewindError):
    """A cloud or a setting that is needed is missing."""

    exit_code = 3
    http_status = 422


class NotTraceable(TradewindError):
    """A model cannot be traced on this computer: a library is missing, or it took too long."""

    exit_code = 3
    http_status = 422


class CloudRefused(TradewindError):
    """A cloud refused, or could not be asked."""

    exit_code = 4
    http_status = 502
    retryable = True


class Unavailable(TradewindError):
    """The store cannot be read or written just now: full, busy, restarting, unreachable. The same may work later."""

    exit_code = 4
    http_status = 503
    retryable = True


class TimedOut(TradewindError):
    """A wait ran out; what was waited for goes on."""

    exit_code = 9
    http_status = 504
    retryable = True
