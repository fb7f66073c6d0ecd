"""Addresses of databases whose passwords cannot be told from the rest: refused, and never shown."""

import pytest

from tenuto.model.environment import read_database_url
from tenuto.model.errors import InvalidInput
from tests.support.processes.command_line import tenuto


@pytest.mark.parametrize("password", ["hun/ter2", "hun?ter2", "hun#ter2"])
def test_a_password_with_a_mark_that_ends_it_is_refused_and_not_shown(password: str) -> None:
    url = f"postgresql://ann:{password}@db.example:5432/shop"

    with pytest.raises(InvalidInput, match="%2F") as refused:
        read_database_url(url)
    told = tenuto("db", "status", TENUTO_DATABASE_URL=url)

    assert told.returncode == 2
    for text in (str(refused.value), told.stdout, told.stderr):
        assert "hun" not in text
        assert "ter2" not in text


@pytest.mark.parametrize(
    "url",
    [
        None, "", "host=h password=a/b", "postgresql://ann:hun%2Fter2@db/shop", "postgresql:///shop?host=/tmp",
        "postgresql://ann@db/shop?options=-c%20a=b@c",
    ],
)  # fmt: skip
def test_other_addresses_are_taken(url: str | None) -> None:
    assert read_database_url(url) == (url or None)


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("postgresql+psycopg://ann:a+b@db:5432/shop", "postgresql://ann:a+b@db:5432/shop"),
        ("postgresql+psycopg2://db/shop?sslmode=require", "postgresql://db/shop?sslmode=require"),
        ("postgresql+asyncpg://db/shop?x=1&ssl=require", "postgresql://db/shop?x=1&sslmode=require"),
        ("postgres://db/shop", "postgres://db/shop"),
    ],
)
def test_the_driver_in_a_url_of_sqlalchemy_is_left_out(url: str, read: str) -> None:
    assert read_database_url(url) == read


def test_a_wrong_password_is_refused_and_not_shown_in_a_url_with_a_driver_too() -> None:
    with pytest.raises(InvalidInput, match="%2F"):
        read_database_url("postgresql+asyncpg://ann:hun/ter2@db.example:5432/shop")
