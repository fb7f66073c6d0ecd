"""Deleting a data object that nothing holds."""

import psycopg
import pytest

from tenuto.model.errors import Conflict, NotFound
from tests.support.database.tasks import DEFAULT_ORG, call, start


def put(db: psycopg.Connection, **more: object) -> object:
    said = {"type": "bytes", **(more or {"payload": b"x"})}
    return call(db, "put_object", org_id=DEFAULT_ORG, **said)


def delete(db: psycopg.Connection, id: object, org_id: object = DEFAULT_ORG) -> object:
    return call(db, "delete_object", org_id=org_id, object_id=id)


def test_deleting_answers_what_the_caller_has_to_delete(db: psycopg.Connection) -> None:
    stored, inside = put(db, uri="file:///x"), put(db)

    assert (delete(db, stored), delete(db, inside)) == ("file:///x", None)
    with pytest.raises(NotFound, match="no data object"):
        delete(db, stored)


def test_an_object_of_another_org_is_not_there(db: psycopg.Connection) -> None:
    id = put(db)

    with pytest.raises(NotFound):
        delete(db, id, call(db, "create_org", slug="other"))


def test_an_object_that_is_held_stays_until_it_is_released(db: psycopg.Connection) -> None:
    id, (run,) = put(db), start(db)
    holder = {"org_id": DEFAULT_ORG, "object_id": id, "holder": "task", "holder_id": run}
    call(db, "reference_object", **holder)

    with pytest.raises(Conflict, match="is held by task"):
        delete(db, id)
    call(db, "release_object", **holder)
    assert delete(db, id) is None


def test_who_references_it_meanwhile_keeps_it(db: psycopg.Connection, database: str) -> None:
    id, (run,) = put(db), start(db)
    with psycopg.connect(database) as holder, psycopg.connect(database, autocommit=True) as other:
        call(holder, "reference_object", org_id=DEFAULT_ORG, object_id=id, holder="task", holder_id=run)
        other.execute("set lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            delete(other, id)
        holder.commit()
        other.execute("set lock_timeout = 0")
        with pytest.raises(Conflict):
            delete(other, id)
