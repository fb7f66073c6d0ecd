"""Following lineage up and down, over columns and tables, for users who may not read everything."""

from uuid import uuid4

import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.jobs import deployed
from tests.support.database.lineage import a_chain, edges, four_datasets, lineage, record
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def test_a_column_is_followed_to_its_sources_and_to_what_uses_it(db: Db):
    four_datasets(db)

    graph = lineage(db, "d2", column="total")

    assert edges(graph) == {
        ("d0.amount", "d2.total"), ("d1", "d2.total"), ("d1.region", "d2.total"), ("d2.total", "d3"),
    }  # fmt: skip
    by_source = {edge["from"].partition("/")[2]: edge for edge in graph["edges"]}
    assert (by_source["amount"]["subtype"], by_source["amount"]["confidence"]) == ("aggregation", "exact")
    assert (by_source["region"]["kind"], by_source["region"]["subtype"]) == ("indirect", "filter")
    assert by_source[""]["confidence"] == "table"
    assert (by_source["total"]["method"], by_source["total"]["confidence"]) == ("inputs", "table")
    root = next(node for node in graph["nodes"] if node["id"] == graph["root"])
    assert (root["dataset"], root["column"], root["dag"], root["current"]) == ("d2", "total", "chain", True)


def test_a_filter_column_reaches_the_whole_dataset(db: Db):
    four_datasets(db)
    assert edges(lineage(db, "d1", column="region", up=False)) == {("d1.region", "d2"), ("d1.region", "d2.total"),
                                                                   ("d2", "d3"), ("d2.total", "d3")}  # fmt: skip
    assert edges(lineage(db, "d0", column="at")) == {("d0.at", "d2.day"), ("d2.day", "d3")}
    assert edges(lineage(db, "d0", column="unused")) == set()


def test_a_dataset_is_followed_by_tables(db: Db):
    four_datasets(db)
    assert edges(lineage(db, "d3")) == {("d0", "d2"), ("d1", "d2"), ("d2", "d3")}
    assert edges(lineage(db, "d3", depth=1)) == {("d2", "d3")}
    assert edges(lineage(db, "d2", down=False)) == {("d0", "d2"), ("d1", "d2")}
    assert edges(lineage(db, "d2", up=False)) == {("d2", "d3")}


def test_a_dataset_that_a_user_cannot_read_is_not_revealed(db: Db):
    four_datasets(db)
    member = _member(db)
    with pytest.raises(NotFound, match="no dataset d3"):
        lineage(db, "d3", every=False, user_id=member)
    for name in ("d0", "d3"):
        call(db, "grant_dataset", org_id=DEFAULT_ORG, name=name, role="finance")

    graph = lineage(db, "d3", every=False, user_id=member)
    assert [node["dataset"] for node in graph["nodes"]] == ["d3"]  # d0 is only reached through d2
    assert graph["edges"] == []
    call(db, "grant_dataset", org_id=DEFAULT_ORG, name="d2", role="finance")
    assert edges(lineage(db, "d3", every=False, user_id=member)) == {("d0", "d2"), ("d2", "d3")}
    assert edges(lineage(db, "d2", column="total", every=False, user_id=member)) == {
        ("d0.amount", "d2.total"), ("d2.total", "d3"),
    }  # fmt: skip
    with pytest.raises(NotFound):
        lineage(db, "d3", every=False, user_id=uuid4())
    with pytest.raises(NotFound):
        lineage(db, "d3", every=False)


def test_another_org_finds_nothing(db: Db):
    four_datasets(db)
    other = call(db, "create_org", slug="other", name="Other")
    with pytest.raises(NotFound):
        call(db, "get_lineage", org_id=other, dataset="d3", every=True)


def test_an_edge_to_a_newer_version_is_stale_and_an_old_version_keeps_its_lineage(db: Db):
    deployed(db, a_chain(2))
    record(db, "d1", ["d0"])
    old = lineage(db, "d0")
    document = a_chain(2)
    document["jobs"][0]["config"] = {"task": "a.other"}
    document["jobs"][1]["name"] = "renamed"
    document["jobs"][1]["renamed_from"] = "j1"
    deployed(db, document, expected=1)
    # A reader of another DAG keeps its version when the dataset that it reads gets a new one.
    db.execute("update tenuto.datasets set current_version_id = %s where name = 'd1'",
               [next(node["version"] for node in old["nodes"] if node["dataset"] == "d1")])  # fmt: skip

    assert [edge["stale"] for edge in lineage(db, "d0")["edges"]] == [True]
    was = next(node["version"] for node in old["nodes"] if node["dataset"] == "d0")
    again = lineage(db, "d0", version_id=was)
    assert [edge["stale"] for edge in again["edges"]] == [False]
    assert [(node["dataset"], node["current"]) for node in again["nodes"]] == [("d0", False), ("d1", True)]
    with pytest.raises(NotFound, match="dataset d1 has no version"):
        lineage(db, "d1", version_id=was)


def test_wrong_questions_get_clear_errors(db: Db):
    document = a_chain(1)
    document["jobs"][0]["outputs"][0]["columns"] = [{"name": "at", "type": "date"}]
    deployed(db, document)
    with pytest.raises(NotFound, match="dataset d0 has no column nope"):
        lineage(db, "d0", column="nope")
    assert lineage(db, "d0", column="at")["edges"] == []
    for depth in (0, 51):
        with pytest.raises(InvalidInput, match="not 1 to 50"):
            lineage(db, "d0", depth=depth)


def test_a_dataset_without_a_version_has_no_lineage(db: Db):
    deployed(db, a_chain(1))
    db.execute("update tenuto.datasets set current_version_id = null")
    assert lineage(db, "d0") == {"root": None, "nodes": [], "edges": [], "truncated": False}


def _member(db: Db):
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    user = call(
        db, "put_user", org_id=DEFAULT_ORG, issuer="https://id", subject="ann", email=None, platform_role="reader"
    )
    call(db, "add_member", org_id=DEFAULT_ORG, role="finance", user_id=user)
    return user
