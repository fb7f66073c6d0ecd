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
    typer.Option(help="The OIDC issuer of people's tokens: https://…", envvar="TENUTO_OIDC_ISSUER", show_default=False),
]
Audience = Annotated[
    str | None,
    typer.Option(
        help="The audience that tokens must name; by default the client id.",
        envvar="TENUTO_OIDC_AUDIENCE",
        show_default=False,
    ),
]
Client = Annotated[
    str | None,
    typer.Option(
        help="What the issuer calls this server: with it people log in here. Its secret is TENUTO_OIDC_CLIENT_SECRET.",
        envvar="TENUTO_OIDC_CLIENT_ID",
        show_default=False,
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(help="Where browsers reach this server: https://…", envvar="TENUTO_PUBLIC_URL", show_default=False),
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
            raise UsageError("an audience or client says nothing without its issuer; write --oidc-issuer https://…")
        return None
    try:
        check_url(issuer)
    except IssuerUnavailable:
        raise UsageError(f"the issuer {issuer!r} is not an https address; write --oidc-issuer https://…") from None
    if audience is None and client is None:
        raise UsageError(
            "say for whom the issuer's tokens must be meant, or all of its would be let in: --oidc-audience"
        )
    if client is not None and public_url is None:
        raise UsageError("people come back from the issuer to --public-url; write where browsers reach this server")
    return Oidc(issuer, audience or client or "", client, environment.get("TENUTO_OIDC_CLIENT_SECRET") or None)


def _check_public(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query:
        raise UsageError(f"--public-url {url!r} is not scheme, host and port alone; write https://tenuto.example.org")
