"""Rows of datasets in Postgres: staged by the holder of a task, and seen by readers once they are committed."""

from dataclasses import replace

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, StaleLease
from tests.support.database.jobs import SALES, deployed, publication, publish, trigger
from tests.support.database.loops import an_org, value
from tests.support.database.orgs import acting_for, denied
from tests.support.database.tables import LEDGER, location_of, read, stage, tables
from tests.support.database.tasks import Db, a_worker

DAY = "2026-11-17"


def test_rows_are_seen_when_their_task_has_published_them_and_once_per_page(db: Db):
    deployed(db, LEDGER)
    worker = a_worker(db)
    trigger(db, "collect", dag="ledger")
    writer = worker.claim_one()
    for _ in range(2):  # the response to the first call was lost
        stage(worker, writer, [["1", "a"], ["2", None]], DAY)
    stage(worker, writer, [["3", "c"]], DAY, page=1)

    trigger(db, "sum", dag="ledger")
    early = worker.claim_one()
    assert early.input["job"]["inputs"][0]["locations"] == []
    with pytest.raises(NotFound, match="input 0 has no location"):
        read(worker, early, location_of(writer, DAY))
    assert publish(worker, writer, DAY) == "accepted"
    trigger(db, "sum", dag="ledger")
    reader = worker.claim_one()
    (location,) = reader.input["job"]["inputs"][0]["locations"]

    assert location == location_of(writer, DAY)
    assert read(worker, reader, location) == ([["1", "a"], ["2", None]], 2)
    assert read(worker, reader, location, page=1) == ([["3", "c"]], 2)
    assert read(worker, reader, location, page=2) == ([], 2)
    with pytest.raises(NotFound, match="has no input 1"):
        read(worker, reader, location, input=1)
    with pytest.raises(StaleLease):
        read(worker, replace(reader, attempt=2), location)


def test_what_is_not_a_page_of_the_attempt_is_refused(db: Db):
    file = {**SALES["jobs"][0], "name": "files", "outputs": [{"dataset": "files"}]}
    deployed(db, {**LEDGER, "jobs": [*LEDGER["jobs"], file]})
    worker = a_worker(db)
    trigger(db, "collect", dag="ledger")
    writer = worker.claim_one()
    trigger(db, "files", dag="ledger")
    plain = worker.claim_one()

    other = location_of(writer).replace(str(writer.task_id), str(plain.task_id))
    wrong = [
        ({"location": other}, InvalidInput, "where this attempt writes"),
        ({"location": location_of(writer) + "x/"}, InvalidInput, "where this attempt writes"),
        ({"output": 1}, NotFound, "has no output 1"),
        ({"page": 1000}, InvalidInput, "page is 1000, not 0 to 999"),
        ({"rows": [["1"]]}, InvalidInput, "rows are not lists of 2 values"),
        ({"rows": [1]}, InvalidInput, "rows are not lists of 2 values"),
        ({"rows": {"id": 1}}, InvalidInput, "a page is not a list of up to 10,000 rows"),
        ({"rows": [["1", "x" * 1_100_000]]}, InvalidInput, "and 1 MB"),
        (
            {"rows": [["one", "a"]]},
            InvalidInput,
            "rows do not fit into the table: invalid input syntax for type bigint",
        ),
        ({"rows": [[None, "a"]]}, InvalidInput, 'null value in column "id"'),
    ]
    for change, error, message in wrong:
        with pytest.raises(error, match=message):
            stage(worker, writer, **{"rows": [], **change})
    with pytest.raises(Conflict, match="output 0 is not a dataset that is stored in Postgres"):
        stage(worker, plain, [])
    with pytest.raises(StaleLease):
        stage(worker, replace(writer, attempt=2), [])
    assert value(db, "select count(*) from tenuto.row_sets") == 0

    # A publication of rows that nobody staged is refused, one without rows is not.
    assert worker.complete(writer, published=[[publication(writer, rows=3)]]) == ["refused"]
    trigger(db, "collect", dag="ledger")
    empty = worker.claim_one()
    assert worker.complete(empty, published=[[publication(empty, rows=0)]]) == ["accepted"]
    trigger(db, "sum", dag="ledger")
    reader = worker.claim_one()
    assert read(worker, reader, location_of(empty)) == ([], 0)


def test_tables_have_the_declared_columns_and_show_an_org_its_own_rows(db: Db):
    deployed(db, LEDGER)
    before = tables(db)
    deployed(db, {**LEDGER, "description": "the same data"}, expected=1)
    assert (tables(db), len(before)) == (before, 2)  # a version that is used again keeps its table
    worker = a_worker(db)
    trigger(db, "collect", dag="ledger")
    stage(worker, worker.claim_one(), [["1", "a"]])
    (table,) = [name for name in before if value(db, f"select count(*) from tenuto_data.{name}")]

    columns = db.execute(
        "select a.attname::text, a.atttypid::regtype::text, a.attnotnull from pg_attribute a"
        " where a.attrelid = ('tenuto_data.' || %s)::regclass and a.attnum > 3 order by a.attnum",
        [table],
    ).fetchall()
    assert columns == [("id", "bigint", True), ("note", "text", False)]
    other, own = an_org(db, "other"), worker.org_id
    db.execute("set role tenuto_api")
    with acting_for(db, other):
        assert value(db, f"select count(*) from tenuto_data.{table}") == 0
    with acting_for(db, own):
        assert value(db, f"select count(*) from tenuto_data.{table}") == 1
    db.execute("reset role")
    for role in ("tenuto_client", "tenuto_readonly", "tenuto_query"):
        db.execute(f"set role {role}".encode())
        assert denied(db, f"select from tenuto_data.{table}"), role
