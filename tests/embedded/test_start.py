"""Starting: one server however many ask, in a folder that nothing half-made can spoil."""

import os
import shutil
import stat
import subprocess
import sys

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.db.connection.errors import NoBinaries, ServerFailed, WrongMajor
from tenuto.db.embedded.binaries import find_binaries

JOIN = """
import sys, pathlib, psycopg
from tenuto.db import embedded
with embedded.server(pathlib.Path(sys.argv[1])) as url:
    with psycopg.connect(url) as conn:
        print(conn.execute("select pg_postmaster_start_time()::text").fetchone()[0], url, flush=True)
    sys.stdin.read()
"""


def test_five_processes_starting_at_once_share_one_server(new_home):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", JOIN, str(new_home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(5)
    ]
    answers = {process.stdout.readline() for process in processes if process.stdout}
    for process in processes:
        process.communicate("")

    assert len(answers) == 1
    assert "127.0.0.1" in answers.pop()
    assert [process.returncode for process in processes] == [0] * 5


def test_rows_and_port_survive_a_clean_restart(home):
    with embedded.server(home) as url, psycopg.connect(url) as conn:
        conn.execute("create table kept as select 42 as answer")
    with embedded.server(home) as again, psycopg.connect(again) as conn:
        assert conn.execute("select answer from kept").fetchone() == (42,)

    assert again == url


def test_an_interrupted_initdb_is_ignored(new_home):
    (new_home / "init.tmp" / "data").mkdir(parents=True)
    new_home.chmod(0o711)
    (new_home / "init.tmp" / "data" / "PG_VERSION").write_text("18\n")

    with embedded.server(new_home) as url, psycopg.connect(url) as conn:
        assert conn.execute("show server_encoding").fetchone() == ("UTF8",)
    assert not (new_home / "init.tmp").exists()


def test_data_of_another_major_version_is_refused_and_left_alone(home):
    with embedded.server(home):
        data = embedded.status(home).data
    (data / "PG_VERSION").write_text("12\n")

    with pytest.raises(WrongMajor, match=r"created by Postgres 12, but only .*TENUTO_PG_BIN"):
        embedded.start(home)
    assert (data / "PG_VERSION").read_text() == "12\n"


def test_a_folder_without_postgres_is_named_in_the_error(new_home, tmp_path):
    with pytest.raises(NoBinaries, match=rf"{tmp_path}; set TENUTO_PG_BIN"):
        embedded.start(new_home, pg_bin=tmp_path)


def test_a_server_too_old_is_refused(new_home, tmp_path):
    for name in ("postgres", "initdb"):
        (tmp_path / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 14.9'\n")
        (tmp_path / name).chmod(0o755)

    with pytest.raises(NoBinaries, match=r"needs Postgres 15 or newer, but found only 14\.9"):
        embedded.start(new_home, pg_bin=tmp_path)


def test_a_new_server_listens_on_loopback_for_its_owners_password_and_writes_to_disk(new_home):
    with embedded.server(new_home) as url, psycopg.connect(url) as conn:
        assert conn.execute("show listen_addresses").fetchone() == ("127.0.0.1",)
        assert conn.execute("show unix_socket_directories").fetchone() == ("",)
        assert conn.execute("show fsync").fetchone() == ("on",)
        assert conn.execute("show synchronous_commit").fetchone() == ("on",)
        password = embedded.status(new_home).data.parent / "password"
        assert stat.S_IMODE(password.stat().st_mode) == 0o600
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(url.replace(password.read_text().strip(), "wrong"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as somebody else")
def test_data_that_its_user_can_no_longer_reach_is_not_replaced_by_an_empty_folder(home):
    with embedded.server(home):
        pass
    home.chmod(0o700)

    with pytest.raises(ServerFailed, match="who cannot enter"):
        embedded.start(home)
    home.chmod(0o711)


def test_binaries_in_a_private_folder_are_copied_within_reach(new_home, private_home):
    original = find_binaries().folder
    package = original.parents[1]
    for folder in (package, package.with_name(package.name + ".libs")):
        shutil.copytree(folder, private_home.parent / folder.name)
    pg_bin = private_home.parent / original.relative_to(package.parent)

    with embedded.server(new_home, pg_bin=pg_bin) as url, psycopg.connect(url) as conn:
        assert conn.execute("select 1").fetchone() == (1,)

    assert stat.S_IMODE(private_home.parent.stat().st_mode) == 0o700
    assert bool(list(new_home.glob("binaries-*"))) == (os.geteuid() == 0)
