"""The question of every tick: which loops are this dispatcher's, and when each has something to do."""

from uuid import uuid4

from tests.support.database.tasks import Db, call


def test_the_holder_hears_what_is_due_and_others_hear_nothing(db: Db) -> None:
    holder, other = {"dispatcher_id": uuid4()}, {"dispatcher_id": uuid4()}

    found = call(db, "take_due_maintenance", **holder, loops=["fold_runs", "vacuum"])

    assert {(row["what"], row["due_in_seconds"]) for row in found} == {("fold_runs", None), ("vacuum", None)}
    assert call(db, "take_due_maintenance", **other, loops=["fold_runs", "vacuum"]) == []
