"""Where the home is when nobody says, and when somebody does."""

import subprocess
import sys
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


def test_help_is_fast_because_it_loads_no_driver():
    loaded = "import sys, tenuto.cli.main; print([m for m in ('psycopg', 'psutil') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "[]\n"
