"""The package offers what it says and asks for what it says."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import tenuto

ROOT = Path(__file__).parents[2]


def test_every_exported_name_exists_and_is_public():
    assert sorted(tenuto.__all__) == list(tenuto.__all__)
    assert [name for name in tenuto.__all__ if name.startswith("_") or not hasattr(tenuto, name)] == []


def test_a_shell_completes_every_exported_name_before_its_first_use():
    script = "import tenuto; print(sorted(set(tenuto.__all__) - set(dir(tenuto))))"

    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "[]\n"


def test_the_lock_is_made_from_the_dependencies_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = (ROOT / "requirements" / "runtime.in").read_text().splitlines()

    assert set(project["dependencies"]) <= set(listed)


def test_locks_are_pinned_by_hash_and_name_no_place():
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        pins = re.findall(r"^\S+==", text, re.MULTILINE)
        assert len(pins) > 5
        assert re.findall(r"^\S+==.*(?<!\\)$", text, re.MULTILINE) == [], f"{lock.name} holds a pin without a hash"
        assert re.findall(r"https?:|file:|--index|--find-links|/opt/", text) == []


def test_a_built_wheel_carries_every_sql_file_and_the_dag_of_the_demo(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".sql", ".yaml"))}
    files = [*(ROOT / "src").rglob("*.sql"), *(ROOT / "src").rglob("*.yaml")]

    assert shipped == {str(path.relative_to(ROOT / "src")) for path in files}
    assert "tenuto/demo/orders/dag.yaml" in shipped
