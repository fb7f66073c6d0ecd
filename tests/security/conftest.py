"""A worker with sandboxes for a whole file of probes."""

import os
from collections.abc import Iterator

import pytest

from tests.support.full_sandbox import require_full_sandbox
from tests.support.prison import Prison, open_prison
from tests.support.server import fresh_database


@pytest.fixture(scope="module", autouse=True)
def built(request: pytest.FixtureRequest) -> None:
    """Files about sandboxes are about full ones, and what becomes of them when something is taken away."""
    if "test_sandbox" in request.module.__name__:
        require_full_sandbox()


@pytest.fixture(scope="module")
def prison(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Prison]:
    name = f"prison_{os.getpid()}_{request.module.__name__.rpartition('.')[2]}"
    with fresh_database(server, name, template) as url, open_prison(url, tmp_path_factory.mktemp("prison")) as opened:
        yield opened
