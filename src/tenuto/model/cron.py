"""Cron: computes the fire times of an expression in a timezone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from tenuto.model.errors import InvalidInput

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
    """Raise InvalidInput for an expression or a timezone without any fire time."""
    fire_after(cron, timezone, datetime.now(UTC))


def fire_after(cron: str, timezone: str, after: datetime) -> datetime:
    """Returns the first fire time after `after`, in UTC."""
    return next(fire_times(cron, timezone, after))


def fire_times(cron: str, timezone: str, after: datetime) -> Iterator[datetime]:
    """Yields all fire times after `after`, in UTC. An hour that is repeated when clocks go back fires once; a time that
    is skipped when clocks go forward fires right after the change."""
    moments = _moments(cron, timezone, after, reverse=False)
    moment = next(moments, None)
    if moment is None:
        raise InvalidInput(f"cron {cron!r} has no time in the next 50 years", "correct its day and month")
    while moment is not None:
        if moment > after:  # in a repeated hour, the first pass may already be over
            yield moment
        moment = next(moments, None)


def last_fire(cron: str, timezone: str, until: datetime) -> datetime | None:
    """Returns the last fire time up to `until`, in UTC. Searches backwards, because a schedule may have been idle for
    years."""
    start = (until + timedelta(seconds=1)).replace(microsecond=0)  # the search excludes its start
    return next((moment for moment in _moments(cron, timezone, start, reverse=True) if moment <= until), None)


def _moments(cron: str, timezone: str, start: datetime, *, reverse: bool) -> Iterator[datetime]:
    from cronsim import CronSim, CronSimError

    zone = _zone(timezone)
    try:
        moments = CronSim(NAMES.get(cron.strip().lower(), cron), start.astimezone(zone), reverse=reverse)
    except CronSimError as error:
        raise InvalidInput(
            f"cron {cron!r} cannot be read: {str(error).lower()}",
            'write minute, hour, day, month and day of week, such as "0 3 * * *" for three in the morning',
        ) from error
    return (moment.astimezone(UTC) for moment in moments)


@cache
def _zone(timezone: str) -> ZoneInfo:
    try:
        return ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput(
            f"timezone {timezone!r} is not known", 'write a name such as "Europe/Berlin" or "UTC"'
        ) from error
