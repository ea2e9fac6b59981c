"""``clouds.yaml``: what it sets, every fault of it at once, and that it is read again when it has changed."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from tradewind.app.clouds.models import CALLER_ADDRESS, CloudSection
from tradewind.app.clouds.settings_file import SettingsFile, parse
from tradewind.domain.errors import BadInput
from tradewind.ports.cloud import CloudSettings

WHOLE = """\
caller_address: http://127.0.0.1:8080/
aws:
  regions: [us-east-1, us-west-2]
  network: given
  subnets: subnet-1
  groups: [sg-1]
  public_address: false
  ssh_from: 203.0.113.7
  endpoints: {ec2: "http://127.0.0.1:5000"}
  image: ami-1
  kms_key: alias/mine
  role: trainer
  disk_gb: 200
alibaba: {ssh_from: 10.1.2.3/8}
"""


def codes(text: str) -> list[str]:
    with pytest.raises(BadInput) as fault:
        parse(text, "clouds.yaml")
    return [fault.value.code, *(each.code for each in fault.value.faults)]


def test_every_field_of_the_port_can_be_set() -> None:
    assert list(CloudSection.model_fields) == [each.name for each in fields(CloudSettings)]
    told = parse(WHOLE, "clouds.yaml")
    assert told.clouds["aws"] == CloudSettings(
        ("us-east-1", "us-west-2"), "given", ("subnet-1",), ("sg-1",), False, "203.0.113.7/32",
        {"ec2": "http://127.0.0.1:5000"}, "ami-1", "alias/mine", "trainer", 200,
    )  # fmt: skip
    assert told.clouds["alibaba"] == CloudSettings(ssh_from="10.0.0.0/8")
    assert (told.named, told.caller_address) == (("alibaba", "aws"), "http://127.0.0.1:8080/")


@pytest.mark.parametrize("text", ["", "\n", "# nothing is set\n", "aws:\n"])
def test_what_sets_nothing_leaves_all_as_usual(text: str) -> None:
    told = parse(text, "clouds.yaml")
    assert list(told.clouds.values()) == [CloudSettings()] * 6
    assert (told.named, told.caller_address) == ((), CALLER_ADDRESS)


def test_all_faults_are_told_at_once_with_line_key_and_nearest() -> None:
    text = "aws:\n  region: us-east-1\n  disk_gb: 0\n  network: givn\nalibba: {}\n"
    with pytest.raises(BadInput) as fault:
        parse(text, "clouds.yaml")
    told = [(each.where.line if each.where else None, each.code, each.facts["key"], each.facts.get("nearest"))
            for each in fault.value.faults]  # fmt: skip
    assert (fault.value.code, fault.value.facts["count"]) == ("clouds-file-invalid", "4")
    assert told == [
        (2, "key-unknown", "aws.region", "aws.regions"), (3, "number-out-of-range", "aws.disk_gb", None),
        (4, "choice-unknown", "aws.network", "given"), (5, "key-unknown", "alibba", "alibaba"),
    ]  # fmt: skip


@pytest.mark.parametrize(("line", "code"), [
    ("aws: {ssh_from: 0.0.0.0/0}", "ssh-from-everywhere"), ("aws: {ssh_from: '::/0'}", "ssh-from-everywhere"),
    ("aws: {ssh_from: home}", "ssh-from-unreadable"), ("caller_address: checkip", "url-unreadable"),
    ("caller_address: 'file:///etc/passwd'", "url-unreadable"), ("aws: {endpoints: {ec2: here}}", "url-unreadable"),
    ("aws: {network: given, subnets: s-1}", "network-not-given"), ("aws: {groups: sg-1}", "network-given-besides"),
    ("aws: [us-east-1]", "type-wrong"), ("- aws", "type-wrong"), ("aws: {network: given, disk_gb: x}", "type-wrong"),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused(line: str, code: str) -> None:
    assert code in codes(line)[1:]


def test_a_network_that_is_half_given_is_told_beside_other_faults() -> None:
    assert codes("aws: {network: given, regin: x}")[1:] == ["network-not-given", "key-unknown"]


def test_what_is_no_yaml_or_no_text_is_told_as_that(tmp_path: Path) -> None:
    assert codes("aws: {") == ["yaml-bracket-open"]
    path = tmp_path / "clouds.yaml"
    path.write_bytes(b"aws: \xff\xfe")
    with pytest.raises(BadInput, match="clouds-file-unreadable"):
        SettingsFile(path).read()
    path.unlink()
    path.mkdir()
    with pytest.raises(BadInput, match="clouds-file-unreadable"):
        SettingsFile(path).read()


def test_the_file_is_read_again_when_it_has_changed_and_only_then(tmp_path: Path) -> None:
    path = tmp_path / "clouds.yaml"
    file = SettingsFile(path)
    assert file.read().named == ()
    path.write_text("aws: {regions: us-east-1}\n")
    first = file.read()
    assert first.clouds["aws"].regions == ("us-east-1",)
    assert file.read() is first
    draft = tmp_path / "draft"
    draft.write_text("aws: {regions: us-west-2}\n")
    os.replace(draft, path)
    assert file.read().clouds["aws"].regions == ("us-west-2",)
    path.unlink()
    assert file.read().clouds["aws"] == CloudSettings()
