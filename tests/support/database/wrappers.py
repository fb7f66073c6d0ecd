"""Calls the wrappers in db/ from a test that is not async."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from psycopg import AsyncConnection

T = TypeVar("T")


def call_wrapper(database: str, wrapper: Callable[..., Awaitable[T]], **arguments: Any) -> T:
    """What the wrapper answers on a connection of its own."""

    async def on_a_connection() -> T:
        async with await AsyncConnection.connect(database, autocommit=True) as conn:
            return await wrapper(conn, **arguments)

    return asyncio.run(on_a_connection())
