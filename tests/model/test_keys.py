"""Keys: what they look like, and what is known of them."""

import base64
import hmac
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.model.errors import InvalidInput
from tenuto.model.keys import (
    API,
    DIGITS,
    WORKER,
    Peppers,
    foreign_id,
    foreign_prefixes,
    key_hash,
    key_hashes,
    make_key,
    make_pepper,
    make_token,
    parse_key,
    read_peppers,
    token_hash,
)

PEPPERS = Peppers((b"n" * 32, b"o" * 32))


@pytest.mark.parametrize("kind", [API, WORKER])
@pytest.mark.parametrize("env", ["live", "test", "x", "0123456789abcdef"])
def test_a_key_that_was_made_is_read_back(kind: str, env: str) -> None:
    key = make_key(kind, env)

    assert parse_key(key.text) == key
    assert key.text.startswith(f"{kind}_{env}_{key.key_id}_")
    assert len(key.text) == len(f"{kind}_{env}_") + 12 + 1 + 43 + 6


def test_a_key_has_the_shape_that_scanners_look_for() -> None:
    assert parse_key("tn_live_0123456789AB_" + "z" * 43 + "0ZmLWo") is None
    key = make_key(API, "live")
    assert set(key.text) <= set(DIGITS + "_")


def test_two_keys_are_never_the_same() -> None:
    made = [make_key(API, "live") for _ in range(200)]

    assert len({key.key_id for key in made}) == len({key.text[-49:] for key in made}) == 200


def test_a_key_is_not_in_its_repr() -> None:
    key = make_key(API, "live")

    assert key.text[-49:] not in repr(key)
    assert repr(PEPPERS) == "Peppers()"


@given(place=st.integers(0, 69), digit=st.sampled_from(DIGITS + "_ \n\x00é"))
def test_a_key_with_one_wrong_character_is_refused_without_asking_anybody(place: int, digit: str) -> None:
    text = make_key(API, "live").text
    wrong = text[:place] + digit + text[place + 1 :]

    assert (parse_key(wrong) is None) == (wrong != text)


@pytest.mark.parametrize(
    "change", [str.upper, str.strip, str.swapcase, lambda t: t + "\n", lambda t: t[:-1], lambda _: ""]
)
def test_a_key_that_was_cut_or_changed_is_refused(change) -> None:
    text = make_key(API, "live").text

    assert parse_key(change(text)) is None or change(text) == text


@pytest.mark.parametrize("env", ["", "Live", "a_b", "a" * 17, "é"])
def test_an_environment_that_would_break_the_key_is_refused(env: str) -> None:
    with pytest.raises(InvalidInput, match="environment"):
        make_key(API, env)


def test_what_is_stored_is_the_hmac_under_the_newest_pepper_and_all_in_use_are_tried() -> None:
    text = make_key(API, "live").text

    assert key_hash(PEPPERS, text) == hmac.new(b"n" * 32, text.encode(), sha256).digest()
    assert key_hashes(PEPPERS, text) == [key_hash(Peppers((value,)), text) for value in PEPPERS.values]
    assert PEPPERS.version == 2


def test_a_key_of_another_system_has_an_id_that_a_new_pepper_does_not_change() -> None:
    old = Peppers((b"o" * 32,))

    assert foreign_id(old, "fm_secret") == foreign_id(PEPPERS, "fm_secret") != foreign_id(old, "fm_secret2")
    assert len(foreign_id(old, "fm_secret")) == 12
    assert foreign_prefixes("fm_secret") == ["fm_s", "fm_se", "fm_sec", "fm_secr", "fm_secre", "fm_secret"]
    assert foreign_prefixes("fm_") == []


def test_peppers_are_read_newest_first() -> None:
    newest, oldest = make_pepper(), make_pepper()

    peppers = read_peppers(f"{newest}, {oldest}\n")

    assert peppers.values == (base64.b64decode(newest), base64.b64decode(oldest))


A_PEPPER = base64.b64encode(b"p" * 32).decode()


@pytest.mark.parametrize("text", ["", "not base64!", base64.b64encode(b"s" * 31).decode(), f"{A_PEPPER},"])
def test_a_pepper_that_protects_nothing_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(InvalidInput, match="openssl rand") as refused:
        read_peppers(text)

    assert not text or text not in str(refused.value)


def test_a_token_is_stored_as_its_hash() -> None:
    token = make_token()

    assert token_hash(token) == sha256(token.encode()).digest()
    assert len({make_token() for _ in range(100)}) == 100
