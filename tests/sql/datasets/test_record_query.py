"""Queries of direct clients are audited."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def test_a_query_is_recorded_with_its_shape(db: Db) -> None:
    id = uuid4()
    versions = Jsonb([{"dataset": "orders"}])
    call(db, "record_query", org_id=DEFAULT_ORG, query_id=id, action="run", shape="select ?", versions=versions)

    (entry,) = call(db, "list_audit", org_id=DEFAULT_ORG, entity="query")
    assert (entry["entity_id"], entry["action"]) == (str(id), "run")
    assert entry["changes"]["shape"]["new"] == "select ?"


def test_nothing_but_run_and_deny_is_recorded(db: Db) -> None:
    with pytest.raises(InvalidInput, match="cannot be recorded as drop"):
        call(db, "record_query", org_id=DEFAULT_ORG, query_id=uuid4(), action="drop", shape="")
