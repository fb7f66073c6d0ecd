"""Run data: put, get, tags, delete."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound, StaleLease, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count, fenced, lose_workers, promote
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_one


def put(db: psycopg.Connection, run_id: UUID, values: dict[str, Any], tags: list[str] | None = None) -> list[UUID]:
    return call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values=values, tags=tags)


def rows(db: psycopg.Connection, run_id: UUID, **query: Any) -> list[dict[str, Any]]:
    return call(db, "get_run_data", org_id=DEFAULT_ORG, run_id=run_id, **query)


def get(db: psycopg.Connection, run_id: UUID, **query: Any) -> list[tuple[str, Any]]:
    return [(row["key"], row["value"]) for row in rows(db, run_id, **query)]


def test_the_latest_value_of_each_key_is_the_answer(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    for n in range(50):  # several within a millisecond
        put(db, run_id, {"n": n})
    put(db, run_id, {"b": {"deep": [1]}, "a": None})

    assert get(db, run_id) == [("a", None), ("b", {"deep": [1]}), ("n", 49)]


def test_the_history_lists_every_value_in_order(db: psycopg.Connection, clock: Clock) -> None:
    run_id = start_one(db)
    for n in range(20):
        put(db, run_id, {"n": n})

    assert get(db, run_id, history=True) == [("n", n) for n in range(20)]
    assert rows(db, run_id)[0]["created_at"] == clock.now


def test_keys_and_prefixes_choose(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    put(db, run_id, {"a": 1, "ab": 2, "b": 3, "a%": 4})

    assert get(db, run_id, keys=["a", "b", "none"]) == [("a", 1), ("b", 3)]
    assert get(db, run_id, prefix="a") == [("a", 1), ("a%", 4), ("ab", 2)]
    assert get(db, run_id, prefix="a%") == [("a%", 4)]


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("*", {"part-1", "part-10", "100%", "1000", "a_b", "axb", r"a\b", "a*b"}),
        ("part-?", {"part-1"}),
        ("part-*", {"part-1", "part-10"}),
        ("100%", {"100%"}),
        ("a_b", {"a_b"}),
        (r"a\b", {r"a\b"}),
        ("a?b", {"a_b", "axb", r"a\b", "a*b"}),
        ("", set()),
    ],
)
def test_a_glob_knows_only_stars_and_question_marks(db: psycopg.Connection, glob: str, found: set[str]) -> None:
    run_id = start_one(db)
    put(db, run_id, dict.fromkeys(["part-1", "part-10", "100%", "1000", "a_b", "axb", r"a\b", "a*b"], 0))

    assert {key for key, _ in get(db, run_id, glob=glob)} == found


def test_tags_choose_by_any_by_all_and_by_prefix(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    put(db, run_id, {"none": 0})
    put(db, run_id, {"x": 0}, ["day:1", "raw"])
    put(db, run_id, {"y": 0}, ["day:2", "raw"])
    put(db, run_id, {"z": 0}, ["clean"])

    assert [key for key, _ in get(db, run_id, tags=["day:1", "clean"])] == ["x", "z"]
    assert [key for key, _ in get(db, run_id, tags=["day:1", "raw"], all_tags=True)] == ["x"]
    assert [key for key, _ in get(db, run_id, tag_prefix="day:")] == ["x", "y"]
    assert [key for key, _ in get(db, run_id, tag_prefix="day_")] == []


def test_tags_are_kept_once_and_can_be_edited(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    (data_id,) = put(db, run_id, {"x": 0}, ["b", "a", "b"])
    assert rows(db, run_id)[0]["tags"] == ["a", "b"]

    edited = call(db, "edit_run_data_tags", org_id=DEFAULT_ORG, data_id=data_id, add=["c", "a"], remove=["b"])

    assert edited == ["a", "c"]
    assert rows(db, run_id)[0]["tags"] == ["a", "c"]
    with pytest.raises(NotFound):
        call(db, "edit_run_data_tags", org_id=an_org(db, "other"), data_id=data_id, add=["theirs"])
    with pytest.raises(NotFound):
        call(db, "edit_run_data_tags", org_id=DEFAULT_ORG, data_id=uuid4(), add=["x"])


def test_a_key_goes_with_its_history_and_a_value_alone(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    put(db, run_id, {"a": 1, "b": 1})
    (second,) = put(db, run_id, {"a": 2})
    delete = {"org_id": DEFAULT_ORG, "run_id": run_id}

    assert call(db, "delete_run_data", **delete, data_id=second) == 1
    assert get(db, run_id) == [("a", 1), ("b", 1)]
    put(db, run_id, {"a": 3})
    assert call(db, "delete_run_data", **delete, key="a") == 2
    assert call(db, "delete_run_data", **delete, key="a") == 0

    assert get(db, run_id, history=True) == [("b", 1)]
    with pytest.raises(InvalidInput, match="either a key or the id"):
        call(db, "delete_run_data", **delete)


def test_another_org_sees_puts_and_deletes_nothing(db: psycopg.Connection) -> None:
    run_id, other = start_one(db), an_org(db, "other")
    put(db, run_id, {"a": 1})

    assert call(db, "get_run_data", org_id=other, run_id=run_id) == []
    with pytest.raises(NotFound):
        call(db, "delete_run_data", org_id=other, run_id=run_id, key="a")
    with pytest.raises(NotFound):
        call(db, "put_run_data", org_id=other, run_id=run_id, values={"a": 2})

    assert get(db, run_id) == [("a", 1)]


def test_a_final_run_takes_no_more_data(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    drain(db, a_worker(db))

    with pytest.raises(Conflict):
        put(db, run_id, {"a": 1})


@pytest.mark.parametrize("values", [[], [1], {}, "text", 5, None], ids=str)
def test_data_that_are_no_keys_and_values_are_refused(db: psycopg.Connection, values: object) -> None:
    run_id = start_one(db)

    with pytest.raises(InvalidInput):
        call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values=Jsonb(values))


def test_keys_and_values_have_their_bounds(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    put(db, run_id, {"k" * 1024: 1})

    noise = "".join(str(uuid4()) for _ in range(40_000))
    for values in ({"": 1}, {"k" * 1025: 1}):
        with pytest.raises(InvalidInput, match="key of run data"):
            put(db, run_id, values)
    with pytest.raises(TooLarge, match="run data large has 1440012 bytes"):
        put(db, run_id, {"fine": 1, "large": noise})

    assert count(db, "run_data") == 1


def test_metadata_stays_with_a_value_and_a_change_of_tags_is_dated(db: psycopg.Connection, clock: Clock) -> None:
    run_id = start_one(db)
    values, metadata = Jsonb({"a": 1}), Jsonb({"source": "csv"})
    (id,) = call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values=values, metadata=metadata)
    written = clock.now
    (row,) = rows(db, run_id)
    assert (row["metadata"], row["created_at"], row["updated_at"]) == ({"source": "csv"}, written, written)

    clock.advance(minutes=1)
    call(db, "edit_run_data_tags", org_id=DEFAULT_ORG, data_id=id, add=["t"])

    row = call(db, "get_run_data_value", org_id=DEFAULT_ORG, data_id=id)[0]
    assert (row["metadata"], row["created_at"], row["updated_at"]) == ({"source": "csv"}, written, clock.now)
    put(db, run_id, {"a": 2})
    assert rows(db, run_id)[0]["metadata"] is None


@pytest.mark.parametrize("wrong", [[1], "text", None])
def test_metadata_that_is_no_object_is_refused(db: psycopg.Connection, wrong: Any) -> None:
    run_id = start_one(db)

    with pytest.raises(InvalidInput, match=r"the metadata of run data is a JSON \w+; write a JSON object"):
        call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values=Jsonb({"a": 1}), metadata=Jsonb(wrong))

    assert count(db, "run_data") == 0


def test_metadata_is_bounded_alone_and_with_the_values_that_get_a_copy(db: psycopg.Connection) -> None:
    run_id = start_one(db)

    def write(values: dict[str, int], letters: int) -> None:
        metadata = Jsonb({"note": "x" * letters})
        call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values=Jsonb(values), metadata=metadata)

    with pytest.raises(TooLarge, match=r"metadata of run data has \d+ bytes, more than 16384"):
        write({"a": 1}, 16_400)
    with pytest.raises(TooLarge, match="write fewer values per call"):
        write({str(no): no for no in range(2_000)}, 16_000)
    assert count(db, "run_data") == 0
    write({"a": 1}, 16_000)


def test_a_task_writes_under_its_name(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    call(db, "put_task_data", **fenced(worker, held, values={"a": 1}, tags=["t"], metadata=Jsonb({"m": 1})))

    (row,) = rows(db, run_id)
    assert (row["value"], row["task_id"], row["attempt"], row["tags"]) == (1, held.task_id, 1, ["t"])
    assert row["metadata"] == {"m": 1}
    put(db, run_id, {"a": 2})
    assert (rows(db, run_id)[0]["task_id"], rows(db, run_id)[0]["attempt"]) == (None, None)


def test_a_lost_attempt_writes_nothing(db: psycopg.Connection, clock: Clock) -> None:
    run_id = start_one(db, kind={"backoff_seconds": 0})
    first = a_worker(db, "first")
    lost = first.claim_one()
    lose_workers(db, clock)
    promote(db)
    second = a_worker(db, "second")
    held = second.claim_one()
    call(db, "put_task_data", **fenced(second, held, values={"a": "second"}))

    with pytest.raises(StaleLease):
        call(db, "put_task_data", **fenced(first, lost, values={"a": "first"}))
    with pytest.raises(StaleLease):
        call(db, "put_task_data", **{**fenced(second, held, values={"a": "forged"}), "token": uuid4()})
    second.complete(held)
    with pytest.raises(StaleLease):
        call(db, "put_task_data", **fenced(second, held, values={"a": "late"}))

    assert get(db, run_id, history=True) == [("a", "second")]


def test_values_of_more_than_16_mb_are_not_read_together(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    for number in range(19):
        put(db, run_id, {f"k{number}": "x" * 900_000})

    with pytest.raises(TooLarge, match="have more than 16 MB together; select fewer of them"):
        rows(db, run_id)
    assert len(rows(db, run_id, glob="k1*")) == 10
