"""Who reads: in which language, with sums in which currency too, and whether lines are to be plain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tradewind.words import locale_of

MAC_SETTINGS = "Library/Preferences/.GlobalPreferences.plist"  # below the home folder
EURO = (
    "AT", "BE", "BG", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR", "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PT",
    "SI", "SK",
)  # fmt: skip
# Country → the currency in which its people reckon, as far as rates are shipped for it.
CURRENCIES = dict.fromkeys(EURO, "EUR") | {"CN": "CNY", "US": "USD"}


class Asked(NamedTuple):
    """A command line without what is for all commands, and that."""

    rest: list[str]
    lang: str | None
    plain: bool


def taken(args: Sequence[str]) -> Asked:
    """``--lang X`` and ``--plain`` taken out; they may stand anywhere before ``--``."""
    rest: list[str] = []
    lang: str | None = None
    plain = False
    words_left = iter(args)
    for word in words_left:
        if word == "--":
            return Asked([*rest, word, *words_left], lang, plain)
        if word == "--lang":
            lang = next(words_left, "")
        elif word.startswith("--lang="):
            lang = word.removeprefix("--lang=")
        elif word == "--plain":
            plain = True
        else:
            rest.append(word)
    return Asked(rest, lang, plain)


def always_plain(env: Mapping[str, str]) -> bool:
    """Whether the environment asks for plain lines."""
    return env.get("TRADEWIND_PLAIN", "0") not in ("", "0")


def currency(env: Mapping[str, str]) -> str | None:
    """The currency of the locale's country (LC_ALL, LC_MONETARY, LANG); None where it names none with rates."""
    language, _, country = locale_of(env, "LC_MONETARY").partition(".")[0].partition("@")[0].partition("_")
    return CURRENCIES.get(country.upper()) if language else None


def of_mac(env: Mapping[str, str]) -> dict[str, str]:
    """Language and country of a Mac's settings as a locale, where the environment names none; empty without them."""
    if any(env.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")):
        return {}
    import plistlib
    from pathlib import Path

    try:
        settings = plistlib.loads(Path(env.get("HOME", "/"), MAC_SETTINGS).read_bytes())
    except (OSError, ValueError):
        return {}
    spoken = str(next(iter(settings.get("AppleLanguages", [])), settings.get("AppleLocale", "")))
    return {"LC_MESSAGES": spoken.replace("-", "_"), "LC_MONETARY": str(settings.get("AppleLocale", ""))}
