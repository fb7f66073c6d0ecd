"""Cron times, above all where clocks jump."""

from datetime import UTC, datetime
from itertools import islice

import pytest

from tenuto.model.cron import check_cron, every, fire_after, fire_times, last_fire
from tenuto.model.errors import InvalidInput


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fires(cron: str, timezone: str, after: str, n: int) -> list[str]:
    return [f"{fire:%m-%d %H:%M}" for fire in islice(fire_times(cron, timezone, at(after)), n)]


def test_a_time_is_the_wall_clock_of_its_timezone():
    assert fires("0 3 * * *", "Europe/Berlin", "2026-01-10 12:00", 2) == ["01-11 02:00", "01-12 02:00"]
    assert fires("0 3 * * *", "Europe/Berlin", "2026-07-10 12:00", 1) == ["07-11 01:00"]


def test_an_hour_that_autumn_repeats_fires_once():
    # In Berlin it was 02:30 twice on 25 October 2026: at 00:30 and at 01:30 UTC.
    assert fires("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00", 2) == ["10-25 00:30", "10-26 01:30"]
    assert fires("30 2 * * *", "Europe/Berlin", "2026-10-25 01:05", 1) == ["10-26 01:30"]


def test_a_time_that_spring_leaves_out_fires_when_the_clocks_have_moved():
    assert fires("30 2 * * *", "Europe/Berlin", "2026-03-28 12:00", 2) == ["03-29 01:00", "03-30 00:30"]


def test_every_half_hour_is_every_half_hour_while_clocks_jump():
    assert fires("*/30 * * * *", "Europe/Berlin", "2026-10-25 00:00", 3) == [
        "10-25 00:30",
        "10-25 01:00",
        "10-25 01:30",
    ]


def test_a_moment_is_never_its_own_successor():
    assert fire_after("* * * * *", "UTC", at("2026-01-01 00:00")) == at("2026-01-01 00:01")
    assert fire_after("* * * * *", "UTC", at("2026-01-01 00:00:59.9")) == at("2026-01-01 00:01")


@pytest.mark.parametrize(
    ("name", "first"), [("@daily", "01-02 00:00"), ("@Hourly", "01-01 13:00"), ("@monthly", "02-01 00:00")]
)
def test_common_times_have_names(name, first):
    assert fires(name, "UTC", "2026-01-01 12:30", 1) == [first]


@pytest.mark.parametrize(
    ("cron", "timezone", "said"),
    [
        ("61 * * * *", "UTC", "cron '61 \\* \\* \\* \\*' cannot be read: bad minute"),
        ("every day", "UTC", "cron 'every day' cannot be read: wrong number of fields"),
        ("", "UTC", "wrong number of fields"),
        ("0 0 30 2 *", "UTC", "bad day-of-month"),
        ("* * * * *", "Mars/Base", "timezone 'Mars/Base' is not known; write a name such as"),
        ("* * * * *", "", "timezone '' is not known"),
        ("* * * * *", "../etc/passwd", "is not known"),
    ],
)
def test_what_names_no_moment_is_refused_with_a_cure(cron, timezone, said):
    with pytest.raises(InvalidInput, match=said):
        check_cron(cron, timezone)


def test_a_rare_day_is_found():
    assert fire_after("0 0 29 2 MON#5", "UTC", at("2026-01-01 00:00")).year > 2026


def test_an_interval_fires_at_its_multiples_since_1970_whenever_it_began():
    assert fires(every("6h"), "Europe/Berlin", "2026-03-29T01:30", 3) == ["03-29 06:00", "03-29 12:00", "03-29 18:00"]
    assert fires("@every 90m", "UTC", "2026-01-01T00:00", 2) == ["01-01 01:30", "01-01 03:00"]
    assert last_fire("@every 1h", "UTC", at("2026-01-01T06:00")) == at("2026-01-01T06:00")
    assert last_fire("@every 1h", "UTC", at("2026-01-01T05:59:59")) == at("2026-01-01T05:00")


def test_an_interval_is_written_in_its_largest_unit():
    assert [every(interval) for interval in ("90s", "10m", 7200, "7d")] == [
        "@every 90s",
        "@every 10m",
        "@every 2h",
        "@every 7d",
    ]


@pytest.mark.parametrize("interval", ["0s", "500ms", "1.5s", "soon", "11000d"])
def test_an_interval_that_is_no_whole_number_of_seconds_is_refused(interval: str):
    with pytest.raises(InvalidInput, match="every is"):
        every(interval)
    with pytest.raises(InvalidInput, match="the interval of cron '@every"):
        check_cron(f"@every {interval}")
