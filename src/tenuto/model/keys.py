"""Keys: their text, their parts, and the hashes by which the database knows them.

`tn_<env>_<id>_<secret><crc>` is an API key, `tnw_…` a worker key. The id is public; the secret has 256 bits, so one
HMAC protects it; the checksum tells a mistyped key from a wrong one without asking anybody.
"""

import base64
import binascii
import hmac
import re
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from zlib import crc32

from tenuto.model.errors import InvalidInput

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
KEY = re.compile(r"(tnw?)_([a-z0-9]{1,16})_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})", re.ASCII)
ENVIRONMENT = re.compile(r"[a-z0-9]{1,16}", re.ASCII)
API, WORKER = "tn", "tnw"
MIN_PEPPER_BYTES = 32  # bytes
FOREIGN_PREFIXES = range(4, 51)  # how many first characters another system may have kept of a key


@dataclass(frozen=True)
class Key:
    """A key as it was shown once: `kind` is API or WORKER. Its text is in no repr, and so in no log."""

    kind: str
    env: str
    key_id: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class Peppers:
    """What the hashes of keys are made with, newest first; `version` is the number of the newest."""

    values: tuple[bytes, ...] = field(repr=False)

    @property
    def version(self) -> int:
        return len(self.values)


def make_key(kind: str, env: str) -> Key:
    """A new random key."""
    if not ENVIRONMENT.fullmatch(env):
        raise InvalidInput(f"the environment of a key is {env!r}", "write 1 to 16 of a-z and 0-9, such as live or test")
    key_id = _random(12)
    body = f"{kind}_{env}_{key_id}_{_random(43)}"
    return Key(kind, env, key_id, body + checksum(body))


def parse_key(text: str) -> Key | None:
    """The parts of a key; None for what cannot be one, by its shape or its checksum."""
    match = KEY.fullmatch(text)
    if match is None or match[4] != checksum(text[:-6]):
        return None
    return Key(match[1], match[2], match[3], text)


def checksum(body: str) -> str:
    """CRC-32 in six digits of base 62."""
    return _base62(crc32(body.encode()), 6)


def key_hash(peppers: Peppers, text: str) -> bytes:
    """What is stored of a new key."""
    return hmac.digest(peppers.values[0], text.encode(), "sha256")


def key_hashes(peppers: Peppers, text: str) -> list[bytes]:
    """What may be stored of a key: one hash for each pepper in use. Comparing is the database's."""
    return [hmac.digest(pepper, text.encode(), "sha256") for pepper in peppers.values]


def foreign_id(peppers: Peppers, text: str) -> str:
    """The public id of a key of another system, which has none in its text. It outlives peppers but the oldest."""
    return _base62(int.from_bytes(hmac.digest(peppers.values[-1], b"id:" + text.encode(), "sha256")[:8], "big"), 12)


def foreign_prefixes(text: str) -> list[str]:
    """The first characters by which an imported key may be known."""
    return [text[:length] for length in FOREIGN_PREFIXES if length <= len(text)]


def read_peppers(text: str) -> Peppers:
    """Peppers from a setting: base64, newest first, separated by commas."""
    values = []
    for part in text.split(","):
        try:
            value = base64.b64decode(part.strip(), validate=True)
        except binascii.Error as error:
            raise InvalidInput("a pepper is not base64", "write what `openssl rand -base64 32` prints") from error
        if len(value) < MIN_PEPPER_BYTES:
            raise InvalidInput(
                f"a pepper has {len(value)} bytes, less than {MIN_PEPPER_BYTES}",
                "write what `openssl rand -base64 32` prints",
            )
        values.append(value)
    return Peppers(tuple(values))


def make_pepper() -> str:
    """A new pepper as read_peppers takes it."""
    return base64.b64encode(secrets.token_bytes(MIN_PEPPER_BYTES)).decode()


def make_token() -> str:
    """What a cookie or a one-time link holds."""
    return secrets.token_urlsafe(32)


def token_hash(text: str) -> bytes:
    """What is stored of a cookie or link."""
    return sha256(text.encode()).digest()


def _random(length: int) -> str:
    return "".join(secrets.choice(DIGITS) for _ in range(length))


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))
