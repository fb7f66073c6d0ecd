"""Where the home is when nobody says, and when somebody does."""

from pathlib import Path

import pytest

from tenuto.cli.database import read_settings
from tenuto.model.errors import InvalidInput
from tenuto.sdk.project import home_of


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_DATA_HOME": "/data"}, Path("/data/tenuto")),
        ({"XDG_DATA_HOME": "data"}, Path.home() / ".local/share/tenuto"),  # its specification: to be ignored
        ({}, Path.home() / ".local/share/tenuto"),
    ],
)
def test_homes_are_in_the_data_folder_of_the_account(environment, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_settings(environment).home == home_of(tmp_path, folder)
    assert read_settings({**environment, "TENUTO_DATABASE_URL": "postgresql://db"}).home == folder


def test_the_home_is_the_one_that_the_environment_names():
    assert read_settings({"TENUTO_HOME": "/srv/tenuto", "XDG_DATA_HOME": "/data"}).home == Path("/srv/tenuto")
    assert read_settings({"TENUTO_HOME": "my home"}).home == Path.cwd() / "my home"


def test_a_user_without_a_home_can_still_name_a_database(monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)  # as in a container that runs as any user

    assert read_settings({"TENUTO_DATABASE_URL": "postgresql://db"}).home == Path("/nonexistent/tenuto")


def test_the_home_of_a_user_that_is_not_there_is_named_in_the_error():
    with pytest.raises(InvalidInput, match=r"TENUTO_HOME is ~nobody-here/x, and there is no such user"):
        read_settings({"TENUTO_HOME": "~nobody-here/x"})


def test_an_empty_database_url_counts_as_none():
    assert read_settings({"TENUTO_DATABASE_URL": ""}).database_url is None


def test_the_org_is_the_default_one_unless_another_is_named():
    assert read_settings({}).org == "default"
    assert read_settings({"TENUTO_ORG": "mine"}).org == "mine"


def test_the_object_store_is_in_the_home_unless_another_is_named():
    assert read_settings({"TENUTO_HOME": "/srv/my home"}).storage == "file:///srv/my%20home/objects"
    assert read_settings({"TENUTO_HOME": "/srv", "TENUTO_STORAGE": ""}).storage == "file:///srv/objects"
    assert read_settings({"TENUTO_HOME": "/srv", "TENUTO_STORAGE": "s3://bucket/x"}).storage == "s3://bucket/x"
