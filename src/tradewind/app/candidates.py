"""What the user may be about to type: names of things that this computer knows, read without asking or starting any.

Its own module, so that completing a word imports only what knows that word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, get_args

if TYPE_CHECKING:
    from tradewind.app.settings import Settings

Named = tuple[str, str]  # a name, and what it is the name of; the latter may be empty


def candidates(settings: Settings, kind: str) -> list[Named]:
    """The names of a kind (a key of :data:`KINDS`), the likeliest first; empty for one that nobody knows."""
    return list(KINDS[kind](settings)) if kind in KINDS else []


def _jobs(settings: Settings) -> Iterable[Named]:
    from tradewind.store import names

    return names.jobs(settings.database) if isinstance(settings.database, Path) else []


def _leases(settings: Settings) -> Iterable[Named]:
    from tradewind.store import names

    return names.leases(settings.database) if isinstance(settings.database, Path) else []


def _rows(settings: Settings) -> Iterable[Named]:
    return [*_jobs(settings), *_leases(settings)]


def _machines(settings: Settings) -> Iterable[Named]:
    from tradewind.app.machines.registry import Registry

    return [(name, "") for name in Registry(settings.machines).names()]


def _clouds(settings: Settings) -> Iterable[Named]:
    return [(cloud, "") for cloud in dict.fromkeys(row["cloud"] for row in _shipped("regions.csv"))]


def _regions(settings: Settings) -> Iterable[Named]:
    named = dict[str, str]()
    for row in _shipped("regions.csv"):  # several clouds may have regions of one name
        told = f"{row['cloud']} {row['city']} {row['country']}"
        named[row["region"]] = f"{named[row['region']]}, {told}" if row["region"] in named else told
    return named.items()


def _cities(settings: Settings) -> Iterable[Named]:
    return dict.fromkeys((row["city"], row["country"]) for row in _shipped("regions.csv") if row["city"])


def _countries(settings: Settings) -> Iterable[Named]:
    known = sorted({row["country"] for row in _shipped("regions.csv") if row["country"]})
    return [(name, "") for name in ("EU", "EEA", *known)]


def _gpus(settings: Settings) -> Iterable[Named]:
    from tradewind.domain.gpus import gpu_ids

    return [(name, "") for name in gpu_ids()]


def _machine_types(settings: Settings) -> Iterable[Named]:
    return [(row["instance_type"], row["cloud"]) for row in _shipped("instances.csv")]


def _models(settings: Settings) -> Iterable[Named]:
    from tradewind.app.sizes.flags import SOURCES
    from tradewind.sizing import presets

    return [*((f"preset:{name}", "") for name in presets.names()), *((f"{each}:", "") for each in SOURCES)]


def _traces(settings: Settings) -> Iterable[Named]:
    from tradewind.catalog.traces import traces

    return [(name, "") for name in traces()]


def _currencies(settings: Settings) -> Iterable[Named]:
    from tradewind.catalog.rates import currencies

    return [(name, "") for name in currencies()]


def _policies(settings: Settings) -> Iterable[Named]:
    from tradewind.planning.simulation.policies import POLICIES

    return [(name, "") for name in POLICIES]


def _purchases(settings: Settings) -> Iterable[Named]:
    from tradewind.domain.offer import Purchase

    return [(each.value, "") for each in Purchase]


def _sorts(settings: Settings) -> Iterable[Named]:
    from tradewind.catalog.query import SORTS

    return [(name, "") for name in SORTS]


def _tiers(settings: Settings) -> Iterable[Named]:
    from tradewind.catalog.query import Tier

    return [(name, "") for name in get_args(Tier)]


def _precisions(settings: Settings) -> Iterable[Named]:
    from tradewind.domain.precision import Precision

    return [(each.value, "") for each in Precision]


def _requested(name: str) -> Callable[[Settings], Iterable[Named]]:
    def named(settings: Settings) -> Iterable[Named]:
        from tradewind.sizing import request

        return [(each, "") for each in getattr(request, name)]

    return named


def _shipped(file: str) -> Iterator[dict[str, str]]:
    import csv

    from tradewind.catalog.parts import DATA

    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


KINDS: dict[str, Callable[[Settings], Iterable[Named]]] = {
    "job": _jobs, "lease": _leases, "row": _rows, "machine": _machines, "cloud": _clouds, "region": _regions,
    "city": _cities, "country": _countries, "gpu": _gpus, "machine-type": _machine_types, "model": _models,
    "trace": _traces, "currency": _currencies, "policy": _policies, "purchase": _purchases, "sort": _sorts,
    "tier": _tiers, "precision": _precisions, "optimizer": _requested("OPTIMIZERS"),
    "strategy": _requested("STRATEGIES"), "checkpointing": _requested("CHECKPOINTING"),
}  # fmt: skip
