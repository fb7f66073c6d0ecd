"""Who started something without a wake-up tells of it later."""

from tests.support.kernel import Db, call


def test_each_queue_is_told_of_once(db: Db) -> None:
    db.execute("listen tenuto_ready")

    call(db, "wake_queues", queues=["mail", "default", "mail"])

    assert sorted(note.payload for note in db.notifies(timeout=10, stop_after=2)) == ["default", "mail"]


def test_it_waits_for_no_disk_and_what_comes_after_it_does(db: Db) -> None:
    db.execute("set synchronous_commit = on")
    with db.transaction():
        call(db, "wake_queues", queues=["mail"])
        (during,) = db.execute("show synchronous_commit").fetchone() or ("",)
    (after,) = db.execute("show synchronous_commit").fetchone() or ("",)

    assert (during, after) == ("off", "on")
