"""Lineage is recorded in the transaction that commits the data: what was read, and which columns."""

from collections.abc import Iterable
from typing import Any

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.database.attempts import error_of
from tests.support.database.jobs import DAY, SALES, deployed, publication, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, status

SOURCE = {"column": "total", "input": 0, "field": "at", "kind": "direct", "subtype": "aggregation"}


def lineage(*columns: dict[str, Any], method: str = "sql", confidence: str = "exact") -> dict[str, Any]:
    return {"method": method, "confidence": confidence, "columns": list(columns)}


def a_daily_claim(db: Db, worker: Worker, key: str = "2026-01-01") -> Claim:
    trigger(db, "extract", key)
    publish(worker, worker.claim_one(), key)
    trigger(db, "daily", key)
    return worker.claim_one()


def commit(worker: Worker, claim: Claim, key: str, found: object, **changes: Any) -> list[Any]:
    return worker.complete(claim, published=[[publication(claim, key, lineage=found, **changes)]])


def columns(db: Db) -> list[tuple[str, ...]]:
    return db.execute("""select d.name, l.column_name, i.name, l.input_column, l.kind, l.subtype
        from tenuto.column_lineage l join tenuto.dataset_versions v on v.id = l.dataset_version_id
        join tenuto.datasets d on d.id = v.dataset_id join tenuto.datasets i on i.id = l.input_dataset_id
        order by 1, 2, 3, 4, 5""").fetchall()


def tables(db: Db) -> list[tuple[str, ...]]:
    return db.execute("""select d.name, i.name from tenuto.table_lineage l
        join tenuto.dataset_versions v on v.id = l.dataset_version_id join tenuto.datasets d on d.id = v.dataset_id
        join tenuto.datasets i on i.id = l.input_dataset_id order by 1, 2""").fetchall()


def methods(db: Db) -> list[tuple[str, str]]:
    return db.execute("select method, confidence from tenuto.lineage_methods").fetchall()


def test_a_commit_records_the_versions_and_columns_that_were_read(db: Db):
    deployed(db)
    worker = a_worker(db)
    claim = a_daily_claim(db, worker)
    assert tables(db) == []  # a source reads nothing

    whole = {"column": None, "input": 0, "field": "at", "kind": "indirect", "subtype": "filter"}
    assert commit(worker, claim, "2026-01-01", lineage(SOURCE, whole)) == ["accepted"]

    assert tables(db) == [("per_day", "raw")]
    assert columns(db) == [
        ("per_day", "", "raw", "at", "indirect", "filter"),
        ("per_day", "total", "raw", "at", "direct", "aggregation"),
    ]
    assert methods(db) == [("sql", "exact")]


def test_a_commit_without_lineage_records_the_tables(db: Db):
    deployed(db)
    worker = a_worker(db)
    commit(worker, a_daily_claim(db, worker), "2026-01-01", None)

    assert (tables(db), columns(db), methods(db)) == ([("per_day", "raw")], [], [])


def test_a_completion_that_is_rolled_back_records_nothing(db: Db):
    """The data and its lineage are one commit: neither exists without the other."""
    deployed(db)
    worker = a_worker(db)
    claim = a_daily_claim(db, worker)
    db.execute("""create function pg_temp.refuse() returns trigger language plpgsql as
        $$ begin raise 'no lineage today'; end $$""")
    db.execute("create trigger refuse before insert on tenuto.column_lineage execute function pg_temp.refuse()")

    with pytest.raises(psycopg.Error, match="no lineage today"):
        commit(worker, claim, "2026-01-01", lineage(SOURCE))

    assert status(db, claim.task_id) == "running"
    assert (tables(db), columns(db)) == ([], [])
    found = call(db, "list_partitions", org_id=DEFAULT_ORG, name="per_day")
    assert found == []


def test_the_lineage_of_a_refused_publication_is_not_recorded(db: Db):
    deployed(db)
    worker = a_worker(db)
    claim = a_daily_claim(db, worker)

    assert commit(worker, claim, "2026-01-01", lineage(SOURCE), rows=-1) == ["refused"]
    assert (tables(db), columns(db)) == ([], [])


def test_the_same_lineage_is_written_once_and_another_replaces_it(db: Db):
    deployed(db)
    worker = a_worker(db)
    for key in ("2026-01-01", "2026-01-02"):
        commit(worker, a_daily_claim(db, worker, key), key, lineage(SOURCE))
    (before,) = db.execute("select recorded_at, task_id from tenuto.lineage_methods").fetchall()
    commit(worker, a_daily_claim(db, worker, "2026-01-03"), "2026-01-03", lineage(SOURCE))
    assert db.execute("select recorded_at, task_id from tenuto.lineage_methods").fetchall() == [before]

    commit(worker, a_daily_claim(db, worker, "2026-01-04"), "2026-01-04", lineage({**SOURCE, "column": "n"}))
    assert [row[1] for row in columns(db)] == ["n"]


def test_an_older_task_that_completes_later_replaces_nothing(db: Db):
    deployed(db)
    worker = a_worker(db)
    older, newer = (a_daily_claim(db, worker, key) for key in ("2026-01-01", "2026-01-02"))

    commit(worker, newer, "2026-01-02", lineage({**SOURCE, "column": "n"}))
    commit(worker, older, "2026-01-01", lineage(SOURCE))

    assert [row[1] for row in columns(db)] == ["n"]


def test_what_tasks_report_is_added(db: Db):
    deployed(db)
    worker = a_worker(db)
    for key, column in (("2026-01-01", "total"), ("2026-01-02", "n")):
        found = lineage({**SOURCE, "column": column}, method="reported", confidence="stated")
        commit(worker, a_daily_claim(db, worker, key), key, found)

    assert [row[1] for row in columns(db)] == ["n", "total"]


def test_reported_lineage_that_is_known_writes_no_row(db: Db):
    deployed(db)
    worker = a_worker(db)

    def report(day: int, column: str) -> Any:
        key = f"2026-01-{day:02}"
        found = lineage({**SOURCE, "column": column}, method="reported", confidence="stated")
        commit(worker, a_daily_claim(db, worker, key), key, found)
        return db.execute("select xmin::text, lineage_hash from tenuto.lineage_methods").fetchone()

    report(1, "total")
    both = report(2, "n")
    assert [report(3, "total"), report(4, "n")] == [both, both]  # two ways to compute a partition: no hot row


def test_reported_lineage_has_an_end(db: Db):
    deployed(db)
    worker = a_worker(db)
    for day in (1, 2):
        key = f"2026-01-{day:02}"
        sources = [{**SOURCE, "column": f"{day}_{number}"} for number in range(6000)]
        commit(worker, a_daily_claim(db, worker, key), key, lineage(*sources, method="reported", confidence="stated"))

    assert len(columns(db)) == 10_000


def with_lineage(declared: object) -> dict[str, Any]:
    extract, daily = SALES["jobs"]
    return {**SALES, "jobs": [extract, {**daily, "outputs": [{"dataset": "per_day", **DAY, "lineage": declared}]}]}


def test_declared_lineage_needs_nothing_of_the_worker(db: Db):
    deployed(db, with_lineage({"total": ["raw.at", "extract"]}))
    worker = a_worker(db)
    commit(worker, a_daily_claim(db, worker), "2026-01-01", None)

    assert [row[1:4] for row in columns(db)] == [("total", "raw", ""), ("total", "raw", "at")]
    assert methods(db) == [("declared", "stated")]


def test_the_code_knows_better_than_the_declaration_and_the_declaration_than_the_select(db: Db):
    deployed(db, with_lineage({"total": ["raw.at"]}))
    worker = a_worker(db)
    commit(worker, a_daily_claim(db, worker), "2026-01-01", lineage({**SOURCE, "column": "n"}))
    assert [row[1] for row in columns(db)] == ["total"]

    found = lineage({**SOURCE, "column": "n"}, method="reported")
    commit(worker, a_daily_claim(db, worker, "2026-01-02"), "2026-01-02", found)
    assert [row[1] for row in columns(db)] == ["n", "total"]


def test_lineage_that_is_off_records_no_columns(db: Db):
    deployed(db, with_lineage("off"))
    worker = a_worker(db)
    commit(worker, a_daily_claim(db, worker), "2026-01-01", lineage(SOURCE))

    assert (tables(db), columns(db)) == ([("per_day", "raw")], [])


def test_another_version_has_its_own_lineage(db: Db):
    deployed(db)
    worker = a_worker(db)
    commit(worker, a_daily_claim(db, worker), "2026-01-01", lineage(SOURCE))
    deployed(db, sales("select 2"), expected=1)
    trigger(db, "daily", "2026-01-01", force=True)
    commit(worker, worker.claim_one(), "2026-01-01", lineage({**SOURCE, "column": "n"}))

    assert [row[1] for row in columns(db)] == ["n", "total"]
    assert db.execute("select count(distinct dataset_version_id) from tenuto.column_lineage").fetchone() == (2,)


WRONG: dict[str, tuple[object, str]] = {
    "no object": ([], "lineage is not {"),
    "no columns": ({"method": "sql", "confidence": "exact"}, "lineage is not {"),
    "unknown method": (lineage(method="guessed"), "the method of lineage is not sql or reported"),
    "declared by a task": (lineage(method="declared"), "the method of lineage is not sql or reported"),
    "unknown confidence": (lineage(confidence="sure"), "its confidence not exact, stated or table"),
    "no such input": (lineage({**SOURCE, "input": 1}), "lineage names input 1, and the job has 1 inputs"),
    "no input": (lineage({**SOURCE, "input": None}), "lineage names input null"),
    "input as text": (lineage({**SOURCE, "input": "x"}), "published is not valid"),
    "long name": (lineage({**SOURCE, "column": "x" * 257}), "is not a text of 1 to 256 bytes"),
    "empty name": (lineage({**SOURCE, "field": ""}), "is not a text of 1 to 256 bytes"),
    "unknown kind": (lineage({**SOURCE, "kind": "odd"}), "the kind of lineage is not direct or indirect"),
    "long subtype": (lineage({**SOURCE, "subtype": "x" * 33}), "its subtype is longer than 32 bytes"),
    "a list": (lineage(["total"]), "columns of lineage are not objects"),  # pyright: ignore[reportArgumentType]
    "too many": (lineage(*[{"input": 0}] * 10_001), "more than 10,000 sources"),
}


def test_wrong_lineage_fails_its_task_for_good_and_harms_no_neighbour(db: Db, clock: Clock):
    deployed(db)
    worker = a_worker(db)
    for number, (wrong, message) in enumerate(WRONG.values()):
        claim, good = (a_daily_claim(db, worker, f"2026-0{part}-{number + 1:02}") for part in (1, 2))
        lists = [[publication(claim, "2026-01-01", lineage=wrong)], [publication(good, "2026-02-01")]]
        assert worker.complete(claim, good, published=lists) == ["refused", "accepted"]
        assert message in error_of(db, claim.task_id)["message"]
    assert columns(db) == []


def test_a_source_with_empty_lineage_is_accepted(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    assert commit(worker, worker.claim_one(), "mon", lineage(method="reported")) == ["accepted"]


def test_trace_reads_the_columns_of_current_versions(db: Db):
    deployed(db)
    worker = a_worker(db)
    both: Iterable[dict[str, Any]] = (SOURCE, {**SOURCE, "kind": "indirect"}, {**SOURCE, "field": None})
    commit(worker, a_daily_claim(db, worker), "2026-01-01", lineage(*both))

    rows = db.execute("""select o.name, l.output_column, i.name, l.input_column, j.name
        from tenuto_compat_trace.column_lineage l join tenuto.datasets o on o.id = l.output_dataset_uuid
        join tenuto.datasets i on i.id = l.input_dataset_uuid join tenuto.jobs j on j.id = l.job_id""").fetchall()
    assert rows == [("per_day", "total", "raw", "at", "daily")]
    with pytest.raises(psycopg.Error, match=r"ctx\.lineage"):
        db.execute("delete from tenuto_compat_trace.column_lineage")
