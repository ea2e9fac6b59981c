"""Reading pages of HTML as a reader, a browser and a screen reader would find them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "br"}
BLOCKS = {
    "h1",
    "h2",
    "h3",
    "p",
    "tr",
    "dt",
    "dd",
    "li",
    "figcaption",
    "footer",
    "summary",
    "pre",
    "text",
    "title",
    "desc",
}
CELLS = {"td", "th"}


class Page(HTMLParser):
    """Elements that are open, all that were seen with their attributes, and the text outside the style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
        self.text += " | " if tag in CELLS else "\n" if tag in BLOCKS else ""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    @property
    def seen(self) -> set[str]:
        """Names of all elements."""
        return {name for name, _ in self.elements}

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """All attributes of all elements."""
        return [pair for _, told in self.elements for pair in told.items()]

    def of(self, name: str) -> list[dict[str, str]]:
        """The attributes of every element of a name."""
        return [told for each, told in self.elements if each == name]

    def lines(self) -> str:
        """The text, a line for each block and a bar before each cell of a table."""
        told = (re.sub(r"\s+", " ", line).strip().removeprefix("| ") for line in self.text.splitlines())
        return "\n".join(line for line in told if line) + "\n"


def colours(style: str, where: str) -> dict[str, str]:
    """The custom properties that hold in ``light``, ``dark`` or ``print``."""
    blocks = re.findall(r":root \{([^}]*)\}", style)
    told = [dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", block)) for block in blocks]
    light, dark, paper = told
    return {"light": light, "dark": {**light, **dark}, "print": {**light, **paper}}[where]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21, by WCAG 2.2."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
