"""Rehearsals of the tests, left for ``benchmarks/prediction.py``: what each came to, and what was to be expected of it.

A test rehearses before anything was measured. So its job is calibrated afterwards, from the workdir that it was
submitted with, and the product's own prediction is made of that lesson alone.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

from product import Cli

from tradewind.app.expected import expected
from tradewind.app.sizes.lessons import Lesson
from tradewind.store import records
from tradewind.store.database import Database


def leave(cli: Cli, test: str, folder: Path) -> None:
    """Write a file for every rehearsal of a home that succeeded."""
    if not (cli.home / "tradewind.db").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    done = [row["job"] for row in cli.json("ps", "--all") if row["rehearsal"] and row["state"] == "SUCCEEDED"]
    for job in done:
        told = {"test": test, "show": cli.show(job), "expected": _expected(cli, job)}
        (folder / f"{job}.json").write_text(json.dumps(told), encoding="utf-8")


def _expected(cli: Cli, job: str) -> dict[str, Any] | None:
    kept = cli.home / "jobs" / job
    workdir = cli.home / "left" / job
    with tarfile.open(kept / "work.tar") as work:
        work.extractall(workdir, filter="data")
    (workdir / "job.yaml").write_bytes((kept / "job.yaml").read_bytes())
    told = cli("calibrate", str(workdir / "job.yaml"), "--json")
    lesson = told.json.get("lesson")
    with Database(cli.home / "tradewind.db").read() as db:
        record = records.job(db, job)
    assert record is not None
    return expected(record, [Lesson(**lesson)]) if lesson else None
