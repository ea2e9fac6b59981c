"""Sphinx's settings: the pages of docs/, and those beside the sources that they link, as one site.

The source folder is the repository, so that every link between pages holds as it does where the sources are read. What
is built loads nothing from elsewhere: no fonts, no scripts, no counters; it works from a folder without a network.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.search.en import SearchEnglish

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]

# What stands beside the pages, in this order; a page that is in no list fails the build.
NAV: dict[str, tuple[str, ...]] = {
    "Begin": (
        "docs/first-job", "docs/concepts", "docs/rehearsal", "docs/job-file", "docs/frameworks", "docs/troubleshooting",
    ),
    "Decide": ("docs/sizing", "docs/catalog", "docs/planning", "docs/simulate", "docs/spot-policy"),
    "Run": ("docs/machines", "docs/clouds", "docs/steering", "docs/report", "docs/never-leaks", "docs/states"),
    "Examples": ("examples/*/README",),
    "Look up": ("docs/cli", "docs/job-file-keys", "docs/errors", "docs/contracts", "docs/terminal"),
    "中文": ("README.zh-CN", "docs/zh/cli", "docs/zh/job-file-keys", "docs/zh/errors"),
    "Inside": (
        "docs/architecture", "docs/security", "docs/adr/README", "docs/data-licences", "CONTRIBUTING",
        "changelog.d/README", "CHANGELOG", "README",
    ),
}  # fmt: skip
# Lists of pages that a page holds itself, below its own place.
BELOW: dict[str, tuple[str, ...]] = {
    "docs/clouds": ("docs/clouds/*",),
    "docs/architecture": ("src/tradewind/*/README",),
    "docs/adr/README": ("docs/adr/0*",),
}

# Of pages whose own headings would not tell them apart there.
TITLES = {"README": "Readme", "README.zh-CN": "简介", "docs/never-leaks": "It never leaks"}

project = "Tradewind"
project_copyright = "the Tradewind authors, Apache-2.0"
html_title = "Tradewind"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md", "src/tradewind/*/README.md", "examples/*/README.md", "changelog.d/README.md", "CHANGELOG.md",
    "CONTRIBUTING.md", "README.md", "README.zh-CN.md",
]  # fmt: skip
# Folders without pages are not even walked through; src/tradewind/examples is examples once more.
WITH_PAGES = {"docs", "src", "examples", "changelog.d"}
exclude_patterns = [path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in WITH_PAGES]
exclude_patterns += ["src/tradewind/examples", "src/*.egg-info"]
myst_heading_anchors = 4  # as hosts of repositories name them
smartquotes = False  # --yes is a flag
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_extra_path = ["index.html"]  # leads from the folder to its first page
html_search_language = "both"
html_use_index = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


class SearchBoth(SearchEnglish):
    """English words, and Chinese ones.

    Chinese is written without spaces, and a term is found only as it is indexed: so each two, three and four letters
    that follow each other are.
    """

    lang = "both"

    def split(self, text: str) -> list[str]:
        """The words of a text, then what of it may be looked for in Chinese."""
        runs = re.findall(r"[\u4e00-\u9fff]+", text)
        parts = [run[at : at + size] for run in runs for size in (2, 3, 4) for at in range(len(run) - size + 1)]
        return [*super().split(text), *parts]


def list_pages(_app: Sphinx, name: str, text: list[str]) -> None:
    """Gives the first page the lists of all others, and a page with pages below it the list of those."""
    lists = NAV if name == root_doc else {"": BELOW[name]} if name in BELOW else {}
    text[0] += "".join(_toctree(caption, pages) for caption, pages in lists.items())


def _toctree(caption: str, patterns: tuple[str, ...]) -> str:
    pages = [path for each in patterns for path in sorted(ROOT.glob(f"{each}.md"))]
    names = [path.relative_to(ROOT).as_posix().removesuffix(".md") for path in pages]
    lines = [f"{TITLES[name]} </{name}>" if name in TITLES else f"/{name}" for name in names]
    head = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", *head, "", *lines, "```", ""])


def list_outward(app: Sphinx, fault: Exception | None) -> None:
    """Writes the links that lead out of the site beside its pages; nobody asks whether they answer."""
    if fault is not None:
        return
    found: dict[str, list[str]] = {}
    for page in sorted(app.env.found_docs):
        for link in app.env.get_doctree(page).findall(nodes.reference):
            if "://" in link.get("refuri", ""):
                found.setdefault(link["refuri"], []).append(page)
    lines = (f"{target}  ({', '.join(dict.fromkeys(pages))})\n" for target, pages in sorted(found.items()))
    (Path(app.outdir) / "links-outward.txt").write_text("".join(lines), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Hears the build."""
    app.add_search_language(SearchBoth)
    app.connect("source-read", list_pages)
    app.connect("build-finished", list_outward)
