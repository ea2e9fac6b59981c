"""Jobs in containers: what docker and podman would be told, and whole jobs over a stand-in that carries it out."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_node import Node, alive, wait_for
from engine_standin import Engine as StandIn
from test_agent_stopping import training

from tradewind.agent import container, engines, processes
from tradewind.agent.engines import DOCKER, PODMAN, Engine, Host
from tradewind.agent.sample import Sampler
from tradewind.wire import journal, manifest
from tradewind.wire.spec import Spec

GOLDEN = Path(__file__).parent / "golden"
ROOT = "/home/ada/.tradewind-node/instances/machine-7/node"
SPEC = Spec(
    key="job/1", job="job", epoch=1, attempt=1, run="python train.py --lr 0.1", host_environment=True,
    image="nvcr.io/nvidia/pytorch:26.05-py3", env={"NCCL_DEBUG": "WARN"}, secrets=["HF_TOKEN"], stop_grace_seconds=29.5,
    mounts=[{"source": "/data/flowers, all", "target": "/data"}, {"source": "/srv/cache", "target": "cache"}],
    checkpoint_dir="/scratch/checkpoints",
)  # fmt: skip
HOST = Host("machine-7", 1000, 1001, "ada", [], 135_291_469_824 // 2)
TWO = ["GPU-5e1f0a2b-aaaa", "GPU-90c4d7e8-bbbb"]


@pytest.mark.parametrize(
    ("name", "engine", "host"),
    [
        ("docker-no-gpu", Engine(DOCKER, "/usr/bin/docker", False), HOST),
        ("docker-two-gpus", Engine(DOCKER, "/usr/bin/docker", False), HOST._replace(gpus=TWO)),
        ("docker-rootless-all-gpus", Engine(DOCKER, "/usr/bin/docker", True), HOST._replace(gpus=None)),
        ("podman-no-gpu", Engine(PODMAN, "/usr/bin/podman", True), HOST),
        ("podman-two-gpus", Engine(PODMAN, "/usr/bin/podman", True), HOST._replace(gpus=TWO)),
        ("podman-root-all-gpus", Engine(PODMAN, "/usr/bin/podman", False), HOST._replace(uid=0, gid=0, gpus=None)),
    ],
)
def test_the_command_line_of_a_run(name: str, engine: Engine, host: Host) -> None:
    program, *rest = engines.run(engine, host, ROOT, SPEC, SPEC.run)
    told = [(" \\\n  " if each.startswith("--") else " ") + shlex.quote(each) for each in rest]
    assert program + "".join(told) + "\n" == (GOLDEN / f"{name}.txt").read_text()


def test_the_other_command_lines() -> None:
    podman, inner = Engine(PODMAN, "podman", True), {"HOME": f"{ROOT}/home", "NCCL_DEBUG": "WARN"}
    told = [
        engines.listing(podman, "machine-7"),
        engines.removal(podman, ["1f", "2e"]),
        engines.visit(podman, "machine-7", ROOT, inner, {"HOME": "/home/ada"}),
    ]
    assert "".join(shlex.join(each) + "\n" for each in told) == (GOLDEN / "others.txt").read_text()


def test_an_image_has_its_own_path_and_language_and_the_job_a_home_that_stays() -> None:
    here = Spec(**{**vars(SPEC), "env": {"PATH": "/mine", "LANG": "C", "A": "1"}, "host_environment": False})
    home = {"HOME": f"{ROOT}/home", "USER": "ada", "LOGNAME": "ada"}
    assert engines.inside(ROOT, here, HOST) == {"A": "1", **home}
    there = Spec(**{**vars(here), "host_environment": True})
    assert engines.inside(ROOT, there, HOST) == {"A": "1", "PATH": "/mine", "LANG": "C", **home}


# -- over the stand-in


@pytest.fixture
def engine() -> Iterator[StandIn]:
    made = StandIn(image={"PYTHONPATH": "/of/the/image", "NVIDIA_VISIBLE_DEVICES": "all"})
    yield made
    made.close()


@pytest.fixture
def node(tmp_path: Path, engine: StandIn) -> Iterator[Node]:
    made = Node(tmp_path)
    made.host = {"PATH": f"{engine.bin}:{os.environ['PATH']}", "HOME": str(tmp_path), "TRADEWIND_GPUS": "GPU-a"}
    yield made
    made.end()


def ended(node: Node) -> int:
    """The exit code of the run, once nothing of it is left."""
    code = int(node.wait(journal.RUN_ENDED)["exit"])
    wait_for(lambda: not container.inside(str(node.root), processes.table()), "the container's end")
    return code


def test_a_job_in_a_container_from_setup_to_its_end(node: Node, engine: StandIn) -> None:
    secret = "hf_0123\n456789"
    node.start(
        'cat ~/set-up; echo "$TOKEN" | sha256sum; env -0 > environment; exit 3', {"TOKEN": secret},
        setup='echo "$TOKEN" | sha256sum > ~/set-up', image="image", env={"PATH": os.environ["PATH"], "COLOUR": "blue"},
    )  # fmt: skip
    assert ended(node) == 3
    first, second = node.log().splitlines()
    assert first == second
    pairs = (node.root / "work" / "environment").read_text().split("\0")
    told = dict(pair.split("=", 1) for pair in pairs if pair)
    assert told["TOKEN"] == secret and told["COLOUR"] == "blue" and told["HOME"] == f"{node.root}/home"
    assert told["PYTHONPATH"] == f"{node.root}/lib:/of/the/image"
    assert told["CUDA_VISIBLE_DEVICES"] == told["NVIDIA_VISIBLE_DEVICES"] == "GPU-a"
    assert told["TRADEWIND_CHECKPOINT_DIR"] == f"{node.root}/work/checkpoints"
    assert len(engine.ran()) == 2 and engine.containers == {}
    for call in engine.calls:
        shown = json.dumps([call.argv, call.values])
        assert "hf_0123" not in shown and "blue" not in shown and "TRADEWIND_SECRETS" not in call.names
    node.wait("outputs")  # nothing more is written
    files = [path for path in node.root.rglob("*") if path.is_file() and path.name != "environment"]
    assert not [path for path in files if "hf_0123" in path.read_text(errors="replace")]


def test_an_agent_that_adopts_the_job_sends_sigterm_to_the_program_in_the_container_which_saves(
    node: Node, engine: StandIn
) -> None:
    node.start("bash -c '\"$PY\" train.py; exit $?' | tee copy", image="image", **training(node))
    node.wait_step(5)
    node.kill_agent()
    assert node.serve() == 0
    node.give_notice(20.0)
    code = ended(node)
    (sent,) = node.records(journal.STOP_SENT)
    saved = node.records(journal.CHECKPOINT)
    assert code == 75 and len(sent["pids"]) == len(saved) == 1
    assert manifest.check(saved[0]["path"])["step"] == saved[0]["step"] and "terms 1" in node.log()
    assert not [call for call in engine.calls if call.argv[0] == "kill"], "nothing went by the engine"


def test_a_stop_without_grace_leaves_nothing_and_what_is_inside_is_told_in_samples(node: Node, engine: StandIn) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    node.start(f'"$PY" -c {shlex.quote(deaf)}; exit $?', image="image")
    wait_for(lambda: node.log() == "1\n", "the job")
    inside = container.inside(str(node.root), processes.table())
    assert node.run_pid() not in inside
    rss = sum(process.rss_bytes for pid, process in processes.table().items() if pid in inside)
    assert Sampler(str(node.root)).look(node.runner_pid())["rss_bytes"] > rss > 0
    node.command("stop", 0.0)
    assert ended(node) == 137
    wait_for(lambda: not engine.containers, "its removal")
    assert not [pid for pid in inside if alive(pid)]


def test_a_container_whose_client_died_is_taken_away_and_was_killed(node: Node, engine: StandIn) -> None:
    node.start("sleep 60", image="image")
    node.wait(journal.RUN_STARTED)
    wait_for(lambda: engine.containers, "the container")
    os.kill(node.run_pid(), signal.SIGKILL)
    assert ended(node) == 137
    assert engine.containers == {}


def test_whoever_holds_the_node_ends_its_containers_after_agent_and_runner(
    node: Node, engine: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = str(node.root)
    assert container.end_all(node.mark, root), "none was ever begun"
    assert engine.calls == [] and container.shell(root) is None
    node.start("sleep 60", image="image", env={"PATH": os.environ["PATH"], "COLOUR": "blue"})
    node.wait(journal.RUN_STARTED)
    wait_for(lambda: engine.containers, "the container")
    argv, env = container.shell(root) or ([], {})
    assert argv[1:4] == ["exec", "--interactive", "--tty"] and argv[-3:] == [f"tradewind-{node.mark}", "bash", "-i"]
    assert "blue" not in " ".join(argv) and "COLOUR" in argv and env["COLOUR"] == "blue"
    node.kill_agent()
    os.kill(node.runner_pid(), signal.SIGKILL)
    engine.down = True
    assert not container.end_all(node.mark, root), "an engine that does not answer proves nothing"
    engine.down = False
    assert container.end_all(node.mark, root) and engine.containers == {}
    assert container.shell(root) is None
    monkeypatch.setenv("PATH", str(engine.bin))
    assert container.end_all(node.mark, str(tmp_path / "gone"))
    assert engine.calls[-1].argv[0] == "ps", "without a folder, what is there is asked"


def test_what_an_engine_means_by_its_own_exit_codes_is_said(node: Node, engine: StandIn) -> None:
    engine.refuses = 125
    node.start("true", image="image")
    assert node.wait(journal.RUN_ENDED)["exit"] == 125
    assert node.log().startswith("it cannot be started\ntradewind: exit 125: docker could not make or start")
    said = [engines.said(Engine(DOCKER, "docker", False), code) for code in (126, 127, 1, 0)]
    assert "bash cannot be run" in said[0] and "no bash" in said[1] and said[2:] == ["", ""]


def test_podman_is_taken_where_docker_cannot_be_used(node: Node, engine: StandIn) -> None:
    engine.down = True
    podman = StandIn("podman")
    try:
        (engine.bin / "podman").symlink_to(podman.bin / "podman")
        node.start("echo by podman", image="image")
        assert ended(node) == 0
        assert node.log() == "by podman\n" and podman.ran()[0].given("--user")
    finally:
        podman.close()


def test_without_an_engine_that_can_be_used_it_is_said_why(node: Node, engine: StandIn) -> None:
    engine.down = True
    with pytest.raises(container.NoEngine, match="docker: Cannot connect to the daemon"):
        container.find({"PATH": str(engine.bin)})
    node.host["PATH"] = "/none"
    node.start("true", image="image")
    assert node.wait(journal.RUN_ENDED)["exit"] == 127
    assert node.log() == "tradewind: cannot start: neither docker nor podman is on PATH (/none)\n"


def test_a_stop_while_an_image_is_pulled_ends_the_pull(node: Node, engine: StandIn) -> None:
    node.start("true", image="slow")
    wait_for(lambda: "Pulling" in node.log(), "the pull")
    node.command("stop", 10.0)
    assert node.wait(journal.RUN_ENDED)["exit"] == 128 + signal.SIGTERM
