"""What was recorded of spot machines is told as the file has it; what was not is not made up."""

from __future__ import annotations

from decimal import Decimal

import pytest
from shipped import read_csv

from tradewind.catalog.images import images
from tradewind.catalog.spot_records import BANDS, spot_records
from tradewind.domain.money import Money


def test_every_record_of_the_file_is_told_once_and_as_it_is() -> None:
    rows = read_csv("spot_advisor.csv")
    for row in rows:
        (record,) = [each for each in spot_records(row["cloud"], row["instance_type"]) if each.region == row["region"]]
        assert (record.interrupted or "") == row["interruption_band"]
        assert record.saved == (Decimal(row["savings_fraction"]) if row["savings_fraction"] else None)
        for told, name in ((record.lowest, "spot_min"), (record.average, "spot_avg"), (record.highest, "spot_max")):
            assert told == (Money(Decimal(row[name]), row["currency"]) if row[name] else None)
    types = {(row["cloud"], row["instance_type"]) for row in rows}
    assert sum(len(spot_records(*each)) for each in types) == len(rows) == 731


def test_bands_are_those_of_the_vendor() -> None:
    assert {row["interruption_band"] for row in read_csv("spot_advisor.csv")} - {""} == set(BANDS)


def test_what_was_not_recorded_is_not_made_up() -> None:
    assert spot_records("gcp", "a2-highgpu-1g") == spot_records("aws", "p9.48xlarge") == ()


@pytest.mark.parametrize(("cloud", "arch", "names", "not_"), [
    ("aws", "x86_64", "base-oss-nvidia", "ARM64"), ("huawei", "arm64", "ModelArts", "P-series"),
    ("gcp", "arm64", "accelerator-2204", "cos-109"),
])  # fmt: skip
def test_images_are_those_for_the_processor(cloud: str, arch: str, names: str, not_: str) -> None:
    told = " ".join(f"{each.name} {each.kind}" for each in images(cloud, arch))
    assert names in told and not_ not in told
    assert set(images(cloud, arch)) < set(images(cloud))
