"""What a query reads: versions by as-of, roles, and nothing of another org."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.published import shop
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.users import a_user


def pin(db: Db, *names: str, every: bool = True, org_id: UUID = DEFAULT_ORG, **more: Any) -> list[Any]:
    return call(db, "pin_datasets", org_id=org_id, names=list(names) or ["orders"], every=every, **more)


def commit(db: Db, times: int = 1) -> None:
    worker = a_worker(db)
    for _ in range(times):
        trigger(db, dag="shop")
        publish(worker, worker.claim_one())


def test_the_current_version_with_its_definition_and_its_committed_folders(db: Db) -> None:
    deployed(db, shop())
    commit(db, 2)

    (row,) = pin(db)
    assert (row["name"], row["dag"], row["dag_version"], row["purged"]) == ("orders", "shop", 1, False)
    assert [column["name"] for column in row["columns"]] == ["id", "region", "amount"]
    (location,) = row["locations"]
    assert location.startswith(row["storage_location"])
    (version,) = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="orders")
    assert row["version_id"] == version["id"]
    assert pin(db, "nothing") == pin(db, org_id=call(db, "create_org", slug="other")) == []


def test_each_as_of_names_its_version(db: Db) -> None:
    deployed(db, shop())
    commit(db)
    (first,) = pin(db)
    ((between,),) = db.execute("select clock_timestamp()").fetchall()
    commit(db)
    (second,) = pin(db)
    deploy(db, shop("second"))
    cutover(db, 1, 2, name="shop", force=True)
    (current,) = pin(db)

    assert current["version_id"] != first["version_id"]
    assert (current["dag_version"], current["locations"]) == (2, [])
    assert pin(db, dag_version=1) == pin(db, dag="shop", dag_version=1) == [second]
    assert pin(db, version_id=first["version_id"]) == [second]
    assert pin(db, at=between) == [first]
    assert pin(db, dag="other", dag_version=1) == pin(db, version_id=uuid4()) == [current]
    assert [row["version_id"] for row in (*pin(db, dag_version=9), *pin(db, at="2020-01-01"))] == [None, None]
    rollback(db, 2, name="shop")
    assert pin(db) == [second]
    ((now,),) = db.execute("select clock_timestamp()").fetchall()
    assert pin(db, at=now) == [second]


def test_only_members_of_a_role_that_reads_it_see_a_dataset(db: Db) -> None:
    deployed(db, shop())
    ann, bob = a_user(db, "ann"), a_user(db, "bob")
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    call(db, "add_member", org_id=DEFAULT_ORG, role="finance", user_id=ann)

    assert pin(db, every=False, user_id=ann) == []
    call(db, "grant_dataset", org_id=DEFAULT_ORG, name="orders", role="finance")
    assert [row["name"] for row in pin(db, every=False, user_id=ann)] == ["orders"]
    assert pin(db, every=False, user_id=bob) == pin(db, every=False) == []
    call(db, "remove_member", org_id=DEFAULT_ORG, role="finance", user_id=ann)
    assert pin(db, every=False, user_id=ann) == []


def test_all_commits_of_an_appended_dataset_are_read_in_order_and_later_keys_win(db: Db) -> None:
    document = shop()
    document["jobs"][0] |= {"update_strategy": "append", "unique_key": ["id"]}
    deployed(db, document)
    commit(db, 3)

    (row,) = pin(db)
    assert (len(row["locations"]), row["unique_key"]) == (3, ["id"])


@pytest.mark.parametrize("count", [1000, 1001])
def test_up_to_a_thousand_folders_are_listed(db: Db, count: int) -> None:
    deployed(db, shop())
    commit(db)
    db.execute(
        """with made as (
          insert into tenuto.partition_versions (id, org_id, dataset_version_id, partition_key, task_id, attempt,
            location, fingerprint, checks, inputs, committed_at)
          select tenuto._uuid7(), org_id, dataset_version_id, 'p' || n, task_id, attempt, location, fingerprint, checks,
                 inputs, committed_at
          from tenuto.partition_versions, generate_series(2, %s) n
          returning *)
        insert into tenuto.current_partitions
        select org_id, dataset_version_id, partition_key, id, task_id from made""",
        [count],
    )
    (row,) = pin(db)
    assert (None if row["locations"] is None else len(row["locations"])) == (1000 if count == 1000 else None)
