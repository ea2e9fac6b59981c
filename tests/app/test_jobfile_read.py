"""Job files from disk and text: what is read, and what is said of files that are not job files."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tradewind.app import jobfile
from tradewind.domain.errors import BadInput, TradewindError
from tradewind.domain.money import Money
from tradewind.domain.precision import Precision
from tradewind.domain.workload import Accelerators, Model, PreemptAt

WHOLE = """\
name: resnet50-flowers
run: python train.py --data /data
workdir: .
setup: pip install -r requirements.txt
image: docker:nvcr.io/nvidia/pytorch:26.05-py3
model: {preset: resnet50}
training: {batch_size: 256, precision: bf16, optimizer: sgd, samples: 8189, epochs: 90, sample_bytes: 110000}
resources: {accelerators: "A100-80GB:1..8", nodes: 1, cpus: 8+, disk_gb: 200}
data: [{source: "oss://bucket/flowers", path: /data, mode: copy}]
outputs: [./out]
placement: {clouds: [alibaba], regions: [], residency: CN}
schedule: {deadline: 12h, max_duration: 10h, idle_stop: 15m}
budget: {limit: 300 CNY, purchase: auto, on_limit: stop}
checkpoint: {path: ./checkpoints, store: "oss://bucket/ck", every: auto}
rehearse: {run: "python train.py --tiny", steps: 50, preempt_at: [25%, 60%]}
compliance: [mlps3]
ports: [6006]
env: {NCCL_DEBUG: WARN}
secrets: [HF_TOKEN]
"""


def refused(text: str) -> TradewindError:
    with pytest.raises(TradewindError) as caught:
        jobfile.parse(text, "job.yaml")
    return caught.value


def test_the_whole_file_of_the_contract() -> None:
    job = jobfile.parse(WHOLE, "job.yaml")
    assert job.name == "resnet50-flowers"
    assert job.model == Model(reference="preset:resnet50")
    assert job.training.precision is Precision.AMP_BF16
    assert job.training.total_steps == 32 * 90
    assert job.resources and job.resources.accelerators == Accelerators("A100-80GB", 1, 8)
    assert job.resources.cpus == 8
    assert job.schedule.deadline_seconds == 43_200
    assert job.schedule.idle_stop_seconds == 900
    assert job.budget.limit == Money(Decimal(300), "CNY")
    assert job.rehearse.preempt_at == (PreemptAt(share=0.25), PreemptAt(share=0.6))
    assert job.env == (("NCCL_DEBUG", "WARN"),)
    assert job.secrets == ("HF_TOKEN",)
    assert jobfile.load(jobfile.dump(job)) == job


def test_run_alone_is_enough_and_the_folder_gives_the_name(tmp_path: Path) -> None:
    folder = tmp_path / "鲜花 flowers"
    folder.mkdir()
    path = folder / "job.yaml"
    path.write_bytes(b"\xef\xbb\xbfrun: python train.py\n")
    job, source = jobfile.read(path)
    assert (job.name, job.run) == ("鲜花 flowers", "python train.py")
    assert source == "run: python train.py\n"
    assert jobfile.workdir_of(job, path) == folder.resolve()


def test_a_telling_file_name_gives_the_name() -> None:
    assert jobfile.parse("run: x", "jobs/finetune.yaml").name == "finetune"


def test_scalars_are_not_those_of_yaml_1_1() -> None:
    job = jobfile.parse("run: x\nplacement: {residency: NO}\nenv: {A: yes, B: 1.0, C: 007, D: }\n", "job.yaml")
    assert job.placement.residency == "NO"
    assert dict(job.env) == {"A": "yes", "B": "1.0", "C": "007", "D": ""}


def test_numbers_as_people_write_them() -> None:
    job = jobfile.parse("run: x\nmodel: {parameters: 7e9, flops_per_sample: 1.5e+10}\n", "job.yaml")
    assert job.model == Model(parameters=7e9, flops_per_sample=1.5e10)


def test_a_deadline_may_be_an_instant() -> None:
    job = jobfile.parse("run: x\nschedule: {deadline: 2026-11-22 08:00 +08:00}\n", "job.yaml")
    assert job.schedule.deadline_at == datetime(2026, 11, 22, tzinfo=UTC)
    assert jobfile.load(jobfile.dump(job)) == job


def test_keys_without_values_were_not_said() -> None:
    assert jobfile.parse("run: x\ntraining:\nsetup:\nresources: {cpus: }\n", "job.yaml").setup is None


def test_an_anchor_may_be_used_twice() -> None:
    job = jobfile.parse("run: &go python train.py\nrehearse: {run: *go}\n", "job.yaml")
    assert job.rehearse.run == job.run


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "job-file-empty", None, None),
        ("# nothing\n", "job-file-empty", None, None),
        ("- run: x\n", "job-file-not-mapping", 1, 1),
        ("run: [x\n", "yaml-bracket-open", 1, 6),
        ("model: {preset: x\nrun: y\n", "yaml-bracket-open", 1, 8),
        ("run: 'x\nname: y\n", "yaml-quote-open", 1, 6),
        ("run: echo a: b\n", "yaml-colon-inside", 1, 12),
        ("run: x\nname\nenv: {}\n", "yaml-colon-missing", 2, 1),
        ("run: x\n  name: y\n", "yaml-colon-inside", 2, 7),
        ("run: x\nname\n", "yaml-colon-missing", 2, 1),
        ("run: x\nmodel:\n  preset: a\n timm: b\n", "yaml-indent", 4, 2),
        ("run: @x\n", "yaml-quotes-needed", 1, 6),
        ("run: - x\n", "yaml-quotes-needed", 1, 6),
        ('run: "C:\\data"\n', "yaml-escape", 1, 10),
        ("run: x\n\tname: y\n", "yaml-tab", 2, 1),
        ("run: x\n---\nrun: y\n", "yaml-many-documents", 2, 1),
        ("run: x\nname: y\x00\n", "yaml-character", 2, 8),
        ("run: *nowhere\n", "yaml-quotes-needed", 1, 6),
        ("run: " + "[" * 5000, "yaml-too-deep", 1, 25),
        ("run: x\n" + "k: v\n" * 100_000, "yaml-too-large", 2500, 4),
        ("run: &r [*r]\n", "yaml-too-deep", 1, 6),
    ],
)
def test_what_is_not_a_job_file(text: str, code: str, line: int | None, column: int | None) -> None:
    error = refused(text)
    assert error.code == code
    assert error.exit_code == 2
    assert error.where is not None
    assert (error.where.line, error.where.column) == (line, column)


def test_aliases_of_aliases_stop_at_the_bound() -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert refused("\n".join(["a0: &a0 [x]", *levels])).code == "yaml-too-many-aliases"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "large.yaml").write_bytes(b"#" * 1_000_001)
    (tmp_path / "latin.yaml").write_bytes(b"run: caf\xe9\n")
    codes = {}
    for name in ("none.yaml", "large.yaml", "latin.yaml", "."):
        with pytest.raises(BadInput) as caught:
            jobfile.read(tmp_path / name)
        codes[name] = caught.value.code
    assert codes == {
        "none.yaml": "job-file-missing",
        "large.yaml": "job-file-too-large",
        "latin.yaml": "job-file-not-text",
        ".": "job-file-is-folder",
    }
