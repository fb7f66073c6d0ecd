"""What a dispatcher outlives: its database going away, and objects that cannot be deleted."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db import embedded
from tenuto.storage import open_store
from tests.dispatcher.conftest import dispatching
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start_one
from tests.support.postgres.server import copy_home, make_folder
from tests.support.waiting import wait_until


@pytest.fixture
def home(migrated_home: Path) -> Iterator[Path]:
    folder = make_folder("tenuto-dispatcher-")
    copy_home(migrated_home, folder / "home")
    yield folder / "home"
    embedded.stop(folder / "home")
    shutil.rmtree(folder)


def test_when_the_server_comes_back_it_goes_on(home: Path):
    url = embedded.start(home).url
    with dispatching(url):
        with psycopg.connect(url, autocommit=True) as db:
            wait_until(lambda: count(db, "dispatchers") == 1)
            seen = beat(db)
        embedded.stop(home)
        embedded.start(home)
        with psycopg.connect(url, autocommit=True) as db:
            start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 0.01}]))
            wait_until(lambda: count(db, "ready_tasks") == 1)
            wait_until(lambda: beat(db) > seen)


def beat(db: Db) -> datetime:
    row = db.execute("select max(heartbeat) from tenuto.dispatchers").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_objects_nobody_references_go_with_what_their_uris_name(
    db: Db, database: str, tmp_path: Path, kind: str, request: pytest.FixtureRequest
):
    store = open_store(tmp_path.as_uri() if kind == "folder" else request.getfixturevalue("s3_url"))
    ours = [store.put(f"data/71/01a1df21-cfcf-7b02-b26d-41eb25a9047{number}", b"large") for number in range(2)]
    for uri in (ours[0], "file:///etc/passwd", "s3://bucket/elsewhere", f"{store.root}../x", ours[1]):
        call(db, "put_object", org_id=DEFAULT_ORG, type="bytes", uri=uri)
    db.execute("update tenuto.data_objects set created_at = tenuto.now() - interval '2 days'")

    with dispatching(database, store=store):
        wait_until(lambda: count(db, "data_objects") == 0)
        wait_until(lambda: store.list("data/") == [])
    assert Path("/etc/passwd").exists()
