"""The trusted OIDC issuer: fetches its configuration and the public keys that verify its tokens."""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

from tenuto.model.json import Json
from tenuto.server.settings import Oidc

REFRESH_KEYS_SECONDS = 3600.0  # keys are fetched again after this, so that a revoked key disappears
MAX_KEY_AGE_SECONDS = 86_400.0  # cached keys stay valid this long while the issuer is unreachable
REQUEST_TIMEOUT_SECONDS = 5.0
MAX_RESPONSE_BYTES = 1 << 20
MIN_RSA_BITS = 2048

log = logging.getLogger("tenuto.server")


class IssuerUnavailable(Exception):
    """The issuer does not respond, or its response is invalid."""


@dataclass(frozen=True)
class IssuerKey:
    """A public key of the issuer. If it has an algorithm, it is valid only for that algorithm."""

    id: str
    public: Any
    algorithm: str | None


@dataclass(frozen=True)
class IssuerKeys:
    """The issuer's keys by id, and its endpoints by name."""

    keys: dict[str, IssuerKey]
    endpoints: dict[str, Any]


class Issuer:
    """Caches the issuer's keys and endpoints in this process; fetches them only when needed."""

    def __init__(self, settings: Oidc) -> None:
        self.settings = settings
        self.http = httpx2.AsyncClient(timeout=REQUEST_TIMEOUT_SECONDS)
        self._known: IssuerKeys | None = None
        self._known_at = self._asked_at = float("-inf")
        self._turn = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None

    async def key(self, kid: str) -> IssuerKey | None:
        """Return the issuer's key with this id, or None. Fetches the keys if the id is unknown, because the key may be
        new. A known key is returned at once; keys older than an hour are refreshed in the background."""
        known = self._within(MAX_KEY_AGE_SECONDS)
        if known is None or kid not in known.keys:
            known = await self._ask(missing=kid)
        elif self._within(REFRESH_KEYS_SECONDS) is None and (self._renewing is None or self._renewing.done()):
            self._renewing = asyncio.create_task(self._renew())
        return known.keys.get(kid)

    async def _renew(self) -> None:
        try:
            await self._ask()
        except IssuerUnavailable:
            return  # already logged; the next request tries again
        except Exception:
            log.exception("the keys of the OIDC issuer %s could not be refreshed; retrying", self.settings.issuer)

    async def close(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        await self.http.aclose()

    async def endpoint(self, name: str) -> str:
        known = self._within(MAX_KEY_AGE_SECONDS) or await self._ask()
        if not isinstance(url := known.endpoints.get(name), str):
            raise IssuerUnavailable(f"the configuration of {self.settings.issuer} has no {name}")
        check_url(url)
        return url

    def _within(self, seconds: float) -> IssuerKeys | None:
        return self._known if time.monotonic() - self._known_at < seconds else None

    async def _ask(self, missing: str | None = None) -> IssuerKeys:
        """Returns the issuer's keys and endpoints. Fetches them if the cached ones are older than an hour or lack the
        key `missing`, but at most once per `fetch_floor` seconds. Raises IssuerUnavailable if this process has no keys
        that are less than a day old."""
        async with self._turn:  # so that concurrent requests cause only one fetch
            known = self._within(REFRESH_KEYS_SECONDS)
            if known is not None and (missing is None or missing in known.keys):
                return known
            if time.monotonic() - self._asked_at >= self.settings.fetch_floor:
                self._asked_at = time.monotonic()
                try:
                    self._known = await self._fetch()
                    self._known_at = time.monotonic()
                except (IssuerUnavailable, httpx2.HTTPError) as error:
                    log.warning("the keys of the OIDC issuer %s could not be fetched: %s", self.settings.issuer, error)
            if (known := self._within(MAX_KEY_AGE_SECONDS)) is None:
                raise IssuerUnavailable(f"the keys of {self.settings.issuer} could not be fetched")
            return known

    async def _fetch(self) -> IssuerKeys:
        issuer = self.settings.issuer
        endpoints = await self.get_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if endpoints.get("issuer") != issuer:
            raise IssuerUnavailable(f"its configuration has another issuer: {endpoints.get('issuer')!r}")
        url = str(endpoints.get("jwks_uri"))
        check_url(url)
        listed: Json = (await self.get_json(url)).get("keys")
        keys = [_key(entry) for entry in listed] if isinstance(listed, list) else []
        return IssuerKeys({key.id: key for key in keys if key is not None}, endpoints)

    async def get_json(self, url: str) -> dict[str, Any]:
        return await read_json(self.http, "GET", url)


async def read_json(
    http: httpx2.AsyncClient,
    method: str,
    url: str,
    *,
    data: dict[str, str] | None = None,
    auth: httpx2.BasicAuth | None = None,
) -> dict[str, Any]:
    """Requests a URL of the issuer and returns the JSON object of the response. Follows no redirects. Raises
    IssuerUnavailable for a response that is too large, is no JSON object or has another status than 200."""
    async with http.stream(method, url, data=data, auth=auth) as response:
        if response.status_code != 200:
            raise IssuerUnavailable(f"{url} responded {response.status_code}")
        body = b""
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_RESPONSE_BYTES:
                raise IssuerUnavailable(f"{url} responded with more than {MAX_RESPONSE_BYTES} bytes")
        try:
            content: Json = httpx2.Response(200, content=body).json()
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise IssuerUnavailable(f"{url} did not respond with a JSON object")
        return content


def check_url(url: str) -> None:
    """Raises IssuerUnavailable unless the issuer's URL is https or on this machine: an attacker could impersonate an
    issuer at any other URL."""
    parts = urlsplit(url)
    here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or not (parts.scheme == "https" or here):
        raise IssuerUnavailable(f"its address {url!r} is not https")


def _key(entry: Json) -> IssuerKey | None:
    """Returns the key if it can verify signatures, else None: symmetric, weak and unknown keys are ignored."""
    if not isinstance(entry, dict) or entry.get("kty") not in ("RSA", "EC", "OKP") or entry.get("use", "sig") != "sig":
        return None
    try:
        key = PyJWK.from_dict(entry)
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    algorithm = None if entry.get("alg") is None else str(entry["alg"])
    weak = isinstance(key.key, RSAPublicKey) and key.key.key_size < MIN_RSA_BITS
    return None if weak or not key.key_id else IssuerKey(key.key_id, key.key, algorithm)
