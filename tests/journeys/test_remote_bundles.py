"""A bundle runs in the sandbox of a worker that has neither its code nor a way to the database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.attempts import start_tasks, wait_for
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start
from tests.support.processes.bundles import a_bundle, a_manifest, hash_of
from tests.support.processes.remote_workers import RemoteFleet, a_remote_fleet, make_worker_key
from tests.support.waiting import wait_until

OTHER_STEPS = b"async def double(ctx, x):\n    await ctx.step(f'try {ctx.attempt}', lambda: x)\n    raise ValueError\n"
CODE = {"numbers_.py": b"async def double(ctx, x):\n    return await ctx.step('double', lambda: 2 * x)\n"}


@pytest.fixture
def remote(db: Db, database: str, tmp_path: Path) -> Iterator[RemoteFleet]:
    with a_remote_fleet(database, tmp_path, make_worker_key(db)) as fleet:
        yield fleet


def put_bundle(db: Db, code: dict[str, bytes]) -> str:
    said = {"name": "images", "tasks": {"double": "numbers_:double"}}
    bundle = a_bundle(code, **said)
    whose = {"org_id": DEFAULT_ORG, "sha256": hash_of(bundle)}
    with db.transaction():
        call(db, "put_bundle", **whose, manifest=a_manifest(code, **said), size=len(bundle), created_by="ann")
        call(db, "put_bundle_part", **whose, no=0, data=bundle)
    return whose["sha256"]


def test_a_bundle_is_fetched_over_http_and_its_code_asks_over_http(db: Db, remote: RemoteFleet) -> None:
    put_bundle(db, CODE)
    remote.start("plain", "--bundles", "--weak-sandbox")
    start_tasks(db, "images.double", [21])
    wait_for(db, 1)

    assert value(db, "select output from tenuto.task_attempts where end_no = 0") == 42
    assert value(db, "select value from tenuto.task_steps") == 42


def test_a_task_that_a_bundle_cannot_continue_is_booked_on_the_bundle_that_ran(db: Db, remote: RemoteFleet) -> None:
    ran = put_bundle(db, {"numbers_.py": OTHER_STEPS})
    put_bundle(db, CODE)  # the current one
    remote.start("plain", "--bundles", "--weak-sandbox")
    named = Jsonb([{"task": 0, "metadata": {"bundle": f"sha256:{ran}"}}])
    start(db, [21], kind={"type": "images.double", "backoff_seconds": 0}, details=named)
    blocked = "select blocked_versions from tenuto.routes where blocked_versions <> '{}'"
    wait_until(lambda: value(db, blocked) is not None)

    assert value(db, blocked) == [ran]
    assert value(db, "select metadata -> 'bundles' from tenuto.workers where metadata ? 'code_version'") is True
