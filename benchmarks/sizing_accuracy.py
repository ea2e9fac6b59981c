"""How far sizing is from what was measured: throughput by situation, card and family; memory after it.

    python benchmarks/sizing_accuracy.py

Errors are |predicted ÷ measured − 1| of the seconds of a step. *Seen*: each tenth of the rows is predicted by weights
of the others. *Left out*: so is each group of whole families. *Another GPU*: no row of the card is in the fit; without,
and with one measured anchor of the same model on a card that is. *Range*: the measured seconds lie in the range that
the errors of the other families give. Last the product itself, as it is shipped, on every table of the truths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from measure import tell
from sizing.fit import FOLDS, images, interval, languages, left_out_ratios
from sizing.memory import figures as memory
from sizing.model import Rows, gathered
from sizing.observations import Observation, generated, observations
from sizing.product import ratios, without
from sizing.regression import Floats, folds

from tradewind.domain.gpus import Gpu
from tradewind.sizing import efficiency
from tradewind.sizing.anchor import Anchor
from tradewind.sizing.anchors import anchored
from tradewind.sizing.chips import card_name
from tradewind.sizing.generation import token_time
from tradewind.sizing.timing import step_time

SEEN, LEFT_OUT, ANOTHER, ANCHORED = (10.0, 15.0), (15.0, 22.0), (None, None), (10.0, 15.0)  # median, mean: per cent
Bars = tuple[float | None, float | None]
Groups = dict[tuple[str, str], Rows]


def main() -> None:
    """Print every figure."""
    found = observations()
    groups = gathered(images(found))
    seen, out = (by_rows(groups), by_families(groups))
    for name, by_key, bars in (("seen", seen, SEEN), ("left-out", out, LEFT_OUT)):
        for key, each in by_key.items():
            errors(f"sizing/throughput/{name}/{' '.join(key)}", each, bars)
        errors(f"sizing/throughput/{name}", np.concatenate(list(by_key.values())), bars)
    families(groups, out)
    coverage(groups, out)
    language_models(found)
    other_cards(images(found))
    training_from_inference(images(found))
    as_shipped(found)
    generation()
    memory()


def errors(name: str, found: Floats, bars: Bars) -> None:
    """Median, mean and 90th percentile of the errors in per cent; one line each of the first two, against its bar."""
    off = 100 * np.abs(found - 1)
    rest = {"p90": round(float(np.quantile(off, 0.9)), 1), "rows": len(off)}
    tell(f"{name}/median", "%", float(np.median(off)), bars[0], **rest)
    tell(f"{name}/mean", "%", float(off.mean()), bars[1], **rest)


def by_rows(groups: Groups) -> dict[tuple[str, str], Floats]:
    """Ratios of rows whose families the weights know, by situation and card."""
    return {
        key: left_out_ratios(rows, [str(at) for at in range(len(rows.observations))], 10)
        for key, rows in groups.items()
    }


def by_families(groups: Groups) -> dict[tuple[str, str], Floats]:
    """Ratios of rows whose families the weights never saw, by situation and card."""
    return {key: left_out_ratios(rows, rows.families, FOLDS) for key, rows in groups.items()}


def families(groups: Groups, out: dict[tuple[str, str], Floats]) -> None:
    """The families left out, each over all situations and cards: which ones the error comes from."""
    by_family: dict[str, list[float]] = defaultdict(list)
    for key, rows in groups.items():
        for family, ratio in zip(rows.families, out[key], strict=True):
            by_family[family].append(float(ratio))
    for family, each in sorted(by_family.items()):
        errors(f"sizing/throughput/family/{family}", np.array(each), (None, None))


def coverage(groups: Groups, out: dict[tuple[str, str], Floats]) -> None:
    """Share of rows inside the range that the other families give, and half the mean width of the ranges."""
    inside: list[bool] = []
    widths: list[float] = []
    for situation in sorted({key[0] for key in groups}):
        keys = [key for key in groups if key[0] == situation]
        all_ratios = np.concatenate([out[key] for key in keys])
        labels = [family for key in keys for family in groups[key].families]
        for asked in folds(labels, FOLDS):
            low, high = interval(all_ratios[~asked])
            inside += [bool(low <= 1 / ratio <= high) for ratio in all_ratios[asked]]
            widths += [50 * (high - low)] * int(asked.sum())
    tell(
        "sizing/throughput/range/coverage", "%", 100 * float(np.mean(inside)), None, wanted="85 to 95", rows=len(inside)
    )
    tell("sizing/throughput/range/width", "± %", float(np.mean(widths)), 35.0)


def language_models(found: Iterable[Observation]) -> None:
    """Training of language models: each size of each table left out in turn."""
    for (situation, card), rows in gathered(languages(found)).items():
        if len(rows.observations) >= FOLDS:
            off = left_out_ratios(rows, [each.model.split()[0] for each in rows.observations], FOLDS)
            errors(f"sizing/throughput/left-out/{situation} {card}", off, LEFT_OUT)


def other_cards(found: Iterable[Observation]) -> None:
    """Each card kept from the fit: what the product says for it from the others, without and with an anchor."""
    rows = list(found)
    plain: list[float] = []
    with_anchor: list[float] = []
    for situation, card in sorted({(each.situation.key, card_name(each.hardware.gpu)) for each in rows}):
        others = {name for name in efficiency.data()["weights"][situation] if name != card}
        mine = [each for each in rows if each.situation.key == situation and card_name(each.hardware.gpu) == card]
        if not others:
            continue
        with without(card):
            off = ratios(mine)
            errors(f"sizing/throughput/another-gpu/{situation} {card}", off, ANOTHER)
            plain += list(off)
            for source in sorted(others):
                told = [
                    each for each in rows if each.situation.key == situation and card_name(each.hardware.gpu) == source
                ]
                paired = np.array([_anchored(each, anchor) / each.seconds for each, anchor in pairs(mine, told)])
                errors(f"sizing/throughput/anchor/{situation} {source} to {card}", paired, ANCHORED)
                with_anchor += list(paired)
    errors("sizing/throughput/another-gpu", np.array(plain), ANOTHER)
    errors("sizing/throughput/anchor", np.array(with_anchor), ANCHORED)


def pairs(mine: Iterable[Observation], told: Iterable[Observation]) -> Iterator[tuple[Observation, Observation]]:
    """Each row with that of the same model and shape among ``told``."""
    known = {each.model: each for each in told}
    return ((each, known[each.model]) for each in mine if each.model in known)


def training_from_inference(found: Iterable[Observation]) -> None:
    """Training anchored by the measured forward pass of the same model on the same card and in the same layout."""
    rows = list(found)
    for layout in ("nchw", "nhwc"):
        trained = [each for each in rows if each.situation.key == f"train {layout} eager"]
        told = [each for each in rows if each.situation.key == f"infer {layout} eager"
                and card_name(each.hardware.gpu) == "RTX-3090"]  # fmt: skip
        off = np.array([_anchored(each, anchor) / each.seconds for each, anchor in pairs(trained, told)])
        errors(f"sizing/throughput/anchor/infer to train {layout} RTX-3090", off, ANCHORED)


def _anchored(each: Observation, at: Observation) -> float:
    time = step_time(each.profile, each.request, each.hardware, each.layout)
    anchor = Anchor(at.hardware.gpu, at.layout.micro_batch, at.seconds, trains=at.profile.task != "infer")
    return anchored(time, each.profile, each.request, each.hardware, (anchor,)).seconds.value


def generation() -> None:
    """Tokens of language models one by one: the rows that its few constants come from."""
    off = [token_time(*each.asked).seconds.value / each.seconds for each in generated()]
    errors("sizing/throughput/generation/gpt-fast", np.array(off), (None, None))


def as_shipped(found: Iterable[Observation]) -> None:
    """The product on every table, by kind and card; share inside its own range."""
    by_kind: dict[tuple[str, str, str], list[Observation]] = defaultdict(list)
    for each in found:
        by_kind[each.source, each.situation.key, _label(each.hardware.gpu, each.layout.gpus)].append(each)
    for (source, situation, card), rows in sorted(by_kind.items()):
        times = [step_time(each.profile, each.request, each.hardware, each.layout).seconds for each in rows]
        found_ratios = np.array([time.value / each.seconds for time, each in zip(times, rows, strict=True)])
        inside = [time.low <= each.seconds <= time.high for time, each in zip(times, rows, strict=True)]
        off = 100 * np.abs(found_ratios - 1)
        tell(f"sizing/throughput/shipped/{source}/{situation} {card}", "%", float(np.median(off)), None,
             mean=round(float(off.mean()), 1), bias=round(100 * float(np.median(found_ratios) - 1), 1),
             inside=round(100 * float(np.mean(inside)), 1), rows=len(rows))  # fmt: skip


def _label(gpu: Gpu, gpus: int) -> str:
    return card_name(gpu) if gpus == 1 else f"{gpus} × {card_name(gpu)}"


if __name__ == "__main__":
    main()
