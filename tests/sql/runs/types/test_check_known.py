"""Types and queues that a checked start refuses."""

import psycopg
import pytest

from tenuto.model.errors import NotFound
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start


def check(db: psycopg.Connection, *types: str, queues: list[str] | None = None, org_id: object = DEFAULT_ORG) -> None:
    call(db, "check_known", org_id=org_id, types=list(types), queues=queues or [])


def test_a_type_is_known_once_a_worker_said_that_it_serves_it(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said"]})
    call(db, "declare_types", **a_worker(db, "second").fence, types={"shop.declared": {}})

    check(db, "shop.said", "shop.declared")
    with pytest.raises(NotFound, match=r"no worker has ever served a\.x"):
        check(db, "b.x", "shop.said", "a.x")


def test_a_mistyped_type_is_refused_with_the_type_that_was_meant(db: psycopg.Connection) -> None:
    call(db, "declare_types", **a_worker(db).fence, types={f"mail.send_{no}": {} for no in range(300)})
    call(db, "declare_types", **a_worker(db, "second").fence, types={"shop.send": {}, "tenuto.python.shop.sned": {}})

    with pytest.raises(NotFound) as refused:
        check(db, "shop.sned")
    assert refused.value.hint == (
        "did you mean shop.send? If not, start its worker first, or start it anyway (--anyway; over HTTP, without"
        " strict)"
    )
    with pytest.raises(NotFound) as refused:
        check(db, "photos.resize")
    five = ", ".join(f"mail.send_{no}" for no in (0, 1, 10, 100, 101))
    assert (refused.value.hint or "").startswith(f"the types are {five}, …; start its worker first, or start it anyway")


def test_that_something_was_started_of_a_type_does_not_make_it_known(db: psycopg.Connection) -> None:
    start(db, kind={"type": "shop.sned"})

    with pytest.raises(NotFound):
        check(db, "shop.sned")


def test_what_another_org_knows_is_unknown_here(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said"]})
    other = call(db, "create_org", slug="other")

    with pytest.raises(NotFound):
        check(db, "shop.said", org_id=other)


def test_a_queue_that_nobody_named_is_refused_with_the_queue_that_was_meant(db: psycopg.Connection) -> None:
    start(db, kind={"type": "shop.send", "queue": "reports"})

    check(db, queues=["default", "reports"])
    with pytest.raises(NotFound, match="no queue 'report'") as refused:
        check(db, queues=["report"])
    assert (refused.value.hint or "").startswith("did you mean reports? or start its worker first")
