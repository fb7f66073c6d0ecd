"""Keys of the installation: the newest signs, the others prove, a retired one does neither."""

import pytest

from tenuto.model.errors import Conflict, NotFound
from tests.support.clock import Clock
from tests.support.database.tasks import Db, call


def add(db: Db, id: str, **more: object) -> bool:
    return call(db, "add_signing_key", id=id, public_key={"kid": id}, private_key=b"encrypted", **more)


def signs(db: Db) -> str | None:
    found = call(db, "find_signing_key")
    return found[0]["id"] if found else None


def test_there_is_no_key_at_first(db: Db) -> None:
    assert (signs(db), call(db, "list_signing_keys")) == (None, [])


def test_the_newest_key_signs_and_the_older_ones_still_prove(db: Db, clock: Clock) -> None:
    assert add(db, "first")
    clock.advance(days=30)
    assert add(db, "second")

    (found,) = call(db, "find_signing_key")
    assert (found["id"], found["private_key"], found["public_key"]) == ("second", b"encrypted", {"kid": "second"})
    assert [row["id"] for row in call(db, "list_signing_keys")] == ["second", "first"]
    assert "private_key" not in call(db, "list_signing_keys")[0]


def test_no_key_is_added_while_there_is_a_young_one(db: Db, clock: Clock) -> None:
    add(db, "first")
    clock.advance(days=29)
    assert not add(db, "second", younger_than="30 days")

    clock.advance(days=1)

    assert add(db, "second", younger_than="30 days")
    assert signs(db) == "second"


def test_a_retired_key_signs_no_more_and_is_shown_as_such(db: Db, clock: Clock) -> None:
    add(db, "first")
    clock.advance(days=1)
    add(db, "second")
    retired = clock.now

    call(db, "retire_signing_key", id="second")
    clock.advance(days=1)
    call(db, "retire_signing_key", id="second")

    assert signs(db) == "first"
    assert [row["retired_at"] for row in call(db, "list_signing_keys")] == [retired, None]
    assert add(db, "third", younger_than="1 day")


def test_a_key_that_is_not_there_is_named_and_one_that_is_there_stays(db: Db) -> None:
    with pytest.raises(NotFound, match="no signing key 'x'"):
        call(db, "retire_signing_key", id="x")
    add(db, "first")
    with pytest.raises(Conflict):
        add(db, "first")
