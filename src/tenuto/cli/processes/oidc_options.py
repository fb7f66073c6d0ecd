"""Reads the OIDC settings from flags and the environment."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from tenuto.cli.exit_codes import UsageError

if TYPE_CHECKING:
    from tenuto.server.settings import Oidc

Issuer = Annotated[
    str | None,
    typer.Option(help="OIDC issuer of users' tokens: https://…", envvar="TENUTO_OIDC_ISSUER", show_default=False),
]
Audience = Annotated[
    str | None,
    typer.Option(
        help="Expected audience (`aud`) of tokens. Default: the client id.",
        envvar="TENUTO_OIDC_AUDIENCE",
        show_default=False,
    ),
]
Client = Annotated[
    str | None,
    typer.Option(
        help="OIDC client id; enables login in browsers. TENUTO_OIDC_CLIENT_SECRET is the client's secret.",
        envvar="TENUTO_OIDC_CLIENT_ID",
        show_default=False,
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(
        help="URL of this server, as browsers reach it: https://…", envvar="TENUTO_PUBLIC_URL", show_default=False
    ),
]


def read_oidc(
    issuer: str | None,
    audience: str | None,
    client: str | None,
    public_url: str | None,
    environment: Mapping[str, str] = os.environ,
) -> "Oidc | None":
    """Returns the trusted issuer, or None if none is set. Incomplete settings are a usage error."""
    from tenuto.server.auth.oidc_issuer import IssuerUnavailable, check_url
    from tenuto.server.settings import Oidc

    if public_url is not None:
        _check_public(public_url)
    if issuer is None:
        if audience or client:
            raise UsageError("--oidc-audience and --oidc-client need an issuer; write --oidc-issuer https://…")
        return None
    try:
        check_url(issuer)
    except IssuerUnavailable:
        raise UsageError(f"the issuer {issuer!r} is not an https address; write --oidc-issuer https://…") from None
    if audience is None and client is None:
        raise UsageError("--oidc-audience is required: without it every token of this issuer would be accepted")
    if client is not None and public_url is None:
        raise UsageError(
            "--public-url is required: the issuer redirects users to it after login; write the URL of this server"
        )
    return Oidc(issuer, audience or client or "", client, environment.get("TENUTO_OIDC_CLIENT_SECRET") or None)


def _check_public(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise UsageError(f"--public-url {url!r} has more than scheme, host and port; write https://tenuto.example.org")
