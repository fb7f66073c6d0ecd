"""`GET /v1/lineage`: a graph of what the caller can read."""

import psycopg
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.lineage import edges, four_datasets


def test_a_column_is_followed_in_both_directions(admin: TestClient, db: psycopg.Connection) -> None:
    four_datasets(db)

    both = admin.get("/v1/lineage", params={"dataset": "d2", "column": "day"}).json()
    up = admin.get("/v1/lineage", params={"dataset": "d3", "direction": "up", "depth": 1}).json()

    assert edges(both) == {("d0.at", "d2.day"), ("d1.region", "d2.day"), ("d2.day", "d3")}
    assert edges(up) == {("d2", "d3")}
    assert set(up["edges"][0]) == {"from", "to", "kind", "subtype", "method", "confidence", "stale"}
    assert set(up["nodes"][0]) == {"id", "dataset", "version", "column", "dag", "current"}
    assert up["root"] in {node["id"] for node in up["nodes"]}


def test_a_key_that_reads_no_datasets_finds_none(
    admin: TestClient, db: psycopg.Connection, make_headers: MakeKey
) -> None:
    four_datasets(db)
    reader = make_headers("lineage:read")

    refused = admin.get("/v1/lineage", params={"dataset": "d2"}, headers=reader)
    unknown = admin.get("/v1/lineage", params={"dataset": "nope"}, headers=reader)

    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert refused.json()["detail"].replace("d2", "nope") == unknown.json()["detail"]
    allowed = admin.get("/v1/lineage", params={"dataset": "d2"}, headers=make_headers("lineage:read", "datasets:write"))
    assert allowed.status_code == 200


def test_wrong_questions_are_refused(admin: TestClient) -> None:
    wrong = ({"depth": 0}, {"depth": 51}, {"direction": "x"}, {"version_id": "x"}, {"unknown": 1}, {"dataset": ""})
    for params in wrong:
        assert admin.get("/v1/lineage", params={"dataset": "d2", **params}).status_code == 422
