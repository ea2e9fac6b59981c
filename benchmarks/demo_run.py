"""The demo: the rehearsed example with its two preemptions, beside the same training run bare."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from installation import ROOT, installation
from measure import seconds_of, tell


def main() -> None:
    """Print the seconds of the whole demo, of the bare training, and what the preemptions cost."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        workdir = shutil.copytree(ROOT / "examples" / "digits", Path(folder) / "digits")
        bare = seconds_of(lambda: train_bare(workdir))
        answers = []
        whole = seconds_of(
            lambda: answers.append(
                home.ask("run", str(ROOT / "examples" / "digits" / "job.yaml"), "--rehearse", "--yes")
            )
        )
    shown = answers[0]
    if shown["state"] != "SUCCEEDED":
        raise RuntimeError(f"the demo ended in {shown['state']}: {shown['why']}")
    tell(
        "demo/whole",
        "s",
        whole,
        None,
        baseline_s=round(bare, 2),
        attempts=len(shown["attempts"]),
        lost_s=round(sum(each["lost_seconds"] or 0.0 for each in shown["attempts"]), 2),
        repeated_steps=sum(each["repeated_steps"] or 0 for each in shown["attempts"]),
        metrics=shown["metrics"],
    )


def train_bare(workdir: Path) -> None:
    """The example's training without Tradewind, in a copy of its folder."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    subprocess.run(
        [sys.executable, "train.py"], cwd=workdir, env={**kept, "SEED": "0"}, check=True, capture_output=True
    )


if __name__ == "__main__":
    main()
