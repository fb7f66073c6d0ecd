"""Dead workers of Headless-WGP: their tasks return, losses count, and heartbeats create workers."""

from tests.support.clock import Clock
from tests.support.database.compat import (
    beat_wgp,
    claim_wgp,
    complete_wgp,
    insert_wgp,
    refused,
    reset_wgp,
    wgp_task,
    wgp_worker,
)
from tests.support.database.loops import lose_workers
from tests.support.database.tasks import DEFAULT_ORG, Db, call, status
from tests.support.database.workers import session_ends, worker_row


def test_the_tasks_of_dead_workers_are_queued_again_and_counted(db: Db) -> None:
    tasks = [insert_wgp(db) for _ in range(4)]
    for worker in ("gpu-1", "gpu-1", "gpu-2", "gpu-3"):
        claim_wgp(db, worker)

    assert reset_wgp(db, "gpu-1", "gpu-2", "unknown") == 3

    assert [wgp_task(db, task)["status"] for task in tasks] == ["Queued", "Queued", "Queued", "In Progress"]
    assert [wgp_task(db, task)["attempts"] for task in tasks] == [1, 1, 1, 0]
    assert [wgp_worker(db, name)["metadata"]["orchestrator_status"] for name in ("gpu-1", "gpu-3")] == [
        "error",
        "active",
    ]
    assert reset_wgp(db, "gpu-1", "gpu-2") == 0
    assert reset_wgp(db) == 0


def test_a_task_that_kills_its_workers_ends(db: Db) -> None:
    task_id = insert_wgp(db)
    resets = []
    for no in range(10):
        if claim_wgp(db, f"gpu-{no}") == {}:
            break
        resets.append(reset_wgp(db, f"gpu-{no}"))

    assert resets == [1, 1, 0]
    assert (wgp_task(db, task_id)["status"], wgp_task(db, task_id)["attempts"]) == ("Failed", 3)


def test_the_tasks_of_a_terminated_worker_are_reset_too(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="gpu-1")

    assert reset_wgp(db, "gpu-1") == 1
    assert (status(db, task_id), wgp_worker(db)["status"]) == ("queued", "terminated")


def test_a_worker_that_was_believed_dead_cannot_end_its_old_task_and_can_claim_again(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db, "gpu-1")
    reset_wgp(db, "gpu-1")
    claim_wgp(db, "gpu-2")

    with refused("TN005"):
        complete_wgp(db, task_id, {"by": 1}, worker="gpu-1")
    second = insert_wgp(db)

    assert claim_wgp(db, "gpu-1")["id"] == second
    complete_wgp(db, task_id, {"by": 2}, worker="gpu-2")
    assert wgp_task(db, task_id)["result_data"] == {"by": 2}


def test_a_heartbeat_creates_an_external_worker_and_merges_its_vram(db: Db, clock: Clock) -> None:
    beat_wgp(db, "home", 24576, 12288)
    call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="home", metrics={"runpod_id": "xyz"})
    clock.advance(seconds=20)
    beat_wgp(db, "home")

    worker = wgp_worker(db, "home")
    assert (worker["instance_type"], worker["status"], worker["last_heartbeat"]) == ("external", "active", clock.now)
    metadata = worker["metadata"]
    assert (metadata["vram_total_mb"], metadata["vram_used_mb"], metadata["runpod_id"]) == (24576, 12288, "xyz")
    assert (metadata["orchestrator_status"], clock.now.timestamp() - metadata["vram_timestamp"]) == ("active", 20)


def test_a_heartbeat_revives_a_worker_that_was_silent_and_none_that_was_failed(db: Db, clock: Clock) -> None:
    insert_wgp(db)
    claim_wgp(db, "gpu-1")
    claim_wgp(db, "gpu-2")
    reset_wgp(db, "gpu-2")
    lose_workers(db, clock, minutes=11)

    for worker in ("gpu-1", "gpu-2"):
        beat_wgp(db, worker)

    assert [worker_row(db, worker)["status"] for worker in ("gpu-1", "gpu-2")] == ["active", "error"]
    assert session_ends(db) == ["expired", "failed", None]


def test_a_heartbeat_without_the_vram_in_use_counts_none(db: Db) -> None:
    beat_wgp(db, "home", 24576)

    assert wgp_worker(db, "home")["metadata"]["vram_used_mb"] == 0
