"""Which countries a wish for residency allows, and which such wishes a country meets."""

from __future__ import annotations

# Member states of the European Union, ISO 3166-1 alpha-2. Source: Treaty on European Union, Article 52, without the
# United Kingdom (since 2020-02-01).
EU = frozenset({
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
    "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
})  # fmt: skip

# With the EFTA states in the Agreement on the European Economic Area (1994).
EEA = EU | {"IS", "LI", "NO"}

_UNIONS = {"EU": EU, "EEA": EEA}


def allowed(residency: str) -> frozenset[str]:
    """The countries that ``residency`` allows: a country itself, or those of the ``EU`` or the ``EEA``."""
    name = residency.upper()
    return _UNIONS.get(name) or frozenset({name})


def met_in(country: str | None) -> list[str]:
    """The wishes for residency that a machine in ``country`` meets: the country, and the unions that it is in."""
    return [] if country is None else [country, *(name for name, lands in _UNIONS.items() if country in lands)]
