"""The bugs of backfills and invalidations, and the test that notices each."""

from tests.planted.plant import Bug

INVALIDATIONS = "tests/sql/reactions/test_invalidations.py"
BACKFILLS = "tests/sql/reactions/test_backfills.py"

REPAIR_BUGS = (
    Bug(
        "an_invalidation_lost_on_crash",  # its position moves, and the effect that routes its events is not stored
        f"{INVALIDATIONS}::test_no_partition_is_lost_or_passed_on_twice_if_a_dispatcher_dies",
        (("reactions/invalidations/_invalidate_piece.sql", r"perform tenuto\._publish\([^;]*;", "null;"),),
    ),
    Bug(
        "a_backfill_mutes_what_it_did_not_start",
        f"{BACKFILLS}::test_a_queued_task_that_takes_over_another_event_is_not_muted",
        (("reactions/repairs/_follow_repairs.sql", r"set owned = false, downstream = 'all'", "set owned = owned"),),
    ),
)
