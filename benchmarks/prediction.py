"""Being wrong has a price: what rehearsals were expected to take on this computer, beside what they took.

Each job is rehearsed before anything was measured of it; then calibrated and rehearsed in a fresh home, for each set of
preemptions. Compared are `here.predicted` and `here.actual` of the show object: paid hours of this computer, and the
bill. Before a calibration there is no such prediction, so the plan's own hours and cost, reckoned for a machine that
boots in a cloud, stand beside what was rehearsed of it: that figure says why one calibrates.

    python benchmarks/prediction.py            the jobs below
    python benchmarks/prediction.py FOLDER     what `TEST_REHEARSALS=FOLDER pytest tests/whole` left there
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installation import ROOT, Installation, installation
from measure import tell

BAR = 0.10  # median absolute error after calibration
PREEMPTIONS = ("none", "25%,60%", "15s")
Show = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """One job: a folder to copy, its command, its steps, its environment, and what is said of its model."""

    name: str
    source: Path
    steps: int
    env: Mapping[str, str]
    model: str
    batch: int = 64

    def laid_out(self, folder: Path) -> Path:
        """Its job file, in a folder that holds nothing else."""
        shutil.copytree(self.source, folder, ignore=shutil.ignore_patterns("job.yaml", "out", "checkpoints"))
        told = "\n".join([
            f"name: {self.name}", "run: python train.py", f"model: {self.model}",
            f"training: {{batch_size: {self.batch}, precision: fp32, samples: {self.batch * self.steps}, epochs: 1}}",
            "checkpoint: {path: ./checkpoints, every: 5s}", f"env: {json.dumps(dict(self.env))}", "",
        ])  # fmt: skip
        (folder / "job.yaml").write_text(told, encoding="utf-8")
        return folder / "job.yaml"


def loop(name: str, steps: int, **env: str) -> Kind:
    """A loop of so many steps. What it says of its model makes the bill longer than the least that clouds bill."""
    model = "{parameters: 147456, flops_per_sample: 2e9}"
    return Kind(name, ROOT / "benchmarks" / "loops", steps, {"LOOP_STEPS": str(steps), **env}, model)


DIGITS = Kind(
    "digits", ROOT / "examples" / "digits", 35 * 23, {"SEED": "0"},
    "{parameters: 590890, flops_per_sample: 26668032, activation_bytes_per_sample: 175552}",
)  # fmt: skip
KINDS = (
    loop("rests-20", 2000, LOOP_REST_MS="20"),
    loop("rests-250", 160, LOOP_REST_MS="250"),
    loop("works", 1200, LOOP_MATMULS="8"),
    DIGITS,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """What was predicted, if anything was, and what came: each ``{"hours", "cost"}`` as the show object tells them."""

    name: str
    predicted: Any
    actual: Any

    def error(self, of: str) -> float | None:
        """Predicted over actual, less 1; None where either is not known or nothing."""
        if not self.predicted or not self.predicted[of] or not self.actual[of]:
            return None
        value = float(self.predicted[of]["value"])
        actual = float(self.actual[of]["amount"] if of == "cost" else self.actual[of])
        return value / actual - 1 if actual else None

    def within(self, of: str) -> bool:
        """Whether what came lies in the range that was told."""
        low, high = (float(self.predicted[of][end]) for end in ("low", "high"))
        actual = float(self.actual[of]["amount"] if of == "cost" else self.actual[of])
        return low <= actual <= high


def planned(name: str, shown: Show) -> Pair:
    """The plan, as if this computer had been the planned machine."""
    return Pair(name, shown["predicted"], shown["actual"])


def expected(name: str, shown: Show) -> Pair:
    """What was expected of this computer."""
    return Pair(name, shown["here"]["predicted"], shown["here"]["actual"])


def main() -> None:
    """Print the errors before and after a calibration: of the jobs here, or of what the tests left in a folder."""
    before, after = from_tests(Path(sys.argv[1])) if sys.argv[1:] else from_own()
    for of in ("hours", "cost"):
        report(of, before, after, "tests" if sys.argv[1:] else "own")


def from_tests(folder: Path) -> tuple[list[Pair], list[Pair]]:
    """The rehearsals of the tests; each with what a calibration after it says of it."""
    told = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    return (
        [planned(each["test"], each["show"]) for each in told],
        [Pair(each["test"], each["expected"], each["show"]["here"]["actual"]) for each in told],
    )


def from_own() -> tuple[list[Pair], list[Pair]]:
    """The jobs of this file: rehearsed once, calibrated, rehearsed with every set of preemptions."""
    before, after = list[Pair](), list[Pair]()
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        for kind in KINDS:
            job = kind.laid_out(Path(folder) / kind.name)
            with installation() as home:
                before.append(planned(kind.name, rehearse(home, job, "25%,60%")))
            for points in PREEMPTIONS:
                with installation() as home:  # of its own, so that no rehearsal teaches the next
                    home.ask("calibrate", str(job))
                    pair = expected(f"{kind.name} {points}", rehearse(home, job, points))
                after.append(pair)
                print(pair.name, pair.error("hours"), pair.error("cost"), file=sys.stderr, flush=True)
    return before, after


def rehearse(home: Installation, job: Path, points: str) -> Show:
    """The show object of a rehearsal that came to its end."""
    shown: Show = home.ask("run", str(job), "--rehearse", "--yes", "--preempt-at", points)
    if shown["state"] != "SUCCEEDED":
        raise RuntimeError(f"{shown['name']} ended in {shown['state']}: {shown['why']}")
    return shown


def report(of: str, before: list[Pair], after: list[Pair], whose: str) -> None:
    """One line: the median error after calibration, beside that of the plans, and each rehearsal's."""
    told = {each.name: error for each in after if (error := each.error(of)) is not None}
    plans = [abs(error) for each in before if (error := each.error(of)) is not None]
    tell(
        f"prediction/{of}-{whose}", "median absolute error", statistics.median(map(abs, told.values())), BAR,
        baseline_plan=round(statistics.median(plans), 3) if plans else None, rehearsals=len(told),
        not_predicted=len(after) - len(told), worst=round(max(map(abs, told.values())), 3),
        in_range=round(statistics.fmean(each.within(of) for each in after if each.name in told), 3),
        errors={name: round(error, 3) for name, error in told.items()},
    )  # fmt: skip


if __name__ == "__main__":
    main()
