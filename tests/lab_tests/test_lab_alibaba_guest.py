"""A machine of the Alibaba Cloud of the lab that really runs: its first boot, its notice, its end by its own hand."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator

import pytest
from lab.alibaba import AlibabaCloud
from lab.alibaba_asking import Asking
from lab.control import Control
from lab.hypervisor import Hypervisor, require

FIRST_BOOT = """#!/usr/bin/env python3
import subprocess, time, urllib.error, urllib.request

base = open("/etc/tradewind/metadata").read().strip()
notice = base + "/latest/meta-data/instance/spot/termination-time"


def ask(url, method="GET", **headers):
    named = {"X-aliyun-ecs-metadata-" + name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method, headers=named)) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code


token = ask(base + "/latest/api/token", "PUT", token_ttl_seconds="60")
print("at", base, "without", ask(notice), "with", ask(notice, token=token), flush=True)
while ask(notice, token=token) == 404:
    time.sleep(0.05)
print("told", ask(notice, token=token), flush=True)
subprocess.run(["poweroff"], check=True)
"""


@pytest.fixture
def hypervisor() -> Iterator[Hypervisor]:
    require()
    booting = Hypervisor()
    yield booting
    booting.close()


def until(seen: Callable[[], bool]) -> None:
    """Wait for it, a while."""
    deadline = time.monotonic() + 30
    while not seen():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.05)


def test_a_machine_boots_hears_of_its_reclaim_and_turns_itself_off(hypervisor: Hypervisor) -> None:
    control = Control()
    with AlibabaCloud(hypervisor, control) as cloud:
        ask = Asking(cloud)
        order = {"UserData": base64.b64encode(FIRST_BOOT.encode()).decode(), "HttpTokens": "required"}
        id_ = ask.launch("t-1", InternetMaxBandwidthOut="100", SpotStrategy="SpotAsPriceGo", **order)

        def written() -> str:
            return base64.b64decode(ask("ecs:GetInstanceConsoleOutput", InstanceId=id_)["ConsoleOutput"]).decode()

        [address] = ask.machines()[id_]["PublicIpAddress"]["IpAddress"]
        until(lambda: "with 404" in written())
        assert f"at http://{address}" in written()
        assert "without 401" in written()
        control.reclaim(id_, 300)
        until(lambda: ask.machines()[id_]["Status"] == "Stopped")
        [rented] = cloud.account.fleet.all("")
        assert f"told {rented.reclaim_at:%Y-%m-%dT%H:%M:%SZ}" in written()
        ask.end(id_)
        assert not hypervisor.alive(id_)
