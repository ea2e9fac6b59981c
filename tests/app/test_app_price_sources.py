"""Which interface is asked for a cloud's prices: by its site, and with what is said when something is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lab.signatures import sign_in

from tradewind.app.catalog import HomeCatalog
from tradewind.app.price_sources import SOURCES, connect
from tradewind.app.settings import SITED, Settings
from tradewind.clouds.huawei.prices import SITES as HUAWEI
from tradewind.clouds.huawei.prices import HuaweiPrices
from tradewind.clouds.tencent.prices import SITES as TENCENT
from tradewind.clouds.tencent.prices import TencentPrices
from tradewind.domain.errors import BadInput, NotConfigured


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where Huawei's SDK keeps a number that it makes for this computer
    for cloud in SITED:
        sign_in(cloud, monkeypatch)


def test_the_environment_says_at_which_site_an_account_was_opened(tmp_path: Path) -> None:
    env = {"TRADEWIND_HOME": str(tmp_path), "TRADEWIND_TENCENT_SITE": "international", "TRADEWIND_HUAWEI_SITE": ""}
    assert Settings.from_env(env).sites == {"tencent": "international"}


@pytest.mark.parametrize("site", TENCENT)
def test_tencent_is_asked_at_the_site_of_the_account(site: str) -> None:
    assert isinstance(connect("tencent", {"tencent": site, "huawei": "nowhere"}), TencentPrices)


@pytest.mark.parametrize("site", HUAWEI)
def test_huawei_is_asked_at_the_site_of_the_account(site: str) -> None:
    assert isinstance(connect("huawei", {"huawei": site}), HuaweiPrices)


@pytest.mark.parametrize(
    ("cloud", "name", "nearest", "choices"),
    [
        ("tencent", "intl", "international", "china, international"),
        ("tencent", "CN", "china", "china, international"),
        ("tencent", "europe", "international", "china, international"),
        ("huawei", "eu", "europe", "china, europe, international"),
        ("huawei", "Chinese", "china", "china, europe, international"),
    ],
)
def test_a_site_that_does_not_exist_is_told_with_where_it_was_named_and_the_nearest(
    cloud: str, name: str, nearest: str, choices: str
) -> None:
    with pytest.raises(BadInput) as met:
        connect(cloud, {cloud: name})
    assert met.value.code == "site-unknown"
    assert dict(met.value.facts) == {
        "cloud": cloud, "setting": f"TRADEWIND_{cloud.upper()}_SITE", "name": name, "nearest": nearest,
        "choices": choices,
    }  # fmt: skip


def test_a_refresh_asks_at_the_site_of_the_settings(tmp_path: Path) -> None:
    catalog = HomeCatalog(Settings(tmp_path, sites={"tencent": "intl"}))
    (answer,) = catalog.refresh(("tencent",), lambda step: None)
    assert (answer["outcome"], answer["error"]["code"]) == ("failed", "site-unknown")


@pytest.mark.parametrize(
    ("cloud", "module"),
    [("alibaba", "alibabacloud_credentials"), ("aws", "boto3"), ("gcp", "google.auth"), ("gcp", "requests"),
     ("huawei", "huaweicloudsdkcore"), ("tencent", "tencentcloud")],
)  # fmt: skip
def test_a_missing_sdk_is_told_with_its_extra_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch, cloud: str, module: str
) -> None:
    for name in [each for each in sys.modules if each == module or each.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotConfigured) as met:
        connect(cloud, {})
    assert met.value.code == "extra-missing"
    assert met.value.facts["cloud"] == cloud
    assert str(met.value.facts["module"]).startswith(module)


def test_every_source_is_an_adapter() -> None:
    assert connect("azure", {}).name == "azure"
    assert set(SITED) < set(SOURCES)
