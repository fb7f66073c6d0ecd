"""Signing keys (ES256): creates them, encrypts them with a key derived from the pepper, signs and verifies."""

import base64
import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tenuto.model.audit import Head, SignedHead, head_message
from tenuto.model.errors import InvalidInput
from tenuto.model.json import JsonObject
from tenuto.model.keys import Peppers

ECDSA = ec.ECDSA(hashes.SHA256())
SIZE = 32  # bytes of a P-256 coordinate, and of each half of a signature
NONCE = 12


@dataclass(frozen=True)
class SigningKey:
    """A private key and the id of its public key."""

    id: str
    private: ec.EllipticCurvePrivateKey = field(repr=False)

    @property
    def public_key(self) -> JsonObject:
        return public_jwk(self.private.public_key())


def make_signing_key() -> SigningKey:
    """Returns a new random key. Its id is the thumbprint of its public key (RFC 7638)."""
    private = ec.generate_private_key(ec.SECP256R1())
    return SigningKey(str(public_jwk(private.public_key())["kid"]), private)


def public_jwk(public: ec.EllipticCurvePublicKey) -> JsonObject:
    """Returns the public key as an entry of a JWKS."""
    numbers = public.public_numbers()
    x, y = (_text(number.to_bytes(SIZE, "big")) for number in (numbers.x, numbers.y))
    named = {"crv": "P-256", "kty": "EC", "x": x, "y": y}
    thumbprint = sha256(json.dumps(named, separators=(",", ":"), sort_keys=True).encode()).digest()
    return {**named, "alg": "ES256", "use": "sig", "kid": _text(thumbprint)}


def encrypt_key(key: SigningKey, peppers: Peppers) -> bytes:
    """Returns the encrypted private key, as the table `signing_keys` stores it: AES-GCM with a key derived from the
    newest pepper. It can be decrypted only together with its id."""
    plain = key.private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(_wrapping_key(peppers.values[0])).encrypt(nonce, plain, key.id.encode())


def decrypt_key(id: str, data: bytes, peppers: Peppers) -> SigningKey:
    """Decrypts a stored key, with any of the peppers in use. Raises InvalidInput if none of them fits."""
    for pepper in peppers.values:
        try:
            plain = AESGCM(_wrapping_key(pepper)).decrypt(data[:NONCE], data[NONCE:], id.encode())
        except InvalidTag:
            continue
        private = serialization.load_der_private_key(plain, None)
        if isinstance(private, ec.EllipticCurvePrivateKey):
            return SigningKey(id, private)
    raise InvalidInput(
        f"signing key {id} was encrypted under another pepper", "set TENUTO_PEPPER to the pepper that was used then"
    )


def sign(key: SigningKey, message: bytes) -> bytes:
    """Returns both halves of the signature, concatenated as in a JWS."""
    r, s = decode_dss_signature(key.private.sign(message, ECDSA))
    return r.to_bytes(SIZE, "big") + s.to_bytes(SIZE, "big")


def proves(public_key: JsonObject, message: bytes, signature: bytes) -> bool:
    """Returns whether the key signed the message."""
    if len(signature) != 2 * SIZE:
        return False
    r, s = int.from_bytes(signature[:SIZE], "big"), int.from_bytes(signature[SIZE:], "big")
    try:
        x, y = (int.from_bytes(_data(str(public_key[name])), "big") for name in ("x", "y"))
        public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        public.verify(encode_dss_signature(r, s), message, ECDSA)
    except (InvalidSignature, ValueError, KeyError, TypeError):  # a signature of an invalid key is not valid
        return False
    return True


def sign_head(key: SigningKey, head: Head, signed_at: datetime) -> SignedHead:
    """Signs the head of an audit chain."""
    signature = sign(key, head_message(head, signed_at))
    return SignedHead(head.org_id, head.seq, head.hash, signed_at, key.id, signature)


def head_is_signed(head: SignedHead, public_keys: dict[str, JsonObject]) -> bool:
    """Returns whether the head was signed with the key of its `signing_key_id`. `public_keys`: the public keys by
    id."""
    public_key = public_keys.get(head.signing_key_id)
    message = head_message(Head(head.org_id, head.seq, head.hash), head.signed_at)
    return public_key is not None and proves(public_key, message, head.signature)


def _wrapping_key(pepper: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=None, info=b"tenuto signing keys").derive(pepper)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _data(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
