"""Reports that the database is a copy of an installation, on which a dispatcher does nothing."""

import logging
import time
from dataclasses import dataclass

from tenuto.model.installation import Installation
from tenuto.model.metrics import DATABASE_COPY

REPEAT_SECONDS = 3600.0  # between two log lines while nothing changes

log = logging.getLogger("tenuto.dispatcher")


@dataclass
class Adoption:
    """The state of the log messages about copies. `problem`: the last problem; None if there was none."""

    problem: str | None = None
    logged_at: float = 0.0

    def check(self, installation: Installation) -> None:
        """Log that the database is a copy, at once and then every hour, and that it no longer is."""
        problem, now = installation.copy_problem, time.monotonic()
        DATABASE_COPY.set(0 if problem is None else 1)
        if problem is not None and (problem != self.problem or now - self.logged_at >= REPEAT_SECONDS):
            self.logged_at = now
            log.error(
                "%s: no loops, schedules, pools, deliveries or workers run here. If this database shall become an "
                "installation of its own, or if it replaces the original, run `tenuto db adopt`",
                problem,
            )
        elif problem is None and self.problem is not None:
            log.info("the database is adopted: loops, schedules, pools and deliveries begin")
        self.problem = problem
