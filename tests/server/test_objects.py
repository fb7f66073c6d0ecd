"""Data objects over HTTP: bytes in and out, with their checksum."""

from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.digest import content_digest
from tests.server.conftest import MakeKey
from tests.support.database.tasks import DEFAULT_ORG, call

SMALL, LARGE = b"\x00\xff" * 50, b"0123456789abcdef" * 100_000


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name != ".gitignore"]


@pytest.mark.parametrize("content", [b"", SMALL, LARGE])
def test_what_was_stored_comes_back_with_its_checksum(admin: TestClient, content: bytes) -> None:
    stored = admin.post("/v1/objects", params={"type": "photo", "metadata": '{"w": 3}'}, content=content)
    digest = sha256(content)

    assert (stored.status_code, stored.json()["checksum"]) == (201, f"sha256:{digest.hexdigest()}")
    assert (stored.json()["size"], stored.json()["metadata"]) == (len(content), {"w": 3})
    path = f"/v1/objects/{stored.json()['id']}"
    got, head = admin.get(path), admin.head(path)
    assert got.content == content
    assert got.headers["content-digest"] == head.headers["content-digest"] == content_digest(digest.digest())
    assert (head.headers["content-length"], head.content) == (str(len(content)), b"")
    assert admin.get(path, headers={"If-None-Match": got.headers["etag"]}).status_code == 304


def test_an_object_says_where_its_data_is(admin: TestClient) -> None:
    stored = admin.post("/v1/objects?at=node-1&at=node-2&hard=true", content=SMALL)

    assert (stored.json()["addresses"], stored.json()["hard"]) == (["node-1", "node-2"], True)
    refused = admin.post("/v1/objects?hard=true", content=SMALL)
    assert (refused.status_code, refused.json()["hint"]) == (422, "write at=node-1&hard=true")


def test_objects_are_listed_held_and_released(admin: TestClient) -> None:
    kept = admin.post("/v1/objects?persisted=true", content=SMALL).json()
    data = admin.post("/v1/objects", content=SMALL).json()
    run_id = admin.post("/v1/runs", json={"type": "a.b"}).json()["id"]
    assert (kept["persisted"], data["persisted"]) == (True, False)
    path = f"/v1/objects/{data['id']}"
    for holder in ({"run_id": run_id}, {"group": "default"}):
        assert admin.post(f"{path}/reference", json=holder).status_code == 204
    (held,) = admin.get(f"/v1/objects?held_by={run_id}").json()["items"]
    assert (held["id"], held["reference_count"], held["collect_at"]) == (data["id"], 2, None)
    first = admin.get("/v1/objects?limit=1").json()
    rest = admin.get(f"/v1/objects?limit=1&before={first['next']}").json()
    assert {first["items"][0]["id"], rest["items"][0]["id"]} == {kept["id"], data["id"]}
    assert admin.delete(path).status_code == 409
    for holder in ({"run_id": run_id}, {"group": "default"}):
        assert [admin.post(f"{path}/release", json=holder).json()["released"] for _ in range(2)] == [True, False]
    assert admin.delete(path).status_code == 204
    for wrong in ({}, {"run_id": run_id, "group": "default"}, {"run_id": "x"}):
        assert admin.post(f"{path}/reference", json=wrong).status_code == 422
    assert admin.post(f"{path}/reference", json={"run_id": run_id}).status_code == 404


def test_a_put_may_be_repeated_but_not_with_other_bytes(admin: TestClient, tmp_path: Path) -> None:
    path = f"/v1/objects/{uuid4()}"

    statuses = [admin.put(path, content=content).status_code for content in (LARGE, LARGE, LARGE + b"x", SMALL)]

    assert statuses == [201, 200, 409, 409]
    assert admin.get(path).content == LARGE
    assert len(files(tmp_path / "objects")) == 1


def test_a_body_that_is_too_large_or_not_what_was_said_leaves_nothing(admin: TestClient, tmp_path: Path) -> None:
    def pieces():
        for _ in range(65):
            yield b"x" * 1_048_576

    announced = admin.post("/v1/objects", content=b"", headers={"Content-Length": str(65 << 20)})
    streamed = admin.post("/v1/objects", content=pieces())
    other = admin.post("/v1/objects", content=LARGE, headers={"Content-Digest": content_digest(bytes(32))})

    assert [one.json()["code"] for one in (announced, streamed, other)] == ["too_large", "too_large", "invalid_input"]
    assert files(tmp_path / "objects") == []


def test_an_object_is_deleted_unless_a_task_holds_it(admin: TestClient, tmp_path: Path) -> None:
    free, held = (admin.post("/v1/objects", content=LARGE).json()["id"] for _ in range(2))
    admin.post("/v1/runs", json={"type": "a.b", "input": [{"$object": held}]})

    assert admin.delete(f"/v1/objects/{held}").json()["code"] == "conflict"
    assert admin.delete(f"/v1/objects/{free}").status_code == 204
    assert admin.get(f"/v1/objects/{free}").status_code == 404
    assert len(files(tmp_path / "objects")) == 1


def test_objects_of_another_org_are_not_there(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    ours, theirs = make_headers("*"), make_headers("*", org_id=call(db, "create_org", slug="other"))
    id = api.post("/v1/objects", content=SMALL, headers=ours).json()["id"]

    asked = [api.request(method, f"/v1/objects/{id}", headers=theirs) for method in ("GET", "HEAD", "DELETE")]

    assert [one.status_code for one in asked] == [404, 404, 404]


def test_an_id_that_another_org_uses_is_free(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    ours, theirs = make_headers("*"), make_headers("*", org_id=call(db, "create_org", slug="other"))
    id = api.post("/v1/objects?at=node-1&hard=true", content=SMALL, headers=ours).json()["id"]

    stored = api.put(f"/v1/objects/{id}?at=node-2", content=b"theirs", headers=theirs)

    assert (stored.status_code, stored.json()["addresses"]) == (201, ["node-2"])
    assert api.get(f"/v1/objects/{id}", headers=ours).content == SMALL
    assert api.get("/v1/objects", headers=ours).json()["items"][0]["addresses"] == ["node-1"]
    assert api.delete(f"/v1/objects/{id}", headers=theirs).status_code == 204
    assert api.get(f"/v1/objects/{id}", headers=ours).content == SMALL


def test_an_object_whose_file_is_elsewhere_is_not_available(admin: TestClient, db: psycopg.Connection) -> None:
    id = call(db, "put_object", org_id=DEFAULT_ORG, type="bytes", uri="file:///etc/hostname", size=5)

    missing = admin.get(f"/v1/objects/{id}")

    assert (missing.status_code, missing.json()["code"]) == (503, "unavailable")
    assert "hostname" not in missing.text


@pytest.mark.parametrize("metadata", ["[1]", "{", '{"a": NaN}'])
def test_metadata_that_is_no_object_is_refused(admin: TestClient, metadata: str) -> None:
    assert admin.post("/v1/objects", params={"metadata": metadata}, content=b"x").status_code == 422
