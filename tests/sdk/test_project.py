"""`[tool.tenuto]` in pyproject.toml: found from below, checked, and overruled by the environment."""

import os
from pathlib import Path

import pytest

from tenuto import InvalidInput
from tenuto.sdk.connect import find_address
from tenuto.sdk.project import find_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below that of the project, as the current one."""
    folder = tmp_path / "src" / "shop"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return tmp_path


def write(project: Path, text: str) -> Path:
    file = project / "pyproject.toml"
    file.write_text(text)
    return file


def test_settings_are_found_in_a_folder_above_past_files_without_them(project: Path) -> None:
    file = write(project, '[tool.tenuto]\napp = "shop.tasks:app"\nqueues = ["mail", "default"]\n')
    (project / "src" / "pyproject.toml").write_text('[project]\nname = "shop"\n')

    found = find_project(Path.cwd())

    assert found is not None
    assert (found.file, found.home) == (file, project / ".tenuto")
    assert (found.apps, found.queues) == (("shop.tasks:app",), ("mail", "default"))


def test_the_home_of_the_project_is_used_unless_the_environment_names_one(project: Path, tmp_path: Path) -> None:
    own = tmp_path / "elsewhere"
    assert find_address({"XDG_DATA_HOME": str(own)}).home == own / "tenuto"

    write(project, "[tool.tenuto]\n")
    assert find_address({}).home == project / ".tenuto"
    assert find_address({"TENUTO_HOME": str(own)}).home == own

    write(project, '[tool.tenuto]\nhome = "state/tenuto"\n')
    assert find_address({}).home == project / "state" / "tenuto"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[tool.tenuto]\nap = "x:app"\n', "has an unknown key 'ap'; did you mean app?"),
        ("[tool.tenuto]\nworkers = 3\n", "has an unknown key 'workers'; known: app, home, queues"),
        ("[tool.tenuto]\napp = 7\n", 'app is 7, not a text or a list of texts; write app = "shop.tasks:app"'),
        ("[tool.tenuto]\nqueues = []\n", "queues is [], not a text or a list of texts"),
        ("[tool.tenuto]\nhome = 1\n", 'home is 1, not a folder; write home = ".tenuto"'),
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


def test_a_current_folder_that_is_gone_has_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    try:
        assert find_address({}).project is None
    finally:
        os.chdir(tmp_path)
