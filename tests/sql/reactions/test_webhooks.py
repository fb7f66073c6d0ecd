"""Webhooks: paths follow the current version of a DAG, and a request starts one task of the job."""

from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def a_dag(name: str = "shop", **paths: str) -> dict[str, Any]:
    return {
        "name": name,
        "jobs": [
            {
                "name": job,
                "activation": "source",
                "operator": "webhook",
                "source": {"kind": "webhook", "webhook_path": path},
                "outputs": [{"dataset": f"{name}_{job}"}],
            }
            for job, path in paths.items()
        ],
    }


def current(db: Db, document: dict[str, Any], expected: int = 0) -> None:
    version = deploy(db, document)["version"]
    cutover(db, expected, version, name=document["name"])


def receive(db: Db, key: str = "k1", path: str = "/new", body: object = 1, **changes: Any) -> Any:
    params = {"org_id": DEFAULT_ORG, "path": path, "rotation": 0, "key": key, "body": Jsonb(body), **changes}
    (row,) = call(db, "receive_webhook", **params)
    return row


def job_of(db: Db, path: str) -> Any:
    (row,) = call(db, "find_webhook", org_id=DEFAULT_ORG, path=path)
    return row["job_key"]


def test_a_request_starts_a_task_with_its_body_once(db: Db):
    current(db, a_dag(new="/new"))

    first = receive(db, body={"order": 7})
    again = receive(db, body={"order": 7})
    other = receive(db, "k2")

    assert (first["created"], again["created"], other["created"]) == (True, False, True)
    assert first["task_id"] == again["task_id"]
    claim, _ = sorted(a_worker(db).claim(10), key=lambda claim: claim.task_id)
    assert (claim.task_id, claim.input["job"]["job"]) == (first["task_id"], "new")
    source = claim.input["job"]["source"]
    assert (source["kind"], source["body"], "received_at" in source) == ("webhook", {"order": 7}, True)


def test_a_request_is_refused_where_it_cannot_start_a_task(db: Db):
    current(db, a_dag(new="/new"))

    wrongs: list[dict[str, Any]] = [{"path": "/old"}, {"rotation": 1}, {"org_id": uuid4()}]
    for wrong in wrongs:
        with pytest.raises(NotFound, match="no such webhook"):
            receive(db, **wrong)
    with pytest.raises(InvalidInput):
        receive(db, "")
    with pytest.raises(TooLarge):
        receive(db, body="x" * 1_100_000)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="shop", name="new")
    with pytest.raises(Conflict, match="paused"):
        receive(db)
    assert a_worker(db).claim(10) == []
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="shop", name="new")
    assert receive(db)["created"]  # what was refused has used no key


def test_paths_follow_the_version_and_secrets_stay(db: Db):
    current(db, a_dag(one="/1", two="/2"))
    one, two = job_of(db, "/1"), job_of(db, "/2")
    (rotated,) = call(db, "rotate_webhook", org_id=DEFAULT_ORG, dag="shop", name="one")

    current(db, a_dag(one="/2", two="/1"), expected=1)
    assert (job_of(db, "/1"), job_of(db, "/2")) == (two, one)

    current(db, a_dag(three="/3"), expected=2)
    with pytest.raises(NotFound):
        job_of(db, "/1")
    with pytest.raises(NotFound, match="has no webhook"):
        call(db, "get_webhook", org_id=DEFAULT_ORG, dag="shop", name="one")

    rollback(db, 3, 1, name="shop")
    (kept,) = call(db, "get_webhook", org_id=DEFAULT_ORG, dag="shop", name="one")
    assert kept == rotated == {
        "org_id": DEFAULT_ORG, "dag": "shop", "job": "one", "path": "/1", "job_key": one, "rotation": 1,
    }  # fmt: skip


def test_a_path_belongs_to_one_job(db: Db):
    current(db, a_dag(new="/new"))
    deploy(db, a_dag("other", late="/new"))

    with pytest.raises(Conflict, match="has the path /new"):
        cutover(db, name="other")

    same = a_dag("twice", one="/same", two="/same")
    deploy(db, same)
    with pytest.raises(Conflict, match="has the path"):
        cutover(db, name="twice")


def test_only_a_job_with_a_webhook_has_a_secret_to_rotate(db: Db):
    current(db, a_dag(new="/new"))

    with pytest.raises(NotFound, match="no job"):
        call(db, "rotate_webhook", org_id=DEFAULT_ORG, dag="shop", name="gone")
    with pytest.raises(NotFound):
        call(db, "rotate_webhook", org_id=uuid4(), dag="shop", name="new")
    call(db, "rotate_webhook", org_id=DEFAULT_ORG, dag="shop", name="new")
    with pytest.raises(NotFound):
        receive(db)
    assert receive(db, rotation=1)["created"]
