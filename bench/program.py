"""Common parts of benchmark programs: flags, a temporary Postgres, waiting for servers, and saving results."""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from bench.record import save
from tenuto.db import embedded
from tenuto.db.install import install


def read_options(about: str | None, *, quick: str) -> argparse.Namespace:
    """Parse the flags; `quick` is the help text of --quick."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    return parser.parse_args()


@contextmanager
def own_server() -> Iterator[tuple[str, Path]]:
    """Yield the URL of a temporary migrated server with default durability, and its folder. Both are removed
    afterwards."""
    home = Path(tempfile.mkdtemp(prefix="tenuto-bench-"))
    try:
        with embedded.server(home) as url:
            install.migrate(url)
            yield url, home
    finally:
        remove_home(home)


def remove_home(home: Path) -> None:
    """Remove the folder of a stopped embedded server, and its data, which are elsewhere if root started it."""
    shutil.rmtree(embedded.status(home).data.parent, ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)


@contextmanager
def kept_server(home: Path | None) -> Iterator[str]:
    """Yield the URL of a migrated server whose database stays in the folder; without a folder, the URL of
    `own_server`."""
    if home is None:
        with own_server() as (url, _):
            yield url
        return
    with embedded.server(home) as url:
        install.migrate(url)
        yield url


def report(name: str, result: dict[str, object], options: argparse.Namespace) -> None:
    print(json.dumps(result, indent=None if options.json else 2))
    if options.save:
        save(name, result)


def wait_for(address: str) -> None:
    """Wait until the address responds."""
    for _ in range(300):
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - our own address
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} does not answer")
