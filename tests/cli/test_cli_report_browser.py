"""The report in a browser: at three widths nothing flows over the page or is cut off; the pictures in the docs.

To take the pictures anew: TRADEWIND_GOLDEN=1 pytest tests/cli/test_cli_report_browser.py -m long; then look at them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from cli_world import answer
from sshd import missing

from tradewind import words
from tradewind.cli.draw.page_parts import POLICY
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.report_page import report_page

pytestmark = pytest.mark.long

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTHS = (390, 820, 1400)
LARGEST = 150_000  # bytes of a picture
# Measures the page when it is laid out: what is wider than it, and which letters stand outside.
PROBE = """<script>addEventListener('load', () => {
  const root = document.documentElement, all = (what) => [...document.querySelectorAll(what)];
  const box = (each) => each.getBoundingClientRect();
  const out = (each) => box(each).left < -1 || box(each).right > root.clientWidth + 1;
  parent.document.body.dataset.told = JSON.stringify({
    window: innerWidth, page: root.scrollWidth,
    letters: all('svg text').filter(out).map((each) => each.textContent),
    cut: all('.wide').filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent),
    flat: all('svg[role=img]').filter((each) => box(each).height < 60).length,
  });
});</script>"""


@pytest.fixture(scope="session")
def browser() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None) or missing("chromium")


def run(browser: str, profile: Path, page: Path, *flags: str) -> str:
    """What the browser prints."""
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    command = [browser, *quiet, f"--user-data-dir={profile}", *flags, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("name", ["report", "report-failed", "report-untold"])
def test_nothing_flows_over_or_is_cut_off(browser: str, tmp_path: Path, name: str, lang: str, width: int) -> None:
    text = report_page(Pen(lang, 100), answer(name)).replace("</head>", f"{PROBE}</head>")
    page = tmp_path / "window.html"  # a window of its own may not be as narrow as a telephone; a frame may
    told = escape(text.replace(escape(POLICY), ""))
    page.write_text(f'<meta charset="utf-8"><iframe width="{width}" height="900" style="border:0" srcdoc="{told}">',
                    encoding="utf-8")  # fmt: skip
    seen = run(browser, tmp_path / "profile", page, "--window-size=1600,1000", "--dump-dom")
    found = re.search(r'data-told="([^"]*)"', seen)
    assert found, "the page was not laid out"
    measured: dict[str, Any] = json.loads(unescape(found[1]))
    assert measured == {"window": width, "page": width, "letters": [], "cut": [], "flat": 0}


@pytest.mark.parametrize(
    ("width", "lang", "look"), [(390, "en", "light"), (820, "zh", "dark"), (1400, "en", "light"), (1400, "zh", "dark")]
)
def test_it_is_drawn_as_in_the_docs(browser: str, tmp_path: Path, width: int, lang: str, look: str) -> None:
    page, shot = tmp_path / "report.html", tmp_path / "shot.png"
    page.write_text(report_page(Pen(lang, 100), answer("report")), encoding="utf-8")
    dark = ["--blink-settings=preferredColorScheme=0"] if look == "dark" else []
    run(browser, tmp_path / "profile", page, f"--window-size={width},{HEIGHTS[width]}", f"--screenshot={shot}", *dark)
    image = IMAGES / f"report-{width}-{lang}-{look}.png"
    if os.environ.get("TRADEWIND_GOLDEN"):
        image.parent.mkdir(exist_ok=True)
        shutil.copy(shot, image)
    assert size_of(shot) == size_of(image) == (width, HEIGHTS[width])
    assert image.stat().st_size < LARGEST


HEIGHTS = {390: 1500, 820: 1200, 1400: 1000}


def size_of(image: Path) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    head = image.read_bytes()[16:24]
    return int.from_bytes(head[:4]), int.from_bytes(head[4:])


def test_it_prints_on_paper(browser: str, tmp_path: Path) -> None:
    page, paper = tmp_path / "report.html", tmp_path / "report.pdf"
    page.write_text(report_page(Pen("en", 100), answer("report")), encoding="utf-8")
    run(browser, tmp_path / "profile", page, f"--print-to-pdf={paper}", "--no-pdf-header-footer")
    pages = re.findall(rb"/Type\s*/Page\b", paper.read_bytes())
    assert 4 <= len(pages) <= 10
