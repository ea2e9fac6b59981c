"""Fits the weights of ``tradewind.sizing.efficiency`` on the truths and writes them: the same file at every run.

    python benchmarks/sizing/fit.py

The profiles come from ``traces.jsonl.xz``: ``collect.py`` traces them into a folder, ``traces.py`` packs it.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from sizing.model import Rows, Tables, gathered, rows_of
from sizing.observations import Observation, observations
from sizing.product import NO_FACTORS, having, ratios, without
from sizing.regression import Floats, left_out
from tradewind.domain.gpus import Gpu
from tradewind.sizing import efficiency
from tradewind.sizing.arithmetic import peak_flops
from tradewind.sizing.chips import card_name, generation

TARGET = Path(__file__).parents[2] / "src/tradewind/sizing/efficiency_data.json"
FOLDS = 24  # of families left out together
LEVEL = (0.05, 0.95)
_SHARED = ("infer nchw eager", "infer nchw compiled")  # situations in which several cards were measured
_OTHER_TABLES = ("lambda", "nvidia-dle")
_FUSED = ("norm", "elementwise", "copy", "softmax", "reduce")  # what a compiler fuses
_FUSED_SHARE = 0.4  # of their traffic that is left: the compiled tables of the RTX 5090 over its eager ones


def images(found: Iterable[Observation]) -> list[Observation]:
    """The rows that image situations are fitted on."""
    return [each for each in found if each.source == "timm"]


def languages(found: Iterable[Observation]) -> list[Observation]:
    """The rows that language models are fitted on: those that the card's own peak does not forbid."""
    return [each for each in found if each.profile.tokens and each.seconds > _least_seconds(each)]


def _least_seconds(each: Observation) -> float:
    """Seconds that the arithmetic alone takes at the data sheet's peak."""
    flops = each.profile.step_flops * each.layout.micro_batch * each.layout.accumulation * each.layout.data
    peak = peak_flops(each.hardware.gpu, each.request.precision)
    return flops / (peak * each.layout.gpus) if peak else 0.0


def image_tables(groups: dict[tuple[str, str], Rows]) -> Tables:
    """Weights of every image situation and card."""
    tables: Tables = defaultdict(dict)
    for (situation, card), rows in sorted(groups.items()):  # inference first: training borrows what it never shows
        base = tables.get(situation.replace("train", "infer"), {}).get(card) if situation.startswith("train") else None
        attention = {name: each for name, each in (base or {}).items() if "attention" in name}
        attention |= {f"b{name[1:]}": each for name, each in attention.items()}
        tables[situation][card] = {**attention, **rows.weights(base=attention)}
    return tables


def language_tables(found: Iterable[Observation]) -> Tables:
    """Weights of language models: of all together, then of each card near those, compiled ones near eager ones."""
    rows = languages(found)
    eager = [each for each in rows if not each.request.compile]
    common = rows_of(eager).weights()
    tables: Tables = {"train tokens eager": {}, "train tokens compiled": {}}
    for (_, card), group in gathered(eager).items():
        tables["train tokens eager"][card] = {**common, **group.weights(base=common)}
    closed = {name: each * (_FUSED_SHARE if name.split(" ")[1] in _FUSED else 1.0) for name, each in common.items()}
    traced = {f"{phase} {kind}{wide} bytes" for phase in "fb" for kind in _FUSED for wide in ("", " wide")}
    fused = {**dict.fromkeys(sorted(traced), _FUSED_SHARE), **closed}  # closed forms have fewer kinds than traces
    for (_, card), group in gathered(each for each in rows if each.request.compile).items():
        tables["train tokens compiled"][card] = {**fused, **group.weights(base=fused)}
    return tables


def capability_factors(others: list[Observation], measured: set[str]) -> dict[str, dict[str, float]]:
    """How much longer chips take than the mixture of measured ones says, by compute capability, drawn towards 1.

    From ResNets of ``others``' tables. For training with what other software makes of it, since the table that it is
    fitted on is of 2022; for inference, fitted on tables of 2024 and 2025, without.
    """
    return {"train": _effects(others, measured, ()), "infer": _effects(others, measured, _OTHER_TABLES)}


def _effects(others: list[Observation], measured: set[str], apart: tuple[str, ...]) -> dict[str, float]:
    """Factors by capability, told apart from what 32-bit types take and from the software of the tables ``apart``."""
    names = sorted({each.hardware.gpu.compute_capability or "" for each in others if _card(each) not in measured})
    design = np.array([
        [*(float(_card(each) not in measured and each.hardware.gpu.compute_capability == name) for name in names),
         float(each.request.precision.value in ("fp32", "tf32")), *(float(each.source == table) for table in apart)]
        for each in others
    ])  # fmt: skip
    pull = np.diag([1.0] * len(names) + [0.1] * (1 + len(apart)))
    effects = np.linalg.solve(design.T @ design + pull, design.T @ -np.log(ratios(others)))
    return {name: float(np.exp(each)) for name, each in zip(names, effects, strict=False)}


def _card(each: Observation) -> str:
    return card_name(each.hardware.gpu)


def another_card(found: Iterable[Observation], others: list[Observation]) -> dict[str, list[float]]:
    """Ranges for cards that were not measured: each one in turn kept from the fit; all count alike."""
    every = list(found)
    forward = without_own_rows([each for each in images(every) if each.situation.key in _SHARED])
    trained = without_own_factor(every, others, {_card(each) for each in images(every)})
    tables = {"infer": forward, "train": [*forward, *trained], "tokens": without_own_rows(languages(every))}
    quantiles = np.linspace(0.0, 1.0, 101)
    return {
        f"another card {kind}": interval(np.concatenate([np.quantile(each, quantiles) for each in ratios_of]))
        for kind, ratios_of in tables.items()
    }


def without_own_rows(rows: list[Observation]) -> list[Floats]:
    """Predicted over measured of the rows of each card, by the others' weights."""
    found = []
    for card in sorted({_card(each) for each in rows}):
        with without(card):
            found.append(ratios(each for each in rows if _card(each) == card))
    return found


def without_own_factor(found: list[Observation], others: list[Observation], measured: set[str]) -> list[Floats]:
    """Predicted over measured of each other table's rows on each card, by the capability factors of other cards."""
    ratios_of = []
    tables = [each for each in found if each.source != "timm" and not each.profile.tokens]
    for card in sorted({_card(each) for each in tables}):
        factors = capability_factors([each for each in others if _card(each) != card], measured)
        with having(factors=factors):
            ratios_of.append(ratios(each for each in tables if _card(each) == card))
    return ratios_of


def host_microseconds(found: Iterable[Observation]) -> dict[str, float]:
    """What the host of a machine needs to launch one kernel, by the chip's capability: a machine is as old as its GPU.

    From a table's smallest forward passes. There the GPU waits: the time does not change with the batch.
    """
    small = [each for each in found if each.profile.task == "infer" and each.source in ("nvidia-dle", "torchvision")
             and each.layout.micro_batch <= 12 and each.request.precision.value != "tf32"]  # fmt: skip
    taken: dict[str, list[float]] = defaultdict(list)
    for each in small:
        kernels = sum(load.kernels for load in efficiency.loads_of(each.profile))
        taken[each.hardware.gpu.compute_capability or ""].append(1e6 * each.seconds / kernels)
    return {name: float(np.quantile(each, 0.25)) for name, each in sorted(taken.items())}


def hosts(measured: dict[str, float]) -> dict[str, float]:
    """Those that were measured; up to the T4 servers are no faster than a V100's; those of later cards are assumed."""
    old = dict.fromkeys(("5.2", "6.0", "6.1", "7.5"), measured["7.0"])
    return {**old, **measured, "8.6": 30.0, "8.9": 30.0, "9.0": 20.0, "10.0": 20.0, "10.3": 20.0, "other": 12.0}


def interval(ratios: Iterable[float]) -> list[float]:
    """Low and high ends of measured over predicted that hold nine of ten."""
    low, high = np.quantile(1 / np.array(list(ratios)), LEVEL)
    return [min(float(low), 1.0), max(float(high), 1.0)]


def left_out_ratios(rows: Rows, labels: list[str], count: int = FOLDS) -> Floats:
    """Predicted over measured of rows whose label the weights never saw."""
    return left_out(labels, count, lambda kept, asked: rows.ratios(rows.weights(kept))[asked])


def cards(groups: Iterable[Gpu]) -> dict[str, dict[str, object]]:
    """Generation and compute capability of measured cards."""
    found = {card_name(gpu): gpu for gpu in groups}
    return {
        name: {"generation": generation(gpu), "capability": gpu.compute_capability}
        for name, gpu in sorted(found.items())
    }


def main() -> None:
    found = observations()
    groups = gathered(images(found))
    tables: Tables = {**image_tables(groups), **language_tables(found)}
    ranges = {
        situation: interval(
            ratio for (name, _), rows in groups.items() if name == situation
            for ratio in left_out_ratios(rows, rows.families)
        )
        for situation in tables if not situation.startswith("train tokens")
    }  # fmt: skip
    for situation in ("train tokens eager", "train tokens compiled"):
        rows = rows_of([each for each in languages(found) if each.situation.key == situation])
        ranges[situation] = interval(left_out_ratios(rows, [each.model for each in rows.observations]))
    for kind in ("infer", "train", "tokens"):
        ranges[f"another card {kind}"] = [0.5, 2.0]  # until the product can be asked
    ranges["parameters"] = [0.5, 2.5]
    value = {
        "weights": tables,
        "cards": cards(each.hardware.gpu for each in [*images(found), *languages(found)]),
        "factors": NO_FACTORS,
        "host_microseconds": hosts(host_microseconds(found)),
        "ranges": ranges,
    }  # fmt: skip
    write(value)
    others = [each for each in found if each.source in _OTHER_TABLES and each.layout.gpus == 1
              and each.profile.task == "train"]  # fmt: skip
    value["factors"] = capability_factors(others, {_card(each) for each in images(found)})
    ranges |= another_card(found, others)
    write(value)
    print(f"{len(found)} measurements, {TARGET.stat().st_size / 1e3:.0f} kB")


def write(value: dict[str, object]) -> None:
    """Writes the data, and has the product read it again."""
    TARGET.write_text(json.dumps(rounded(value), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    efficiency.data.cache_clear()
    efficiency.mixture.cache_clear()


def rounded(value: object) -> object:
    """Four significant digits, so that the last bits of a sum do not change the file."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
