"""Reads all pages of a list, and parses the ids that users pass."""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.transport import PAGE

T = TypeVar("T")


async def all_pages(fetch: Callable[[T | None], Awaitable[list[T]]], *, most: int | None = None) -> list[T]:
    """Return the items of all pages, but at most `most` items. `fetch` gets the last item of the previous page, or None
    for the first page."""
    items: list[T] = []
    while most is None or len(items) < most:
        page = await fetch(items[-1] if items else None)
        items += page
        if len(page) < PAGE:
            break
    return items[:most]


def read_uuid(id: UUID | str, what: str) -> UUID:
    """Return a UUID for an id that was passed as UUID or text, or raise InvalidInput. `what` names the thing in the
    error."""
    try:
        return id if isinstance(id, UUID) else UUID(id)
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{id!r:.60} is not the id of {what}", "pass a UUID, or its text") from error
