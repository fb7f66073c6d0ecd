"""GET /internal/bundles…: remote workers fetch the code of their org's bundles, and of no other's."""

from hashlib import sha256

import psycopg
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.worker_requests import worker_headers

CONTENT = b"zip of images"
HASH = sha256(CONTENT).hexdigest()
MANIFEST = {"name": "images", "tasks": {"double": "code:double", "half": "code:half"}}


def put(db: psycopg.Connection) -> None:
    whose = {"org_id": DEFAULT_ORG, "sha256": HASH}
    with db.transaction():
        call(db, "put_bundle", **whose, manifest=MANIFEST, size=len(CONTENT), created_by="ann")
        call(db, "put_bundle_part", **whose, no=0, data=CONTENT)


def test_a_worker_learns_the_types_where_they_begin_and_the_bytes(api: TestClient, db: psycopg.Connection) -> None:
    put(db)
    headers = worker_headers(db)
    types = ["images.double", "images.half"]

    assert sorted(api.get("/internal/bundles", headers=headers).json()["types"]) == types
    entry = api.get("/internal/bundles/entry", headers=headers, params={"type": "images.half"}).json()
    assert {**entry, "types": sorted(entry["types"])} == {
        "sha256": HASH,
        "name": "images",
        "entry": "code:half",
        "types": types,
    }
    assert api.get(f"/internal/bundles/{HASH}/0", headers=headers).content == CONTENT
    assert api.get(f"/internal/bundles/{HASH}/1", headers=headers).status_code == 404


def test_another_orgs_bundles_are_not_there(api: TestClient, db: psycopg.Connection) -> None:
    put(db)
    headers = worker_headers(db, org_id=call(db, "create_org", slug="other"))

    assert api.get("/internal/bundles", headers=headers).json() == {"types": []}
    assert api.get("/internal/bundles/entry", headers=headers, params={"type": "images.half"}).status_code == 404
    assert api.get(f"/internal/bundles/{HASH}/0", headers=headers).status_code == 404
