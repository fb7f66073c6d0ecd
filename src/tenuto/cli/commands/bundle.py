"""`tenuto bundle`: builds and uploads bundles, the code that runs in sandboxes."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tenuto.cli.audited import ROLE, Org
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Before, Limit
from tenuto.cli.output import AsJson, fields, show, show_list
from tenuto.cli.session import read_optional_id, with_tenuto

app = typer.Typer(help="Bundles of untrusted code: build, push, list, show, delete.", no_args_is_help=True)

COLUMNS = ("id", "sha256", "name", "size", "types", "created_by", "created_at")
MAX_BUNDLE_BYTES = 64 * 1024 * 1024

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder with the code and a bundle.json.", show_default=False)
]
File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Bundle file, as `tenuto bundle build` writes it.", show_default=False)
]
Hash = Annotated[str, typer.Argument(metavar="SHA256", help="The bundle's hash.", show_default=False)]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="The file to write. Default: DIR.zip.")]


@app.command()
def build(folder: Folder, out: Out = None, as_json: AsJson = False) -> None:
    """Build a bundle from a folder. The same files always give the same hash."""
    from hashlib import sha256

    from tenuto.cli.bundle_build import build_bundle

    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; write tenuto bundle build DIR")
    file = out or folder.resolve().with_suffix(".zip")
    manifest = build_bundle(folder, file)
    facts = {"file": str(file), "sha256": sha256(file.read_bytes()).hexdigest(), "types": types(manifest)}
    show(facts, f"{file}: sha256:{facts['sha256']}, runs {', '.join(facts['types'])}", as_json=as_json)


@app.command()
def push(file: File, org: Org = None, as_json: AsJson = False) -> None:
    """Upload a bundle. New attempts of its task types run its code."""
    if not file.is_file() or file.stat().st_size > MAX_BUNDLE_BYTES:
        raise UsageError(f"{file} is not a file of up to 64 MB; write tenuto bundle push FILE")
    content = file.read_bytes()
    bundle = with_tenuto(lambda tenuto: tenuto.put_bundle(content), role=ROLE, org=org)
    served = types(bundle.manifest)
    show(
        {"sha256": bundle.sha256, "types": served},
        f"sha256:{bundle.sha256} now runs {', '.join(served)}",
        as_json=as_json,
    )


@app.command("list")
def list_(before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False) -> None:
    """List bundles, newest first, with the task types that each one runs now."""
    before_id = read_optional_id(before, "bundle")
    items = with_tenuto(lambda tenuto: tenuto.list_bundles(before=before_id, limit=limit), role=ROLE, org=org)
    show_list("bundles", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(hash: Hash, org: Org = None, as_json: AsJson = False) -> None:
    """Show a bundle with its manifest."""
    sha256 = hash.removeprefix("sha256:")
    row = with_tenuto(lambda tenuto: tenuto.get_bundle(sha256), role=ROLE, org=org)
    show(row, fields(row), as_json=as_json)


@app.command()
def delete(hash: Hash, org: Org = None, as_json: AsJson = False) -> None:
    """Delete a bundle, so that its code can no longer run."""
    sha256 = hash.removeprefix("sha256:")
    with_tenuto(lambda tenuto: tenuto.delete_bundle(sha256), role=ROLE, org=org)
    show({"sha256": sha256, "deleted": True}, f"deleted sha256:{sha256}", as_json=as_json)


def types(manifest: dict[str, Any]) -> list[str]:
    return [f"{manifest['name']}.{task}" for task in manifest["tasks"]]
