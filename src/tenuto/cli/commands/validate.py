"""`tenuto validate` and `tenuto schema`: checks a DAG document offline, and prints its JSON Schema."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.exit_codes import FAILED, UsageError
from tenuto.cli.output import AsJson, counted, show

if TYPE_CHECKING:
    from tenuto.dag.definitions import Dag

Apps = Annotated[
    list[str] | None,
    typer.Option(
        "--app",
        metavar="MODULE:APP",
        help="An app whose functions the jobs can run. Repeatable. Imports the app.",
        show_default=False,
    ),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A DAG document, as YAML.", show_default=False)]


def validate(file: File, app: Apps = None, as_json: AsJson = False) -> None:
    """Check a DAG document without a database, and list every problem with its line and column. With --app, also check
    that the app declares the functions of the jobs. Exit code 1 means that there are problems."""
    from tenuto.dag.parse import parse_dag
    from tenuto.dag.problems import InvalidDag

    try:
        dag = parse_dag(read_document(file), functions=read_functions(app) if app else None)
    except InvalidDag as invalid:
        lines = [f"{file}:{problem}" for problem in invalid.problems]
        lines.append(f"{len(lines)} {'problem' if len(lines) == 1 else 'problems'}")
        show({"file": str(file), "valid": False, "problems": invalid.problems}, "\n".join(lines), as_json=as_json)
        raise typer.Exit(FAILED) from None
    show({"file": str(file), "valid": True, **_facts(dag)}, _summary(file, dag), as_json=as_json)


def schema(as_json: AsJson = False) -> None:
    """Print the JSON Schema of DAG documents, for editors. It is JSON with and without --json."""
    from tenuto.dag.json_schema import json_schema

    typer.echo(json.dumps(json_schema(), indent=None if as_json else 2))


def read_functions(targets: list[str] | None) -> set[str]:
    """Import the apps, and return the names of the functions that they declare."""
    from tenuto.sdk.app_loader import BadTarget, load_apps

    try:
        return set(load_apps(targets or []).functions)
    except BadTarget as problem:
        raise UsageError(str(problem)) from problem


def read_document(file: Path) -> bytes:
    """Returns the bytes of a DAG document. Reads at most one byte more than the maximum size, so that the parser
    refuses a larger document."""
    from tenuto.dag.yaml_tree import MAX_YAML_BYTES

    try:
        with file.open("rb") as opened:
            return opened.read(MAX_YAML_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from error


def _facts(dag: "Dag") -> dict[str, object]:
    jobs = [{"name": job.name, "config_hash": job.config_hash, "metadata_hash": job.metadata_hash} for job in dag.jobs]
    return {"dag": dag.name, "yaml_hash": dag.yaml_hash, "jobs": jobs, "datasets": list(dag.datasets())}


def _summary(file: Path, dag: "Dag") -> str:
    numbers = f"{counted(len(dag.jobs), 'job')}, {counted(len(dag.datasets()), 'dataset')}"
    return f"{file}: valid: DAG {dag.name}, {numbers}, {dag.yaml_hash[:12]}"
