"""Alerts without the causes that a rule would find."""

from uuid import UUID

from tests.support.database.tasks import DEFAULT_ORG, Db, call


def a_firing_alert(db: Db, org: UUID = DEFAULT_ORG) -> UUID:
    """An alert of the rule `dead`, which is made too if there is none."""
    call(db, "put_alert_rule", org_id=org, name="dead", kind="dead_effects")
    row = db.execute(
        "insert into tenuto.alerts (id, org_id, rule, key, status, summary, details, first_at, last_at)"
        " values (tenuto._uuid7(), %s, 'dead', 'k', 'firing', 's', '{}', now(), now()) returning id",
        [org],
    ).fetchone()
    assert row
    return row[0]
