"""`tenuto pools` with real commands, on a database."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.errors import InvalidInput
from tenuto.model.pool_fields import read_pairs, split_fields
from tests.support.database.pools import a_pool, scale, take_pools
from tests.support.database.tasks import Db, start
from tests.support.http.both_ways import run_here

Asked = Callable[..., Any]


def test_a_pool_is_set_listed_explained_and_deleted(db: Db, asked: Asked) -> None:
    assert asked("pools", "set", "gpu", "provider=local", "max=4", "idle_timeout=5m", "queues=a,b") == {
        "pools": ["gpu"]
    }
    start(db, 1, 2, kind={"queue": "a"})
    take_pools(db)
    pool_id = db.execute("select id from tenuto.pools").fetchall()[0][0]
    scale(db, pool_id)
    db.commit()

    (row,) = asked("pools", "list")["pools"]
    explained = asked("pools", "explain", "gpu")

    assert (row["max_workers"], row["idle_timeout_seconds"], row["queues"], row["starting"]) == (4, 300, ["a", "b"], 2)
    assert [entry["reason"] for entry in explained["decisions"]] == ["2 tasks are ready and 0 run"]
    assert {entry["status"] for entry in explained["machines"]} == {"starting"}
    assert asked("pools", "spawn", "gpu", "--count", "2") == {"pool": "gpu", "requested": 2}
    assert asked("pools", "delete", "gpu", "--force") == {"pool": "gpu", "deleted": True}
    assert asked("pools", "list")["pools"] == []


def test_pools_come_from_a_file(asked: Asked, tmp_path: Path) -> None:
    file = tmp_path / "pools.yaml"
    file.write_text("pools:\n  cpu: {provider: local, max: 2}\n  gpu: {provider: ecs, max: 1, tiers: [{cpu: 4}, {}]}\n")

    assert asked("pools", "set", "--file", str(file)) == {"pools": ["cpu", "gpu"]}

    rows = asked("pools", "list")["pools"]
    assert [(row["name"], row["provider"], row["tiers"]) for row in rows] == [
        ("cpu", "local", []),
        ("gpu", "ecs", [{"cpu": 4}, {}]),
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("gpu", "maxx=4"), "did you mean max?"),
        (("gpu", "max"), "is not field=value"),
        (("gpu", "max=many"), "write a whole number: max_workers=4"),
        (("gpu", "idle_timeout=5"), 'write "5s"'),
        (("gpu", "tiers={"), "write JSON"),
        (("gpu", "max=1", "min=2"), "min_workers is not between 0 and max_workers"),
        (("--file", "/nothing.yaml"), "cannot be read"),
        ((), "pools set POOL FIELD=VALUE"),
    ],
)
def test_a_wrong_policy_says_what_to_write(database: str, arguments: tuple[str, ...], text: str) -> None:
    done = run_here("pools", "set", *arguments, TENUTO_DATABASE_URL=database)

    assert (done.returncode != 0, text in done.stderr) == (True, True), done.stderr


def test_a_text_without_a_controlling_dispatcher_says_so(db: Db, database: str) -> None:
    a_pool(db)
    db.execute("update tenuto.pools set controlled_until = now() - interval '1 hour'")
    db.commit()

    done = run_here("pools", "explain", "gpu", TENUTO_DATABASE_URL=database)

    assert "No dispatcher controls it" in done.stdout


def test_fields_in_one_text_are_split_before_each_name() -> None:
    assert split_fields("min=0,queues=a,b,max=4") == ["min=0", "queues=a,b", "max=4"]
    assert read_pairs(["queues=*", "paused=true", "spare=1", "settings={}"]) == {
        "queues": None,
        "paused": True,
        "spare_workers": 1,
        "settings": {},
    }
    with pytest.raises(InvalidInput):
        read_pairs(["paused=perhaps"])
