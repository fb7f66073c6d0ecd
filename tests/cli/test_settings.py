"""Where the home is when nobody says, and when somebody does."""

from pathlib import Path

import pytest

from tenuto.cli.settings import read_settings


@pytest.mark.parametrize(
    ("environment", "home"),
    [
        ({"TENUTO_HOME": "/srv/tenuto", "XDG_DATA_HOME": "/data"}, Path("/srv/tenuto")),
        ({"XDG_DATA_HOME": "/data"}, Path("/data/tenuto")),
        ({}, Path.home() / ".local/share/tenuto"),
    ],
)
def test_the_home_is_the_most_specific_one_named(environment, home):
    assert read_settings(environment).home == home


def test_an_empty_database_url_counts_as_none():
    assert read_settings({"TENUTO_DATABASE_URL": ""}).database_url is None


def test_the_org_is_the_default_one_unless_another_is_named():
    assert read_settings({}).org == "default"
    assert read_settings({"TENUTO_ORG": "mine"}).org == "mine"
