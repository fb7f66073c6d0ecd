"""Durations and rates as people write them."""

from datetime import timedelta
from typing import Any

import pytest

from tenuto.model.durations import rate, seconds
from tenuto.model.errors import InvalidInput


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("3d", 259_200),
        ("2w", 1_209_600),
        ("500ms", 0.5),
        ("1.5h", 5400),
        (90, 90),
        (0.25, 0.25),
        (0, 0),
        (timedelta(minutes=2), 120),
    ],
)
def test_a_duration_is_a_number_of_seconds(written, meant):
    assert seconds(written) == meant


@pytest.mark.parametrize(
    "written", ["", "5", "5 minutes", "m", "1h-30m", "s5", True, None, [], float("nan"), float("inf"), "1e3s"]
)
def test_what_is_not_a_duration_is_refused_with_how_to_write_one(written: Any):
    with pytest.raises(InvalidInput, match=r"the delay is .*, not a duration|more than ten years"):
        seconds(written, "the delay")


def test_a_text_without_a_unit_is_answered_with_the_unit():
    with pytest.raises(InvalidInput, match=r'--lease is .1., not a duration: it has no unit; write "1s"'):
        seconds("1", "--lease")


def test_a_duration_is_not_negative_and_where_it_must_be_positive_not_zero():
    with pytest.raises(InvalidInput, match="the delay is '-5s'; it must be 0 or more"):
        seconds("-5s", "the delay")
    with pytest.raises(InvalidInput, match="the timeout is 0; it must be more than 0"):
        seconds(0, "the timeout", positive=True)


@pytest.mark.parametrize("written", ["4000d", 10**30, timedelta(days=4000)])
def test_a_duration_is_at_most_ten_years(written):
    with pytest.raises(InvalidInput, match="more than ten years"):
        seconds(written)


def test_a_rate_is_so_many_in_so_many_seconds():
    assert rate("100/m") == (100, 60.0)
    assert rate(" 5 / s ") == (5, 1.0)


@pytest.mark.parametrize("written", ["0/m", "-1/m", "100", "100/min", "1.5/s", "9999999/s", 100, None])
def test_what_is_not_a_rate_is_refused_with_how_to_write_one(written: Any):
    with pytest.raises(InvalidInput, match=r'not a rate; write "100/m"'):
        rate(written)
