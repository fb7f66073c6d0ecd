"""The HTTP layer: Starlette and Pydantic, with a router of our own.

A request passes these steps; each is in the module of that name:

1. `slow_clients`    uvicorn's protocol for HTTP/1.1, which closes connections whose request stops arriving.
2. `middleware`      adds the request id and the security headers, limits requests, measures and logs them; compresses
                     large responses. CORS, where it is enabled, is Starlette's middleware.
3. `routing`         finds the route; authenticates the request, checks the permission that the route declares, and only
                     then reads the body; turns exceptions into responses, which `problems` writes.
4. `binding`         validates path, query and body with Pydantic, calls the endpoint, validates and writes its result.

Routes are declared in `server/routes` with a `RouteTable` (`route_table`). The server does not start if a route
declares no permission. An endpoint is an async function; the names of its parameters say what they receive:

    request   the authenticated request: ApiRequest, WorkerRequest or TaskRequest; HttpRequest on public routes
    body      the JSON body
    query     the whole query, as a Pydantic model
    others    the part of the path of that name, else the query parameter of that name

FastAPI takes no part in serving requests, for two reasons. It resolves dependencies, opens two exit stacks per request
and adds four layers of middleware: together these took longer than the work of most requests (ADR 18, ADR 23,
`bench/http.py`). And it reads the body before dependencies authenticate the client. FastAPI only describes the API:
`openapi` passes it the declared routes, and its `get_openapi` writes the document. No other module imports FastAPI.

Tenuto uses these private parts of libraries. Each library has an upper bound of its version in pyproject.toml, and each
part has a test in tests/contracts/test_private_parts.py:

    uvicorn    `slow_clients` extends H11Protocol and reads `cycle`, `flow`, `app_state`, `send_400_response`.
    starlette  `middleware` drives GZipResponder, which Starlette's own middleware makes for each request.
    psycopg    `db.connection.raw_statements`, `db.connection.claim_connection` and `db.connection.pool`, not here.
"""
