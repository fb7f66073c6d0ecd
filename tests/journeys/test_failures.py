"""What a worker's log says of tasks that fail."""

import re

from tests.support.database.attempts import ended, start_tasks
from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def test_the_log_tells_a_failure_that_is_tried_again_from_the_last_one_and_where_it_happened(db: Db, fleet: Fleet):
    worker = fleet.start("failing")
    (task,) = start_tasks(db, "failing.look_up", ["missing"], max_attempts=2, backoff_seconds=0.1)
    wait_until(lambda: ended(db, "failed") == 1 and "not retried" in worker.log)

    said = f"tenuto.worker task {task} (failing.look_up) failed"
    first = (
        rf"WARNING {re.escape(said)}, attempt 1 of 2, retried in \d+\.\d s: KeyError: 'missing'\n +File .*failing\.py"
    )
    assert re.search(first, worker.log)
    assert f"ERROR {said}, attempt 2 of 2, not retried: KeyError: 'missing'\n" in worker.log
    assert worker.log.count('return {"present": "here"}[word]') == 2
    assert "/src/tenuto/" not in worker.log


def test_what_the_worker_says_of_a_failure_is_not_among_what_the_task_logged(db: Db, fleet: Fleet):
    worker = fleet.start("failing")
    start_tasks(db, "failing.look_up", ["missing"], max_attempts=1)
    wait_until(lambda: "not retried" in worker.log)
    worker.tell(15)
    worker.wait()

    assert count(db, "task_logs") == 0
