"""The key of a trace follows what the trace depends on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tradewind.ports.tracer import TraceRequest
from tradewind.tracing import content_key
from tradewind.tracing import key as keys


def test_the_question_is_part_of_the_key() -> None:
    asked = TraceRequest("timm:resnet50")
    assert content_key(asked) == content_key(TraceRequest("timm:resnet50"))
    others = [
        replace(asked, precision="amp-fp16"),
        replace(asked, image_size=(3, 64, 64)),
        replace(asked, model="timm:vgg16"),
    ]
    assert len({content_key(other) for other in (asked, *others)}) == 4


def test_the_code_of_the_users_folder_is_part_of_the_key_and_its_place_is_not(tmp_path: Path) -> None:
    def key(folder: str, text: str) -> str:
        (tmp_path / folder / "nets").mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "nets" / "net.py").write_text(text)
        return content_key(TraceRequest("entrypoint:nets.net:build", str(tmp_path / folder)))

    assert key("one", "a = 1") == key("two", "a = 1") != key("one", "a = 2")


def test_data_and_environments_are_no_part_of_the_key(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("a = 1")
    asked = TraceRequest("entrypoint:net:build", str(tmp_path))
    before = content_key(asked)
    for name in ("data.bin", ".git/config.json", "venv/pyvenv.cfg", "venv/lib.py", "__pycache__/net.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert content_key(asked) == before


def test_a_config_is_part_of_the_key(tmp_path: Path) -> None:
    asked = TraceRequest("hf:config.json", str(tmp_path))
    missing = content_key(asked)
    (tmp_path / "config.json").write_text("{}")
    assert content_key(asked) != missing


def test_versions_of_the_libraries_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys._ours()
    monkeypatch.setattr(keys, "version", lambda library: "0.0.1")
    keys._ours.cache_clear()
    try:
        assert keys._ours() != before
    finally:
        keys._ours.cache_clear()
