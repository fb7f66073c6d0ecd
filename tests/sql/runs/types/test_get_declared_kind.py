"""What workers declared of one type."""

from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def test_a_type_is_as_its_workers_declared_it_in_their_org(db: Db) -> None:
    call(db, "declare_types", **a_worker(db, "w").fence, types={"a.b": {"kind": {"queue": "mail"}}})

    assert call(db, "get_declared_kind", org_id=DEFAULT_ORG, type="a.b") == {"queue": "mail"}
    assert call(db, "get_declared_kind", org_id=DEFAULT_ORG, type="a.c") is None
    assert call(db, "get_declared_kind", org_id=an_org(db, "other"), type="a.b") is None
