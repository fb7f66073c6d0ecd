"""A bundle runs in the sandbox of a worker that has neither its code nor a way to the database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.attempts import start_tasks, wait_for
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.bundles import a_bundle, a_manifest, hash_of
from tests.support.processes.remote_workers import RemoteFleet, a_remote_fleet, make_worker_key

CODE = {"numbers_.py": b"async def double(ctx, x):\n    return await ctx.step('double', lambda: 2 * x)\n"}


@pytest.fixture
def remote(db: Db, database: str, tmp_path: Path) -> Iterator[RemoteFleet]:
    with a_remote_fleet(database, tmp_path, make_worker_key(db)) as fleet:
        yield fleet


def test_a_bundle_is_fetched_over_http_and_its_code_asks_over_http(db: Db, remote: RemoteFleet) -> None:
    said = {"name": "images", "tasks": {"double": "numbers_:double"}}
    bundle = a_bundle(CODE, **said)
    whose = {"org_id": DEFAULT_ORG, "sha256": hash_of(bundle)}
    with db.transaction():
        call(db, "put_bundle", **whose, manifest=a_manifest(CODE, **said), size=len(bundle), created_by="ann")
        call(db, "put_bundle_part", **whose, no=0, data=bundle)
    remote.start("plain", "--bundles", "--weak-sandbox")
    start_tasks(db, "images.double", [21])
    wait_for(db, 1)

    assert value(db, "select output from tenuto.task_attempts where end_no = 0") == 42
    assert value(db, "select value from tenuto.task_steps") == 42
