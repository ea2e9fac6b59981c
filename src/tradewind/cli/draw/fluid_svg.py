"""Pieces of pictures as wide as the page: shares of the width across, pixels down, so that letters keep their size.

A line through many points lies in a plot of its own, stretched to the width with strokes that keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable

from tradewind.cli.draw.markup import Markup, element

GRAIN = 1000  # units across a plot
EDGE = 0.05  # nearer to a side than this share of the width, letters begin or end where they would be centred


def across(share: float) -> str:
    """A place across the picture."""
    return f"{100 * share:.2f}%"


def picture(title: str, described: str, height: float, *parts: Markup) -> Markup:
    """The whole picture, with what it is and what it shows for those who do not see it."""
    return element(
        "svg", element("title", title), element("desc", described), *parts,
        width="100%", height=f"{height:.0f}", role="img", class_="fluid", aria_label=f"{title}. {described}",
    )  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return element("line", x1=across(x1), y1=f"{y1:.1f}", x2=across(x2), y2=f"{y2:.1f}", class_=kind)


def bar(start: float, end: float, y: float, height: float, kind: str, told: str | None = None) -> Markup:
    """A bar between two places, at least a hair wide; ``told`` is what it is."""
    title = element("title", told) if told else None
    width = max(end - start, 0.001)
    return element("rect", title, x=across(start), y=f"{y:.1f}", width=across(width), height=f"{height:.1f}",
                   class_=kind)  # fmt: skip


def dot(x: float, y: float, radius: float, kind: str, told: str | None = None) -> Markup:
    """A circle."""
    title = element("title", told) if told else None
    return element("circle", title, cx=across(x), cy=f"{y:.1f}", r=f"{radius:g}", class_=kind)


def letters(x: float, y: float, told: str, kind: str | None = None, anchor: str | None = None) -> Markup:
    """Text centred at a place, but within the picture at its sides."""
    side = anchor or ("start" if x < EDGE else "end" if x > 1 - EDGE else "middle")
    return element("text", told, x=across(x), y=f"{y:.1f}", text_anchor=side, class_=kind)


def plot(y: float, height: float, *paths: Markup) -> Markup:
    """Paths whose points are ``GRAIN`` units across and ``height`` down, stretched over the width."""
    return element("svg", *paths, x="0", y=f"{y:.0f}", width="100%", height=f"{height:.0f}",
                   viewBox=f"0 0 {GRAIN} {height:.0f}", preserveAspectRatio="none")  # fmt: skip


def path(stretches: Iterable[Iterable[tuple[float, float]]], kind: str, closed: bool = False) -> Markup:
    """One path in stretches, each through (share across, pixels down)."""
    told = ("L".join(f"{GRAIN * x:.4g} {y:.1f}" for x, y in places) for places in stretches)
    end = "Z" if closed else ""
    return element("path", d="".join(f"M{each}{end}" for each in told), class_=kind,
                   vector_effect="non-scaling-stroke")  # fmt: skip
