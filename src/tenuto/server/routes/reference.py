"""Serves the reference of the HTTP API as a web page: RapiDoc, which is part of this package, shows the OpenAPI
document."""

import gzip
from functools import cache
from importlib.resources import files

from starlette.responses import HTMLResponse, Response

from tenuto.server.http.request import HttpRequest
from tenuto.server.http.request_log import SECURITY_HEADERS
from tenuto.server.http.route_table import PUBLIC, RouteTable

ROUTES = RouteTable("reference")

# The page runs only its own script and sends requests only to this server. RapiDoc styles itself with <style> elements.
POLICY = (
    b"default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = ((b"content-security-policy", POLICY), *SECURITY_HEADERS[1:])


class Script(Response):
    media_type = "text/javascript"


@cache
def _asset(name: str) -> bytes:
    return (files("tenuto.server") / "reference_page" / name).read_bytes()


@ROUTES.add("GET", "/docs", permission=PUBLIC, response_class=HTMLResponse)
async def show_reference(request: HttpRequest) -> Response:
    """Show the reference of this API in a browser."""
    request.record.security_headers = PAGE_HEADERS
    return HTMLResponse(_asset("index.html"))


@ROUTES.add("GET", "/docs/rapidoc.js", permission=PUBLIC, response_class=Script)
async def get_reference_script(request: HttpRequest) -> Response:
    """Get the script of the reference page."""
    script, vary = _asset("rapidoc-min.js.gz"), {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Script(script, headers={"Content-Encoding": "gzip", **vary})
    return Script(gzip.decompress(script), headers=vary)
