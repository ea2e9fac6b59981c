"""The order of the tests, and figures of a run.

What tests record as ``worlds: …`` (numbers, added up) or ``table: …`` is printed at its end.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import groupby

import pytest

WORKERS = 4  # of the gate (Makefile)

# The clouds' SDKs look for the role of the machine at link-local addresses, and for the credentials of whoever runs
# the tests; tests speak to loopback alone, and have accounts of their own.
for name in [each for each in os.environ if each.startswith(("AWS_", "ALIBABA_CLOUD_"))]:
    del os.environ[name]
os.environ |= {
    "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "ALIBABA_CLOUD_CREDENTIALS_FILE": os.devnull, "ALIBABA_CLOUD_CLI_PROFILE_DISABLED": "true",
    "ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true", "ALIBABA_CLOUD_IMDSV1_DISABLED": "true",
    "AWS_EC2_METADATA_DISABLED": "true", "NO_GCE_CHECK": "true",
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the whole product wait more than they reckon: they are spread evenly among the files of the others.

    What takes a minute or more stands where each of four workers begins.
    """
    early = [item for item in items if item.get_closest_marker("early")]
    waiting = [item for item in items if item.path.parent.name == "whole" and item not in early]
    items[:] = [item for item in items if item not in early]
    files = [list(each) for _, each in groupby((item for item in items if item not in waiting), lambda item: item.path)]
    spread: list[pytest.Item] = []
    for number, each in enumerate(files, 1):
        spread += each
        spread += waiting[len(waiting) * (number - 1) // len(files) : len(waiting) * number // len(files)]
    spread = spread or waiting
    bounds = [len(spread) * part // WORKERS for part in range(WORKERS + 1)]
    items[:] = [item for part in range(WORKERS)
                for item in (*early[part::WORKERS], *spread[bounds[part] : bounds[part + 1]])]  # fmt: skip


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told = [each for reports in terminalreporter.stats.values() for report in reports
            for each in getattr(report, "user_properties", ()) if getattr(report, "when", None) == "call"]  # fmt: skip
    counted: Counter[str] = Counter()
    for name, value in told:
        if name.startswith("worlds: "):
            counted[name.removeprefix("worlds: ")] += int(value)
    if counted:
        terminalreporter.section("worlds")
        for name in sorted(counted):
            terminalreporter.write_line(f"{counted[name]:>8,}  {name}")
    for name, value in told:
        if name.startswith("table: "):
            terminalreporter.section(name.removeprefix("table: "))
            terminalreporter.write_line(str(value))
