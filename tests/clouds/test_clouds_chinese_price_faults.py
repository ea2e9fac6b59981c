"""What must hold for the price interfaces of Alibaba, Tencent and Huawei alike when the way there is bad."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from lab.alibaba_prices import Ecs
from lab.huawei_prices import Huawei
from lab.signatures import SECRET, sign_in
from lab.stub import Fault, Stub, broken, cut_off, gateway_page, throttled
from lab.tencent_prices import Cvm

from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Prices

ANSWERS = {
    "alibaba": Ecs([], {"cn-beijing": {}}).answer,
    "tencent": Cvm({"ap-beijing": []}).answer,
    "huawei": Huawei({"cn-north-4": []}).answer,
}


@pytest.fixture(params=ANSWERS)
def cloud(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stub(cloud: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stub]:
    monkeypatch.setenv("HOME", str(tmp_path))  # where Huawei's SDK keeps a number that it makes for this computer
    sign_in(cloud, monkeypatch)
    with Stub(ANSWERS[cloud]) as running:
        yield running


@pytest.fixture
def prices(cloud: str, stub: Stub) -> Prices:
    made: Prices = import_module(f"tradewind.clouds.{cloud}.prices").connect(endpoint=stub.url)
    return made


def fault_of(prices: Prices) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        prices.parts()
    return met.value


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        (broken, {"unavailable"}), (cut_off, {"unavailable"}), (gateway_page(502), {"unavailable"}),
        (gateway_page(200), {"invalid", "unavailable"}), (throttled(), {"throttle", "unavailable"}),
    ],
    ids=["503", "half an answer", "a page under 502", "a page under 200", "429 without a word"],
)  # fmt: skip
def test_a_failure_is_told_after_one_request_and_the_next_one_works(
    prices: Prices, stub: Stub, fault: Fault, kinds: set[str]
) -> None:
    stub.meet(1, fault)
    assert fault_of(prices).kind in kinds
    assert len(stub.log) == 1
    assert prices.parts()


def test_no_connection_is_unavailable(cloud: str, stub: Stub) -> None:
    nobody = import_module(f"tradewind.clouds.{cloud}.prices").connect(endpoint="http://127.0.0.1:9")
    assert fault_of(nobody).kind == "unavailable"
    assert stub.log == []


def test_no_secret_is_in_errors_logs_or_representations(
    prices: Prices, stub: Stub, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        prices.parts()
        for fault in (broken, cut_off, gateway_page(502), gateway_page(200)):
            stub.meet(1, fault)
            met = fault_of(prices)
            assert SECRET not in "".join(traceback.format_exception(met)) + met.words + repr(met)
        assert SECRET not in f"{prices!r}{vars(prices)!r}"
    out, err = capfd.readouterr()
    assert SECRET not in caplog.text + out + err


def test_the_sdk_is_imported_only_when_it_is_used(cloud: str) -> None:
    code = (
        f"import sys, tradewind.clouds.{cloud}, tradewind.clouds.{cloud}.prices\n"
        "sdks = ('alibabacloud', 'darabonba', 'Tea', 'tencentcloud', 'huaweicloudsdk', 'requests')\n"
        "print([name for name in sys.modules if name.startswith(sdks)])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_without_credentials_it_says_so_before_anything_is_asked(cloud: str, tmp_path: Path) -> None:
    code = (
        f"from tradewind.clouds.{cloud}.prices import connect\n"
        "from tradewind.ports.compute import CloudFault\n"
        "try: connect()\n"
        "except CloudFault as fault: print(fault.kind, fault.sent)"
    )
    # The chains end at the machine's role: a proxy that is not there keeps them from asking the network for one.
    nowhere = "http://127.0.0.1:9"
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "http_proxy": nowhere, "https_proxy": nowhere,
        "ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true",
    }  # fmt: skip
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert run.stdout.strip() == "auth no", run.stderr
