"""Outputs of many megabytes: responses are bounded, and no request fails because of them."""

import asyncio
from typing import Any
from uuid import UUID

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.errors import TooLarge
from tenuto.sdk.app import App
from tests.support.database.loops import settle
from tests.support.database.tasks import a_worker, start, start_graph

VALUE = "x" * 900_000
MB = 1_000_000


def run_all(db: psycopg.Connection, count: int, output: object = VALUE) -> None:
    """Complete all open tasks, a few at a time."""
    worker = a_worker(db)
    for _ in range(0, count, 5):
        claims = worker.claim(5)
        worker.complete(*claims, outputs=[output] * len(claims))


@pytest.fixture
def large(db: psycopg.Connection) -> UUID:
    """A run whose sinks have 18 MB of outputs."""
    run_id, _ = start_graph(db, 20)
    run_all(db, 20)
    settle(db)
    return run_id


def wait_for(api: TestClient, *run_ids: UUID) -> list[dict[str, Any]]:
    response = api.post("/v1/runs/wait", json={"run_ids": [str(run_id) for run_id in run_ids], "wait": 0})
    assert response.status_code == 200, response.text[:500]
    assert len(response.content) < 20 * MB
    return response.json()["items"]


def test_a_wait_returns_at_most_16_mb_and_the_rest_when_asked_again(admin: TestClient, db: psycopg.Connection) -> None:
    waiting = set(start(db, *range(25)))
    run_all(db, 25)

    sizes = []
    while waiting:
        ended = wait_for(admin, *waiting)
        assert {run["output"] for run in ended} == {VALUE}
        waiting -= {UUID(run["id"]) for run in ended}
        sizes.append(len(ended))

    assert sizes == [19, 6]


def test_a_run_with_too_much_output_is_shown_without_it(admin: TestClient, large: UUID) -> None:
    response = admin.get(f"/v1/runs/{large}")

    assert response.status_code == 200, response.text[:500]
    run = response.json()
    assert (run["status"], run["output"], run["output_omitted"]) == ("completed", None, True)


def test_a_wait_returns_it_with_the_outputs_of_other_runs(
    admin: TestClient, db: psycopg.Connection, large: UUID
) -> None:
    (other,) = start(db, 1)
    run_all(db, 1, "small")

    ended = {run["id"]: (run["status"], run["output"], run["output_omitted"]) for run in wait_for(admin, large, other)}

    assert ended == {str(large): ("completed", None, True), str(other): ("completed", "small", False)}


def test_it_can_be_retried_and_deleted(admin: TestClient, large: UUID) -> None:
    assert admin.post(f"/v1/runs/{large}/retry", json={"reuse": False}).status_code == 201
    assert admin.delete(f"/v1/runs/{large}").status_code == 204
    assert admin.get(f"/v1/runs/{large}").status_code == 404


def test_the_sdk_waits_for_all_and_says_which_output_is_too_large(
    database: str, db: psycopg.Connection, large: UUID
) -> None:
    others = start(db, *range(20))
    run_all(db, 20)

    async def main() -> list[Any]:
        async with App("shop").connect(database) as tn:
            with pytest.raises(TooLarge, match=f"outputs of run {large} have more than 16 MB"):
                await tn.run(large).result(timeout=60)
            return await asyncio.gather(*(tn.run(run_id).result(timeout=60) for run_id in others))

    assert asyncio.run(main()) == [VALUE] * 20
