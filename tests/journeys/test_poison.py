"""Tasks that kill what runs them end, and do not take others along."""

from tests.support.database.attempts import charged, ended, error_of, outcomes, start_tasks, wait_for
from tests.support.database.loops import value
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def test_a_task_that_kills_its_process_fails_after_its_attempts_and_says_the_exit_code(db: Db, fleet: Fleet):
    worker = fleet.start("poison")
    (child,) = worker.children()
    notes = start_tasks(db, "poison.note", *([f"note {no}"] for no in range(20)))
    (poison,) = start_tasks(db, "poison.die_in_process", None, max_attempts=3, backoff_seconds=0)
    wait_for(db, completed=20)
    wait_until(lambda: ended(db, "failed") == 1)

    assert outcomes(db, poison) == ["lost", "lost", "failed"]
    assert error_of(db, poison)["exit_code"] == 7
    assert charged(db, *notes) == 0
    assert worker.children() == [child]


def test_a_task_that_kills_the_worker_fails_and_what_was_claimed_with_it_is_not_charged(db: Db, fleet: Fleet):
    fleet.start("poison", "--concurrency", "1")
    start_tasks(db, "poison.note", *([f"before {no}"] for no in range(50)))  # short ones: it claims ahead
    wait_for(db, completed=50)
    with db.transaction():  # one claim takes all of them; a second death could meet notes that ended but are unreported
        (poison,) = start_tasks(db, "poison.die_on_the_loop", None, max_attempts=1, priority=1)
        notes = start_tasks(db, "poison.note", *([f"note {no}"] for no in range(20)))
    wait_for(db, completed=70)
    wait_until(lambda: ended(db, "failed") == 1)

    assert outcomes(db, poison) == ["failed"]
    assert "code 9" in error_of(db, poison)["message"]
    assert charged(db, *notes) == 0
    assert sorted(fleet.effects()) == sorted(set(fleet.effects()))


def test_a_task_that_ends_the_worker_through_its_event_loop_is_charged_like_one_that_kills_it(db: Db, fleet: Fleet):
    fleet.start("poison", "--concurrency", "2")
    hows = ["exit in a task", "exit in a callback", "stop the loop", "cancel all tasks"]
    for no, how in enumerate(hows, 1):
        (poison,) = start_tasks(db, "poison.end_the_process", [how], max_attempts=1)
        wait_until(lambda no=no: ended(db, "failed") == no)

        assert outcomes(db, poison) == ["failed"]
        assert error_of(db, poison)["type"] == "ProcessDied"
    (poison,) = start_tasks(db, "poison.end_the_process", ["exit after the end"], max_attempts=1)
    wait_until(lambda: ended(db) + ended(db, "failed") == 1 + len(hows))
    assert outcomes(db, poison) in (["completed"], ["failed"])  # its report may be accepted before the process ends
    start_tasks(db, "poison.note", ["after"])
    wait_until(lambda: ended(db) + ended(db, "failed") == 2 + len(hows))


def test_a_process_that_died_idle_costs_the_next_task_nothing(db: Db, fleet: Fleet):
    worker = fleet.start("poison", "--concurrency", "1")
    fleet.open_gate("first")
    start_tasks(db, "poison.who", ["first"])
    wait_for(db, completed=1)
    pid = value(db, "select output from tenuto.task_attempts where end_no = 0")
    (idle,) = worker.pool()
    assert idle.pid == pid

    idle.kill()
    idle.wait(60)
    fleet.open_gate("second")
    (task,) = start_tasks(db, "poison.who", ["second"])
    wait_for(db, completed=2)

    assert outcomes(db, task) == ["completed"]


def test_what_would_end_a_program_or_cannot_be_stored_fails_only_its_task(db: Db, fleet: Fleet):
    worker = fleet.start("poison")
    everybody = worker.children()
    names = ["leave_async", "leave_thread", "leave_process", "nul", "nothing_json_knows"]
    bad = [start_tasks(db, f"poison.{name}", None, max_attempts=1)[0] for name in names]
    start_tasks(db, "poison.note", ["after"])
    wait_for(db, completed=1)
    wait_until(lambda: ended(db, "failed") == len(bad))

    assert [outcomes(db, task) for task in bad] == [["failed"]] * len(bad)
    assert worker.children() == everybody
