"""An org's settings are replaced, and only by settings that something reads."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, NotFound, TooLarge
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def settings(db: Db) -> object:
    row = db.execute("select settings from tenuto.orgs where id = %s", [DEFAULT_ORG]).fetchone()
    assert row
    return row[0]


@pytest.mark.parametrize("days", [1, 14.5, 3650])
def test_retention_is_kept_as_it_was_set(db: Db, days: float) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"retention_days": days})

    assert settings(db) == {"retention_days": days}


def test_settings_are_replaced_as_a_whole(db: Db) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"retention_days": 3})

    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={})

    assert settings(db) == {}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"retention_days": 3, "colour": "red"}, "colour"),
        ({"max_object_bytes": -1}, "max_object_bytes is -1"),
        ({"max_object_bytes": 1.5}, "max_object_bytes is 1.5"),
        ({"max_object_bytes": "3"}, "max_object_bytes"),
        ({"retention_days": 0}, "retention_days is 0"),
        ({"retention_days": 3651}, "retention_days is 3651"),
        ({"retention_days": -1}, "retention_days is -1"),
        ({"retention_days": "3"}, "retention_days"),
        ({"retention_days": None}, "retention_days"),
        ({"effect_retention_hours": 0.5}, "effect_retention_hours is 0.5, not a number from 1 to 87600"),
        ({"object_retention_hours": True}, "object_retention_hours is true, not a number from 1 to 87600"),
        ({"max_schedules": 10001}, "max_schedules is 10001, not a whole number from 0 to 10000"),
        ({"max_object_bytes": 1e16}, "not a whole number from 0 to 10.15"),
        ([], "not a JSON object"),
        (None, "not a JSON object"),
    ],
)
def test_wrong_settings_are_named_and_leave_the_old_ones(db: Db, wrong: object, named: str) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"retention_days": 3})

    with pytest.raises(InvalidInput, match=named):
        call(db, "set_org_settings", org_id=DEFAULT_ORG, settings=Jsonb(wrong))

    assert settings(db) == {"retention_days": 3}


def test_an_unknown_org_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound, match="no org"):
        call(db, "set_org_settings", org_id=uuid4(), settings={})


def test_a_data_object_larger_than_the_org_allows_is_refused(db: Db) -> None:
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings={"max_object_bytes": 3})

    assert call(db, "put_object", org_id=DEFAULT_ORG, type="bytes", payload=b"123")
    for wrong in ({"payload": b"1234"}, {"uri": "file:///x", "size": 4}):
        with pytest.raises(TooLarge, match="4 bytes is larger than the maximum of the org, 3 bytes"):
            call(db, "put_object", org_id=DEFAULT_ORG, type="bytes", **wrong)
