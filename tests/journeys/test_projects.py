"""Two projects of one account whose apps have the same name: each runs its own tasks."""

import shutil
from pathlib import Path

from tenuto.sdk.project import home_of
from tests.support.postgres.server import copy_home, make_folder
from tests.support.processes.terminal import Terminal

TASKS = "from tenuto import App\napp = App('shop')\n\n@app.task\ndef where() -> str:\n    return '{}'\n"


def test_a_start_in_each_of_two_folders_is_run_by_the_worker_of_that_folder(migrated_home: Path) -> None:
    machine = make_folder("tenuto-projects-")
    data = machine / "data"
    terminals = [Terminal(machine / name, XDG_DATA_HOME=str(data)) for name in ("one", "two")]
    try:
        for terminal in terminals:
            folder = terminal.folder
            folder.mkdir()
            (folder / "tasks.py").write_text(TASKS.format(folder.name))
            copy_home(migrated_home, home_of(folder, data / "tenuto"))
        one, two = terminals
        with (
            one.running("tenuto up tasks.py", machine / "one.log") as first,
            two.running("tenuto up tasks.py", machine / "two.log") as second,
        ):
            first.wait_for("Ctrl-C to stop")
            second.wait_for("Ctrl-C to stop")
            for terminal, up, other in ((one, first, two), (two, second, one)):
                assert f"database: embedded, of {terminal.folder}\n" in up.said()
                for _ in range(3):
                    said = terminal.run("tenuto start shop.where --wait")
                    assert (said.stdout, said.stderr) == (f'"{terminal.folder.name}"\n', "")
                assert terminal.run("tenuto runs list").stdout.count("shop.where") == 3
                assert str(other.folder) not in up.said()
    finally:
        for terminal in terminals:
            terminal.run("tenuto db stop")
        shutil.rmtree(machine)
