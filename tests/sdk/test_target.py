"""What names an app on a command line: a module or a file."""

import subprocess
import sys
from pathlib import Path

import pytest

from tenuto.sdk.app_loader import BadTarget, split_target

ONE = "from dataclasses import dataclass\nfrom tenuto import App\n\n@dataclass\nclass Sum:\n    n: int\n\n"
ONE += "app = App('shop')\n\n@app.task\ndef add(x: int) -> Sum:\n    return Sum(x)\n"


def load(folder: Path, target: str) -> "subprocess.CompletedProcess[str]":
    """In a process of its own: what is imported stays imported."""
    script = "import sys; from tenuto.sdk.app_loader import load_app; print(sorted(load_app(sys.argv[1]).tasks))"
    command = [sys.executable, "-c", script, target]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("target", ["tasks.py", "tasks.py:app", "tasks:app", "01 first.py", "deep/down.py"])
def test_an_app_is_named_by_its_module_or_its_file(tmp_path: Path, target: str) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("tasks.py", "01 first.py", "deep/down.py"):
        (tmp_path / name).write_text(ONE)

    done = load(tmp_path, target)

    assert done.stdout == "['shop.add']\n", done.stderr


def test_a_file_imports_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "beside.py").write_text(ONE)
    (tmp_path / "deep" / "tasks.py").write_text("from beside import app")

    assert load(tmp_path, "deep/tasks.py").stdout == "['shop.add']\n"


@pytest.mark.parametrize("target", ["", "tasks", ":app", "tasks:", "tasks:2", "tasks.py:a-b"])
def test_what_names_no_app_is_refused_with_what_to_write(target: str) -> None:
    with pytest.raises(BadTarget, match=r"write module:app, such as shop\.tasks:app, or a file: tasks\.py"):
        split_target(target)


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("gone.py", "there is no file"),
        ("none.py", "none.py has no apps; create one"),
        ("two.py", "two.py has 2 apps; write two.py:first"),
        ("two.py:third", "'third' in two.py does not exist; write two.py:first"),
        ("two.py:number", "'number' in two.py is not an App; write two.py:first"),
        ("deep/json.py", "deep/json.py has the name of a module that is in use, 'json'; rename it"),
        ("needy.py", "needy.py needs the module 'not_there', which is not installed"),
        ("broken.py", "broken.py cannot be imported: ZeroDivisionError"),
        ("script.py", 'script.py connects while it is imported; put that part below `if __name__ == "__main__":`'),
        ("deep/tasks:app", "to load a file, write tasks.py"),
    ],
)
def test_what_is_wrong_with_a_target_is_said(tmp_path: Path, target: str, says: str) -> None:
    (tmp_path / "none.py").write_text("")
    (tmp_path / "two.py").write_text("from tenuto import App\nfirst, second, number = App('a'), App('b'), 3\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "json.py").write_text(ONE)
    (tmp_path / "needy.py").write_text("import not_there\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "script.py").write_text(f"{ONE}\nwith app.connect_sync() as tn:\n    pass\n")

    last_line = load(tmp_path, target).stderr.splitlines()[-1]

    assert last_line.startswith("tenuto.sdk.app_loader.BadTarget: ")
    assert says in last_line
