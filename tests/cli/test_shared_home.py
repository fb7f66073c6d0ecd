"""Workers of two folders that share the database of the user."""

import asyncio
import logging

import pytest
from psycopg.types.json import Jsonb

from tenuto.cli.processes.shared_home import warn_of_other_folders
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker


@pytest.mark.parametrize(
    ("types", "warned"),
    [(["shop.pay"], True), (["tenuto.sql", "other.pay"], False), (["tenuto.python.shop.pay"], True)],
)
def test_only_types_of_apps_are_served_by_mistake(
    types: list[str], warned: bool, db: Db, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    own = ["tenuto.sql", "tenuto.python.shop.pay", "shop.pay"]
    a_worker(db, "one:1", metadata=Jsonb({"folder": "/one", "types": own}))
    a_worker(db, "two:1", metadata=Jsonb({"folder": "/two", "types": types}))

    with caplog.at_level(logging.WARNING):
        asyncio.run(warn_of_other_folders(database, None, DEFAULT_ORG, "one"))

    assert bool(caplog.messages) == warned
