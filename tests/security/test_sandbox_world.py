"""Whom a sandbox cannot reach: the network, the kernel, other attempts, those that come after it, and trusted tasks."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.database.limits import insert_limit
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.processes.command_line import ROOT
from tests.support.sandbox.worker import SCRATCH, SHARED, SandboxWorker
from tests.support.waiting import wait_until


@pytest.fixture
def sleeper() -> Iterator[int]:
    """A process that is nobody's business."""
    process = subprocess.Popen(["/bin/sleep", "600"])
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def test_no_process_outside_can_be_traced(sandbox: SandboxWorker, sleeper: int) -> None:
    sandbox.assert_blocked("trace", sleeper)


def test_not_even_its_own_processes_can_be_traced(sandbox: SandboxWorker) -> None:
    assert "Operation not permitted" in sandbox.assert_blocked("trace_child")


def test_no_process_outside_can_be_signalled(sandbox: SandboxWorker, sleeper: int) -> None:
    assert sandbox.inside("send_signal", sleeper).error["type"] == "ProcessLookupError"
    assert sandbox.inside("send_signal", sandbox.pid).error["type"] == "ProcessLookupError"
    assert psutil.Process(sleeper).status() != psutil.STATUS_ZOMBIE

    assert sandbox.outside("send_signal", sleeper)


def test_another_attempt_can_be_neither_signalled_nor_read(sandbox: SandboxWorker) -> None:
    other = sandbox.begin("inside", "stay", [])
    wait_until(lambda: sandbox.processes_inside() != [])
    (pid,) = [one.pid for one in sandbox.processes_inside()]
    there = Path(f"/proc/{pid}/root/tmp")
    wait_until((there / "secret").exists)

    assert "secret" in sandbox.outside("names_in", str(there))
    assert sandbox.inside("send_signal", pid).status == "failed"
    seen = sandbox.inside("names_in", SCRATCH).output
    assert [name for name in seen if name not in ROOT.parts] == []  # a checkout may lie there itself, and is shown

    (there / "release").touch()
    assert sandbox.end_of(other).output == "of another attempt"


def test_a_daemon_does_not_outlive_its_attempt(sandbox: SandboxWorker) -> None:
    left = sandbox.outside("leave_daemon", "probe-outside")
    assert psutil.pid_exists(left)
    psutil.Process(left).kill()

    assert sandbox.inside("leave_daemon", "probe-inside").status == "completed"

    left_behind = [one.pid for one in psutil.process_iter(["cmdline"]) if "probe-inside" in (one.info["cmdline"] or ())]
    assert left_behind == []
    assert sandbox.processes_inside() == []


def test_what_it_leaves_in_shared_memory_and_its_folder_is_gone(sandbox: SandboxWorker) -> None:
    Path(SHARED).unlink(missing_ok=True)
    sandbox.outside("write", SHARED, "left")
    assert sandbox.outside("read", SHARED) == "left"
    Path(SHARED).unlink()

    assert sandbox.inside("write", SHARED, "left").status == "completed"

    assert sandbox.inside("read", SHARED).error["type"] == "FileNotFoundError"
    assert not Path(SHARED).exists()


def test_nothing_is_planted_for_the_next_attempt(sandbox: SandboxWorker) -> None:
    sandbox.outside("plant", "PLANTED", "here")
    assert sandbox.outside("find_planted", "PLANTED") == ["here"]

    sandbox.inside("plant", "PLANTED", "here")

    assert sandbox.inside("find_planted", "PLANTED").output == []


def test_the_database_cannot_be_reached(sandbox: SandboxWorker) -> None:
    where = sandbox.db.info

    assert "not permitted" in sandbox.assert_blocked("connect", where.hostaddr or where.host, where.port)


def test_the_address_where_clouds_give_out_credentials_cannot_be_reached(sandbox: SandboxWorker) -> None:
    assert "not permitted" in sandbox.assert_blocked("find_way", "127.0.0.2")  # exists even without a network
    assert "not permitted" in sandbox.inside("find_way", "169.254.169.254").message


def test_a_service_of_this_machine_cannot_be_reached_by_name(sandbox: SandboxWorker) -> None:
    with socket.socket(socket.AF_UNIX) as service:
        service.bind("\0tenuto-probed")
        service.listen(5)

        assert "not permitted" in sandbox.assert_blocked("connect_by_name", "tenuto-probed")


@pytest.mark.parametrize("probe", ["unshare_mounts", "unshare_user", "change_root", "become_root"])
def test_the_kernel_gives_it_no_other_world_and_no_other_user(sandbox: SandboxWorker, probe: str) -> None:
    assert "not permitted" in sandbox.assert_blocked(probe)


def test_no_device_can_be_made(sandbox: SandboxWorker, tmp_path: Path) -> None:
    sandbox.outside("make_device", str(tmp_path))

    assert "not permitted" in sandbox.inside("make_device", SCRATCH).message


def test_a_data_object_that_it_was_not_given_cannot_be_read(sandbox: SandboxWorker) -> None:
    found = call(sandbox.db, "put_object", org_id=DEFAULT_ORG, type="bytes", payload=b"secret", size=6)
    asked = {"id": str(found)}
    assert sandbox.end_of(sandbox.begin("ask_outside", "get_object", asked)).status == "completed"

    end = sandbox.end_of(sandbox.begin("read_object", *split(str(found))))
    assert end.error["type"] == "Forbidden"

    assert sandbox.end_of(sandbox.begin("fetch", {"$object": str(found)})).output == "secret"  # it was given this one


@pytest.mark.parametrize("how", ["step", "text", "child step", "data", "child"])
def test_an_id_does_not_become_known_by_saying_it(sandbox: SandboxWorker, how: str) -> None:
    found = call(sandbox.db, "put_object", org_id=DEFAULT_ORG, type="bytes", payload=b"secret", size=6)

    end = sandbox.end_of(sandbox.begin("remember", *split(str(found)), how))

    assert end.status == "failed"
    assert end.error["type"] in ("Forbidden", "InvalidInput")


def test_a_result_cannot_name_a_data_object_of_others(sandbox: SandboxWorker) -> None:
    found = call(sandbox.db, "put_object", org_id=DEFAULT_ORG, type="bytes", payload=b"secret", size=6)

    assert sandbox.end_of(sandbox.begin("return_object", *split(str(found)))).error["type"] == "Forbidden"


def test_what_it_has_put_itself_it_can_read_on_a_later_attempt_too(sandbox: SandboxWorker) -> None:
    assert sandbox.end_of(sandbox.begin("keep_own", max_attempts=2, backoff_seconds=0)).output == "own"


def test_a_task_of_another_run_cannot_be_polled(sandbox: SandboxWorker) -> None:
    other = sandbox.begin("outside", "who", [])
    assert sandbox.end_of(other).status == "completed"
    asked = {"task_ids": [str(other)]}

    assert sandbox.end_of(sandbox.begin("ask_outside", "poll_tasks", asked)).output == []  # not even by trusted code
    assert sandbox.end_of(sandbox.begin("ask_inside", "poll_tasks", asked)).error["type"] == "Forbidden"


def split(id: str) -> tuple[str, str]:
    """The parts of an id that an attempt does not get as a whole."""
    return id[:20], id[20:]


def test_a_trusted_task_cannot_be_started_from_it(sandbox: SandboxWorker) -> None:
    child = {"kinds": [{"type": "probe.outside"}], "inputs": [["who", []]], "step_no": 1, "step_name": "child"}
    assert sandbox.end_of(sandbox.begin("ask_outside", "start_children", child)).status == "completed"

    assert sandbox.end_of(sandbox.begin("ask_inside", "start_children", child)).error["type"] == "Forbidden"


def test_a_limit_of_others_keeps_its_size(sandbox: SandboxWorker) -> None:
    insert_limit(sandbox.db, DEFAULT_ORG, "stripe", size=1)
    child = {"kinds": [{"type": "probe.read_given"}], "inputs": [["x"]]}
    limit = {"scope": "key", "key": "stripe", "size": 1_000_000}

    end = sandbox.end_of(
        sandbox.begin("ask_inside", "start_children", {**child, "details": [{"task": 0, "limits": [limit]}]})
    )

    assert end.error["type"] == "InvalidInput"
    assert "a sandbox cannot set limits of a child" in end.message
    assert sandbox.db.execute("select size from tenuto.limits where key = 'stripe'").fetchall() == [(1,)]


def test_honest_children_are_held_to_their_declared_limits(sandbox: SandboxWorker) -> None:
    assert sandbox.end_of(sandbox.begin("gather_one")).output == ["me"]

    asked = "select limits from tenuto.tasks where limits is not null"
    held = {"scope": "key", "key": "probe.read_given:who=me", "size": 2}
    assert sandbox.db.execute(asked).fetchall() == [([held],)]


def test_it_speaks_for_its_own_attempt_alone(sandbox: SandboxWorker) -> None:
    other = sandbox.begin("inside", "who", [])
    step = {"step_no": 1, "name": "forged", "kind": "step", "value": 1}

    for forged in ({"task_id": str(other)}, {"session_id": 1}, {"attempt": 1}, {"org_id": str(DEFAULT_ORG)}):
        end = sandbox.end_of(sandbox.begin("ask_inside", "record_step", {**step, **forged}))
        assert end.error["type"] == "InvalidInput"
        assert next(iter(forged)) in end.message
    assert sandbox.end_of(sandbox.begin("ask_inside", "record_step", step)).status == "completed"
    failed = {"step_no": 1, "name": "own", "error": {"message": "no"}, "tries": 1}
    assert sandbox.end_of(sandbox.begin("ask_inside", "fail_step", failed)).status == "completed"
    assert sandbox.end_of(sandbox.begin("ask_inside", "heartbeat", {})).error["type"] == "InvalidInput"


@pytest.mark.parametrize(
    "line",
    ['{"outcome": {"kind": "Interrupted"}}\n', '{"outcome": {"kind": "Dropped"}}\n', '{"outcome": {"kind": "Lost"}}\n',
     '{"outcome": {"kind": "Completed", "output": "{"}}\n', '{"answer": 1}\n', "[" * 100_000 + "\n", "\xff\n"],
)  # fmt: skip
def test_what_no_attempt_may_say_ends_it_as_a_failure(sandbox: SandboxWorker, line: str) -> None:
    end = sandbox.inside("say", line)

    assert (end.status, end.error["type"]) == ("failed", "InvalidMessage")


def test_a_word_without_an_end_ends_it(sandbox: SandboxWorker) -> None:
    assert "more than 16,777,216 bytes" in sandbox.inside("say_without_end", 17).message


def test_the_worker_still_works_after_all_that(sandbox: SandboxWorker) -> None:
    assert sandbox.inside("who").status == "completed"
    assert sandbox.processes_inside() == []
