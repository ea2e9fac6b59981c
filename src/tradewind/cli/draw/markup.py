"""Markup: elements of a page whose text and attributes are always escaped."""

from __future__ import annotations

from html import escape

VOID = frozenset({"br", "meta"})  # have no end


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: str | None, **attributes: object) -> Markup:
    """``<name …>children</name>``: children that are no Markup are text; None is left out.

    Attributes of None are left out; ``class_`` is ``class``, and an underscore within a name is a hyphen.
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items() if value is not None
    )  # fmt: skip
    inside = "".join(child if isinstance(child, Markup) else escape(child) for child in children if child is not None)
    return Markup(f"<{name}{told}>" if name in VOID else f"<{name}{told}>{inside}</{name}>")


def joined(*parts: str | None) -> Markup:
    """Parts one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts if part is not None))
