"""The bytes of deleted data objects, while their store does not respond."""

import asyncio
from uuid import UUID

import pytest

from tenuto.dispatcher.object_files import delete_collected
from tenuto.model.run_data import CollectedObject
from tenuto.storage import open_store
from tenuto.storage.base import StorageUnavailable
from tests.support.database.tasks import DEFAULT_ORG


def test_objects_wait_until_the_store_responds(s3_url: str, monkeypatch: pytest.MonkeyPatch):
    store = open_store(s3_url)
    uris = [store.put("data/1", b"x"), "s3://elsewhere/x", None, store.put("data/2", b"x")]
    collected = [CollectedObject(UUID(int=number), DEFAULT_ORG, uri) for number, uri in enumerate(uris)]
    with monkeypatch.context() as away:
        away.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        with pytest.raises(StorageUnavailable):
            asyncio.run(delete_collected(open_store(s3_url, retry_seconds=0.1), collected))
    assert len(collected) == 4

    asyncio.run(delete_collected(store, collected))

    assert (collected, store.list("data/")) == ([], [])
