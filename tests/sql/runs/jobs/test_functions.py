"""Jobs of the operator python run functions that apps declare; other names are refused before anything is stored."""

import json
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.dag.hashes import HASH_VERSION
from tenuto.dag.job_rows import job_rows
from tenuto.dag.parse import parse_dag
from tenuto.model.errors import InvalidInput
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import an_org, count, value
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call

TYPE = "tenuto.python.shop.extract"


def a_dag(task: str = "shop.extract", **changes: Any) -> dict[str, Any]:
    job = {
        "name": "extract",
        "activation": "source",
        "operator": "python",
        "source": {"kind": "manual"},
        "config": {"task": task},
        "outputs": [{"dataset": "raw"}],
    }
    return {"version": 1, "name": "sales", "jobs": [{**job, **changes}]}


def deploy(db: Db, task: str, *, org_id: UUID = DEFAULT_ORG, functions: list[str] | None = None) -> Any:
    """Calls the SQL function as any client can, which need not have checked the document."""
    dag = parse_dag(json.dumps(a_dag()))
    (row,) = call(
        db,
        "deploy_dag",
        org_id=org_id,
        name=dag.name,
        yaml=dag.yaml,
        yaml_hash=dag.yaml_hash,
        hash_version=HASH_VERSION,
        jobs=Jsonb([{**job, "config": {"task": task}} for job in job_rows(dag)]),
        actor="ann",
        functions=functions,
    )
    return row


def declare(worker: Worker, *types: str, **options: Any) -> None:
    call(worker.db, "declare_types", **worker.fence, types=dict.fromkeys(types, options))


def a_worker_of(db: Db, *functions: str, name: str = "w", **more: Any) -> Worker:
    """A worker whose app declares these functions."""
    metadata = more.pop("metadata", {})
    types = [*functions, *(f"tenuto.python.{function}" for function in functions)]
    worker = a_worker(db, name, metadata={"types": types, **metadata}, **more)
    declare(worker, *functions)
    return worker


def problem(db: Db) -> str | None:
    (job,) = call(db, "get_job", org_id=DEFAULT_ORG, dag="sales", name="extract")
    unserved = call(db, "list_unserved_functions", org_id=DEFAULT_ORG)
    assert [row["reason"] for row in unserved] == [job["problem"]] * (job["problem"] is not None)
    return job["problem"]


@pytest.mark.parametrize("task", ["subprocess:getoutput", "os.system", "tenuto.sql", TYPE, "shop.extrakt", ""])
def test_a_deploy_with_a_function_that_no_app_declares_stores_nothing(db: Db, task: str) -> None:
    declare(a_worker_of(db, "shop.extract"), TYPE)

    with pytest.raises(InvalidInput, match=r"job extract runs .*, which no app declares"):
        deploy(db, task)

    assert (count(db, "dags"), count(db, "dag_versions"), count(db, "jobs")) == (0, 0, 0)


def test_the_error_suggests_functions_of_the_same_org_only(db: Db) -> None:
    a_worker_of(db, "shop.extract", "shop.load", *(f"a.f{number}" for number in range(300)))

    with pytest.raises(InvalidInput) as near:
        deploy(db, "shop.extrakt")
    with pytest.raises(InvalidInput) as far:
        deploy(db, "shop.extrakt", org_id=an_org(db, "other"))

    assert near.value.hint == "did you mean shop.extract?"
    assert far.value.hint == "start a worker whose app declares it with @app.job, or deploy with --app module:app"


def test_a_task_of_a_bundle_is_no_function_because_its_code_runs_in_sandboxes_only(db: Db) -> None:
    manifest = {"name": "shop", "tasks": {"extract": "code:extract"}}
    with db.transaction():
        call(db, "put_bundle", org_id=DEFAULT_ORG, sha256="a" * 64, manifest=manifest, size=1, created_by="ann")
        call(db, "put_bundle_part", org_id=DEFAULT_ORG, sha256="a" * 64, no=0, data=b"z")

    with pytest.raises(InvalidInput, match=r"runs shop\.extract, which no app declares"):
        deploy(db, "shop.extract")


def test_a_function_stays_declared_when_its_worker_has_stopped(db: Db) -> None:
    worker = a_worker_of(db, "shop.extract")
    call(db, "close_session", **worker.fence)

    assert deploy(db, "shop.extract")["status"] == "ready"
    deployed(db, a_dag())
    assert problem(db) == "no worker is alive"

    db.execute("delete from tenuto.task_types")
    db.execute("update tenuto.workers set metadata = '{}'")
    assert problem(db) == "no worker has declared the function shop.extract"


def test_the_app_of_the_caller_can_declare_a_function_that_no_worker_has_yet(db: Db) -> None:
    assert deploy(db, "shop.extract", functions=["shop.extract", "shop.load"])["status"] == "ready"

    jobs = Jsonb(job_rows(parse_dag(json.dumps(a_dag()))))
    (row,) = call(db, "list_unserved_functions", org_id=DEFAULT_ORG, jobs=jobs, functions=["shop.extract"])
    assert (row["job"], row["function"], row["declared"]) == ("extract", "shop.extract", True)
    (row,) = call(db, "list_unserved_functions", org_id=DEFAULT_ORG, jobs=jobs)
    assert not row["declared"]


def test_a_function_is_served_by_a_worker_that_has_it_and_takes_the_tasks_of_the_job(db: Db) -> None:
    deployed(db, a_dag(queue="etl", labels=["big"]))
    assert problem(db) is not None

    a_worker_of(db, "shop.load", name="other app", labels=["big"])
    assert problem(db) == "no worker has declared the function shop.extract"
    a_worker_of(db, "shop.extract", name="without label")
    assert problem(db) == "no worker alive has the function shop.extract"
    a_worker_of(db, "shop.extract", name="queue", labels=["big"], metadata={"queues": ["default"]})
    assert problem(db) == "no worker alive has the function shop.extract"
    a_worker_of(db, "shop.extract", name="right", labels=["big"], metadata={"queues": ["etl"]})
    assert problem(db) is None


def test_only_workers_with_the_function_claim_its_tasks(db: Db) -> None:
    deployed(db, a_dag())
    (task,) = trigger(db)
    other = a_worker_of(db, "shop.load", name="other")
    routes = other.routes(types=["shop.load", "tenuto.python.shop.load", "tenuto.sql"])

    assert other.claim(1, routes=routes) == []
    why = value(db, "select tenuto.explain_task(%s, %s)", DEFAULT_ORG, task["task_id"])
    assert "no worker alive has the function shop.extract" in why
    worker = a_worker_of(db, "shop.extract", name="right")
    (claim,) = worker.claim(1, routes=worker.routes(types=[TYPE]))
    assert claim.task_id == task["task_id"]


def test_functions_that_only_jobs_run_are_declared_without_options_and_from_any_queue(db: Db) -> None:
    narrow = a_worker(db, "narrow", queues=["etl"])
    declare(narrow, TYPE, "shop.other")

    assert db.execute("select type, kind from tenuto.task_types").fetchall() == [(TYPE, {})]
    assert count(db, "routes", "type like 'tenuto.%%'") == 0
    assert deploy(db, "shop.extract")["status"] == "ready"
    for type, options in ((TYPE, {"kind": {"queue": "etl"}}), ("tenuto.sql", {}), ("tenuto.python.", {})):
        with pytest.raises(InvalidInput, match="are operators, which have no options"):
            declare(narrow, type, **options)


def test_a_worker_restricted_to_queues_says_which_functions_of_other_queues_it_runs(db: Db) -> None:
    a_worker_of(db, "shop.extract", queues=["etl"])

    assert count(db, "task_types") == 0
    assert deploy(db, "shop.extract")["status"] == "ready"


def test_many_jobs_without_a_worker_are_listed_in_bounded_numbers(db: Db) -> None:
    job = a_dag()["jobs"][0]
    names = [f"j{number:02}" for number in range(30)]
    deployed(db, {**a_dag(), "jobs": [{**job, "name": name, "outputs": [{"dataset": name}]} for name in names]})

    assert [row["job"] for row in call(db, "list_unserved_functions", org_id=DEFAULT_ORG)] == names[:20]
    assert len(call(db, "list_unserved_functions", org_id=DEFAULT_ORG, dag="sales", limit=3)) == 3
    assert call(db, "list_unserved_functions", org_id=DEFAULT_ORG, dag="other") == []
