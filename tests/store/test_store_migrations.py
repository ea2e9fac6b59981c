"""Every earlier revision is brought up with its work in flight: nothing lost, lanes right, the queue goes on."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from cluster import cluster
from doubles import START
from freeze import FIXTURES, SCENARIOS, freeze
from store_rows import job

from tradewind.domain.errors import Unavailable
from tradewind.domain.states import JobState, Lane, LeaseState, job_lane, lease_lane
from tradewind.store import backup, migrations, queue, records, schema
from tradewind.store.database import Database

CONFIG = Config()
CONFIG.set_main_option("script_location", str(Path(migrations.__file__).parent))
SCRIPTS = ScriptDirectory.from_config(CONFIG)
EARLIER = [each.revision for each in SCRIPTS.walk_revisions() if each.revision != migrations.HEAD]
Rows = dict[str, list[dict[str, Any]]]


def test_the_newest_script_is_the_head() -> None:
    assert SCRIPTS.get_current_head() == migrations.HEAD
    assert SCRIPTS.get_heads() == [migrations.HEAD]


def test_every_earlier_revision_has_its_fixture() -> None:
    assert [revision for revision in EARLIER if not (FIXTURES / f"{revision}.sql").is_file()] == []


def test_migrations_end_where_the_tables_are(db: Database) -> None:
    with db.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
        assert migrations.revision(connection) == migrations.HEAD
        (where,) = [
            each["dialect_options"] for each in sa.inspect(connection).get_indexes("job") if each["name"] == "job_due"
        ]
    assert [str(text) for text in where.values() if text is not None and "wake_at" in str(text)]  # only what is awake


@pytest.fixture(params=EARLIER)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def old_file(tmp_path: Path, revision: str) -> Path:
    """A SQLite file of an earlier revision."""
    path = tmp_path / "tradewind.db"
    load(path, (FIXTURES / f"{revision}.sql").read_text(encoding="utf-8"))
    return path


@pytest.fixture
def old_server(old_file: Path, revision: str) -> Iterator[str]:
    """The same rows in a PostgreSQL database of that revision."""
    url = cluster().empty()
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    with engine.begin() as connection:
        CONFIG.attributes["connection"] = connection
        command.upgrade(CONFIG, revision)
        tables = sa.MetaData()
        sa.event.listen(tables, "column_reflect", nothing_is_null)
        tables.reflect(connection)
        for table in tables.sorted_tables:
            values = [{column.name: as_typed(column, row[column.name]) for column in table.c}
                      for row in rows_of(old_file).get(table.name, [])]  # fmt: skip
            if values:
                connection.execute(table.insert(), values)
        connection.exec_driver_sql("SELECT setval('event_id_seq', (SELECT max(id) FROM event))")
    yield url
    cluster().drop(url)


def load(path: Path, dump: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(dump)
        db.execute("PRAGMA journal_mode=WAL")


def rows_of(path: Path) -> Rows:
    """Every row of every table of ours."""
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        names = [name for (name,) in map(tuple, db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))]
        return {name: [dict(row) for row in db.execute(f"SELECT * FROM {name} ORDER BY 1, 2")]
                for name in names if name not in ("alembic_version", "sqlite_sequence")}  # fmt: skip


def nothing_is_null(_inspector: object, _table: object, column: dict[str, Any]) -> None:
    """A missing document is NULL, not the document ``null``."""
    if isinstance(column["type"], sa.JSON):
        column["type"] = sa.JSON(none_as_null=True)


def as_typed(column: sa.Column[Any], value: Any) -> Any:
    """What SQLite keeps as text or number, as PostgreSQL wants it."""
    if value is None:
        return None
    if isinstance(column.type, sa.Boolean):
        return bool(value)
    if isinstance(column.type, sa.JSON):
        return json.loads(value)
    if isinstance(column.type, sa.DateTime):
        return datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    return value


def all_records(db: Database) -> tuple[list[Any], ...]:
    with db.read() as connection:
        jobs = records.jobs(connection)
        return (jobs, records.leases(connection), records.events(connection),
                [each for job in jobs for each in records.attempts(connection, job.id)],
                [each for job in jobs for each in records.checkpoints(connection, job.id)])  # fmt: skip


def test_nothing_is_lost_of_a_file_of_an_earlier_revision(old_file: Path) -> None:
    before = rows_of(old_file)
    assert min(len(before[name]) for name in ("job", "lease", "attempt", "checkpoint", "event")) > 0
    Database(old_file).close()
    after = rows_of(old_file)
    for name, rows in before.items():
        assert [{key: new[key] for key in old} for old, new in zip(rows, after[name], strict=True)] == rows


def test_a_server_of_an_earlier_revision_ends_with_the_records_of_the_file(old_file: Path, old_server: str) -> None:
    on_server = all_records(Database(old_server))
    assert on_server == all_records(Database(old_file))
    assert all(on_server)


@pytest.fixture(params=["old_file", "old_server"])
def old(request: pytest.FixtureRequest, old_file: Path) -> Path | str:
    """Where a database of an earlier revision is."""
    return old_file if request.param == "old_file" else str(request.getfixturevalue(request.param))


@pytest.fixture
def brought_up(old: Path | str) -> Database:
    """An earlier revision, opened by this program."""
    return Database(old)


def test_its_tables_are_those_of_a_new_database(brought_up: Database) -> None:
    with brought_up.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
        found = {index["name"] for table in ("job", "lease") for index in sa.inspect(connection).get_indexes(table)}
    assert {"job_due", "lease_due"} <= found


def test_its_rows_stand_in_the_lanes_of_their_states(brought_up: Database) -> None:
    with brought_up.read() as connection:
        lanes = {table.name: {row.id: row.lane for row in connection.execute(sa.select(table.c.id, table.c.lane))}
                 for table in (schema.job, schema.lease)}  # fmt: skip
        assert lanes["job"] == {each.id: job_lane(each.state, each.wanted) for each in records.jobs(connection)}
        assert lanes["lease"] == {each.id: lease_lane(each.state, each.wanted) for each in records.leases(connection)}
    assert set(lanes["job"].values()) == set(lanes["lease"].values()) == set(Lane)


def test_its_queue_goes_on_where_it_stood(brought_up: Database) -> None:
    soon, far = START + timedelta(seconds=20), START + timedelta(days=1)
    with brought_up.write() as connection:
        awake = [each.id for each in records.jobs(connection) if each.wake_at]
        awake += [each.id for each in records.leases(connection) if each.wake_at]
        held_still = queue.claim_jobs(connection, Lane.WATCHING, soon, "a", 99)
        assert "job-running" not in {held.record.id for held in held_still}
        jobs = [held for lane in Lane for held in queue.claim_jobs(connection, lane, far, "a", 99)]
        leases = [held for lane in Lane for held in queue.claim_leases(connection, lane, far, "a", 99)]
        claimed = [held.record.id for held in jobs] + [held.record.id for held in leases]
        assert sorted(claimed) == sorted(awake)
        for held in jobs:
            queue.finish_job(connection, held, held.record, far)
        for rented in leases:
            queue.finish_lease(connection, rented, rented.record, far)
        records.append_event(connection, far, "t", "note", "job-running")
        records.insert(connection, job("another"))


def test_the_fixture_of_the_revision_to_come_has_every_state_of_work(tmp_path: Path) -> None:
    load(tmp_path / "tradewind.db", freeze(tmp_path))
    db = Database(tmp_path / "tradewind.db")
    jobs, leases, *others = all_records(db)
    assert {each.id for each in jobs} == {f"job-{name}" for name in SCENARIOS}
    states = {each.state for each in (*jobs, *leases)}
    assert {scenario.reached for scenario in SCENARIOS.values()} <= states
    lease_states = set(LeaseState) - {LeaseState.RELEASED}
    assert lease_states | {JobState.ACQUIRING, JobState.RUNNING, JobState.FINISHING, JobState.STOPPING} <= states
    assert all(others)


def test_before_a_file_is_changed_it_is_backed_up_and_that_is_told(
    old_file: Path, revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = rows_of(old_file)
    kept = old_file.with_name(f"tradewind.db.before-{migrations.HEAD}")
    with caplog.at_level(logging.INFO, "tradewind.store"):
        Database(old_file).close()
    assert rows_of(kept) == before
    with closing(sqlite3.connect(kept)) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchone() == (revision,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert str(kept) in caplog.text
    assert backup.newest(old_file) == kept
    Database(kept).close()  # it can itself be opened, and so gone back to
    assert rows_of(kept) == rows_of(old_file)


def test_a_new_file_and_one_that_is_up_to_date_are_not_backed_up(tmp_path: Path) -> None:
    for _ in range(2):
        Database(tmp_path / "tradewind.db").close()
    assert [path.name for path in tmp_path.iterdir()] == ["tradewind.db"]


def test_without_a_backup_nothing_is_changed(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    before = rows_of(old_file)
    earlier = old_file.with_name(f"tradewind.db.before-{migrations.HEAD}")
    earlier.write_bytes(b"a whole one of before")
    monkeypatch.setattr("tradewind.store.backup.os.fsync", full)
    with pytest.raises(Unavailable) as told:
        Database(old_file)
    assert (told.value.code, told.value.facts["path"]) == ("database-backup-failed", str(earlier))
    assert rows_of(old_file) == before
    assert earlier.read_bytes() == b"a whole one of before"  # the half one did not take its place
    assert backup.newest(old_file) == earlier
    monkeypatch.undo()
    Database(old_file).close()
    assert rows_of(earlier) == before


def test_a_migration_that_breaks_off_leaves_the_earlier_revision(
    old: Path | str, old_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Exception):
        pass

    def broken(connection: sa.Connection) -> None:
        connection.exec_driver_sql("DROP TABLE checkpoint")
        raise Broken

    monkeypatch.setattr(migrations, "_run", broken)
    before = rows_of(old_file)
    with pytest.raises(Broken):
        Database(old)
    assert rows_of(old_file) == before
    monkeypatch.undo()
    assert len(all_records(Database(old))[-1]) == len(before["checkpoint"])
