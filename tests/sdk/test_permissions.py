"""What a client's key needs is what the page about keys says: the permission that is named, and no other."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto import App, Client, Run
from tenuto.db.connection.pool import open_pool
from tenuto.model.errors import Forbidden
from tenuto.testing.inline import InlineWorker
from tests.support.http.loopback import make_api_key

PAGE = Path(__file__).parents[2] / "docs/howto/people-and-keys.md"
app = App("far")


@app.task
def add(x: int, y: int) -> int:
    return x + y


Deed = Callable[[Client, Run[int]], Awaitable[Any]]
DEEDS: dict[str, tuple[str, Deed]] = {
    "tn.start": ("runs:write", lambda tn, _: tn.start(add, 1, 2)),
    "tn.start_many": ("runs:write", lambda tn, _: tn.start_many(add, [(1, 2)])),
    "tn.signal": ("runs:write", lambda tn, run: tn.signal(run, "go")),
    "tn.cancel": ("runs:write", lambda tn, run: tn.cancel(run)),
    "run.delete": ("runs:delete", lambda _, run: run.delete()),
    "tn.runs.delete": ("runs:delete", lambda tn, _: tn.runs.delete(type="far.add")),
    "run.result": ("runs:read", lambda _, run: run.result(timeout=60)),
    "run.status": ("runs:read", lambda _, run: run.status()),
    "tn.runs": ("runs:read", lambda tn, _: tn.runs()),
    "run.tasks": ("tasks:read", lambda _, run: run.tasks()),
    "run.data.get": ("data:read", lambda _, run: run.data.get("colour")),
    "run.data.put": ("data:write", lambda _, run: run.data.put("colour", "red")),
    "tn.put": ("objects:write", lambda tn, _: tn.put(b"x")),
}


@pytest.fixture
def transport() -> str:
    return "http"


@pytest.mark.parametrize("name", DEEDS)
def test_a_deed_needs_the_permission_that_the_page_names_and_no_other(
    way: dict[str, str], database: str, name: str
) -> None:
    permission, deed = DEEDS[name]
    others = {one for one, _ in DEEDS.values()} - {permission}

    async def steps() -> None:
        async with open_pool(database, size=1) as pool, app.connect(database) as here:
            run = await here.start(add, 1, 2)
            if permission in ("runs:read", "runs:delete"):
                await InlineWorker(here.direct, app).work(most=10)
            enough, everything_else = await make_api_key(pool, permission), await make_api_key(pool, *others)
        async with app.connect(way["url"], key=everything_else) as tn:
            with pytest.raises(Forbidden, match=permission):
                await deed(tn, tn.run(run.id))
        async with app.connect(way["url"], key=enough) as tn:
            await deed(tn, tn.run(run.id))

    asyncio.run(steps())


def test_the_page_names_every_one() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]

    found = {
        name: [row for row in rows if f"`{name}`" in row and f"`{needed}`" in row]
        for name, (needed, _) in DEEDS.items()
    }

    assert [name for name, named in found.items() if len(named) != 1] == []
