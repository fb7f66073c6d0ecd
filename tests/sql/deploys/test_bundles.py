"""Bundles in the kernel: put, published under their types, found, listed and deleted, each org for itself."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one

OLD, NEW = "a" * 64, "b" * 64


def put(db: Db, sha256: str = OLD, *, org_id: UUID = DEFAULT_ORG, name: str = "images", **tasks: str) -> bool:
    manifest: dict[str, Any] = {"name": name, "tasks": tasks or {"resize": "code:resize"}}
    with db.transaction():
        new = call(db, "put_bundle", org_id=org_id, sha256=sha256, manifest=manifest, size=3, created_by="ann")
        if new:
            call(db, "put_bundle_part", org_id=org_id, sha256=sha256, no=0, data=b"zip")
    return new


def entry(db: Db, type: str, sha256: str | None = None) -> Any:
    return call(db, "find_bundle", org_id=DEFAULT_ORG, type=type, sha256=sha256)[0]


def test_a_bundle_is_found_by_the_types_of_its_manifest(db: Db) -> None:
    put(db, resize="code:resize", crop="code:crop")

    found = entry(db, "images.crop")

    assert (found["sha256"], found["entry"], sorted(found["types"])) == (
        OLD,
        "code:crop",
        ["images.crop", "images.resize"],
    )
    assert call(db, "list_bundle_types", org_id=DEFAULT_ORG) == [
        {"list_bundle_types": "images.crop"},
        {"list_bundle_types": "images.resize"},
    ]


def test_the_bundle_that_was_put_last_runs_a_type_and_an_older_one_can_be_named(db: Db) -> None:
    put(db, OLD)
    put(db, NEW, resize="code:better")

    assert entry(db, "images.resize")["sha256"] == NEW
    assert entry(db, "images.resize", OLD)["entry"] == "code:resize"


def test_putting_an_old_bundle_again_makes_it_run_its_types_again(db: Db) -> None:
    put(db, OLD)
    put(db, NEW)

    assert put(db, OLD) is False
    assert entry(db, "images.resize")["sha256"] == OLD


def test_the_parts_of_a_bundle_are_its_bytes_and_end_with_null(db: Db) -> None:
    put(db)

    parts = [call(db, "get_bundle_part", org_id=DEFAULT_ORG, sha256=OLD, no=no) for no in (0, 1)]

    assert [None if part is None else bytes(part) for part in parts] == [b"zip", None]


def test_a_deleted_bundle_is_gone_with_its_parts_and_types(db: Db) -> None:
    put(db)
    call(db, "delete_bundle", org_id=DEFAULT_ORG, sha256=OLD)

    for function, said in (("get_bundle", {}), ("delete_bundle", {})):
        with pytest.raises(NotFound, match="no bundle a"):
            call(db, function, org_id=DEFAULT_ORG, sha256=OLD, **said)
    with pytest.raises(NotFound, match=r"no bundle runs images\.resize"):
        entry(db, "images.resize")
    assert call(db, "get_bundle_part", org_id=DEFAULT_ORG, sha256=OLD, no=0) is None


def test_bundles_are_listed_newest_first_with_the_types_they_run_now(db: Db) -> None:
    put(db, OLD, resize="code:resize", crop="code:crop")
    put(db, NEW, resize="code:better")

    listed = call(db, "list_bundles", org_id=DEFAULT_ORG)

    assert [(one["sha256"], one["types"]) for one in listed] == [(NEW, ["images.resize"]), (OLD, ["images.crop"])]
    assert [one["sha256"] for one in call(db, "list_bundles", org_id=DEFAULT_ORG, before=listed[0]["id"])] == [OLD]
    assert call(db, "get_bundle", org_id=DEFAULT_ORG, sha256=OLD)[0]["manifest"]["name"] == "images"


def test_two_orgs_have_the_same_bundle_each_for_itself(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    put(db)
    put(db, org_id=other)

    call(db, "delete_bundle", org_id=other, sha256=OLD)

    assert entry(db, "images.resize")["sha256"] == OLD


def test_a_type_that_a_worker_serves_with_its_own_app_cannot_be_taken_by_a_bundle(db: Db) -> None:
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", metadata={"types": ["images.resize"]})

    with pytest.raises(Conflict, match=r"worker w serves or served type images\.resize"):
        put(db)


def test_a_type_of_a_bundle_is_the_apps_that_serves_it_while_its_worker_is_there(db: Db) -> None:
    put(db, resize="code:resize", crop="code:crop")
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", metadata={"types": ["images.resize"]})

    assert call(db, "list_bundle_types", org_id=DEFAULT_ORG) == "images.crop"
    with pytest.raises(Conflict, match=r"worker w serves or served type images\.resize"):
        put(db, NEW)

    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")
    assert put(db, NEW)
    listed = db.execute("select tenuto.list_bundle_types(%s)", [DEFAULT_ORG]).fetchall()
    assert listed == [("images.crop",), ("images.resize",)]


def test_a_new_type_cannot_be_taken_from_an_app_whose_worker_is_gone(db: Db) -> None:
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", metadata={"types": ["images.resize"]})
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")

    with pytest.raises(Conflict, match=r"worker w serves or served type images\.resize"):
        put(db)


def test_a_worker_for_bundles_is_no_hindrance_for_its_next_bundle(db: Db) -> None:
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", metadata={"types": [], "bundles": True})

    assert put(db, OLD)
    assert put(db, NEW)


def test_a_bundle_cannot_take_the_types_of_operators(db: Db) -> None:
    with pytest.raises(InvalidInput, match="a bundle cannot have the name tenuto"):
        put(db, name="tenuto", python="code:steal")
    with pytest.raises(InvalidInput, match="a bundle cannot have the name tenuto"):
        put(db, name="tenuto.x", python="code:steal")


def test_a_bundle_without_tasks_or_with_too_many_is_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="has no tasks"):
        call(db, "put_bundle", org_id=DEFAULT_ORG, sha256=OLD, manifest={"name": "x"}, size=1, created_by="ann")
    manifest = {"name": "x", "tasks": {f"t{no}": "code:f" for no in range(501)}}
    with pytest.raises(InvalidInput, match="more than 500 types"):
        call(db, "put_bundle", org_id=DEFAULT_ORG, sha256=OLD, manifest=manifest, size=1, created_by="ann")


def test_the_type_of_a_bundle_is_known_to_strict_starts(db: Db) -> None:
    asked = {"org_id": DEFAULT_ORG, "types": ["images.resize"]}
    with pytest.raises(NotFound, match=r"ever served images\.resize"):
        call(db, "check_known", **asked)

    put(db)

    call(db, "check_known", **asked)


def test_why_a_task_waits_knows_what_workers_for_bundles_serve(db: Db) -> None:
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", metadata={"types": [], "bundles": True})
    (task_id,) = start(db, kind={"type": "images.resize"})
    asked = {"org_id": DEFAULT_ORG, "task_id": task_id}
    assert "no worker alive has task type images.resize" in call(db, "explain_task", **asked)

    put(db)

    assert "no worker alive" not in call(db, "explain_task", **asked)


def test_why_names_the_flag_when_no_worker_alive_runs_bundles(db: Db) -> None:
    a_worker(db, metadata={"types": ["shop.send"]})
    put(db)
    task_id = start_one(db, kind={"type": "images.resize"})

    said = call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)

    assert "images.resize is a task of a bundle, and no worker alive runs bundles" in said
    assert said.endswith("start one with `tenuto worker --bundles`")
