"""Shares of an org's capacity."""

from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one


def set_group(db: Db, **values: object) -> object:
    return call(db, "set_resource_group", **{"org_id": DEFAULT_ORG, "external_id": "batch", **values})


def group(db: Db, name: str = "batch") -> tuple[int, int | None]:
    row = db.execute("select weight, quota from tenuto.resource_groups where external_id = %s", [name]).fetchone()
    assert row
    return row


def test_a_new_group_has_weight_one_and_no_quota(db: Db) -> None:
    set_group(db)

    assert group(db) == (1, None)


def test_a_group_is_changed_under_the_same_name_and_keeps_its_id(db: Db) -> None:
    first = set_group(db, weight=2, quota=5)

    assert set_group(db, weight=3) == first
    assert group(db) == (3, None)


def test_work_of_a_group_shows_the_group(db: Db) -> None:
    set_group(db)

    run_id = start_one(db, group="batch")

    row = db.execute("select resource_group from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row == ("batch",)


def test_a_lowered_quota_holds_from_the_next_claim(db: Db) -> None:
    set_group(db, quota=3)
    start(db, *range(5), group="batch")
    worker = a_worker(db)
    held = worker.claim(2)

    set_group(db, quota=1)

    assert worker.claim(5) == []
    worker.complete(*held)
    assert len(worker.claim(5)) == 1


def test_two_orgs_have_groups_of_the_same_name(db: Db) -> None:
    other = call(db, "create_org", slug="other")

    assert set_group(db, weight=2) != set_group(db, org_id=other, weight=7)
    assert sorted(db.execute("select weight from tenuto.resource_groups where external_id = 'batch'")) == [(2,), (7,)]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"weight": 0}, "weight 0"),
        ({"weight": -3}, "weight -3"),
        ({"weight": 1001}, "weight 1001"),
        ({"quota": -1}, "quota -1"),
        ({"external_id": ""}, "external id"),
        ({"external_id": "g" * 257}, "external id"),
    ],
)
def test_wrong_values_are_named_and_nothing_is_made(db: Db, values: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        set_group(db, **values)

    assert db.execute("select count(*) from tenuto.resource_groups where external_id <> 'default'").fetchone() == (0,)


def test_a_group_of_an_org_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound):
        set_group(db, org_id=uuid4())
