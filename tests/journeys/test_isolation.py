"""A database whose transactions are repeatable read unless they say otherwise: workers, dispatchers and clients work as
on any other, and no parent waits for ever for children that ended."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.sdk.connect import connect
from tests.journeys.apps.families import child, limited, parent, total
from tests.support.database.isolation import LEVELS, default_isolation
from tests.support.database.loops import value
from tests.support.database.tasks import Db
from tests.support.postgres.pgbouncer import a_pooler
from tests.support.processes.workers import a_fleet

ROLES = ["tenuto_worker", "tenuto_dispatcher"]


@pytest.fixture(params=["direct", "pooled"])
def address(request: pytest.FixtureRequest, database: str) -> Iterator[str]:
    with default_isolation(database, LEVELS[0]):
        if request.param == "direct":
            yield database
        else:
            with a_pooler(database, {"all": ROLES}) as urls:
                yield urls["all"]


def test_families_limits_graphs_and_dedupe_keys_work(db: Db, address: str, tmp_path: Path) -> None:
    async def main() -> list[object]:
        async with connect(url=address, home=tmp_path / "home") as tn:
            runs = [await tn.start(parent, 5) for _ in range(8)]
            runs += [await tn.start(limited, 1) for _ in range(8)]
            runs += [await tn.start(child, 1, dedupe_key=f"k{number // 2}") for number in range(8)]
            for _ in range(4):
                graph = tn.graph("sum")
                graph.add(total, graph.map(child, [1, 2, 3, 4]))
                runs.append(await tn.start(graph))
            return [await run.result(timeout=100) for run in runs]

    with a_fleet(address, tmp_path) as fleet:
        fleet.start("families")
        fleet.start("families")
        results = asyncio.run(main())

    assert results == [30] * 8 + [1] * 16 + [10] * 4
    assert value(db, "select count(*) from tenuto.waiting_tasks") == 0
