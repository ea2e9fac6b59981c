"""Settings, the supervisor's lock, what is said at submit, and the PATH of an environment called by name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from doubles import SimClock

from tradewind.app import jobfile
from tradewind.app.interface import Submit
from tradewind.app.lock import SupervisorLock, holder
from tradewind.app.settings import Settings
from tradewind.app.submission import job_of, limited, remarks
from tradewind.cli.given import travelling
from tradewind.domain.errors import BadInput
from tradewind.domain.money import parse_money
from tradewind.domain.workload import Budget, Workload


def test_the_home_is_where_the_environment_says(tmp_path: Path) -> None:
    assert Settings.from_env({"TRADEWIND_HOME": str(tmp_path)}).home == tmp_path
    assert Settings.from_env({}).home.name == ".tradewind"
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="home-not-a-folder"):
        Settings.from_env({"TRADEWIND_HOME": str(tmp_path / "file")})


def test_an_installation_keeps_its_id_and_a_copied_home_gets_its_own(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    first = settings.installation()
    assert settings.installation() == first
    path = tmp_path / "installation.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "machine": "another"}))
    assert settings.installation() != first


def test_two_first_uses_at_once_make_one_installation(tmp_path: Path) -> None:
    code = f"from pathlib import Path; from tradewind.app.settings import Settings; " \
           f"print(Settings(Path({str(tmp_path / 'h')!r})).installation())"  # fmt: skip
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert len({process.communicate()[0] for process in both}) == 1


def test_one_process_holds_the_lock_and_who_asks_does_not_take_it(tmp_path: Path) -> None:
    path = tmp_path / "supervisor.lock"
    assert holder(path) is None
    with SupervisorLock(path, SimClock()) as lock:
        assert lock.take()
        told = holder(path)
        assert told is not None
        assert told["pid"] > 0
        assert not SupervisorLock(path, SimClock()).take()
    assert holder(path) is None


def submit_of(text: str, **more: Any) -> Submit:
    return Submit(path=Path("job.yaml"), workload=jobfile.parse(text, "job.yaml"), source=text, **more)


def test_what_has_no_effect_is_remarked() -> None:
    idle = "run: x\nimage: machine:a\ncompliance: [mlps3]\ndata: [{source: /d, path: /d}]\n"
    told = remarks(submit_of(idle, rehearse=True), {}, ("link (outside)",))
    assert [each["code"] for each in told] == ["keys-without-effect", "left-behind", "not-preempted"]
    assert told[0]["facts"]["keys"] == "image, data, compliance"
    assert remarks(submit_of("run: x\n", local=True), {}, ()) == []


@pytest.mark.parametrize(
    ("source", "told"), [("/srv/data", []), ("file:///srv/data", []), ("s3://bucket/x", ["keys-without-effect"])]
)
def test_what_a_container_is_given_has_an_effect(source: str, told: list[str]) -> None:
    text = f"run: x\nimage: docker:a\nports: [1]\ndata: [{{source: '{source}', path: /data}}]\n"
    assert [each["code"] for each in remarks(submit_of(text, local=True), {}, ())] == told


def test_a_job_takes_its_environment_and_shortest_life_from_what_was_asked() -> None:
    job = job_of(submit_of("run: x\nenv: {A: b}\nschedule: {max_duration: 1h}\n", local=True, env={"PATH": "/bin"}),
                 None, SimClock().now())  # fmt: skip
    assert job.settings["env"] == {"PATH": "/bin", "A": "b"}
    assert job.settings["max_lifetime_s"] == 3600
    assert job.settings["offer"]["price_per_hour"] is None


def test_a_program_called_by_its_path_in_an_environment_brings_its_python(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = str(tmp_path / "bin" / "tradewind")
    shell = {"PATH": "/usr/bin:/bin", "HOME": "/h", "TERM": "x"}
    assert travelling(shell, program) == {"PATH": "/usr/bin:/bin", "HOME": "/h"}  # no environment
    (tmp_path / "pyvenv.cfg").write_text("")
    assert travelling(shell, program) == {
        "PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": "/h", "VIRTUAL_ENV": str(tmp_path),
    }  # fmt: skip
    listed = {"PATH": f"/usr/bin:{tmp_path}/bin"}
    assert travelling(listed, program) == listed  # found on PATH: its order stands


@pytest.mark.parametrize(
    ("file", "asked", "planned"),
    [
        (None, None, None),
        ("30 CNY", None, "30 CNY"),
        (None, "2 USD", "2 USD"),
        ("30 CNY", "2 USD", "2 USD"),
        ("10 CNY", "2 USD", "10 CNY"),  # about seven CNY are one USD
    ],
)
def test_the_smaller_of_the_limits_is_planned_by(file: str | None, asked: str | None, planned: str | None) -> None:
    workload = Workload(name="j", run="true", budget=Budget(limit=parse_money(file) if file else None))
    submit = Submit(path=None, workload=workload, source="", max_cost=parse_money(asked) if asked else None)
    limit = limited(submit).budget.limit
    assert limit == (parse_money(planned) if planned else None)
