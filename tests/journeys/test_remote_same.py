"""Journeys of direct workers, made by remote ones: the way to the kernel makes no difference."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.test_cancel import test_running_tasks_are_told_to_stop_long_before_the_next_heartbeat
from tests.journeys.test_durable import (
    test_a_failure_that_was_handled_stays_handled_after_a_kill_and_a_sleep,
    test_a_step_waits_for_its_next_try_without_a_slot_and_through_a_kill,
    test_steps_sleeps_and_signals_survive_the_death_of_everything,
)
from tests.journeys.test_failures import (
    test_the_log_tells_a_failure_that_is_tried_again_from_the_last_one_and_where_it_happened,
)
from tests.support.database.tasks import Db
from tests.support.processes.remote_workers import RemoteFleet, a_remote_fleet, make_worker_key

__all__ = [
    "test_a_failure_that_was_handled_stays_handled_after_a_kill_and_a_sleep",
    "test_a_step_waits_for_its_next_try_without_a_slot_and_through_a_kill",
    "test_running_tasks_are_told_to_stop_long_before_the_next_heartbeat",
    "test_steps_sleeps_and_signals_survive_the_death_of_everything",
    "test_the_log_tells_a_failure_that_is_tried_again_from_the_last_one_and_where_it_happened",
]


@pytest.fixture
def fleet(db: Db, database: str, tmp_path: Path) -> Iterator[RemoteFleet]:
    with a_remote_fleet(database, tmp_path, make_worker_key(db)) as fleet:
        yield fleet
