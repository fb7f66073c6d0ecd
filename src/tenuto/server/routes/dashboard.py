"""Serves the built files of the dashboard. All of its pages are one HTML document."""

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tenuto.server.auth.oidc_login import HOME
from tenuto.server.http.request import HttpRequest
from tenuto.server.http.request_log import SECURITY_HEADERS
from tenuto.server.http.route_table import PUBLIC, RouteTable
from tenuto.web.assets import INDEX, Asset, find_page

ROUTES = RouteTable("dashboard")

# The page may load files and send requests only from and to this server: no inline scripts or styles, no other hosts.
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
IMMUTABLE = b"public, max-age=31536000, immutable"
REVALIDATE = b"no-cache"  # the browser sends a request each time, and gets 304 if the file has not changed


@ROUTES.add("GET", "/ui", permission=PUBLIC, status=303, response_class=RedirectResponse)
async def open_dashboard() -> Response:
    """Open the dashboard."""
    return RedirectResponse(HOME, 303)


@ROUTES.add("GET", "/ui/", permission=PUBLIC, response_class=HTMLResponse)
async def show_dashboard(request: HttpRequest) -> Response:
    """Show the dashboard in a browser."""
    return _respond(request, INDEX)


@ROUTES.add("GET", "/ui/{page_path}", permission=PUBLIC, refuses=(404,), response_class=HTMLResponse)
async def show_dashboard_page(request: HttpRequest, page_path: str) -> Response:
    """Show a page of the dashboard, or get one of its files. The page calls the API as the logged-in user."""
    return _respond(request, page_path)


def _respond(request: HttpRequest, path: str) -> Response:
    asset = find_page(path)
    if asset is None:
        raise HTTPException(404)
    cached = IMMUTABLE if asset.immutable else REVALIDATE
    other = [header for header in SECURITY_HEADERS if header[0] not in (b"content-security-policy", b"cache-control")]
    request.record.security_headers = ((b"content-security-policy", POLICY), (b"cache-control", cached), *other)
    headers = {"ETag": asset.etag, "Vary": "Accept-Encoding"}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(None, 304, headers)
    return _body(asset, headers, gzipped="gzip" in request.headers.get("accept-encoding", ""))


def _body(asset: Asset, headers: dict[str, str], *, gzipped: bool) -> Response:
    if gzipped:
        return Response(asset.gzipped, 200, {**headers, "Content-Encoding": "gzip"}, asset.media_type)
    return Response(asset.content, 200, headers, asset.media_type)
