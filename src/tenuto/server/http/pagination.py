"""Lists in pages: each goes on where the one before ended, whatever came or went in between."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from tenuto.model.errors import InvalidInput

Limit = Annotated[int, Field(ge=1, le=200)]


class Filter(BaseModel):
    """The parameters of a list; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = 50


class SortedFilter(Filter):
    """Newest first, going on with `before`; or with `sort=created_at` oldest first, going on with `after`."""

    sort: Literal["-created_at", "created_at"] = "-created_at"
    before: UUID | None = None
    after: UUID | None = None

    def said(self) -> dict[str, Any]:
        """What the kernel is asked."""
        oldest_first = self.sort == "created_at"
        if (self.before if oldest_first else self.after) is not None:
            wrong, right = ("before", "after") if oldest_first else ("after", "before")
            raise InvalidInput(f"{wrong} does not go with sort={self.sort}", f"write {right}=…, or turn the order")
        after = self.after or UUID(int=0) if oldest_first else None
        return {**self.model_dump(exclude={"sort", "after"}), "after": after}


def page(found: Sequence[Any], asked: Filter, cursor: str) -> dict[str, Any]:
    """What was found, and where to go on: after the `cursor` of the last, if the page is full."""
    full = len(found) == asked.limit
    return {"items": found, "next": str(getattr(found[-1], cursor)) if full else None}
