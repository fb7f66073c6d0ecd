"""Parked rows of an org that has very many of them."""

import psycopg

from tests.plans.plans import explained
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, call

MANY = """
insert into tenuto.parked_rows (loop, key, org_id, error, failures, parked_at, retry_at)
select 'promote_due', 'a' || i, %s, 'boom', 1, now(), now() - interval '1 hour' from generate_series(1, 110000) i
"""
FEW = """
insert into tenuto.parked_rows (loop, key, org_id, error, failures, parked_at, retry_at)
values ('promote_due', 'b', %s, 'boom', 1, now(), now()), ('sign_heads', 'c', null, 'boom', 1, now(), now())
"""


def test_due_rows_of_each_org_are_taken_and_the_others_are_not_read(db: psycopg.Connection) -> None:
    db.execute(MANY, [DEFAULT_ORG])
    db.execute(FEW, [an_org(db, "other")])

    with explained(db) as plans:
        taken = call(db, "take_parked", loops=["promote_due", "sign_heads"], limit=10)

    keys = [row["key"] for row in taken]
    assert len(keys) == 10
    assert {"b", "c"} < set(keys)
    assert plans.read("parked_rows") < 100
