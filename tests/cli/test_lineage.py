"""`tenuto datasets lineage`, as a person runs it."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.database.lineage import edges, four_datasets
from tests.support.database.tasks import Db
from tests.support.http.both_ways import run_here as tenuto


def test_a_column_is_shown_as_a_tree(database: str, db: Db, asked: Callable[..., Any]):
    four_datasets(db)

    def lineage(*arguments: str) -> str:
        done = tenuto("datasets", "lineage", *arguments, TENUTO_DATABASE_URL=database)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert lineage("d2.total") == (
        "d2.total\n"
        "computed from\n"
        "├── d0.amount  [aggregation, sql, exact]\n"
        "├── d1  [sql, table]\n"
        "└── d1.region  [indirect, filter, sql, exact]\n"
        "used by\n"
        "└── d3  [inputs, table]\n"
    )
    assert lineage("d3", "--up", "--depth", "1") == "d3\ncomputed from\n└── d2  [inputs, table]\n"
    assert lineage("d3", "--down") == "d3\nno lineage is recorded\n"
    graph = lineage("d2.day", "--up", "--format", "dot")
    assert 'label="d0.at"' in graph
    assert "style=dashed" in graph
    assert edges(json.loads(lineage("d2", "--format", "json"))) == {("d0", "d2"), ("d1", "d2"), ("d2", "d3")}
    assert edges(asked("datasets", "lineage", "d2")) == {("d0", "d2"), ("d1", "d2"), ("d2", "d3")}


def test_a_dataset_or_version_that_does_not_exist_is_an_error(database: str, db: Db):
    four_datasets(db)
    for arguments, message in (
        (["nope"], "no dataset nope"),
        (["d2", "--version", "00000000-0000-7000-8000-000000000000"], "dataset d2 has no version"),
        (["d2", "--depth", "51"], "less than or equal to 50"),
    ):
        done = tenuto("datasets", "lineage", *arguments, TENUTO_DATABASE_URL=database)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
