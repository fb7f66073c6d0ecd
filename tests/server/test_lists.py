"""Lists in both orders, and answers that need not be sent twice."""

from uuid import UUID

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.support.database.tasks import a_worker, drain, start


def walk(api: TestClient, path: str, cursor: str, **params: str) -> list[str]:
    """The ids of all pages of two."""
    ids: list[str] = []
    place: dict[str, str] = {}
    while True:
        page = api.get(path, params={**params, **place, "limit": "2"}).json()
        ids += [one["id"] for one in page["items"]]
        if page["next"] is None:
            return ids
        place = {cursor: page["next"]}


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/tasks"])
def test_a_list_is_walked_from_either_end(admin: TestClient, db: psycopg.Connection, path: str) -> None:
    ids = [str(id) for no in range(5) for id in start(db, no)]

    assert walk(admin, path, "before") == walk(admin, path, "before", sort="-created_at") == ids[::-1]
    assert walk(admin, path, "after", sort="created_at") == ids


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/tasks"])
def test_states_and_types_are_found_from_either_end(admin: TestClient, db: psycopg.Connection, path: str) -> None:
    done = [str(id) for id in start(db, 1, 2, 3)]
    drain(db, a_worker(db))
    start(db, 4)
    other = [str(id) for id in start(db, 5, kind={"type": "app.other"})]

    assert walk(admin, path, "after", sort="created_at", status="completed") == done
    assert walk(admin, path, "before", status="completed") == done[::-1]
    assert walk(admin, path, "after", sort="created_at", type="app.other") == other


def test_the_tasks_of_a_run_come_in_their_order(admin: TestClient) -> None:
    tasks = {name: {"type": f"g.{name}"} for name in "abcde"}
    run_id = admin.post("/v1/runs", json={"graph": {"tasks": tasks}}).json()["id"]

    ids = walk(admin, "/v1/tasks", "after", sort="created_at", run_id=run_id)

    assert [admin.get(f"/v1/tasks/{id}").json()["name"] for id in ids] == list("abcde")


def test_a_place_that_does_not_go_with_the_order_is_refused(admin: TestClient) -> None:
    place = str(UUID(int=5))

    assert "write before=" in admin.get("/v1/runs", params={"after": place}).json()["hint"]
    assert "write after=" in admin.get("/v1/tasks", params={"before": place, "sort": "created_at"}).json()["hint"]
    assert admin.get("/v1/runs", params={"sort": "name"}).status_code == 422


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/tasks"])
def test_what_is_as_it_was_is_not_sent_again(admin: TestClient, db: psycopg.Connection, path: str) -> None:
    (id,) = start(db)
    first = admin.get(f"{path}/{id}")
    known = {"If-None-Match": f'"other", W/{first.headers["etag"]}'}

    same = admin.get(f"{path}/{id}", headers=known)
    drain(db, a_worker(db))
    changed = admin.get(f"{path}/{id}", headers=known)

    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
    assert (changed.status_code, changed.json()["status"]) == (200, "completed")
