"""Queries through the client, over both transports."""

import asyncio
import csv

import pytest

from tenuto import App, NotFound
from tests.support.sandbox.availability import require_full_sandbox

app = App("shop")


def test_a_query_returns_its_rows_and_a_missing_dataset_is_an_error(way):
    require_full_sandbox()

    async def steps() -> None:
        async with app.connect(**way) as tn:
            result = await tn.query("select 1 as a, 'x' as b")
            assert (result.dicts(), result.versions, result.truncated) == ([{"a": 1, "b": "x"}], [], False)
            exported = await tn.export_query("select 1 as a", format="csv")
            assert list(csv.reader(exported.decode().splitlines())) == [["a"], ["1"]]
            with pytest.raises(NotFound, match="no dataset nothing that you can read"):
                await tn.query("select * from nothing")

    asyncio.run(steps())
