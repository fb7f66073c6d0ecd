"""Bundles over HTTP: uploaded, checked, listed, fetched and deleted, each written down."""

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.tasks import call
from tests.support.processes.bundles import CODE, a_bundle, a_zip, hash_of

ZIP = {"Content-Type": "application/zip"}


def put(client: TestClient, content: bytes) -> dict:
    answer = client.post("/v1/bundles", content=content, headers=ZIP)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_bundle_is_put_and_fetched_by_its_hash(admin: TestClient) -> None:
    content = a_bundle({**CODE, "noise.bin": bytes(range(256)) * 5000})

    made = put(admin, content)

    assert (made["sha256"], made["types"], made["size"]) == (hash_of(content), ["images.double"], len(content))
    assert admin.get(f"/v1/bundles/{made['sha256']}").json() == made
    assert admin.get(f"/v1/bundles/{made['sha256']}/content").content == content


def test_a_bundle_of_several_megabytes_comes_back_whole(admin: TestClient) -> None:
    import random

    content = a_bundle({**CODE, "noise.bin": random.Random(1).randbytes(3_500_000)})  # noqa: S311 (not a secret)

    made = put(admin, content)

    assert admin.get(f"/v1/bundles/{made['sha256']}/content").content == content


def test_a_bundle_may_be_put_again(admin: TestClient) -> None:
    content = a_bundle()

    assert put(admin, content) == put(admin, content)
    assert len(admin.get("/v1/bundles").json()["items"]) == 1


def test_the_newest_bundle_of_a_type_runs_it(admin: TestClient) -> None:
    old = put(admin, a_bundle())
    new = put(admin, a_bundle({"pictures.py": b"def double(x): return x + x\n"}))

    listed = admin.get("/v1/bundles").json()["items"]

    assert [(one["sha256"], one["types"]) for one in listed] == [
        (new["sha256"], ["images.double"]),
        (old["sha256"], []),
    ]


@pytest.mark.parametrize("content", [b"", b"no zip", a_zip(CODE), a_bundle(runtime="node")])
def test_what_is_no_bundle_is_refused_and_not_kept(admin: TestClient, content: bytes) -> None:
    answer = admin.post("/v1/bundles", content=content, headers=ZIP)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert admin.get("/v1/bundles").json()["items"] == []


def test_more_than_64_mb_is_refused_before_it_is_read(admin: TestClient) -> None:
    answer = admin.post("/v1/bundles", content=b"", headers={**ZIP, "Content-Length": str(64 * 1024 * 1024 + 1)})

    assert answer.status_code == 413


def test_a_deleted_bundle_is_gone(admin: TestClient) -> None:
    made = put(admin, a_bundle())

    assert admin.delete(f"/v1/bundles/{made['sha256']}").status_code == 204
    assert admin.delete(f"/v1/bundles/{made['sha256']}").status_code == 404
    assert admin.get(f"/v1/bundles/{made['sha256']}/content").status_code == 404


def test_another_org_sees_nothing_of_it(admin: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    made = put(admin, a_bundle())
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))

    for path in ("", "/content"):
        assert admin.get(f"/v1/bundles/{made['sha256']}{path}", headers=stranger).status_code == 404
    assert admin.get("/v1/bundles", headers=stranger).json()["items"] == []
    assert admin.delete(f"/v1/bundles/{made['sha256']}", headers=stranger).status_code == 404


def test_who_put_and_deleted_a_bundle_is_written_down(admin: TestClient) -> None:
    made = put(admin, a_bundle())
    admin.delete(f"/v1/bundles/{made['sha256']}")

    entries = admin.get("/v1/audit", params={"entity": "bundle"}).json()["items"]

    assert [(one["action"], one["entity_id"]) for one in entries] == [
        ("delete", made["sha256"]),
        ("put", made["sha256"]),
    ]


def test_a_start_that_wants_known_types_knows_those_of_bundles(admin: TestClient) -> None:
    start = {"type": "images.double", "input": [1], "strict": True}
    assert admin.post("/v1/runs", json=start).status_code == 404

    put(admin, a_bundle())

    assert admin.post("/v1/runs", json=start).status_code == 201
