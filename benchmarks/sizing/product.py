"""What the product says of measured steps: as it is shipped, and as if a card had never been measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from sizing.observations import Observation
from sizing.regression import Floats
from tradewind.sizing import efficiency
from tradewind.sizing.timing import step_time

NO_FACTORS: dict[str, dict[str, float]] = {"infer": {}, "train": {}}


def predicted_seconds(each: Observation) -> float:
    """Seconds of the step, by the data as it stands."""
    return step_time(each.profile, each.request, each.hardware, each.layout).seconds.value


def ratios(found: Iterable[Observation]) -> Floats:
    """Predicted over measured seconds."""
    return np.array([predicted_seconds(each) / each.seconds for each in found])


@contextmanager
def without(card: str) -> Iterator[None]:
    """The product as if ``card`` had never been measured, nor any other table read."""
    weights = {
        situation: kept
        for situation, cards in efficiency.data()["weights"].items()
        if (kept := {name: each for name, each in cards.items() if name != card})
    }
    with having(weights=weights, factors=NO_FACTORS):
        yield


@contextmanager
def having(**parts: object) -> Iterator[None]:
    """The product with other ``parts`` of its data."""
    told = {**efficiency.data(), **parts}
    with patch.object(efficiency, "data", lambda: told):
        efficiency.mixture.cache_clear()
        yield
    efficiency.mixture.cache_clear()
