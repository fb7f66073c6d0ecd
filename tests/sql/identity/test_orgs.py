"""Orgs and resource groups as lists, and changing an org in part."""

from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.loops import an_org
from tests.support.database.orgs import acting_for
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.postgres.server import connect_as


def test_orgs_are_listed_by_slug_a_page_at_a_time(db: Db) -> None:
    an_org(db, "beta", retention_days=3)
    an_org(db, "acme")

    page = call(db, "list_orgs", limit=2)
    rest = call(db, "list_orgs", after=page[-1]["slug"])

    assert [row["slug"] for row in page] == ["acme", "beta"]
    assert [row["slug"] for row in rest] == ["default"]
    assert page[1]["settings"] == {"retention_days": 3}


def test_a_request_sees_its_own_org_alone(db: Db, database: str) -> None:
    mine = an_org(db, "acme")

    with connect_as(database, "tenuto_api") as api, acting_for(api, mine):
        assert [row["id"] for row in call(api, "list_orgs")] == [mine]


def test_an_org_is_changed_in_part(db: Db) -> None:
    org = an_org(db, "acme", retention_days=3)

    call(db, "update_org", org_id=org, name="Acme Ltd")
    assert call(db, "list_orgs", limit=1)[0]["settings"] == {"retention_days": 3}
    call(db, "update_org", org_id=org, settings={"retention_days": 5})

    (row,) = call(db, "list_orgs", limit=1)
    assert (row["name"], row["settings"]) == ("Acme Ltd", {"retention_days": 5})


def test_wrong_changes_of_an_org_are_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="colour"):
        call(db, "update_org", org_id=DEFAULT_ORG, settings={"colour": "red"})
    with pytest.raises(InvalidInput, match="name of the org"):
        call(db, "update_org", org_id=DEFAULT_ORG, name="")
    with pytest.raises(NotFound, match="no org"):
        call(db, "update_org", org_id=uuid4(), name="x")


def test_groups_of_an_org_are_listed_by_their_external_id(db: Db) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="gold", weight=3, quota=9)
    call(db, "set_resource_group", org_id=an_org(db, "acme"), external_id="theirs")

    rows = call(db, "list_groups", org_id=DEFAULT_ORG)

    assert [(row["external_id"], row["weight"], row["quota"]) for row in rows] == [("default", 1, None), ("gold", 3, 9)]
    assert [row["external_id"] for row in call(db, "list_groups", org_id=DEFAULT_ORG, after="default")] == ["gold"]
