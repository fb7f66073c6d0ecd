"""Which heartbeats compare the held attempts with the database."""

from tenuto.worker.supervisor.comparison import Comparison


def compared(comparison: Comparison, settled: int, given_up: int, now: float) -> int | None:
    """What a heartbeat sends that is accepted."""
    sent = comparison.settled(settled, given_up, now)
    comparison.accepted(sent, now)
    return sent


def test_the_first_heartbeat_compares_and_then_one_per_minute():
    comparison = Comparison()
    sent = [compared(comparison, 5, 0, now) for now in (100.0, 120.0, 140.0, 160.0, 180.0)]
    assert sent == [5, None, None, 5, None]


def test_a_claim_that_was_given_up_is_compared_until_a_heartbeat_covers_it():
    comparison = Comparison()
    compared(comparison, 3, 0, 0.0)
    assert compared(comparison, 4, 6, 1.0) == 4  # claim 5 is still open, so claim 6 is not settled
    assert compared(comparison, 6, 6, 2.0) == 6
    assert compared(comparison, 7, 6, 3.0) is None


def test_a_heartbeat_that_was_not_accepted_does_not_count():
    comparison = Comparison()
    assert comparison.settled(0, 0, 0.0) == 0
    assert comparison.settled(0, 0, 1.0) == 0
    comparison.accepted(0, 1.0)
    assert comparison.settled(0, 0, 2.0) is None
