"""Which countries a wish for residency allows, and which wishes a country meets, are one relation."""

from __future__ import annotations

import pytest

from tradewind.domain.residency import EEA, EU, allowed, met_in


def test_unions_have_their_members() -> None:
    assert len(EU) == 27
    assert EEA.difference(EU) == {"IS", "LI", "NO"}


@pytest.mark.parametrize(("wish", "country", "meets"), [
    ("EU", "DE", True), ("eu", "NO", False), ("EEA", "NO", True), ("EEA", "GB", False), ("CN", "CN", True),
    ("cn", "HK", False),
])  # fmt: skip
def test_a_wish_allows_what_a_country_meets(wish: str, country: str, meets: bool) -> None:
    assert (country in allowed(wish)) is meets
    assert (wish.upper() in met_in(country)) is meets


def test_a_country_that_is_not_known_meets_nothing() -> None:
    assert met_in(None) == []
