"""Side effects, page by page."""

import pytest

from tenuto.db import monitoring
from tenuto.model.errors import InvalidInput, TooLarge
from tests.support.database.loops import an_org
from tests.support.database.outbox import publish, take
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.wrappers import call_wrapper


def test_effects_are_listed_newest_first_page_by_page(db: Db, database: str) -> None:
    ids = publish(db, {"n": 1}, {"n": 2}, {"n": 3})

    first = call_wrapper(database, monitoring.list_effects, org_id=DEFAULT_ORG, limit=2)
    rest = call_wrapper(database, monitoring.list_effects, org_id=DEFAULT_ORG, before=first[-1].id, limit=2)

    assert [effect.id for effect in first + rest] == ids[::-1]
    assert first[0].payload == {"n": 3}


def test_effects_are_picked_by_status_and_kind_within_the_org(db: Db, database: str) -> None:
    (taken,) = publish(db, {"n": 1})
    take(db)
    (waiting,) = publish(db, {"n": 2}, kind="emit_lineage")
    publish(db, {"n": 3}, org_id=an_org(db, "other"))

    def listed(**filters: str) -> list[int]:
        return [effect.id for effect in call_wrapper(database, monitoring.list_effects, org_id=DEFAULT_ORG, **filters)]

    assert listed() == [waiting, taken]
    assert listed(status="processing") == [taken]
    assert listed(kind="emit_lineage") == [waiting]
    assert listed(status="dead") == []


def test_a_status_that_never_is_and_a_page_too_long_are_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="'lost' is not a status"):
        call(db, "list_effects", org_id=DEFAULT_ORG, status="lost")
    with pytest.raises(InvalidInput, match="a page size of 1000"):
        call(db, "list_effects", org_id=DEFAULT_ORG, limit=1000)


def test_a_page_of_more_than_16_mb_is_refused_and_a_smaller_one_is_not(db: Db) -> None:
    for _ in range(19):
        publish(db, {"text": "x" * 900_000})

    with pytest.raises(TooLarge, match="more than 16 MB together; request a smaller page"):
        call(db, "list_effects", org_id=DEFAULT_ORG)
    assert len(call(db, "list_effects", org_id=DEFAULT_ORG, limit=18)) == 18
