"""Signing keys: what they sign is proven by them and by nobody else."""

from datetime import UTC, datetime
from uuid import UUID

import jwt
import pytest
from jwt.utils import base64url_decode

from tenuto.model.audit import Head
from tenuto.model.errors import InvalidInput
from tenuto.model.keys import Peppers
from tenuto.model.signing import (
    decrypt_key,
    encrypt_key,
    head_is_signed,
    make_signing_key,
    proves,
    sign,
    sign_head,
)

OLD, NEW = Peppers((b"o" * 32,)), Peppers((b"n" * 32, b"o" * 32))
HEAD = Head(UUID(int=7), 12, b"h" * 32)
AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_signature_is_proven_by_its_key_for_its_message_alone() -> None:
    key, other = make_signing_key(), make_signing_key()
    signature = sign(key, b"message")

    assert proves(key.public_key, b"message", signature)
    assert not proves(key.public_key, b"massage", signature)
    assert not proves(other.public_key, b"message", signature)
    assert key.id != other.id


@pytest.mark.parametrize("place", range(0, 64, 7))
def test_a_signature_with_one_wrong_bit_proves_nothing(place: int) -> None:
    key = make_signing_key()
    signature = bytearray(sign(key, b"message"))
    signature[place] ^= 1

    assert not proves(key.public_key, b"message", bytes(signature))
    assert not proves(key.public_key, b"message", bytes(signature[:place]))


def test_a_key_is_kept_encrypted_and_opened_by_its_pepper_also_when_there_is_a_newer_one() -> None:
    key = make_signing_key()
    kept = encrypt_key(key, OLD)

    opened = decrypt_key(key.id, kept, NEW)

    assert proves(key.public_key, b"m", sign(opened, b"m"))
    assert encrypt_key(key, OLD) != kept


def test_a_key_is_not_opened_by_another_pepper_nor_under_another_name() -> None:
    key = make_signing_key()
    kept = encrypt_key(key, OLD)

    with pytest.raises(InvalidInput, match="another pepper"):
        decrypt_key(key.id, kept, Peppers((b"x" * 32,)))
    with pytest.raises(InvalidInput, match="another pepper"):
        decrypt_key("other", kept, OLD)


def test_a_head_is_signed_as_a_whole() -> None:
    key = make_signing_key()
    head = sign_head(key, HEAD, AT)
    keys = {key.id: key.public_key}

    assert head_is_signed(head, keys)
    for change in ({"seq": 13}, {"hash": b"x" * 32}, {"org_id": UUID(int=8)}, {"signed_at": AT.replace(hour=1)}):
        assert not head_is_signed(type(head)(**{**vars(head), **change}), keys)
    assert not head_is_signed(head, {})


def test_others_can_check_what_we_sign_with_the_published_key() -> None:
    key = make_signing_key()
    token = jwt.encode({"aud": "tenuto:task"}, key.private, algorithm="ES256", headers={"kid": key.id})
    head, payload, signature = token.split(".")

    assert jwt.decode(token, jwt.PyJWK(key.public_key), algorithms=["ES256"], audience="tenuto:task")
    assert proves(key.public_key, f"{head}.{payload}".encode(), base64url_decode(signature))
