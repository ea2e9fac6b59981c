"""Which files of a workdir travel: what git would take, by the ``.gitignore`` files in it and above it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pathspec import GitIgnoreSpec

_FILE = ".gitignore"
# Never part of the work: git's own store, and what other version control keeps beside it.
ALWAYS = frozenset({".git", ".hg", ".svn"})


@dataclass(frozen=True)
class Rules:
    """The rules in force in one folder: those of every folder from the repository's top down to it, nearest last."""

    levels: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def within(self, folder: Path) -> Rules:
        """The rules in ``folder``, its own ``.gitignore`` added."""
        try:
            lines = (folder / _FILE).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return self
        return Rules((*self.levels, (folder, GitIgnoreSpec.from_lines(lines))))

    def ignores(self, path: Path, *, folder: bool) -> bool:
        """Whether ``path`` stays behind; the nearest rule that names it decides, as in git."""
        if path.name in ALWAYS:
            return True
        for base, spec in reversed(self.levels):
            name = path.relative_to(base).as_posix() + ("/" if folder else "")
            decided = spec.check_file(name).include
            if decided is not None:
                return decided
        return False


def above(workdir: Path) -> Rules:
    """The rules that the repository around ``workdir`` has for it; none when it ignores the workdir as a whole."""
    parents = list(workdir.parents)
    top = next((number for number, parent in enumerate([workdir, *parents]) if (parent / ".git").exists()), None)
    if not top:
        return Rules()
    rules = Rules()
    chain = [*reversed(parents[:top]), workdir]
    for folder, inner in pairwise(chain):
        rules = rules.within(folder)
        if rules.ignores(inner, folder=True):
            return Rules()
    return rules
