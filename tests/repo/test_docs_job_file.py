"""What the page about the job file shows is one, and each key has an example that the loader reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from generate.keys import EXAMPLES, Key, keys

from tradewind.app import jobfile

PAGE = (Path(__file__).parents[2] / "docs" / "job-file.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE))
def test_an_example_of_the_page_is_a_job_file(text: str) -> None:
    assert jobfile.parse(text, "docs/job-file.md").run.startswith("python train.py")


def test_every_key_that_holds_a_value_has_an_example() -> None:
    assert {key.name for key in keys() if not key.is_section} == set(EXAMPLES)


@pytest.mark.parametrize("key", [key for key in keys() if not key.is_section], ids=lambda key: key.name)
def test_the_example_of_a_key_is_read(key: Key) -> None:
    section, _, name = key.name.rpartition(".")
    told: dict[str, object] = {"run": "true"}
    if section == "data":
        told["data"] = [{"source": "oss://b/x", "path": "/x", name: EXAMPLES[key.name]}]
    elif section == "model" and "_per_" in name:
        told["model"] = {"parameters": 1e9, name: EXAMPLES[key.name]}
    elif section:
        told[section] = {name: EXAMPLES[key.name]}
    else:
        told[name] = EXAMPLES[key.name]
    assert jobfile.parse(json.dumps(told), "job.yaml") != jobfile.parse('{"run": "none"}', "job.yaml")
