"""The clock of leases: unlike time.monotonic() it goes on while the machine is suspended, as the database's does."""

import time

_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)  # of Linux

LOOK_EVERY = 1.0  # timers stand still with the machine: what waits for this clock looks at it so often


def lease_time() -> float:
    """Seconds since some moment that is the same for all processes of the machine."""
    return time.monotonic() if _BOOTTIME is None else time.clock_gettime(_BOOTTIME)
