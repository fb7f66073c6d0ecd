"""Two dispatchers, one schedule: each time fires once."""

from tests.support.database.attempts import ended
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

BEHIND = (
    "update tenuto.schedules set next_at = date_trunc('minute', next_at) - interval '300 minutes' returning next_at"
)
DUE = (
    "select count(*) from generate_series(%s::timestamptz, (select last_at from tenuto.schedules), interval '1 minute')"
)


def test_two_dispatchers_fire_each_time_once(db: Db, fleet: Fleet):
    for _ in range(2):
        fleet.start("cron")
    first = value(db, BEHIND)
    wait_until(lambda: value(db, "select next_at > tenuto.now() from tenuto.schedules"))
    call(db, "pause_schedule", org_id=DEFAULT_ORG, name="cron.tick")  # the next minute does not come in between
    wait_until(lambda: ended(db) == value(db, "select count(*) from tenuto.tasks"))

    assert value(db, DUE, first) >= 300
    assert len(fleet.effects()) == value(db, "select count(*) from tenuto.tasks") == value(db, DUE, first)
