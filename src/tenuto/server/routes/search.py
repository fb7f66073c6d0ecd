"""Search: runs, tasks, types, workers, datasets, DAGs, queues and schedules by name or id."""

from typing import Annotated

from pydantic import Field

from tenuto.db import search
from tenuto.model.search import PERMISSIONS, SearchResult
from tenuto.server.http.pagination import Query
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Items

ROUTES = RouteTable("search")


class SearchQuery(Query):
    """`q`: a part of a name, the beginning of the name of a run, or at least the first 12 digits of an id. `limit`: the
    maximum number of results of each kind."""

    q: Annotated[str, Field(min_length=1, max_length=256)]
    limit: Annotated[int, Field(ge=1, le=50)] = 5


@ROUTES.add("GET", "/v1/search", permission="status:read", response=Items[SearchResult])
async def search_names(request: ApiRequest, query: SearchQuery) -> object:
    """Find things of the org by name or id. Kinds that the caller has no permission to read are omitted."""
    permissions = request.principal.permissions
    kinds = [kind for kind, permission in PERMISSIONS.items() if permission in permissions]
    return {"items": await request.call(search.search_names, text=query.q, kinds=kinds, limit=query.limit)}
