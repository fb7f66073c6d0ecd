"""What a heartbeat says: safe at whatever moment it is asked."""

from tenuto.worker.process.held_attempts import HeldAttempts


def test_what_was_claimed_is_listed_until_its_report_is_answered():
    held = HeldAttempts()
    first = held.open_claim()
    held.settle_claim(first, [("a", 1), ("b", 2)])
    assert held.snapshot().ids == ["a", "b"]
    assert held.snapshot().attempts == [1, 2]
    held.release([("a", 1)])
    assert held.snapshot().ids == ["b"]


def test_a_claim_on_its_way_is_not_settled():
    held = HeldAttempts()
    first, second = held.open_claim(), held.open_claim()
    held.settle_claim(second, [("b", 1)])
    assert held.snapshot().settled == first - 1
    held.settle_claim(first, [("a", 1)])
    assert held.snapshot().settled == second


def test_a_claim_that_was_given_up_is_settled_with_nothing():
    held = HeldAttempts()
    claim = held.open_claim()
    held.give_up_claim(claim)
    assert (held.snapshot().settled, held.snapshot().ids) == (claim, [])


def test_attempts_may_be_unlisted_after_a_claim_that_was_given_up_or_an_attempt_that_was_dropped():
    held = HeldAttempts()
    first = held.open_claim()
    held.settle_claim(first, [("a", 1), ("b", 1)])
    held.release([("a", 1)])
    assert held.snapshot().given_up == 0

    held.drop(("b", 1))
    assert (held.snapshot().given_up, held.snapshot().ids) == (first, [])

    second, third = held.open_claim(), held.open_claim()
    held.give_up_claim(third)
    held.give_up_claim(second)
    assert held.snapshot().given_up == third


def test_a_task_that_comes_back_is_listed_with_its_new_attempt():
    held = HeldAttempts()
    claim = held.open_claim()
    held.settle_claim(claim, [("a", 2)], reported=[("a", 1)])
    assert held.snapshot().attempts == [2]


def test_a_late_answer_for_an_old_attempt_does_not_release_the_new_one():
    held = HeldAttempts()
    held.settle_claim(held.open_claim(), [("a", 2)])
    held.release([("a", 1)])
    assert held.snapshot().ids == ["a"]
