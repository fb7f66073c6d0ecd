"""Data objects on S3: what clients, servers and workers do with them on a folder, they do there, too."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tenuto import App
from tenuto.storage import open_store
from tenuto.testing.isolation import isolated_client
from tests.sdk import test_objects as journeys
from tests.support.http.loopback import Loopback, loopback
from tests.support.http.transports import isolated_over_http


@pytest.fixture(scope="module")
def http_server() -> Iterator[Loopback]:
    with loopback() as running:
        yield running


@pytest.mark.parametrize("transport", ["direct", "http"])
@pytest.mark.parametrize(
    "steps",
    [
        journeys.test_small_and_large_objects_come_back_as_they_were,
        journeys.test_objects_flow_from_task_to_task,
        journeys.test_outputs_too_large_for_a_row_flow_from_task_to_task,
    ],
)
def test_objects_on_s3(steps: Any, transport: str, database: str, s3_url: str, http_server: Loopback):
    store = open_store(s3_url, retry_seconds=5)

    def journey(app: App, walk: Any) -> Any:
        async def all_of_it() -> Any:
            opened = (
                isolated_client(app, database, store)
                if transport == "direct"
                else isolated_over_http(app, database, http_server, store)
            )
            async with opened as tn:
                return await walk(tn)

        return asyncio.run(all_of_it())

    steps(journey)

    assert len(store.list("data/")) >= 1
