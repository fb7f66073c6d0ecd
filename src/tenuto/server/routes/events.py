"""Events of datasets, and what they did to jobs."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.db import events
from tenuto.model.events import Event, Reaction
from tenuto.server.http.pagination import Filter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Page

ROUTES = RouteTable("events")

ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


class EventFilter(Filter):
    """Selects events, newest first. `dataset`: only events of this dataset. `before`: the last id of the previous
    page."""

    dataset: Annotated[str, Field(max_length=128)] | None = None
    before: UUID | None = None


class ReactionFilter(Filter):
    """Selects reactions, newest event first. `after`: the two ids `event/job` of the last reaction on the previous
    page."""

    after: Annotated[str, Field(pattern=f"^{ID}/{ID}$")] | None = None

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function."""
        event, _, job = (self.after or "").partition("/")
        return {"after_event": event or None, "after_job": job or None, "limit": self.limit}


def _page(items: list[Reaction], query: ReactionFilter) -> object:
    last = f"{items[-1].event_id}/{items[-1].job_id}" if len(items) == query.limit else None
    return {"items": items, "next": last}


@ROUTES.add("GET", "/v1/events", permission="events:read", response=Page[Event])
async def list_events(request: ApiRequest, query: EventFilter) -> object:
    """List commits of datasets and emitted events, newest first."""
    return page(await request.call_with(query, events.list_events), query, "id")


@ROUTES.add("GET", "/v1/events/{event_id}/reactions", permission="events:read", response=Page[Reaction])
async def list_event_reactions(request: ApiRequest, event_id: UUID, query: ReactionFilter) -> object:
    """List what an event did to the jobs that read its dataset."""
    return _page(await request.call_with(query, events.list_reactions, event_id=event_id), query)


@ROUTES.add("GET", "/v1/jobs/{dag}/{name}/reactions", permission="events:read", response=Page[Reaction])
async def list_job_reactions(request: ApiRequest, dag: PathName, name: PathName, query: ReactionFilter) -> object:
    """List what events did to a job, newest first."""
    return _page(await request.call_with(query, events.list_reactions, dag=dag, name=name), query)
