"""Computes the fire times of a cron expression in a timezone, or of an interval such as `@every 10m`."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from zoneinfo import ZoneInfo

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput

EVERY = "@every "
UNITS = (("d", 86_400), ("h", 3600), ("m", 60), ("s", 1))

NAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


def check_cron(cron: str, timezone: str = "UTC") -> None:
    """Raises InvalidInput for an invalid expression or timezone, and for an expression without a fire time."""
    fire_after(cron, timezone, datetime.now(UTC))


def every(interval: Duration, what: str = "every") -> str:
    """Returns the expression of an interval. Its times are the multiples of the interval since 1970 in UTC, so that
    they do not depend on when a worker starts: `@every 6h` fires at 0, 6, 12 and 18 o'clock."""
    length = _whole_seconds(interval, what)
    unit, size = next((unit, size) for unit, size in UNITS if length % size == 0)
    return f"{EVERY}{length // size}{unit}"


def _whole_seconds(interval: Duration, what: str) -> int:
    length = seconds(interval, what, positive=True)
    if length < 1 or length != int(length):
        raise InvalidInput(f"{what} is {interval!r}, not a whole number of seconds", 'write "10s", "5m" or "1d"')
    return int(length)


def fire_after(cron: str, timezone: str, after: datetime) -> datetime:
    """Returns the first fire time after `after`, in UTC."""
    return next(fire_times(cron, timezone, after))


def fire_times(cron: str, timezone: str, after: datetime) -> Iterator[datetime]:
    """Yields all fire times after `after`, in UTC. Raises InvalidInput if there is no fire time.

    A fixed time has five fields, and its minute and hour do not begin with `*`. When clocks go back, a fixed time in
    the repeated hour fires once, and all other expressions fire in both hours. When clocks go forward, a skipped fixed
    time fires right after the change, and skipped times of other expressions do not fire."""
    moments = _moments(cron, timezone, after, reverse=False)
    moment = next(moments, None)
    if moment is None:
        raise InvalidInput(f"cron {cron!r} matches no time in the next 50 years", "correct its day and month")
    while moment is not None:
        if moment > after:  # in a repeated hour, CronSim may return a time before `after`
            yield moment
        moment = next(moments, None)


def last_fire(cron: str, timezone: str, until: datetime) -> datetime | None:
    """Returns the last fire time up to `until`, in UTC, or None. Searches backwards, because a schedule may not have
    fired for years."""
    start = (until + timedelta(seconds=1)).replace(microsecond=0)  # the search excludes its start
    return next((moment for moment in _moments(cron, timezone, start, reverse=True) if moment <= until), None)


def _moments(cron: str, timezone: str, start: datetime, *, reverse: bool) -> Iterator[datetime]:
    from cronsim import CronSim, CronSimError

    zone = _zone(timezone)
    if cron.startswith(EVERY):
        return _multiples(_whole_seconds(cron.removeprefix(EVERY), f"the interval of cron {cron!r}"), start, reverse)
    try:
        moments = CronSim(NAMES.get(cron.strip().lower(), cron), start.astimezone(zone), reverse=reverse)
    except CronSimError as error:
        raise InvalidInput(
            f"cron {cron!r} cannot be read: {str(error).lower()}",
            'write minute, hour, day, month and day of week, such as "0 3 * * *" for three in the morning',
        ) from error
    return (moment.astimezone(UTC) for moment in moments)


def _multiples(interval: int, start: datetime, reverse: bool) -> Iterator[datetime]:
    first, rest = divmod(start.timestamp(), interval)
    before = int(first) if rest else int(first) - 1
    numbers = count(before, -1) if reverse else count(int(first) + 1)
    return (datetime.fromtimestamp(number * interval, UTC) for number in numbers)


@cache
def _zone(timezone: str) -> ZoneInfo:
    try:
        return ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput(
            f"timezone {timezone!r} is not known", 'write a name such as "Europe/Berlin" or "UTC"'
        ) from error
