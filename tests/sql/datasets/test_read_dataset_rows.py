"""Committed rows of datasets that are stored in Postgres, for queries."""

from uuid import uuid4

import pytest

from tenuto.model.errors import NotFound
from tenuto.storage.base import Store
from tenuto.storage.folder import FolderStore
from tests.support.database.published import deploy_orders
from tests.support.database.tasks import DEFAULT_ORG, Db, call

ORDERS = [(1, "eu", "10.50"), (2, "us", "20.00")]


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return FolderStore(tmp_path_factory.mktemp("objects"))


def test_committed_rows_are_read_by_page(db: Db, store: Store) -> None:
    deploy_orders(db, store, ORDERS, storage="postgres")
    (pinned,) = call(db, "pin_datasets", org_id=DEFAULT_ORG, names=["orders"], every=True)
    place = {"version_id": pinned["version_id"], "location": pinned["locations"][0]}

    (found,) = call(db, "read_dataset_rows", org_id=DEFAULT_ORG, page=0, **place)
    assert (found["rows"], found["pages"]) == ([["1", "eu", "10.50"], ["2", "us", "20.00"]], 1)
    (after,) = call(db, "read_dataset_rows", org_id=DEFAULT_ORG, page=1, **place)
    assert after["rows"] == []
    with pytest.raises(NotFound):
        call(db, "read_dataset_rows", org_id=call(db, "create_org", slug="other"), page=0, **place)
    with pytest.raises(NotFound):
        call(db, "read_dataset_rows", org_id=DEFAULT_ORG, page=0, version_id=uuid4(), location=place["location"])


def test_rows_of_files_are_not_in_postgres(db: Db, store: Store) -> None:
    deploy_orders(db, store, ORDERS)
    (pinned,) = call(db, "pin_datasets", org_id=DEFAULT_ORG, names=["orders"], every=True)
    place = {"version_id": pinned["version_id"], "location": pinned["locations"][0]}

    with pytest.raises(NotFound, match="is not in Postgres"):
        call(db, "read_dataset_rows", org_id=DEFAULT_ORG, page=0, **place)
