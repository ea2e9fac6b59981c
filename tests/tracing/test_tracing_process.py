"""The tracing process: user code of every kind, limits, and what it is kept for."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from tradewind.domain.errors import BadInput, NotTraceable, TradewindError
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing import ProcessTracer

TRAIN = """
import torch
from torch import nn

class Raises(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, x):
        return self.inner(x)
    def inner(self, x):
        return self.layer(x).frobnicate()

class Branches(Raises):
    def forward(self, x):
        return self.layer(x) if x.sum() > 0 else x

def net(width=8):
    return nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))

def module(): return net()
def example(): return net(), torch.zeros(2, 3, 16, 16)
def maker(): return net(), lambda samples: torch.zeros(samples, 3, 16, 16)
def whole():
    print("a line on stdout")
    return net(), lambda n: (torch.zeros(n, 3, 16, 16), torch.zeros(n, dtype=torch.long)), nn.CrossEntropyLoss()
def keywords(width, classes=0): return nn.Linear(width, classes), {"input": torch.zeros(1, width)}
def tokens(sequence): return nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 50))

def build_raises(): return {}["width"]
def run_raises(): return Raises()
def mismatch(): return nn.Linear(4, 4), torch.zeros(2, 5)
def arguments(): return nn.Linear(4, 4), (torch.zeros(2, 4), torch.zeros(2, 4))
def cuda(): return nn.Linear(4, 4).cuda()
def cuda_device(): return nn.Linear(4, 4, device="cuda:0")
def cuda_chosen(): torch.cuda.set_device(0)
def forever(): return forever()
def branches(): return Branches()
def number(): return 5
def norm(): return nn.LayerNorm(4)
def endless():
    while True: pass
def greedy(): return [bytearray(b"x") * (1 << 20) for _ in range(1 << 20)]
def ends():
    import os
    print("so long")
    os._exit(3)
"""


@pytest.fixture(scope="module")
def workdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("user")
    (folder / "train.py").write_text(TRAIN)
    return folder


def request(workdir: Path, function: str, **asked: object) -> TraceRequest:
    return TraceRequest(f"entrypoint:train:{function}", str(workdir), **asked)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tracer() -> Iterator[ProcessTracer]:
    with ProcessTracer() as made:
        yield made


def test_users_models_of_every_form_are_traced_alike(tracer: ProcessTracer, workdir: Path) -> None:
    forms = ("module", "example", "maker", "whole")
    made = [tracer.trace(request(workdir, form, image_size=(3, 16, 16))) for form in forms]
    assert {profile.parameters for profile in made} == {3 * 8 * 9 + 8 + 8 * 10 + 10}
    assert len({profile.forward_flops for profile in made}) == 1
    assert [profile.fallbacks for profile in made] == [("loss-assumed",), (), (), ()]


def test_options_and_sizes_reach_the_function(tracer: ProcessTracer, workdir: Path) -> None:
    profile = tracer.trace(request(workdir, "keywords", classes=7, options={"width": 5}))
    assert profile.parameters == 5 * 7 + 7
    assert tracer.trace(request(workdir, "tokens", sequence=9)).tokens == 9


@pytest.mark.parametrize(
    ("function", "code", "seen"),
    [
        ("build_raises", "model-raised", "in build_raises: def build_raises()"),
        (
            "run_raises",
            "model-raised",
            "in forward: return self.inner(x)\ntrain.py:12 in inner: return self.layer(x).f",
        ),
        ("mismatch", "batch-mismatch", None),
        ("arguments", "batch-mismatch", None),
        ("cuda", "model-calls-cuda", "in cuda: def cuda()"),
        ("cuda_device", "model-calls-cuda", "in cuda_device: def cuda_device()"),
        ("cuda_chosen", "model-calls-cuda", "in cuda_chosen: def cuda_chosen()"),
        ("branches", "model-reads-values", "in forward: return self.layer(x) if x.sum() > 0 else x"),
        ("number", "entrypoint-not-a-model", None),
        ("norm", "entrypoint-inputs-unknown", None),
        ("nothing", "entrypoint-missing", None),
    ],
)
def test_faults_are_told_by_the_users_own_frames(
    tracer: ProcessTracer, workdir: Path, function: str, code: str, seen: str | None
) -> None:
    with pytest.raises(TradewindError) as caught:
        tracer.trace(request(workdir, function))
    error = caught.value
    assert error.code == code
    assert seen is None or seen in error.facts["frames"]
    assert "site-packages" not in error.facts.get("frames", "")


def test_a_fault_has_its_place_in_the_file(tracer: ProcessTracer, workdir: Path) -> None:
    with pytest.raises(BadInput) as caught:
        tracer.trace(request(workdir, "run_raises"))
    assert caught.value.where is not None
    assert (Path(caught.value.where.file).name, caught.value.where.line) == ("train.py", 12)


def test_a_recursion_is_told_once(tracer: ProcessTracer, workdir: Path) -> None:
    with pytest.raises(BadInput) as caught:
        tracer.trace(request(workdir, "forever"))
    assert caught.value.facts["frames"].count("in forever: ") == 1


def test_code_that_cannot_be_read_has_its_place_too(tracer: ProcessTracer, tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_text("x = 1\ndef build(:\n")
    with pytest.raises(BadInput) as caught:
        tracer.trace(TraceRequest("entrypoint:torn:build", str(tmp_path)))
    assert caught.value.where is not None
    assert (Path(caught.value.where.file).name, caught.value.where.line) == ("torn.py", 2)


def test_code_without_end_is_ended_and_so_is_its_process(tracer: ProcessTracer, workdir: Path) -> None:
    with pytest.raises(NotTraceable) as caught:
        tracer.trace(request(workdir, "endless"), limit_s=0.5)
    assert caught.value.code == "trace-too-long"
    assert children() == []
    assert tracer.trace(request(workdir, "example")).parameters  # another takes over


def test_code_that_fills_memory_is_ended(workdir: Path) -> None:
    with ProcessTracer(memory_gib=0.7) as tracer, pytest.raises(NotTraceable) as caught:
        tracer.trace(request(workdir, "greedy"))
    assert caught.value.code == "trace-too-large"


def test_code_that_ends_its_process_is_told_with_its_last_words(tracer: ProcessTracer, workdir: Path) -> None:
    with pytest.raises(NotTraceable) as caught:
        tracer.trace(request(workdir, "ends"))
    assert caught.value.facts == {"exit_code": "3", "said": "so long"}


def test_changed_code_is_read_again(tracer: ProcessTracer, tmp_path: Path) -> None:
    for width in (3, 5):
        (tmp_path / "net.py").write_text(f"from torch import nn\ndef build(): return nn.Linear({width}, 1)")
        assert tracer.trace(TraceRequest("entrypoint:net:build", str(tmp_path))).parameters == width + 1


def test_one_process_serves_all_and_none_is_left(workdir: Path) -> None:
    before = children()
    with ProcessTracer() as tracer:
        first = tracer.trace(TraceRequest("timm:resnet18"))
        (process,) = children(but=before)
        assert tracer.trace(TraceRequest("timm:resnet18")).ops == first.ops
        assert children(but=before) == [process]
    assert children(but=before) == []


def test_the_process_ends_when_nobody_asks_any_more(workdir: Path) -> None:
    before = children()
    tracer = ProcessTracer()
    tracer.trace(request(workdir, "example"))
    (process,) = children(but=before)
    assert tracer._worker is not None
    assert tracer._worker._process.stdin is not None
    tracer._worker._process.stdin.close()  # as the end of this process would
    process.wait(20)
    tracer.close()


def test_a_trace_at_work_ends_with_whoever_asked(workdir: Path) -> None:
    asks = (
        "from tradewind.tracing import ProcessTracer\nfrom tradewind.ports.tracer import TraceRequest\n"
        f"ProcessTracer().trace(TraceRequest('entrypoint:train:endless', {str(workdir)!r}), 120)\n"
    )
    asker = psutil.Popen([sys.executable, "-c", asks])
    while len(at_work := asker.children(recursive=True)) < 2:
        assert asker.poll() is None
        time.sleep(0.05)
    asker.kill()
    asker.wait(20)
    gone, left = psutil.wait_procs(at_work, 20)
    assert (len(gone), left) == (2, [])


def children(but: Sequence[psutil.Process] = ()) -> list[psutil.Process]:
    """Tracing processes of this one, but for some."""
    found = psutil.Process(os.getpid()).children()
    return [child for child in found if child not in but and "tradewind.tracing.worker" in child.cmdline()]
