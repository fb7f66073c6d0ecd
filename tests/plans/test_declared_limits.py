"""Declarations of workers, beside very many limits of their org."""

import psycopg
from psycopg.types.json import Jsonb

from tests.plans.plans import explained
from tests.support.database.limits import insert_limit
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call

MANY = """
insert into tenuto.limits (id, org_id, scope, key, size)
select tenuto._limit_id(o.id, 'key', k.key), o.id, 'key', k.key, 5
from (values (%s::uuid)) o(id), (select 'u' || i as key from generate_series(1, 20000) i) k
"""
TYPES = {
    f"a.t{number}": {
        "limits": [
            {"scope": "key", "key": f"a.t{number}:user=", "parameter": "user", "position": 0, "size": 5},
            {"scope": "key", "key": f"a.t{number}", "size": 5},
        ]
    }
    for number in range(200)
}


def test_a_declaration_looks_up_the_limits_that_it_names(db: psycopg.Connection) -> None:
    worker = a_worker(db)
    db.execute(MANY, [DEFAULT_ORG])
    insert_limit(db, DEFAULT_ORG, "a.t7:user=ada", size=1)
    call(db, "declare_types", **worker.fence, types=Jsonb(TYPES))

    with explained(db) as plans:
        call(db, "declare_types", **worker.fence, types=Jsonb(TYPES))

    assert plans.read("limits") < 50
    assert not plans.scans_of_all("limits", "declared_limits")
    assert db.execute("select size from tenuto.limits where key = 'a.t7:user=ada'").fetchone() == (5,)
