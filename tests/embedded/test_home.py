"""The home: made for its owner alone, wherever the server's own files are, and with everything that belongs to it."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.db.connection.errors import DatabaseInUse, NoHome, ServerFailed
from tenuto.db.embedded.abandoned import list_abandoned
from tenuto.db.embedded.homes import list_homes, running_elsewhere, size_of
from tenuto.db.embedded.users_lock import locked
from tenuto.storage.folder import FolderStore
from tests.support.postgres.server import copy_home

ROOT = Path(__file__).parents[2]
NOBODY = pwd.getpwnam("nobody")

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as another user")

START = """
import sys, pathlib
from tenuto.db import embedded
from tests.support.faults.postgres_crash_script import become
become(int(sys.argv[2]), int(sys.argv[3]))
try:
    embedded.start(pathlib.Path(sys.argv[1]))
except Exception as problem:
    print(f"{type(problem).__name__}: {problem}")
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def as_nobody(*command: str | Path) -> str:
    """What a command prints that another user of the machine runs."""
    become = {"user": NOBODY.pw_uid, "group": NOBODY.pw_gid, "extra_groups": []}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **become).stdout  # type: ignore[call-overload]


def test_a_home_that_the_server_cannot_enter_still_has_what_belongs_to_it(private_home):
    with embedded.server(private_home) as url, psycopg.connect(url) as conn:
        assert conn.execute("select 1").fetchone() == (1,)

    assert mode(private_home) == mode(private_home.parent) == 0o700
    assert {"data", "password", "port", "server.log"} <= {path.name for path in private_home.iterdir()}
    assert (private_home / "data").is_symlink() == (os.geteuid() == 0)
    assert embedded.status(private_home).data == (private_home / "data").resolve()


def test_a_folder_with_other_content_is_no_home(tmp_path: Path):
    (tmp_path / "src").mkdir()
    with pytest.raises(NoHome, match="contains other files, such as src; set TENUTO_HOME to a new"):
        embedded.start(tmp_path)
    with pytest.raises(NoHome, match="/ cannot be the home of Tenuto, because it is the root of the file system"):
        embedded.start(tmp_path.joinpath(*[".."] * 20))
    assert not embedded.stop(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["src"]


@only_root
def test_a_private_home_that_was_removed_begins_anew(private_home, migrated_home):
    copy_home(migrated_home, private_home)
    with embedded.server(private_home) as url, psycopg.connect(url) as conn:
        conn.execute("create table before (number int)")
    left = embedded.status(private_home).data.parent
    shutil.rmtree(private_home)

    with embedded.server(private_home) as url, psycopg.connect(url) as conn:
        assert conn.execute("select to_regclass('before')").fetchone() == (None,)
    assert left.exists()
    shutil.rmtree(left)


@only_root
def test_data_of_a_home_that_was_removed_is_found_and_kept(private_home, migrated_home):
    copy_home(migrated_home, private_home)
    with embedded.server(private_home):
        left = embedded.status(private_home).data.parent
        assert left not in list_abandoned()
    assert left not in list_abandoned()  # stopped, not abandoned
    embedded.start(private_home)
    shutil.move(private_home, private_home.with_name("away"))
    assert left not in list_abandoned()  # its server runs
    shutil.move(private_home.with_name("away"), private_home)
    embedded.stop(private_home)
    shutil.rmtree(private_home)

    assert left in list_abandoned()

    assert left.exists()
    with embedded.server(private_home):  # begins anew in another folder
        assert left in list_abandoned()
    shutil.rmtree(left)


@only_root
def test_data_of_a_home_that_was_moved_is_not_abandoned(private_home, migrated_home):
    copy_home(migrated_home, private_home)
    with embedded.server(private_home):
        used = embedded.status(private_home).data.parent
    moved = private_home.with_name("moved")
    shutil.move(private_home, moved)
    with embedded.server(moved):
        assert embedded.status(moved).data.parent == used

    assert used not in list_abandoned()
    shutil.rmtree(used)


def test_only_folders_that_name_a_home_count_as_abandoned(tmp_path: Path):
    for name in ("0123456789abcdef", "0123456789abcdef-2", "objects", "fedcba9876543210"):
        (tmp_path / "server" / name / "data").mkdir(parents=True)
    for name in ("0123456789abcdef", "0123456789abcdef-2", "objects"):
        (tmp_path / "server" / name / "home").write_text(f"{tmp_path / 'home'}\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "data").symlink_to(tmp_path / "server" / "0123456789abcdef-2" / "data")
    (tmp_path / "server" / "0000000000000000" / "home").mkdir(parents=True)  # names no home, and hides no others
    (tmp_path / "server" / "0000000000000001").mkdir()
    (tmp_path / "server" / "0000000000000001" / "home").write_bytes(b"\xff")

    assert [folder.name for folder in list_abandoned(tmp_path / "server")] == ["0123456789abcdef"]
    assert list_abandoned(tmp_path / "nowhere") == []


@only_root
def test_a_home_whose_data_folder_is_gone_is_not_silently_empty(private_home, migrated_home):
    copy_home(migrated_home, private_home)
    with embedded.server(private_home):
        left = embedded.status(private_home).data.parent
    shutil.rmtree(left)

    with pytest.raises(ServerFailed, match=r"which no longer exists; remove .*data to start with an empty database"):
        embedded.start(private_home)


@only_root
def test_other_users_neither_list_the_home_nor_read_what_is_in_it(new_home):
    with embedded.server(new_home):
        uri = FolderStore(new_home / "objects").put("0123abcd", b"secret of acme")
    file = Path(uri.removeprefix("file://"))

    assert (mode(new_home), mode(new_home / "objects"), mode(file.parent), mode(file)) == (0o710, 0o700, 0o700, 0o600)
    assert mode(new_home / "server.log") == mode(new_home / "password") == 0o600
    for path in (new_home, new_home / "objects", file.parent):
        assert as_nobody("ls", path) == ""
    for path in (file, new_home / "server.log", new_home / "password"):
        assert as_nobody("cat", path) == ""


def test_objects_without_an_embedded_server_are_private_too(new_home):
    FolderStore(new_home / "objects").put("0123abcd", b"secret of acme")

    assert mode(new_home) == mode(new_home / "objects") == 0o700


@only_root
@pytest.mark.parametrize("where", ["read-only", "/nonexistent/tenuto"])
def test_a_home_that_cannot_be_written_is_named_with_the_cure(new_home, where):
    new_home.mkdir(mode=0o755)
    (new_home / "read-only").mkdir(mode=0o555)
    script = [sys.executable, "-c", START, new_home / where, str(NOBODY.pw_uid), str(NOBODY.pw_gid)]
    done = subprocess.run(script, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ROOT})

    assert done.stdout.startswith(f"NoHome: no database can be stored in {new_home / where}: Permission denied"), (
        done.stderr
    )
    assert done.stdout.endswith(
        "; set TENUTO_HOME to a folder that you own, or TENUTO_DATABASE_URL to a Postgres server\n"
    )


@pytest.mark.parametrize("home", ["new_home", "private_home"])
def test_a_database_that_is_set_aside_is_kept_in_a_home_of_its_own(request, migrated_home, home):
    """Even if its data is elsewhere, because root's server cannot enter it."""
    home = request.getfixturevalue(home)
    copy_home(migrated_home, home)
    FolderStore(home / "objects").put("one", b"old")
    with embedded.server(home) as url, psycopg.connect(url) as conn:
        conn.execute("create table public.old ()")

    old = embedded.keep_aside(home)

    try:
        assert (old.parent, mode(old)) == (home, mode(home))
        assert {path.name for path in home.iterdir()} == {".gitignore", "lock", "users", old.name}
        with embedded.server(home) as url, psycopg.connect(url) as conn:
            assert conn.execute("select to_regclass('public.old')").fetchone() == (None,)
        with embedded.server(old) as url, psycopg.connect(url) as conn:
            assert conn.execute("select to_regclass('public.old')").fetchone() == ("old",)
        assert FolderStore(old / "objects").get("one") == b"old"
        assert embedded.status(old).data.parent not in list_abandoned()
    finally:
        embedded.stop(old)
        shutil.rmtree(embedded.status(old).data.parent, ignore_errors=True)


@pytest.mark.parametrize("home", ["new_home", "private_home"])
@pytest.mark.parametrize("moved", [0, 1, 3])
def test_a_move_whose_process_was_killed_is_finished_by_the_next_one(request, migrated_home, monkeypatch, home, moved):
    home = request.getfixturevalue(home)
    copy_home(migrated_home, home)
    (home / "pepper").write_text("old")
    FolderStore(home / "objects").put("one", b"old")
    renamed, rename = [], Path.rename

    def rename_and_die(path, target):
        if path.parent == home and len(renamed) == moved:
            raise KeyboardInterrupt
        renamed.append(path)
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename_and_die)
        with pytest.raises(KeyboardInterrupt):
            embedded.keep_aside(home)

    with embedded.server(home) as url, psycopg.connect(url) as conn:
        assert conn.execute("select to_regnamespace('tenuto')").fetchone() == (None,)
        assert not (home / "pepper").exists()
        assert not (home / "objects").exists()
    (old,) = home.glob("old-*")
    try:
        assert (old / "pepper").read_text() == "old"
        assert FolderStore(old / "objects").get("one") == b"old"
        with embedded.server(old) as url, psycopg.connect(url) as conn:
            assert conn.execute("select count(*) from tenuto.orgs").fetchone() == (1,)
        assert embedded.status(old).data.parent not in list_abandoned()
    finally:
        embedded.stop(old)
        shutil.rmtree(embedded.status(old).data.parent, ignore_errors=True)


def test_a_folder_with_homes_of_projects_is_not_set_aside(new_home, migrated_home):
    copy_home(migrated_home, new_home / "shop-12345678")
    FolderStore(new_home / "objects").put("one", b"of programs that use a server of their own")

    with pytest.raises(NoHome, match="cannot be set aside, because the home shop-12345678 is in this folder"):
        embedded.keep_aside(new_home)

    assert (new_home / "shop-12345678" / "data" / "PG_VERSION").exists()


def test_a_database_in_use_is_not_set_aside(home):
    with embedded.server(home), pytest.raises(DatabaseInUse, match="stop them first"):
        embedded.keep_aside(home)

    assert (home / "data" / "PG_VERSION").exists()


def test_processes_that_wait_for_a_home_while_it_is_set_aside_share_the_new_database(home):
    with ThreadPoolExecutor(4) as threads, locked(home):
        waiting = [threads.submit(embedded.start, home) for _ in range(3)]
        aside = threads.submit(embedded.keep_aside, home)
    old = aside.result()
    servers = {server.result().data for server in waiting}

    assert (old / "data" / "PG_VERSION").exists()
    assert servers == {embedded.status(home).data}


@only_root
def test_a_home_of_another_account_is_refused_with_what_to_do(new_home, migrated_home):
    copy_home(migrated_home, new_home)
    new_home.chmod(0o777)
    os.chown(new_home, 1, 1)
    owner = pwd.getpwuid(1).pw_name
    before = sorted(new_home.rglob("*"))

    script = [sys.executable, "-c", START, new_home, str(NOBODY.pw_uid), str(NOBODY.pw_gid)]
    done = subprocess.run(script, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ROOT})

    assert done.stdout == (
        f"NoHome: {new_home} belongs to the account {owner}: run this command as that account (sudo -u '{owner}' …), "
        "or set TENUTO_HOME to a folder that you own\n"
    ), done.stderr
    assert sorted(new_home.rglob("*")) == before
    with embedded.server(new_home):  # root manages the homes of all accounts
        assert embedded.status(new_home).running


def test_a_home_names_its_project_in_any_language_and_is_listed(new_home, migrated_home, tmp_path):
    home = new_home / "data of ä" / "shop-12345678"
    new_home.mkdir(mode=0o755)
    copy_home(migrated_home, home)
    project = tmp_path / os.fsdecode(b"caf\xe9 \xc3\xa9 \n")
    project.mkdir()
    with embedded.server(home, project=project) as url, psycopg.connect(url) as conn:
        assert conn.execute("select 1").fetchone() == (1,)
        (listed,) = list_homes(home.parent)
        assert (listed.home, listed.project, listed.gone, listed.running) == (home, project, False, True)
        assert running_elsewhere(home.parent, tmp_path) == [project]
        assert running_elsewhere(home.parent, home) == []
    project.rmdir()
    (home.parent / "no home").mkdir()

    (listed,) = list_homes(home.parent)
    assert (listed.gone, listed.running) == (True, False)
    assert size_of(home) > 10_000_000
    assert list_homes(tmp_path / "nowhere") == []


def test_processes_that_create_a_home_at_once_use_the_same_database(new_home, tmp_path):
    script = (
        "import sys, pathlib\nfrom tenuto.db import embedded\n"
        "home, project = map(pathlib.Path, sys.argv[1:])\n"
        "with embedded.server(home, project=project, keep=True) as url:\n    print(url)"
    )
    command = [sys.executable, "-c", script, new_home / "a" / "b", tmp_path]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in "1234"]
    outputs = [process.communicate(timeout=120) for process in processes]
    embedded.stop(new_home / "a" / "b")

    assert [process.returncode for process in processes] == [0] * 4, outputs
    assert len({out for out, _ in outputs}) == 1
    assert (new_home / "a" / "b" / "project").read_text() == f"{tmp_path}\n"
