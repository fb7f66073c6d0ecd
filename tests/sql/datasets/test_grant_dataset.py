"""Who reads a dataset: roles that an admin granted, and without any only admins."""

import pytest

from tenuto.model.errors import NotFound
from tests.support.database.dags import cutover, datasets, deploy
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def grant(db: Db, role: str, name: str = "orders_raw") -> None:
    call(db, "grant_dataset", org_id=DEFAULT_ORG, name=name, role=role)


def revoke(db: Db, role: str, name: str = "orders_raw") -> None:
    call(db, "revoke_dataset", org_id=DEFAULT_ORG, name=name, role=role)


def a_role(db: Db, name: str) -> None:
    call(db, "create_role", org_id=DEFAULT_ORG, name=name)


def readers(db: Db) -> list[str]:
    return datasets(db)["orders_raw"]["read_roles"]


def test_roles_are_granted_and_revoked_and_repeats_change_nothing(db: Db):
    deploy(db)
    a_role(db, "finance")
    a_role(db, "ops")

    assert readers(db) == []
    grant(db, "ops")
    grant(db, "finance")
    grant(db, "finance")
    assert readers(db) == ["finance", "ops"]
    revoke(db, "ops")
    revoke(db, "ops")
    assert readers(db) == ["finance"]


def test_grants_stay_when_versions_change(db: Db):
    deploy(db)
    a_role(db, "finance")
    grant(db, "finance")
    cutover(db)
    (shown,) = call(db, "get_dataset", org_id=DEFAULT_ORG, name="orders_raw")

    assert (shown["read_roles"], shown["job"], shown["output"]) == (["finance"], "extract", 0)
    assert shown["storage_location"] == f"{shown['id']}/{shown['version_id']}/"
    with pytest.raises(NotFound, match="no dataset nope"):
        call(db, "get_dataset", org_id=DEFAULT_ORG, name="nope")


def test_a_deleted_role_reads_nothing_even_if_it_is_created_again(db: Db):
    deploy(db)
    a_role(db, "finance")
    grant(db, "finance")
    call(db, "delete_role", org_id=DEFAULT_ORG, name="finance")
    a_role(db, "finance")

    assert readers(db) == []


def test_a_role_or_dataset_that_does_not_exist_is_not_found(db: Db):
    deploy(db)
    a_role(db, "finance")

    with pytest.raises(NotFound, match="no role nope"):
        grant(db, "nope")
    with pytest.raises(NotFound, match="no dataset nope"):
        grant(db, "finance", "nope")
    with pytest.raises(NotFound, match="no dataset nope"):
        revoke(db, "finance", "nope")


def test_a_plan_sees_the_current_version_and_the_readers(db: Db):
    deploy(db)
    a_role(db, "finance")
    grant(db, "finance")
    facts = {"org_id": DEFAULT_ORG, "name": "orders", "datasets": ["orders_raw", "nope"]}
    (staged,) = call(db, "get_deploy_facts", yaml_hash="x", **facts)
    hash = cutover(db)["yaml_hash"]
    (current,) = call(db, "get_deploy_facts", yaml_hash=hash, **facts)

    assert (staged["current_version"], staged["deployed_version"]) == (None, None)
    assert staged["datasets"] == {"orders_raw": {"dag": "orders", "partitions": None, "read_roles": ["finance"]}}
    assert (current["current_version"], current["deployed_version"], current["deployed_status"]) == (1, 1, "current")
