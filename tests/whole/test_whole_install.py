"""The wheel in clean environments of every Python that is supported and at hand: small, without torch, and whole."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import contracts
import pytest
from product import REPO
from pythons import python
from wheel import Installed, installed, wheel_of_the_tree

SUPPORTED = ("3.11", "3.12", "3.13")
MEGABYTES = 60.0
JOB = """
name: hello
run: |
  python -c 'import os, sys; print("hello from", sys.version_info[1])'
  echo '{"v": 1, "type": "eval", "step": 1, "answer": 42}' >> "$TRADEWIND_EVENTS"
model: {preset: resnet50}
training: {batch_size: 256, precision: bf16, samples: 8189, epochs: 90}
"""

STOPPED = """
import os, signal
from tradewind.training import Events, PreemptionGuard
events = Events()
guard = PreemptionGuard(events)
for step in range(1, 100):
    events.step(step, 100, loss=1 / step)
    if guard.requested:
        guard.exit_checkpointed()
    if step == 7:
        os.kill(os.getpid(), signal.SIGTERM)
"""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of_the_tree(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session", params=SUPPORTED)
def clean(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    found = python(request.param)
    if found is None:
        pytest.skip(f"there is no Python {request.param} here")
    return installed(found, wheel, tmp_path_factory.mktemp(f"python{request.param}"))


@pytest.fixture
def job(tmp_path: Path) -> str:
    (tmp_path / "job.yaml").write_text(JOB)
    return str(tmp_path / "job.yaml")


pytestmark = pytest.mark.long


def test_the_base_is_small_and_has_neither_torch_nor_a_cloud(
    clean: Installed, record_property: Callable[[str, object], None]
) -> None:
    there = {each.name.lower() for each in clean.packages.iterdir()}
    assert not there & {"torch", "numpy", "boto3", "google", "azure", "tencentcloud", "transformers"}
    record_property(f"table: base install, {clean.venv.parent.name}", f"{clean.megabytes():.1f} MB")
    assert clean.megabytes() < MEGABYTES


def test_questions_are_answered(clean: Installed, job: str) -> None:
    offers = clean.json("offers", "--gpu", "T4")
    contracts.check(offers, contracts.OFFERS)
    assert offers
    size = clean.json("size", job, "--gpu", "A10,H100-80GB")
    contracts.check(size, contracts.SIZE)
    assert all(fit["fits"] for fit in size["fits"])
    plan = clean.json("plan", job)
    contracts.check(plan, contracts.PLAN)
    assert plan["chosen"]
    assert clean.json("simulate", job, "--runs", "20")
    for words in (["--help"], ["catalog", "show", "T4"], ["--lang", "zh", "plan", job], ["ps"]):
        assert clean(*words).code == 0, words


def test_a_job_is_rehearsed_to_its_end(clean: Installed, job: str) -> None:
    shown = clean.json("run", job, "--rehearse", "--yes")
    contracts.check(shown, contracts.SHOW)
    assert (shown["state"], shown["metrics"]) == ("SUCCEEDED", {"answer": 42.0})
    version = clean.python("import sys; print(sys.version_info[1])").out.strip()
    assert shown["attempts"][-1]["log_tail"][-1] == f"hello from {version}"
    assert clean.json("leases") == []
    assert clean.quiet() == []


def test_the_table_that_a_wheel_packs_gives_the_catalog_of_the_checkout(clean: Installed) -> None:
    asked = "import json; from pathlib import Path; from tradewind.catalog.snapshot import open_snapshot; {}"
    told = clean.python(asked.format(f"print(open_snapshot(Path({str(clean.home)!r})).fingerprint)"))
    from tradewind.catalog.snapshot import open_snapshot

    assert told.out.strip() == open_snapshot(clean.home / "other").fingerprint, told.err


def test_the_rooms_of_people_and_use_cases_pass_their_tests(clean: Installed) -> None:
    """The tests of ``cli``, ``app`` and ``words`` on the installed package; those of prices need the clouds' SDKs."""
    subprocess.run([clean.venv / "bin" / "python", "-m", "pip", "-q", "install", "-c", REPO / "constraints.txt",
                    "pytest", "pytest-xdist", "hypothesis", "jsonschema"], check=True)  # fmt: skip
    where = "import tradewind.cli, tradewind.app; print(tradewind.cli.__file__)"
    assert str(clean.packages) in clean.python(where).out
    ran = subprocess.run(
        [clean.venv / "bin" / "python", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "tests/cli",
         "tests/app", "tests/words", "--ignore", "tests/app/test_app_price_sources.py"],
        cwd=REPO, env=clean.environment(), text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-6000:]


@pytest.mark.skipif(python("3.9") is None, reason="there is no Python 3.9 here")
def test_the_training_library_works_on_python_3_9(tmp_path: Path) -> None:
    """Without torch, which it needs for tensors alone: events, a guard that is told to stop, its exit code."""
    script = tmp_path / "train.py"
    script.write_text(STOPPED)
    told = tmp_path / "events"
    ran = subprocess.run([str(python("3.9")), str(script)], check=False, capture_output=True, text=True,
                         env={"PYTHONPATH": str(REPO / "src"), "TRADEWIND_EVENTS": str(told)})  # fmt: skip
    assert ran.returncode == 75, ran.stderr
    events = [json.loads(line) for line in told.read_text().splitlines()]
    assert [each["step"] for each in events if each["type"] == "step"][-1] == 8  # the one it was at
