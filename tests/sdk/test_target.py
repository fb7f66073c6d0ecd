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


def load_all(folder: Path, *targets: str) -> "subprocess.CompletedProcess[str]":
    script = "import sys; from tenuto.sdk.app_loader import load_apps; print(sorted(load_apps(sys.argv[1:]).tasks))"
    return subprocess.run([sys.executable, "-c", script, *targets], cwd=folder, capture_output=True, text=True)


def test_several_apps_are_loaded_together(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(ONE)
    (tmp_path / "billing.py").write_text(ONE.replace("'shop'", "'billing'"))

    assert load_all(tmp_path, "shop:app", "billing.py").stdout == "['billing.add', 'shop.add']\n"


def test_two_apps_with_the_same_task_are_refused_with_both_names(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(ONE)
    (tmp_path / "twin.py").write_text(ONE)

    done = load_all(tmp_path, "shop:app", "twin.py:app")

    assert "shop:app and twin.py:app both define shop.add" in done.stderr
    assert "give every app its own name" in done.stderr


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose tasks are spread over its modules."""
    files = {
        "shop/__init__.py": "",
        "shop/main.py": "from tenuto import App\napp = App('shop')\napp.discover('shop')\n",
        "shop/__main__.py": "raise SystemExit('this is a program')",
        "shop/tasks.py": "from shop.main import app\n@app.task\ndef add(): ...\n",
        "shop/mail/__init__.py": "",
        "shop/mail/tasks.py": "from shop.main import app\n@app.task\ndef send(): ...\n",
        "shop/mail/other.py": "from shop.main import app\n@app.task\ndef other(): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_discover_imports_all_modules_of_a_package_or_those_of_a_name(package: Path) -> None:
    assert load(package, "shop.main:app").stdout == "['shop.add', 'shop.other', 'shop.send']\n"

    (package / "shop" / "main.py").write_text(
        "from tenuto import App\napp = App('shop')\napp.discover('shop', named='tasks')\n"
    )
    assert load(package, "shop.main:app").stdout == "['shop.add', 'shop.send']\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import not_there", "shop.mail.broken cannot be imported: ModuleNotFoundError: No module named 'not_there'"),
        ("def f(:", "shop.mail.broken cannot be imported: SyntaxError"),
    ],
)
def test_discover_names_the_module_that_fails_to_import(package: Path, text: str, says: str) -> None:
    (package / "shop" / "mail" / "broken.py").write_text(text)

    assert says in load(package, "shop.main:app").stderr


def test_discover_names_a_package_that_does_not_exist(package: Path) -> None:
    (package / "tasks.py").write_text("from tenuto import App\napp = App('a')\napp.discover('shopp')")

    assert "app.discover: the module shopp does not exist" in load(package, "tasks.py").stderr
