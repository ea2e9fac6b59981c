"""Named profiles: the set-ups of popular guides as job files, and work that is sized by what its makers state."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tradewind.app import jobfile
from tradewind.app.sizes.setups_data import GUIDES, NEEDS
from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.domain.plan import Placed
    from tradewind.domain.workload import Workload

GUIDED = tuple(GUIDES)
NAMES = (*GUIDED, *NEEDS)
DEAR = 1.5  # from this many times the cheapest plan on, a guide's machine costs too much
Answer = dict[str, Any]


def workload(name: str) -> Workload:
    """The job that a named profile stands for; one that is not trained says nothing of a model.

    Raises:
        BadInput: ``profile-unknown`` (name, nearest, known).
    """
    known = require(name)
    job = GUIDES[known]["job"] if known in GUIDES else _needed(NEEDS[known])
    return jobfile.load({"name": known, "run": "true", **job})


def require(name: str) -> str:
    """The profile's name as it is known here; raises as :func:`workload`."""
    plain = name.strip().lower().replace("_", "-")
    if plain in NAMES:
        return plain
    nearest = next(iter(get_close_matches(plain, NAMES, 1, 0.5)), "")
    raise BadInput("profile-unknown", name=name, nearest=nearest, known=", ".join(NAMES))


def _needed(needs: Answer) -> Answer:
    return {"resources": {"accelerators": f"any:{needs['gpus']}", "cpus": needs["cpus"] * needs["gpus"],
                          "disk_gb": needs["storage_gb"]}}  # fmt: skip


def guide_machine(name: str) -> tuple[str, int]:
    """Canonical id and number of the GPUs that the guide tells its reader to rent."""
    machine = GUIDES[name]["machine"]
    return machine["gpu"], machine["gpus"]


def verdict(name: str, holds: bool, guided: Placed | None, now: Placed | None, ratio: float | None) -> Answer:
    """What became of a guide's set-up: ``{"name", "about", "machine", "verdict", "facts", "guided", "plan", …}``.

    Args:
        holds: whether the job fits the guide's GPUs at all.
        guided: the best way on the guide's GPUs; ``now``: the best of all. None: there is none.
        ratio: cost of the first over that of the second, in one currency; None where unknown.

    ``verdict``: ``too-small`` (does not hold the job), ``not-for-rent`` (nobody listed rents those GPUs), ``dear``
    (from :data:`DEAR` times the best plan's cost on), ``sensible``, or ``unknown``.
    """
    told = {key: GUIDES[name].get(key) for key in ("about", "about_zh", "note", "note_zh", "source", "as_of")}
    code = "too-small" if not holds else "not-for-rent" if guided is None else _by_cost(ratio)
    gpu, gpus = guide_machine(name)
    return {"name": name, **told, "machine": {"gpu": gpu, "gpus": gpus}, "verdict": code,
            "ratio": ratio and round(ratio, 2), "guided": guided.to_json() if guided else None,
            "plan": now.to_json() if now else None}  # fmt: skip


def _by_cost(ratio: float | None) -> str:
    if ratio is None:
        return "unknown"
    return "dear" if ratio >= DEAR else "sensible"
