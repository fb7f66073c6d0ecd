"""Queries over datasets in a bucket of a real S3 server."""

from dataclasses import replace

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.server.settings import ServerSettings
from tenuto.storage import open_store
from tests.support.database.published import deploy_orders, publish_orders
from tests.support.sandbox.availability import require_full_sandbox


@pytest.fixture
def settings(settings: ServerSettings, s3_url: str) -> ServerSettings:
    require_full_sandbox()
    return replace(settings, storage=s3_url)


def test_a_query_reads_a_bucket_as_it_reads_a_folder(
    admin: TestClient, db: psycopg.Connection, settings: ServerSettings
) -> None:
    store = open_store(settings.storage)
    deploy_orders(db, store, [(1, "eu", "10.50"), (2, "us", "20.00")])
    publish_orders(db, store, [(1, "eu", "10.50"), (2, "us", "20.00"), (3, "eu", "0.25")])
    deploy_orders(db, store, [(9, "asia", "1.00")], note="second", expected=1)

    def rows(sql: str, **more: str) -> object:
        response = admin.post("/v1/query", json={"sql": sql, **more})
        assert response.status_code == 200, response.text
        return response.json()["rows"]

    totals = "select region, sum(amount) as total from orders group by 1 order by 1"
    assert rows(totals) == [["asia", "1.00"]]
    assert rows(totals, as_of="shop@1") == [["eu", "10.75"], ["us", "20.00"]]

    for item in store.list_all("datasets/", max_objects=100):
        if item.key.endswith(".parquet"):
            store.delete(item.key)
    lost = admin.post("/v1/query", json={"sql": totals})
    assert (lost.status_code, "cannot be read" in lost.json()["detail"]) == (422, True)
