"""An OIDC issuer on this machine: discovery, rotating keys, and a login page that accepts the user that is set."""

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "tenuto"
CLIENT, SECRET = "dashboard", "client-secret"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)  # once: making one takes a while


@dataclass
class IssuerServer:
    """What the issuer is and does; tests change it as they like."""

    url: str
    signing: dict[str, Any] = field(default_factory=dict)  # private keys by id
    listed: dict[str, dict[str, Any]] = field(default_factory=dict)  # public ones, as the JWKS shows them
    asked: list[str] = field(default_factory=list)
    away: bool = False
    answers: threading.Event = field(default_factory=threading.Event)  # cleared: it hangs
    subject: str = "ann"
    claims: dict[str, Any] = field(default_factory=dict)  # more for tokens of the login page
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def add_key(self, kid: str, *, curve: bool = False) -> str:
        if curve:
            private, name = ec.generate_private_key(ec.SECP256R1()), "ES256"
            public = ECAlgorithm.to_jwk(private.public_key(), as_dict=True)
        else:
            private, name, public = RSA, "RS256", RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True)
        self.signing[kid] = private
        self.listed[kid] = {**public, "kid": kid, "alg": name, "use": "sig"}
        return kid

    def token(self, kid: str, subject: str = "ann", **more: Any) -> str:
        now = int(time.time())
        said = {"iss": self.url, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + 300, **more}
        given = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(given, self.signing[kid], self.listed[kid]["alg"], {"kid": kid})

    def answer(self, method: str, path: str, sent: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        self.asked.append(path)
        self.answers.wait()
        if self.away:
            return 503, {}
        match method, path:
            case "GET", "/.well-known/openid-configuration":
                at = {name: f"{self.url}/{name}" for name in ("jwks_uri", "authorization_endpoint", "token_endpoint")}
                return 200, {"issuer": self.url, **at}
            case "GET", "/jwks_uri":
                return 200, {"keys": list(self.listed.values())}
            case "GET", "/authorization_endpoint":
                code = secrets.token_urlsafe(8)
                self.codes[code] = sent
                return 302, {"location": f"{sent['redirect_uri']}?{urlencode({'code': code, 'state': sent['state']})}"}
            case "POST", "/token_endpoint":
                return self._exchange(sent, authorization)
        return 404, {}

    def _exchange(self, sent: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        begun = self.codes.pop(sent.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        challenge = base64.urlsafe_b64encode(sha256(sent.get("code_verifier", "").encode()).digest())
        if (
            begun is None
            or authorization != f"Basic {basic}"
            or begun["code_challenge"] != challenge.rstrip(b"=").decode()
            or begun["redirect_uri"] != sent["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        more = {"aud": CLIENT, "nonce": begun["nonce"], **self.claims}
        return 200, {"id_token": self.token(next(iter(self.signing)), self.subject, **more), "token_type": "Bearer"}


@contextmanager
def an_issuer() -> Iterator[IssuerServer]:
    """It answers until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(dict(parse_qsl(urlsplit(self.path).query)))

        def do_POST(self) -> None:
            self._say(dict(parse_qsl(self.rfile.read(int(self.headers["content-length"])).decode())))

        def _say(self, sent: dict[str, str]) -> None:
            path, authorization = urlsplit(self.path).path, self.headers.get("authorization", "")
            status, content = issuer.answer(self.command, path, sent, authorization)
            body = json.dumps(content).encode()
            self.send_response(status)
            if status == 302:
                self.send_header("location", content["location"])
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: what was asked is in `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = IssuerServer(f"http://127.0.0.1:{server.server_port}")
    issuer.answers.set()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        issuer.answers.set()
        server.shutdown()
        server.server_close()
        thread.join()
