"""The lab whole: both clouds and its machines in one process, told by `make lab` to whoever tries things by hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
import yaml
from lab.control import Fault
from lab.control_socket import ask as tell
from lab.hypervisor import require
from lab.lab import Lab
from lab.machines import NoHypervisor

from lab_tests.aws_asking import Asking

TESTS = Path(__file__).parents[1]


def test_one_lab_has_both_clouds_and_ends_with_all_that_it_opened() -> None:
    before = set(threading.enumerate())
    with Lab(NoHypervisor()) as lab:
        settings = yaml.safe_load(lab.clouds_yaml())
        assert settings["aws"]["endpoints"] == lab.aws.endpoints
        assert settings["alibaba"]["endpoints"] == lab.alibaba.endpoints
        assert set(lab.environment()) >= {"AWS_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_ID"}
        with urllib.request.urlopen(settings["caller_address"], timeout=10) as told:
            assert told.read().decode().strip() == "127.0.0.1"
        lab.control.add(Fault("capacity", "aws", "RunInstances"))
        ask = Asking(lab.aws)
        assert ask.no("ec2:run_instances", **ask.order("t-1")) == "InsufficientInstanceCapacity"
        assert [each["id"] for each in lab.control.instances()] == []
        id_ = ask.launch("t-1")
        assert [(each["cloud"], each["id"]) for each in lab.control.instances()] == [("aws", id_)]
    assert set(threading.enumerate()) == before


@pytest.mark.long  # two SDKs and moto are read anew
def test_the_lab_by_hand_says_what_to_set_is_told_what_to_do_and_ends_with_ctrl_c() -> None:
    require()
    command = [sys.executable, "-m", "lab"]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout
        told: dict[str, str] = {}
        for line in lab.stdout:
            if line.strip().startswith("export "):
                told |= {name: value for name, _, value in (word.partition("=") for word in line.split()[1:])}
            if "LAB" in told:
                break
        assert (Path(told["TRADEWIND_HOME"]) / "clouds.yaml").is_file()
        assert tell(Path(told["LAB"]), do="instances") == {"ok": True, "instances": []}
        words = [sys.executable, "-m", "lab.tell", "do=fault", "kind=rain"]
        done = subprocess.run(
            words, cwd=TESTS, env={**os.environ, "LAB": told["LAB"]}, capture_output=True, check=False
        )
        assert (done.returncode, b"rain" in done.stdout) == (1, True)
        lab.send_signal(signal.SIGINT)
    assert lab.returncode == 0
    assert not Path(told["LAB"]).parent.exists()
