"""What the policy knows of zones beforehand, fitted to traces: the tables in planning/spot/{hazards,phases}.py.

cd benchmarks && python -m spot.pooled        print both tables, fitted to all shipped traces
"""

from __future__ import annotations

import importlib.util
import sys
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from tradewind.domain.trace import SpotTrace

AGES = (0.0, 0.1, 0.5, 1.0, 4.0, 12.0)  # hours at which the pieces of the pooled hazards begin
UP, PHASES = 3, 6
STEP_SECONDS, WINDOW = 600.0, 288  # two days in steps of ten minutes, half of each window in the next one
ROUNDS = 120  # of expectation maximisation
BEGINNING = ((0.6, 0.055, 0.005), (0.6, 0.055, 0.005))  # chance of leaving, by phase up and down
ROOM = Path(__file__).parents[2] / "src/tradewind/planning/spot"

Floats = NDArray[np.float64]
Table = tuple[tuple[float, float], ...]


def hazards(traces: Sequence[SpotTrace]) -> tuple[Table, Table]:
    """Losses and returns an hour by age: events over the hours spent at that age, all zones together.

    Ages count from a change that was seen; before the first one of a zone nothing is counted.
    """
    events, hours = np.zeros((2, len(AGES))), np.zeros((2, len(AGES)))
    for trace in traces:
        tick = trace.tick_seconds / 3600
        for zone in trace.available:
            age: float | None = None
            for now, then in pairwise(zone):
                if age is not None:
                    piece = bisect_right(AGES, age + 1e-9) - 1
                    hours[now, piece] += tick
                    events[now, piece] += now != then
                age = 0.0 if now != then else None if age is None else age + tick
    rates = events / np.maximum(hours, 1e-9)
    losses, returns = (
        [(age, round(float(rate), 2)) for age, rate in zip(AGES, rates[up], strict=True)] for up in (1, 0)
    )
    return tuple(losses), tuple(returns)


def phases(traces: Sequence[SpotTrace]) -> tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]:
    """Moves in ten minutes and chances at first sight of the hidden chain; each trace weighs the same."""
    windows = [_windows(trace) for trace in traces]
    weights = np.concatenate([np.full(len(each), 1 / len(each)) for each in windows])
    chain, first = _fitted(np.concatenate(windows), weights)
    stays = np.diag(chain)
    order = [*np.argsort(stays[:UP]), *(UP + np.argsort(stays[UP:]))]
    chain, first = chain[np.ix_(order, order)].round(4), first[order].round(3)
    chain[range(PHASES), range(PHASES)] += 1 - chain.sum(1)
    first[-1] += 1 - first.sum()
    return tuple(tuple(round(float(each), 4) for each in row) for row in chain), tuple(
        round(float(each), 3) for each in first
    )


def _windows(trace: SpotTrace) -> NDArray[np.bool_]:
    steps = int(trace.ticks * trace.tick_seconds // STEP_SECONDS)
    zones = [trace.up(zone, 0, STEP_SECONDS, steps) for zone in range(len(trace.zones))]
    begins = range(0, steps - WINDOW + 1, WINDOW // 2)
    return np.array([zone[begin : begin + WINDOW] for zone in zones for begin in begins])


def _fitted(seen: NDArray[np.bool_], weights: Floats) -> tuple[Floats, Floats]:
    """Expectation maximisation (Rabiner, Proc. IEEE 77, 1989), forward and backward with scaling."""
    up = np.arange(PHASES) < UP
    fits = np.where(seen[:, :, None] == up, 1.0, 0.0)
    chain, first = _beginning(up), np.full(PHASES, 1 / PHASES)
    count, steps = seen.shape
    for _ in range(ROUNDS):
        forward, scale = np.zeros((count, steps, PHASES)), np.zeros((count, steps))
        for step in range(steps):
            ahead = first if step == 0 else forward[:, step - 1] @ chain
            joint = ahead * fits[:, step]
            scale[:, step] = joint.sum(1)
            forward[:, step] = joint / scale[:, step, None]
        backward, moved = np.ones((count, PHASES)), np.zeros((PHASES, PHASES))
        for step in range(steps - 1, 0, -1):
            later = fits[:, step] * backward / scale[:, step, None]
            moved += chain * ((forward[:, step - 1] * weights[:, None]).T @ later)
            backward = later @ chain.T
        begun = (weights[:, None] * forward[:, 0] * backward).sum(0)
        chain, first = moved / moved.sum(1, keepdims=True), begun / begun.sum()
    return chain, first


def _beginning(up: NDArray[np.bool_]) -> Floats:
    """Phases from flickering to lasting, that mostly go to one of the other side; a fixed seed breaks the symmetry."""
    chance = np.random.default_rng(0)
    chain = np.zeros((PHASES, PHASES))
    for phase, leaves in enumerate((*BEGINNING[0], *BEGINNING[1])):
        others = (up != up[phase]) * chance.uniform(0.5, 1.5, PHASES)
        alike = (up == up[phase]) & (np.arange(PHASES) != phase)
        row = leaves * others / others.sum()
        row[phase] = 1 - leaves
        chain[phase] = 0.98 * row + 0.02 * alike / alike.sum()
    whole: Floats = chain.sum(1, keepdims=True)
    return np.asarray(chain / whole)


def put(traces: Sequence[SpotTrace]) -> None:
    """From now on in this process the policy knows of zones what these traces say. Before it is imported."""
    losses, returns = hazards(traces)
    moves, first = phases(traces)
    _replace("hazards", LOSSES=losses, RETURNS=returns)
    _replace("phases", FITTED=moves, FIRST=first)


def _replace(name: str, **values: object) -> None:
    full = f"tradewind.planning.spot.{name}"
    if full in sys.modules:
        raise RuntimeError(f"{full} is imported already")
    spec = importlib.util.spec_from_file_location(full, ROOM / f"{name}.py")
    assert spec and spec.loader
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for key, value in values.items():
        setattr(module, key, value)
    sys.modules[full] = module


def main() -> None:
    """Print the tables."""
    from tradewind.catalog.traces import trace, traces

    every = [trace(name) for name in traces()]
    for name, table in zip(("LOSSES", "RETURNS"), hazards(every), strict=True):
        print(name, table)
    moves, first = phases(every)
    print("FITTED", *moves, sep="\n    ")
    print("FIRST", first)


if __name__ == "__main__":
    main()
