"""Resolves the server that a remote worker connects to, from flags and the environment."""

import json
import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tenuto.cli.database import Settings
from tenuto.cli.exit_codes import UsageError
from tenuto.model.environment import wrong_server
from tenuto.model.errors import message_of

if TYPE_CHECKING:
    from tenuto.worker.backends.http_connection import ServerAddress

HERE = ("localhost", "127.0.0.1", "::1")

log = logging.getLogger("tenuto.worker")


def resolve_server(
    settings: Settings, url: str | None, key: str | None, environment: Mapping[str, str] = os.environ
) -> "ServerAddress | None":
    """Returns the server that the worker connects to, or None if the worker connects to the database itself. Flags take
    precedence over the environment, and TENUTO_DATABASE_URL over TENUTO_URL."""
    if url is None and (key is not None or settings.database_url is None):
        url = settings.server_url
    if url is None:
        if key is not None:
            raise UsageError("--key needs a server: also write --url https://…, or set TENUTO_URL")
        return None
    from tenuto.worker.backends.http_connection import ServerAddress

    host = _check_url(url)
    site = ServerAddress(url.rstrip("/"), _check_key(key or environment.get("TENUTO_WORKER_KEY")), _proxy(url, host))
    _check_health(site)
    return site


def _check_url(url: str) -> str:
    if wrong := wrong_server(url, "--url "):
        raise UsageError(wrong)
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in HERE:
        log.warning("%s is not encrypted: anyone on the network path can read the worker key and every task", url)
    return parts.hostname or ""


def _check_key(key: str | None) -> str:
    from tenuto.model.keys import WORKER, parse_key

    if not key:
        raise UsageError("a worker key is missing: set TENUTO_WORKER_KEY; `tenuto worker-keys create` creates one")
    parsed = parse_key(key.strip())
    if parsed is None:
        raise UsageError(
            "the worker key is mistyped or incomplete: it begins with tnw_ and is shown in full when it is created"
        )
    if parsed.kind != WORKER:
        raise UsageError("this is an API key (tn_…); a worker needs a worker key (tnw_…): `tenuto worker-keys create`")
    return parsed.text


def _proxy(url: str, host: str) -> str | None:
    """Returns the proxy that HTTP_PROXY, HTTPS_PROXY and NO_PROXY select."""
    from urllib.request import getproxies_environment, proxy_bypass

    if proxy_bypass(host):
        return None
    return getproxies_environment().get(urlsplit(url).scheme)


def _check_health(site: "ServerAddress") -> None:
    """Request /healthz, so that a wrong address is reported before anything starts."""
    from http.client import HTTPException

    from tenuto.db.connection.errors import Unreachable

    connection = site.connect()
    try:
        connection.request("GET", site.target("/healthz"), headers=site.login_at_proxy)
        response = connection.getresponse()
        content = response.read(1000)
    except (OSError, HTTPException) as problem:
        raise Unreachable(f"cannot reach {site.url}: {message_of(problem)}") from problem
    finally:
        connection.close()
    try:
        healthy = json.loads(content) == {"status": "ok"}
    except ValueError:
        healthy = False
    if not healthy:
        raise Unreachable(
            f"{site.url} responded with {response.status}, which a Tenuto server never does; check the address"
        )
