"""Data objects that tasks pass to each other by reference."""

from uuid import UUID

from tests.support.database.tasks import DEFAULT_ORG, Db, call


def an_object(db: Db, *, at: list[str] | None = None, hard: bool = False, org_id: UUID = DEFAULT_ORG) -> UUID:
    """A stored object, at some addresses if any are given."""
    object_id = call(db, "put_object", org_id=org_id, type="blob", payload=b"x")
    if at is not None:
        call(db, "place_object", org_id=org_id, object_id=object_id, addresses=at, hard=hard)
    return object_id


def reference(db: Db, object_id: UUID, holder: str, holder_id: UUID) -> None:
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=object_id, holder=holder, holder_id=holder_id)


def collected(db: Db, keep: str = "-1 second") -> list[UUID]:
    """What a collection of everything older than `keep` deletes."""
    return [row["id"] for row in call(db, "collect_objects", keep=keep)]
