"""A client on a database of its own, with a clock and a worker inside the test."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tenuto import App
from tenuto.testing import Isolated, isolated

Journey = Callable[[Isolated], Awaitable[Any]]


@pytest.fixture
def journey(server: str) -> Callable[[App, Journey], Any]:
    """`journey(app, steps)` runs the steps with a client of the app."""

    def run(app: App, steps: Journey) -> Any:
        async def all_of_it() -> Any:
            async with isolated(app, server=server) as tn:
                return await steps(tn)

        return asyncio.run(all_of_it())

    return run
