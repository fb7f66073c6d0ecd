"""The OIDC issuer whose word is taken: what it says of itself, and the keys that prove its tokens."""

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

from tenuto.server.settings import Oidc

REFRESH_KEYS_SECONDS = 3600.0  # seconds after which keys are asked for anew, so that one the issuer withdrew goes
MAX_KEY_AGE_SECONDS = 86_400.0  # seconds that keys are good for while the issuer does not answer
REQUEST_TIMEOUT_SECONDS = 5.0
MAX_RESPONSE_BYTES = 1 << 20
MIN_RSA_BITS = 2048

log = logging.getLogger("tenuto.server")


class IssuerUnavailable(Exception):
    """The issuer does not answer, or not as an issuer does."""


@dataclass(frozen=True)
class IssuerKey:
    """A public key of the issuer; where it is bound to an algorithm it proves nothing in another."""

    id: str
    public: Any
    algorithm: str | None


@dataclass(frozen=True)
class IssuerKeys:
    """What an issuer said: its keys by id, and where it is asked for what."""

    keys: dict[str, IssuerKey]
    endpoints: dict[str, Any]


class Issuer:
    """Asked when it must be, and not more often; what it said is kept in this process."""

    def __init__(self, settings: Oidc, http: httpx2.AsyncClient) -> None:
        self.settings = settings
        self.http = http
        self._known: IssuerKeys | None = None
        self._known_at = self._asked_at = float("-inf")
        self._turn = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None

    async def key(self, kid: str) -> IssuerKey | None:
        """The key of this id, if the issuer has it: one that is not known may be new. Nobody waits for a known one."""
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
            return  # which was logged; the next request tries again
        except Exception:
            log.exception("the keys of the OIDC issuer %s could not be renewed; trying again", self.settings.issuer)

    async def close(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)

    async def endpoint(self, name: str) -> str:
        known = self._within(MAX_KEY_AGE_SECONDS) or await self._ask()
        if not isinstance(url := known.endpoints.get(name), str):
            raise IssuerUnavailable(f"{self.settings.issuer} names no {name}")
        check_url(url)
        return url

    def _within(self, seconds: float) -> IssuerKeys | None:
        return self._known if time.monotonic() - self._known_at < seconds else None

    async def _ask(self, missing: str | None = None) -> IssuerKeys:
        """What the issuer says now; within the floor, what it said last."""
        async with self._turn:  # of many who find a key missing, one asks
            known = self._within(REFRESH_KEYS_SECONDS)
            if known is not None and (missing is None or missing in known.keys):
                return known
            if time.monotonic() - self._asked_at >= self.settings.fetch_floor:
                self._asked_at = time.monotonic()
                try:
                    self._known = await self._fetch()
                    self._known_at = time.monotonic()
                except (IssuerUnavailable, httpx2.HTTPError) as error:
                    log.warning("the OIDC issuer %s does not answer: %s", self.settings.issuer, error)
            if (known := self._within(MAX_KEY_AGE_SECONDS)) is None:
                raise IssuerUnavailable(f"{self.settings.issuer} does not answer")
            return known

    async def _fetch(self) -> IssuerKeys:
        issuer = self.settings.issuer
        endpoints = await self.get_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if endpoints.get("issuer") != issuer:
            raise IssuerUnavailable(f"it calls itself {endpoints.get('issuer')!r}")
        url = str(endpoints.get("jwks_uri"))
        check_url(url)
        listed = (await self.get_json(url)).get("keys")
        keys = [_key(one) for one in listed] if isinstance(listed, list) else []
        return IssuerKeys({key.id: key for key in keys if key is not None}, endpoints)

    async def get_json(self, url: str) -> dict[str, Any]:
        return await read_json(self.http, "GET", url)


async def read_json(http: httpx2.AsyncClient, method: str, url: str, **more: Any) -> dict[str, Any]:
    """The JSON object that a server of the issuer answers, if it is not too large; nobody is followed elsewhere."""
    async with http.stream(method, url, **more) as answer:
        if answer.status_code != 200:
            raise IssuerUnavailable(f"{url} answered {answer.status_code}")
        body = b""
        async for chunk in answer.aiter_bytes():
            body += chunk
            if len(body) > MAX_RESPONSE_BYTES:
                raise IssuerUnavailable(f"{url} answered more than {MAX_RESPONSE_BYTES} bytes")
        try:
            found = httpx2.Response(200, content=body).json()
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise IssuerUnavailable(f"{url} did not answer a JSON object")
        return found


def check_url(url: str) -> None:
    """Refuse an address of the issuer that others could answer for: https, or this machine."""
    parts = urlsplit(url)
    here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or not (parts.scheme == "https" or here):
        raise IssuerUnavailable(f"its address {url!r} is not https")


def _key(said: Any) -> IssuerKey | None:
    """A key that can prove a signature; symmetric, weak and unknown ones cannot."""
    if not isinstance(said, dict) or said.get("kty") not in ("RSA", "EC", "OKP") or said.get("use", "sig") != "sig":
        return None
    try:
        key = PyJWK.from_dict(said)
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    weak = isinstance(key.key, RSAPublicKey) and key.key.key_size < MIN_RSA_BITS
    return None if weak or not key.key_id else IssuerKey(key.key_id, key.key, said.get("alg"))
