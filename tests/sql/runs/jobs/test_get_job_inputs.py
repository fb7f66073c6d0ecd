"""The inputs that an attempt may read: those of its job, and for a bundle those of the job that runs it."""

from dataclasses import replace
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import NotFound, StaleLease
from tests.support.database.jobs import SALES, deployed, publish, trigger
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start_one
from tests.support.processes.bundles import a_bundle, a_manifest, hash_of


def fence(worker: Worker, claim: Claim) -> dict[str, Any]:
    return {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}


def inputs(db: Db, worker: Worker, claim: Claim) -> list[dict[str, Any]]:
    return call(db, "get_job_inputs", **fence(worker, claim))


def a_child(db: Db, worker: Worker, parent: Claim, type: str = "images.double") -> Claim:
    started = {"kinds": Jsonb([{"type": type}]), "inputs": [Jsonb(1)], "task_kinds": [0]}
    call(db, "start_children", **fence(worker, parent), **started, step_no=0, step_name=type)
    return worker.claim_one()


def test_a_task_of_a_job_has_the_inputs_of_its_description(db: Db) -> None:
    deployed(db)
    worker = a_worker(db)
    trigger(db, "daily")
    reader = worker.claim_one()
    (found,) = inputs(db, worker, reader)
    job = reader.input["job"]

    assert found == {"dag": job["dag"], "dag_version": job["version"], "inputs": job["inputs"]}
    with pytest.raises(StaleLease):
        inputs(db, worker, replace(reader, attempt=2))
    with pytest.raises(StaleLease):
        inputs(db, a_worker(db, "other"), reader)


def test_a_plain_task_and_a_child_of_a_function_have_none(db: Db) -> None:
    deployed(db)
    worker = a_worker(db)
    start_one(db)
    assert inputs(db, worker, worker.claim_one()) == []

    trigger(db, "daily")
    child = a_child(db, worker, worker.claim_one())
    assert inputs(db, worker, child) == []
    with pytest.raises(NotFound, match="has no input 0"):
        call(db, "list_input_locations", **fence(worker, child), input=0)


def test_the_code_of_a_bundle_has_the_inputs_of_the_job_that_runs_it(db: Db) -> None:
    bundle = a_bundle()
    whose = {"org_id": DEFAULT_ORG, "sha256": hash_of(bundle)}
    call(db, "put_bundle", **whose, manifest=a_manifest(), size=len(bundle), created_by="ann")
    extract, daily = SALES["jobs"]
    udf = {"bundle": whose["sha256"], "task": "double"}
    deployed(db, {**SALES, "jobs": [extract, {**daily, "operator": "bundle", "udf": udf, "config": {}}]})
    worker = a_worker(db)
    trigger(db)
    publish(worker, worker.claim_one(), "a")
    trigger(db, "daily")
    operator = worker.claim_one()
    child = a_child(db, worker, operator)

    assert inputs(db, worker, child) == inputs(db, worker, operator) != []
    (place,) = call(db, "list_input_locations", **fence(worker, child), input=0)
    assert place["partition"] == "a"
    assert inputs(db, worker, a_child(db, worker, child)) == []
