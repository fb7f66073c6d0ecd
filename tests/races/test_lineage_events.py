"""OpenLineage events of running attempts against the ends of these attempts: nothing follows the last event."""

from dataclasses import replace

import pytest

from tests.support.database.interleave import Play, Race
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.loops import value
from tests.support.database.outbox import finish, take
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call

QUEUED = """
select e.event ->> 'type'
from tenuto.outbox o
cross join lateral jsonb_array_elements(o.payload -> 'events') with ordinality e(event, no)
where o.kind = 'emit_lineage' and o.payload -> 'subject' ? 'task_id'
order by o.id, e.no
"""


def deliver(db: Db) -> None:
    """Deliver the events of a running attempt two minutes ago."""
    for id in take(db, kinds=("emit_lineage",)):
        db.execute("update tenuto.outbox set payload = jsonb_set(payload, '{events}', '[]') where id = %s", [id])
        finish(db, id)
    db.execute("update tenuto.outbox set processed_at = processed_at - interval '2 minutes'")


def emit(db: Db) -> object:
    db.execute("set role tenuto_dispatcher")
    return call(db, "emit_running")


def end(worker: Worker, claim: Claim, last: str) -> None:
    if last == "COMPLETE":
        publish(worker, claim, "mon")
    elif last == "ABORT":  # the attempt was handed back
        worker.interrupt(claim)
    else:
        worker.fail(claim)


def cancel(db: Db) -> None:
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=value(db, "select id from tenuto.runs"))


def queued(race: Race) -> tuple[str, ...]:
    return tuple(row[0] for row in race.db.execute(QUEUED).fetchall())


@pytest.mark.parametrize("last", ["COMPLETE", "FAIL", "ABORT"])
@pytest.mark.parametrize("started", [True, False])
def test_running_never_follows_the_end(race: Race, last: str, started: bool) -> None:
    def scene(play: Play) -> tuple[str, ...]:
        call(race.db, "put_destination", org_id=DEFAULT_ORG, name="m", url="file:m", secret=b"x", openlineage=True)
        deployed(race.db)
        trigger(race.db)
        worker = a_worker(race.db)
        claim = worker.claim_one()
        if started:  # and RUNNING is due
            call(race.db, "emit_running")
            deliver(race.db)
        play.run(emit, lambda db: end(replace(worker, db=db), claim, last))
        call(race.db, "emit_running")
        return queued(race)

    assert set(race.every_order(scene)) == {(last,) if started else ("START", last)}


def test_a_run_that_is_cancelled_while_its_attempt_starts_ends_with_abort(race: Race) -> None:
    """The claim, the cancel and the look at running attempts in every order; then the worker reports the end."""

    def scene(play: Play) -> tuple[str, ...]:
        call(race.db, "put_destination", org_id=DEFAULT_ORG, name="m", url="file:m", secret=b"x", openlineage=True)
        deployed(race.db)
        trigger(race.db)
        worker = a_worker(race.db)
        claims, _, _ = play.run(lambda db: replace(worker, db=db).claim(), cancel, emit)
        call(race.db, "sweep_cancelled")
        call(race.db, "emit_running")
        worker.fail(*claims)
        call(race.db, "emit_running")
        assert bool(claims) == (queued(race) != ())
        return queued(race)

    assert set(race.every_order(scene, 1, 1, 1)) == {(), ("START", "ABORT")}


@pytest.mark.parametrize("started", [True, False])
def test_a_cancelled_attempt_that_is_reported_while_events_are_written_ends_once(race: Race, started: bool) -> None:
    def scene(play: Play) -> tuple[str, ...]:
        call(race.db, "put_destination", org_id=DEFAULT_ORG, name="m", url="file:m", secret=b"x", openlineage=True)
        deployed(race.db)
        trigger(race.db)
        worker = a_worker(race.db)
        claim = worker.claim_one()
        if started:  # and RUNNING is due
            call(race.db, "emit_running")
            deliver(race.db)
        cancel(race.db)
        play.run(emit, lambda db: replace(worker, db=db).fail(claim))
        call(race.db, "emit_running")
        return queued(race)

    assert set(race.every_order(scene)) == {("ABORT",) if started else ("START", "ABORT")}
