"""Makes and parses keys, and hashes them for the database.

`tn_<env>_<id>_<secret><crc>` is an API key, `tnw_…` a worker key. The id is public. The secret has 256 bits, so storing
its HMAC is safe enough. The checksum shows without a database query that a key is mistyped.
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
MIN_PEPPER_BYTES = 32
MAX_BCRYPT_COST = 14  # of imported keys; each step doubles the time, and cost 14 takes a second
FOREIGN_PREFIXES = range(4, 51)  # how many leading characters another system may have stored of a key


@dataclass(frozen=True)
class Key:
    """A whole key, as it is shown only when it is created. `kind` is API or WORKER. Its text is not in the repr, and so
    not in logs."""

    kind: str
    env: str
    key_id: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class Peppers:
    """The secrets for hashing keys, newest first. `version` is the number of the newest."""

    values: tuple[bytes, ...] = field(repr=False)

    @property
    def version(self) -> int:
        return len(self.values)


def make_key(kind: str, env: str) -> Key:
    """Returns a new random key. Raises InvalidInput if `env` is not 1 to 16 characters of a-z and 0-9."""
    if not ENVIRONMENT.fullmatch(env):
        raise InvalidInput(
            f"the environment of a key is {env!r}", "write 1 to 16 characters of a-z and 0-9, such as live or test"
        )
    key_id = _random(12)
    body = f"{kind}_{env}_{key_id}_{_random(43)}"
    return Key(kind, env, key_id, body + checksum(body))


def parse_key(text: str) -> Key | None:
    """Returns the parts of a key, or None for a text whose shape or checksum is wrong."""
    match = KEY.fullmatch(text)
    if match is None or match[4] != checksum(text[:-6]):
        return None
    return Key(match[1], match[2], match[3], text)


def checksum(body: str) -> str:
    """Returns the CRC-32 as six base-62 digits."""
    return _base62(crc32(body.encode()), 6)


def key_hash(peppers: Peppers, text: str) -> bytes:
    """Returns the hash to store for a new key."""
    return hmac.digest(peppers.values[0], text.encode(), "sha256")


def key_hashes(peppers: Peppers, text: str) -> list[bytes]:
    """Returns the hash of a key with each pepper in use. The database compares them with the stored hash."""
    return [hmac.digest(pepper, text.encode(), "sha256") for pepper in peppers.values]


def foreign_id(peppers: Peppers, text: str) -> str:
    """Returns a public id for a key of another system, because the text of such a key contains none. The id depends
    only on the oldest pepper, so newer peppers do not change it."""
    return _base62(int.from_bytes(hmac.digest(peppers.values[-1], b"id:" + text.encode(), "sha256")[:8], "big"), 12)


def foreign_prefixes(text: str) -> list[str]:
    """Returns the prefixes under which an imported key may be stored."""
    return [text[:length] for length in FOREIGN_PREFIXES if length <= len(text)]


def read_peppers(text: str) -> Peppers:
    """Reads peppers from a setting: base64, newest first, separated by commas. Raises InvalidInput for any other
    text."""
    values: list[bytes] = []
    for part in text.split(","):
        try:
            value = base64.b64decode(part.strip(), validate=True)
        except binascii.Error as error:
            raise InvalidInput(
                "a pepper of TENUTO_PEPPER, or of the file TENUTO_HOME/pepper, is not base64",
                "write the output of `openssl rand -base64 32`",
            ) from error
        if len(value) < MIN_PEPPER_BYTES:
            raise InvalidInput(
                f"a pepper of TENUTO_PEPPER, or of the file TENUTO_HOME/pepper, has {len(value)} bytes, less than "
                f"{MIN_PEPPER_BYTES}",
                "write the output of `openssl rand -base64 32`",
            )
        values.append(value)
    return Peppers(tuple(values))


def make_pepper() -> str:
    """Returns a new pepper in the format of read_peppers."""
    return base64.b64encode(secrets.token_bytes(MIN_PEPPER_BYTES)).decode()


def make_token() -> str:
    """Returns a random token for a cookie or a one-time link."""
    return secrets.token_urlsafe(32)


def token_hash(text: str) -> bytes:
    """Returns the hash to store for a cookie or a one-time link."""
    return sha256(text.encode()).digest()


def _random(length: int) -> str:
    return "".join(secrets.choice(DIGITS) for _ in range(length))


def _base62(number: int, length: int) -> str:
    digits: list[str] = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))
