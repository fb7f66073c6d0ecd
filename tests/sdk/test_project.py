"""The project of the current folder: its folder, the home of its database, and `[tool.tenuto]` in pyproject.toml."""

import os
from pathlib import Path

import pytest

from tenuto import InvalidInput
from tenuto.sdk.connect import find_address
from tenuto.sdk.project import find_project, home_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below that of the project, as the current one."""
    folder = tmp_path / "src" / "shop"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return tmp_path


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with a data folder of its own."""
    return {"XDG_DATA_HOME": str(tmp_path_factory.mktemp("data"))}


def write(project: Path, text: str) -> Path:
    file = project / "pyproject.toml"
    file.write_text(text)
    return file


def test_settings_are_found_in_a_folder_above_past_files_without_them(project: Path) -> None:
    file = write(project, '[tool.tenuto]\napp = "shop.tasks:app"\nqueues = ["mail", "default"]\n')
    (project / "src" / "pyproject.toml").write_text('[project]\nname = "shop"\n')

    found = find_project(Path.cwd())

    assert found is not None
    assert (found.file, found.home) == (file, None)
    assert (found.apps, found.queues) == (("shop.tasks:app",), ("mail", "default"))


@pytest.mark.parametrize("marker", ["pyproject.toml", ".git"])
def test_every_folder_of_a_project_has_the_home_of_the_project(
    project: Path, data: dict[str, str], marker: str
) -> None:
    (project / marker).write_text("")  # .git is a file in a worktree and in a submodule
    below = find_address(data)
    os.chdir(project)
    above = find_address(data)

    assert below.home == above.home == home_of(project, Path(data["XDG_DATA_HOME"], "tenuto"))
    assert below.project_folder == above.project_folder == project


def test_the_nearest_project_counts_unless_a_table_above_covers_the_repository(
    project: Path, data: dict[str, str]
) -> None:
    (project / "src" / "pyproject.toml").write_text('[project]\nname = "part"\n')
    assert find_address(data).project_folder == project / "src"

    write(project, "[tool.tenuto]\n")
    assert find_address(data).project_folder == project

    (project / "src" / ".git").write_text("gitdir: …")  # another repository, or a worktree inside of the first one
    address = find_address(data)
    assert (address.project, address.project_folder) == (None, project / "src")


def test_a_folder_without_a_project_uses_the_nearest_home_above_it(project: Path, data: dict[str, str]) -> None:
    folder = Path.cwd()
    assert find_address(data).project_folder == folder

    home_of(project, Path(data["XDG_DATA_HOME"], "tenuto")).mkdir(parents=True)
    assert find_address(data).project_folder == project


def test_the_folder_of_the_user_and_folders_of_all_users_are_no_project_of_what_is_below(
    project: Path, data: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path.cwd()
    write(project, '[tool.tenuto]\nhome = "planted"\n')
    (project / "src" / "link").symlink_to(project)
    monkeypatch.setenv("HOME", str(project / "src" / "link"))
    assert find_address(data).project_folder == folder
    assert find_address({**data, "TENUTO_HOME": "x"}).project is None

    monkeypatch.setenv("HOME", "/nonexistent")
    project.chmod(0o1777)
    assert find_address(data).project_folder == folder
    project.chmod(0o700)
    assert find_address(data).home.name == "planted"

    project.chmod(0o1777)
    os.chdir(project)
    assert find_address(data).home.name == "planted"  # it is the current folder itself


def test_projects_whose_folders_have_the_same_name_have_different_homes() -> None:
    data = Path("/data")
    names = {str(home_of(Path(folder), data).relative_to(data)) for folder in ("/a/shop", "/b/shop", "/a/Shop")}

    assert len(names) == 3
    assert {name[:-8] for name in names} == {"shop-"}


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/a/My Shop (é)", "my-shop"),
        ("/a/проект", "project"),
        ("/", "project"),
        ("/a/--", "project"),
        ("/a/" + "x" * 255, "x" * 40),
        (os.fsdecode(b"/a/caf\xe9"), "caf"),
    ],
)
def test_the_name_of_a_home_is_one_that_every_file_system_allows(folder: str, name: str) -> None:
    assert home_of(Path(folder), Path("/data")).name[:-9] == name


def test_a_folder_is_the_same_project_through_every_link_to_it(
    project: Path, data: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(project, "")
    link = tmp_path_factory.mktemp("links") / "link"
    link.symlink_to(project)
    os.chdir(link)

    assert find_address(data).project_folder == project


def test_projects_that_name_one_home_share_it_and_the_environment_overrules_the_project(
    project: Path, data: dict[str, str], tmp_path: Path
) -> None:
    write(project, '[tool.tenuto]\nhome = "our-shop_2"\n')
    address = find_address(data)
    assert address.home == Path(data["XDG_DATA_HOME"], "tenuto", "our-shop_2")
    assert address.project_folder is None

    own = find_address({**data, "TENUTO_HOME": str(tmp_path / "own")})
    assert (own.home, own.project_folder) == (tmp_path / "own", None)


def test_a_database_that_is_named_keeps_its_files_where_every_folder_finds_them(
    project: Path, data: dict[str, str]
) -> None:
    write(project, '[tool.tenuto]\nhome = "shop"\n')
    shared = Path(data["XDG_DATA_HOME"], "tenuto")

    assert find_address({**data, "TENUTO_DATABASE_URL": "postgresql://x"}).home == shared
    assert find_address(data, url="postgresql://x").home == shared
    assert find_address(data, url="https://x").home == shared / "shop"


def test_the_url_of_an_embedded_server_leads_to_its_home_from_every_folder(project: Path, data: dict[str, str]) -> None:
    homes = Path(data["XDG_DATA_HOME"], "tenuto")
    for name, port, password in (("a-1", "20001", "one"), ("b-2", "20002", "two"), ("c-3", "20001", "three")):
        (homes / name).mkdir(parents=True)
        (homes / name / "port").write_text(f"{port}\n")
        (homes / name / "password").write_text(f"{password}\n")
    (homes / "objects").mkdir()

    def home(url: str, **more: str) -> str:
        return str(find_address({**data, "TENUTO_DATABASE_URL": url, **more}).home.relative_to(homes))

    assert home("postgresql://postgres:three@127.0.0.1:20001/tenuto") == "c-3"
    assert home("postgresql+asyncpg://postgres:two@127.0.0.1:20002/tenuto") == "b-2"
    assert home("postgresql://postgres:two@127.0.0.1:20001/tenuto") == "."
    assert home("postgresql://postgres:two@db.example.org:20002/tenuto") == "."
    assert home("postgresql://postgres:two@127.0.0.1:nonsense/tenuto") == "."
    assert home("host=127.0.0.1 port=20002 password=two") == "."
    assert home("postgresql://postgres:two@127.0.0.1:20002/tenuto", TENUTO_HOME=str(homes / "a-1")) == "a-1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[tool.tenuto]\nap = "x:app"\n', "has an unknown key 'ap'; did you mean app?"),
        ("[tool.tenuto]\nworkers = 3\n", "has an unknown key 'workers'; known: app, home, queues"),
        ("[tool.tenuto]\napp = 7\n", 'app is 7, not a text or a list of texts; write app = "shop.tasks:app"'),
        ("[tool.tenuto]\nqueues = []\n", "queues is [], not a text or a list of texts"),
        ("[tool.tenuto]\nhome = 1\n", "home is 1, not the name of a database that projects share; write a name"),
        ('[tool.tenuto]\nhome = ".tenuto"\n', 'such as home = "shop"; to choose a folder, set TENUTO_HOME'),
        ('[tool.tenuto]\nhome = "../shop"\n', "home is '../shop', not the name of"),
        ('[tool.tenuto]\nhome = "shop-16337b7f"\n', "home is 'shop-16337b7f', not the name of"),
        ('[tool.tenuto]\nhome = "pepper"\n', "home is 'pepper', not the name of"),
        ('[tool.tenuto]\nhome = "/srv"\n', "home is '/srv', not the name of"),
        ('[tool.tenuto]\nhome = "objects"\n', "home is 'objects', not the name of"),
        ('[tool.tenuto]\nhome = ""\n', "home is '', not the name of"),
        ('[tool]\ntenuto = "shop"\n', "tool.tenuto is 'shop', not a table"),
        ("[tool.tenuto\n", "is not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_file(project: Path, text: str, says: str) -> None:
    file = write(project, text)

    with pytest.raises(InvalidInput) as refused:
        find_project(Path.cwd())

    assert str(file) in str(refused.value)
    assert says in str(refused.value)


def test_files_of_other_programs_are_passed_over(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_bytes(b"\xef\xbb\xbf[tool.tenuto]\r\n")
    below = project / "src" / "pyproject.toml"
    for content in (b'author = "Jos\xe9"\n', b'tool = "x"\n', b"<<<<<<< HEAD\n", b""):
        below.write_bytes(content)
        found = find_project(Path.cwd())
        assert found is not None, content
        assert found.file == file

    below.write_bytes(b'[tool.tenuto]\napp = "jos\xe9:app"\n')
    with pytest.raises(InvalidInput, match=r"src/pyproject.toml is not valid UTF-8: .*0xe9 in position 24"):
        find_project(Path.cwd())


def test_a_current_folder_that_is_gone_has_no_embedded_database(
    tmp_path: Path, data: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    try:
        with pytest.raises(InvalidInput, match=r"the current folder was deleted, .* go to the folder of your project"):
            find_address(data)
        with pytest.raises(InvalidInput, match="TENUTO_HOME is x, relative to the current folder, which was deleted"):
            find_address({**data, "TENUTO_HOME": "x"})
        assert find_address({**data, "TENUTO_HOME": "/srv/x"}).home == Path("/srv/x")
        assert find_address({**data, "TENUTO_DATABASE_URL": "postgresql://x"}).project is None
        assert find_address({**data, "TENUTO_URL": "https://x"}).server_url == "https://x"
    finally:
        os.chdir(tmp_path)
