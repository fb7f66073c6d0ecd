"""A worker with sandboxes for a whole file of probes."""

import os
from collections.abc import Iterator

import pytest

from tests.support.postgres.server import fresh_database
from tests.support.sandbox.availability import require_full_sandbox
from tests.support.sandbox.worker import SandboxWorker, start_sandbox_worker


@pytest.fixture(scope="module", autouse=True)
def built(request: pytest.FixtureRequest) -> None:
    """Files about sandboxes are about full ones, and what becomes of them when something is taken away."""
    if "test_sandbox" in request.module.__name__:
        require_full_sandbox()


@pytest.fixture(scope="module")
def sandbox(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[SandboxWorker]:
    name = f"sandbox_{os.getpid()}_{request.module.__name__.rpartition('.')[2]}"
    with (
        fresh_database(server, name, template) as url,
        start_sandbox_worker(url, tmp_path_factory.mktemp("sandbox")) as worker,
    ):
        yield worker
