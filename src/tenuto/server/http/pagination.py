"""Keyset pagination: each page continues where the previous one ended, even if rows were added or deleted in
between."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from tenuto.model.errors import InvalidInput
from tenuto.model.json import JsonObject
from tenuto.server.http.request import parse_json
from tenuto.server.schemas.base import Moment

Limit = Annotated[int, Field(ge=1, le=200)]
PathName = Annotated[str, Field(min_length=1, max_length=256)]


class Query(BaseModel):
    """The query parameters of a route; unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid")

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function."""
        return self.model_dump()


class Filter(Query):
    """The query parameters of a list."""

    limit: Limit = 50


class NameFilter(Filter):
    """A list in the order of names. `after`: the last name of the previous page."""

    after: str | None = None


class SortedFilter(Filter):
    """A list with the newest rows first, in which `before` gets the next page. With `sort=created_at` the oldest rows
    are first, and `after` gets the next page."""

    sort: Literal["-created_at", "created_at"] = "-created_at"
    before: UUID | None = None
    after: UUID | None = None

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function."""
        oldest_first = self.sort == "created_at"
        if (self.before if oldest_first else self.after) is not None:
            wrong, right = ("before", "after") if oldest_first else ("after", "before")
            raise InvalidInput(
                f"{wrong} cannot be combined with sort={self.sort}", f"write {right}=…, or reverse the order"
            )
        after = self.after or UUID(int=0) if oldest_first else None
        return {**self.model_dump(exclude={"sort", "after"}), "after": after}


class CountedFilter(SortedFilter):
    """A list by creation time. `since`: only rows created at that time or later. `until`: only rows created before that
    time. `metadata`: a JSON object that the row's metadata must contain. `count`: also return how many rows match,
    exactly up to 10,000 and estimated above."""

    since: Moment | None = None
    until: Moment | None = None
    metadata: Annotated[str, Field(min_length=2, max_length=4096, examples=['{"team": "bi"}'])] | None = None
    count: bool = False

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function. If several statuses are sent, rows with any of them match."""
        values = super().params()
        values["statuses"] = values.pop("status")
        values["metadata"] = None if self.metadata is None else _json_object(self.metadata)
        return {name: value for name, value in values.items() if name != "count"}

    def conditions(self) -> "Conditions":
        """Return the filter without the page, for the SQL function that counts."""
        page = ("limit", "before", "after", "dedupe_key", "external_id")
        return Conditions({name: value for name, value in self.params().items() if name not in page})


def _json_object(text: str) -> JsonObject:
    try:
        value = parse_json(text.encode())
    except (InvalidInput, UnicodeEncodeError) as problem:
        raise _no_object(text) from problem
    if not isinstance(value, dict):
        raise _no_object(text)
    return value  # pyright: ignore[reportUnknownVariableType]


def _no_object(text: str) -> InvalidInput:
    return InvalidInput(f"metadata is not a JSON object: {text!r:.60}", 'write metadata={"team":"bi"}, percent-encoded')


@dataclass(frozen=True)
class Conditions:
    """A filter without the parameters that choose the page."""

    values: dict[str, object]

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function."""
        return self.values


def page(items: Sequence[Any], filter: Filter, cursor: str) -> dict[str, object]:
    """Returns the page and `next`: the cursor of its last item if the page is full, else None."""
    full = len(items) == filter.limit
    return {"items": items, "next": str(getattr(items[-1], cursor)) if full else None}
