"""Pauses between attempts."""

import pytest

from tenuto.model.backoff import Backoff, jitter


def test_pauses_double_up_to_the_longest_and_begin_again_after_a_success() -> None:
    backoff = Backoff(0.3, first=0.1)

    pauses = [backoff.after(OSError()) for _ in range(5)]
    backoff.reset()

    for pause, middle in zip([*pauses, backoff.after(OSError())], [0.1, 0.2, 0.3, 0.3, 0.3, 0.1], strict=True):
        assert 0.5 * middle <= pause <= 1.5 * middle


def test_a_problem_that_names_its_pause_decides_and_does_not_let_pauses_grow() -> None:
    class Later(Exception):
        retry_after = 7.0

    backoff = Backoff(60.0, first=0.1)
    for _ in range(5):
        backoff.after(OSError())

    assert backoff.after(Later()) == 7.0
    assert backoff.after(OSError()) <= 0.15


@pytest.mark.parametrize("spread", [0.0, 0.2, 0.5])
def test_random_times_stay_within_their_spread(spread: float) -> None:
    times = {jitter(10.0, spread) for _ in range(100)}

    assert all(10 * (1 - spread) <= time <= 10 * (1 + spread) for time in times)
    assert (len(times) == 1) == (spread == 0)
