"""The clock of leases. On Linux it advances while the machine is suspended, like the database's clock and unlike
time.monotonic()."""

import asyncio
import time
from contextlib import suppress

_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)  # Linux only

LOOK_EVERY = 1.0  # timers stop while the machine is suspended, so waits check this clock at least this often


def lease_time() -> float:
    """Return the seconds since a fixed time that is the same for all processes of the machine."""
    return time.monotonic() if _BOOTTIME is None else time.clock_gettime(_BOOTTIME)


async def is_set_within(seconds: float, event: asyncio.Event) -> bool:
    """Wait for the event at most this long; return whether it was set. The time during which the machine is suspended
    counts. If the time ends while it is suspended, return at most a second after it resumes."""
    end = lease_time() + seconds
    while (left := end - lease_time()) > 0:
        with suppress(TimeoutError):
            async with asyncio.timeout(min(left, LOOK_EVERY)):
                return await event.wait()
    return False
