"""Keyset pagination: each page continues where the previous one ended, whatever rows came or went in between."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from tenuto.model.errors import InvalidInput

Limit = Annotated[int, Field(ge=1, le=200)]
PathName = Annotated[str, Field(min_length=1, max_length=256)]


class Filter(BaseModel):
    """The query parameters of a list; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = 50


class NameFilter(Filter):
    """Selects rows by name, after a name."""

    after: str | None = None


class SortedFilter(Filter):
    """Newest first, continued with `before`; or oldest first with `sort=created_at`, continued with `after`."""

    sort: Literal["-created_at", "created_at"] = "-created_at"
    before: UUID | None = None
    after: UUID | None = None

    def params(self) -> dict[str, Any]:
        """Return the parameters of the SQL function."""
        oldest_first = self.sort == "created_at"
        if (self.before if oldest_first else self.after) is not None:
            wrong, right = ("before", "after") if oldest_first else ("after", "before")
            raise InvalidInput(
                f"{wrong} cannot be combined with sort={self.sort}", f"write {right}=…, or reverse the order"
            )
        after = self.after or UUID(int=0) if oldest_first else None
        return {**self.model_dump(exclude={"sort", "after"}), "after": after}


def page(items: Sequence[Any], filter: Filter, cursor: str) -> dict[str, Any]:
    """Returns the page and `next`, the cursor of its last item, if the page is full."""
    full = len(items) == filter.limit
    return {"items": items, "next": str(getattr(items[-1], cursor)) if full else None}
