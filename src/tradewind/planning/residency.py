"""Which countries a wish for residency allows."""

from __future__ import annotations

# Member states of the European Union, ISO 3166-1 alpha-2. Source: Treaty on European Union, Article 52, without the
# United Kingdom (since 2020-02-01).
EU = frozenset({
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
    "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
})  # fmt: skip

# With the EFTA states in the Agreement on the European Economic Area (1994).
EEA = EU | {"IS", "LI", "NO"}


def allowed(residency: str) -> frozenset[str]:
    """The countries that ``residency`` allows: a country itself, or those of the ``EU`` or the ``EEA``."""
    name = residency.upper()
    return {"EU": EU, "EEA": EEA}.get(name) or frozenset({name})
