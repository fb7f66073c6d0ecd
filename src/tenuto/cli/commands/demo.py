"""`tenuto demo`: shows what Tenuto does when a worker is killed, and when a DAG is changed and rolled back."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from tenuto.cli.exit_codes import UsageError

Keep = Annotated[bool, typer.Option("--keep", help="Then show it in the dashboard, until Ctrl-C.")]

PACKAGES = ("duckdb", "pyarrow", "sqlglot")  # which jobs need
KEPT = ("TENUTO_PG_BIN",)  # all other settings are of other databases and programs
READ_BY_COMMANDS = ("TENUTO_DATABASE_URL", "TENUTO_URL", "TENUTO_ORG", "TENUTO_STORAGE", "TENUTO_INSTALLATION")


def demo(keep: Keep = False) -> None:
    """Kill a worker between two steps of a task, and roll back a DAG, on a database of its own in the folder .demo."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise UsageError(f"the demo needs the package {missing[0]}, which is not installed; pip install 'tenuto[data]'")
    from tenuto.demo.home import FOLDER
    from tenuto.demo.story import Commands, DemoSettings, run_demo
    from tenuto.demo.workers import APPS, TENUTO

    folder = Path.cwd()
    commands = Commands(_program(folder), tuple(name for name in READ_BY_COMMANDS if os.environ.get(name)))
    for name in [name for name in os.environ if name.startswith("TENUTO_") and name not in KEPT]:
        del os.environ[name]
    os.environ["TENUTO_HOME"] = str(folder / FOLDER)
    pg_bin = os.environ.get("TENUTO_PG_BIN")

    def show_dashboard() -> None:
        typer.echo("The dashboard follows: open the login link. Ctrl-C stops it.")
        os.chdir(folder / FOLDER)
        os.execv(TENUTO[0], [*TENUTO, "up", *APPS, "--queues", "default"])  # noqa: S606 - our own program

    settings = DemoSettings(
        folder,
        dict(os.environ),
        Path(pg_bin).expanduser() if pg_bin else None,
        commands,
        colours=not os.environ.get("NO_COLOR"),
        keep=show_dashboard if keep else None,
    )
    raise typer.Exit(run_demo(settings))


def _program(folder: Path) -> str:
    """Return what the user writes to call this program in this folder."""
    program = Path(sys.argv[0]).absolute()
    if (found := shutil.which("tenuto")) and Path(found).absolute() == program:
        return "tenuto"
    return str(program.relative_to(folder) if program.is_relative_to(folder) else program)
