"""Rows of datasets that are stored in Postgres, under the token of an attempt."""

import psycopg

from tests.server.test_task_files import Attempt
from tests.support.database.jobs import deployed, trigger
from tests.support.database.tables import LEDGER
from tests.support.http.worker_requests import HttpWorker


def test_rows_of_a_dataset_in_postgres_go_through_the_server(db: psycopg.Connection, worker: HttpWorker) -> None:
    deployed(db, LEDGER)
    trigger(db, "collect", dag="ledger")
    first = Attempt(worker)
    assert first.sign(writes=[{"name": "a.parquet"}]).status_code == 409  # it has no files
    job = first.task["input"]["job"]
    location = f"{job['outputs'][0]['location']}_all/{first.task['task_id']}-{first.task['attempt']}/"
    page = {"output": 0, "location": location, "page": 0, "rows": [["1", None]]}
    assert first.api.post("/v1/task/rows", json=page, headers=first.headers).status_code == 204
    assert first.api.post("/v1/task/rows", json={**page, "page": 1000}, headers=first.headers).status_code == 422
    assert first.publish(None, location).json() == {"result": "accepted"}

    trigger(db, "sum", dag="ledger")
    second = Attempt(worker)
    query = {"input": 0, "location": location}
    found = second.api.get("/v1/task/rows", params=query, headers=second.headers)

    assert found.json() == {"rows": [["1", None]], "pages": 1}
    other = second.api.get("/v1/task/rows", params={**query, "location": "x/"}, headers=second.headers)
    assert (other.status_code, other.json()["code"]) == (404, "not_found")
