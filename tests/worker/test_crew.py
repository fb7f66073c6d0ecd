"""Which trips a lane makes: worth it, never more than can start soon, never lost."""

from tenuto.worker.process.slots import (
    BATCH,
    MAX_AHEAD,
    POLL_SECONDS,
    REPORT_DELAY_SECONDS,
    Report,
    Slots,
    Waker,
)
from tests.support.clock import StoppedClock

BELL = Waker()


def crew(capacity: int = 10) -> tuple[Slots, StoppedClock]:
    clock = StoppedClock(100.0)
    return Slots(capacity, clock=clock), clock


def report(no: int) -> Report:
    return (f"task {no}", 1, None, f"task {no}")


def take(crew: Slots, came: int) -> None:
    """A lane goes and comes back with so many."""
    exchange = crew.next_exchange(BELL)
    assert exchange is not None
    crew.arrived(exchange, came)


def test_before_it_knows_how_long_tasks_take_it_claims_no_more_than_its_slots():
    c, _ = crew(10)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert exchange.want == 10


def test_long_tasks_are_not_claimed_ahead():
    c, _ = crew(10)
    take(c, 10)
    c.finish([report(1)], over=1, longest=2.0)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert (len(exchange.reports), exchange.want) == (1, 1)


def test_short_tasks_are_claimed_ahead_in_full_batches():
    c, _ = crew(10)
    take(c, 10)
    c.finish([report(no) for no in range(10)], over=10, longest=0.0001)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert exchange.want == BATCH


def test_it_never_holds_more_than_slots_and_what_is_ahead():
    c, _ = crew(10)
    take(c, 10)
    c.finish([], over=10, longest=0.000001)
    claimed = 0
    while c._worth_it(c._claim_limit(), c.clock()):
        exchange = c.next_exchange(BELL)
        assert exchange is not None
        c.arrived(exchange, exchange.want)
        claimed += exchange.want
    assert BATCH < claimed <= 10 + MAX_AHEAD


def test_one_long_task_ends_claiming_ahead_at_once():
    c, _ = crew(10)
    take(c, 10)
    c.finish([], over=9, longest=0.0001)
    c.finish([], over=1, longest=5.0)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert exchange.want == 10


def test_when_less_came_than_was_asked_for_it_waits_for_a_wake_up_or_the_next_poll():
    c, clock = crew(10)
    take(c, 3)
    assert c._claim_limit() == 0
    clock.now += POLL_SECONDS
    assert c.next_exchange(BELL) is not None


def test_a_wake_up_sends_a_lane_at_once():
    c, _ = crew(10)
    take(c, 0)
    c.wake()
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert exchange.want == 10


def test_whoever_reports_also_asks_for_what_the_report_may_have_released():
    c, _ = crew(10)
    take(c, 1)
    c.finish([report(1)], over=1, longest=0.01)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert exchange.want >= 10


def test_a_report_waits_a_moment_for_company_while_others_run():
    c, clock = crew(10)
    take(c, 2)
    c.finish([report(1)], over=1, longest=0.01)
    assert not c._worth_it(c._claim_limit(), clock())
    clock.now += REPORT_DELAY_SECONDS
    assert c._worth_it(c._claim_limit(), clock())


def test_the_last_report_does_not_wait():
    c, clock = crew(10)
    take(c, 1)
    c.finish([report(1)], over=1, longest=0.01)
    assert c._worth_it(c._claim_limit(), clock())


def test_reports_that_could_not_be_delivered_are_delivered_later():
    c, _ = crew(10)
    take(c, 1)
    c.finish([report(1)], over=1, longest=0.01)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    c.give_up(exchange)
    again = c.next_exchange(BELL)
    assert again is not None
    assert again.reports == [report(1)]
    assert again.want == exchange.want


def test_when_reports_pile_up_it_claims_less():
    c, _ = crew(10)
    take(c, 10)
    c.finish([report(no) for no in range(4 * BATCH)], over=10, longest=0.000001)
    assert c._claim_limit() < BATCH


def test_a_closed_crew_brings_out_its_reports_and_ends_its_lanes():
    c, _ = crew(10)
    take(c, 1)
    c.finish([report(1)], over=1, longest=0.01)
    c.close()
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    assert (exchange.reports, exchange.want) == ([report(1)], 0)
    c.arrived(exchange, 0)
    assert c.next_exchange(BELL) is None


def test_a_wake_up_that_comes_while_a_lane_is_out_is_not_lost():
    c, _ = crew(10)
    exchange = c.next_exchange(BELL)
    assert exchange is not None
    c.wake()
    c.arrived(exchange, 0)
    again = c.next_exchange(BELL)
    assert again is not None
    assert again.want == 10


def test_a_full_crew_waits_quietly():
    c, clock = crew(10)
    take(c, 10)
    clock.now += 2 * POLL_SECONDS
    assert c._claim_limit() == 0
    c.work_expected = True
    assert c._pause(clock()) == POLL_SECONDS
