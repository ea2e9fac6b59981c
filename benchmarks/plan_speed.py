"""How long a plan over the whole snapshot takes: warm in a process that has planned before, cold as a whole command.

Warm asks `make_plan` in process; cold runs `tradewind plan` from its start, beside bare Python; the memory is the most
that such a command held.

    python benchmarks/plan_speed.py                      all but the last
    python benchmarks/plan_speed.py --skypilot PYTHON    also SkyPilot's optimizer, in a Python that has it: one GPU
                                                         of a kind on AWS, spot or not, by our prices, asked of both
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from textwrap import dedent

from installation import TRADEWIND
from measure import paired, percentile, process, seconds_of, tell

from tradewind.app import jobfile, market, questions
from tradewind.app.queries import OffersQuery
from tradewind.app.settings import Settings
from tradewind.app.sizes.wiring import profiles_of

ROUNDS, PAIRS = 30, 9
WARM_MS, COLD_S = 50.0, 0.5
PEER_GPU = "H100-80GB"
NOW = datetime(2026, 11, 22, tzinfo=UTC)
# One image model and one language model, each with all that makes a search hard: spot, a deadline, a budget, any cloud.
JOBS = {
    "resnet50": """
        model: {preset: resnet50}
        training: {batch_size: 256, precision: bf16, optimizer: sgd, samples: 1281167, epochs: 90, sample_bytes: 110000}
        schedule: {deadline: 24h}
        budget: {limit: 3000 CNY}
        outputs: [./out]
    """,
    "llama-3-8b": """
        model: {preset: llama3-8b}
        training: {batch_size: 64, precision: bf16, optimizer: adamw, samples: 200000, epochs: 2, sequence: 4096}
        schedule: {deadline: 48h}
        outputs: [./out]
    """,
}


def main() -> None:
    """Print every figure."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        for name, lines in JOBS.items():
            job = Path(folder) / f"{name}.yaml"
            job.write_text(f"name: {name}\nrun: python train.py\n{dedent(lines)}", encoding="utf-8")
            warm(name, job, Path(folder))
            cold(name, job, Path(folder))
        peak = getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024
        if "--skypilot" in sys.argv[1:]:
            skypilot(sys.argv[sys.argv.index("--skypilot") + 1], Path(folder))
    tell("plan-speed/cold/peak", "MiB", peak, None)


def warm(name: str, job: Path, home: Path) -> None:
    """A plan in a process that has made one before, by each objective in turn."""
    settings, workload = Settings.from_env({"TRADEWIND_HOME": str(home)}), jobfile.read(job)[0]
    with profiles_of(settings, lambda _: None) as profiles:
        for objective in ("cost", "balanced"):
            ask = partial(questions.make_plan, settings, workload, NOW, profiles, objective)
            plan = ask()
            assert plan.chosen is not None, "a figure of a plan that found nothing is no figure"
            taken = [1e3 * seconds_of(ask) for _ in range(ROUNDS)]
            tell(f"plan-speed/warm/{name}/{objective}", "ms", statistics.median(taken), WARM_MS,
                 p95=round(percentile(taken, 0.95), 1), unbeaten=len(plan.front))  # fmt: skip


def cold(name: str, job: Path, home: Path) -> None:
    """The whole command from its start, in a home whose snapshot is built."""
    command = process([TRADEWIND, "plan", str(job), "--json"], {"TRADEWIND_HOME": str(home)})
    taken = paired(process([sys.executable, "-c", "pass"]), command, PAIRS)
    tell(f"plan-speed/cold/{name}", "s", statistics.median(taken.subject), COLD_S,
         times_bare_python=round(taken.ratio, 1), **taken.fields())  # fmt: skip


def skypilot(python: str, home: Path) -> None:
    """Its optimizer beside our plan, on one question, over the same prices; both warm, in their own processes."""
    settings = Settings.from_env({"TRADEWIND_HOME": str(home)})
    offers = market.offers(settings, OffersQuery(clouds=("aws",)))["offers"]
    question = json.dumps({"gpu": PEER_GPU, "rounds": ROUNDS, "offers": offers})
    run = subprocess.run([python, str(Path(__file__).parent / "peers" / "skypilot.py")], input=question, text=True,
                         env={**os.environ, "HOME": str(home)}, check=True, capture_output=True)  # fmt: skip
    theirs = json.loads(run.stdout.splitlines()[-1])  # before it come its spinners
    job = home / "peer.yaml"
    job.write_text(
        f'run: "true"\nresources: {{accelerators: "{PEER_GPU}:1", nodes: 1}}\nplacement: {{clouds: [aws]}}\n',
        encoding="utf-8",
    )
    workload = jobfile.read(job)[0]
    with profiles_of(settings, lambda _: None) as profiles:
        ask = partial(questions.make_plan, settings, workload, NOW, profiles)
        chosen = ask().chosen
        ours = [1e3 * seconds_of(ask) for _ in range(ROUNDS)]
    assert chosen is not None, "a figure of a plan that found nothing is no figure"
    tell("plan-speed/skypilot", "ms", 1e3 * statistics.median(theirs["seconds"][1:]), None,
         ours_ms=round(statistics.median(ours), 1), first_s=round(theirs["seconds"][0], 2), rows=theirs["rows"],
         chosen=theirs["chosen"], ours=f"{chosen.offer.instance_type} {chosen.offer.purchase.value}",
         version=theirs["version"])  # fmt: skip


if __name__ == "__main__":
    main()
