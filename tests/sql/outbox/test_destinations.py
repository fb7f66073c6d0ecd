"""Destinations: declared, changed and deleted per org; their secrets are read by dispatchers only."""

from typing import Any

import psycopg
import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.loops import an_org
from tests.support.database.orgs import acting_for
from tests.support.database.outbox import a_destination
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.postgres.server import connect_as


def test_a_destination_keeps_its_secret_when_its_url_changes(db: Db) -> None:
    assert a_destination(db, url="https://one.example/hook", secret=b"one")
    assert not a_destination(db, url="https://two.example/hook", secret=b"two")

    (row,) = call(db, "get_destination", org_id=DEFAULT_ORG, name="crm")
    assert (row["url"], bytes(row["secret"])) == ("https://two.example/hook", b"one")
    call(db, "rotate_destination", org_id=DEFAULT_ORG, name="crm", secret=b"three")
    (row,) = call(db, "get_destination", org_id=DEFAULT_ORG, name="crm")
    assert bytes(row["secret"]) == b"three"
    (listed,) = call(db, "list_destinations", org_id=DEFAULT_ORG)
    assert set(listed) == {"name", "url", "openlineage", "created_at", "updated_at"}


def test_an_unknown_destination_is_not_found(db: Db) -> None:
    a_destination(db, org_id=an_org(db, "other"))

    for function in ("get_destination", "delete_destination"):
        with pytest.raises(NotFound):
            call(db, function, org_id=DEFAULT_ORG, name="crm")
    with pytest.raises(NotFound):
        call(db, "rotate_destination", org_id=DEFAULT_ORG, name="crm", secret=b"x")
    assert call(db, "list_destinations", org_id=DEFAULT_ORG) == []


@pytest.mark.parametrize(
    "wrong",
    [{"name": ""}, {"name": "x" * 257}, {"url": "ftp://x"}, {"url": "https://"}, {"url": f"https://{'x' * 2048}"}],
)
def test_a_wrong_destination_is_refused(db: Db, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        a_destination(db, **wrong)


def test_a_deleted_destination_is_gone(db: Db) -> None:
    a_destination(db)

    call(db, "delete_destination", org_id=DEFAULT_ORG, name="crm")

    assert call(db, "list_destinations", org_id=DEFAULT_ORG) == []


def test_only_dispatchers_read_secrets(db: Db, database: str) -> None:
    a_destination(db)
    with connect_as(database, "tenuto_dispatcher") as conn:
        assert call(conn, "get_destination", org_id=DEFAULT_ORG, name="crm")
    for role in ("tenuto_api", "tenuto_worker", "tenuto_readonly", "tenuto_client"):
        with connect_as(database, role) as conn:
            acting_for(conn, DEFAULT_ORG)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("select secret from tenuto.destinations")
