"""The SQL files that make up an installation, read and checked before any of them runs."""

import re
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile

from tenuto.db.connection.errors import BrokenMigrations

CONTEXTS = (
    "shared", "outbox", "identity", "workers", "deploys", "datasets", "runs", "reactions", "monitoring", "compat",
)  # fmt: skip

# What a caller of a public function knows of it: name, parameters, result.
HEAD = re.compile(r"create or replace (?:function|procedure) (tenuto\.[a-z]\w*\(.*?)\s+language\s", re.DOTALL)
SHAPE = re.compile(r"^create (?:table|type) (tenuto\.\w+)(.*?)(?=^  constraint|^\)|\Z)", re.DOTALL | re.MULTILINE)
TYPES = re.compile(r"\btenuto\.\w+")
GRANTS = ("grants.sql", "policies.sql")  # what one may do, then which rows one sees
MIGRATION_NAME = re.compile(r"(\d{4})_([a-z]+)_\w+\.sql")


@dataclass(frozen=True)
class Migration:
    """One numbered, forward-only change of tables."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class ObjectFile:
    """One function or view, named after the file that creates it."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".sql")

    @property
    def description(self) -> str | None:
        """The comment that the file opens with, as one paragraph."""
        opening = takewhile(lambda line: line.startswith("--"), self.text.splitlines())
        return " ".join(line.removeprefix("--").strip() for line in opening) or None


@dataclass(frozen=True)
class SqlTree:
    """Everything an installation is made of."""

    migrations: tuple[Migration, ...]
    objects: tuple[ObjectFile, ...]
    testing: tuple[ObjectFile, ...]
    grants: str
    tables: str = ""  # as they are after all migrations

    def fingerprint(self, *, test: bool) -> str:
        """One hash over all that is applied anew when any of it changes."""
        seen = sha256(repr((self.grants, test)).encode())
        for file in (*self.objects, *(self.testing if test else ())):
            seen.update(repr((file.path, file.text)).encode())
        return seen.hexdigest()

    @property
    def interface(self) -> str:
        """One hash over what processes call: parameters and results of the public functions, and the columns of the
        types in them. Code and a database with different ones do not work together."""
        heads = {" ".join(head.split()) for file in self.objects for head in HEAD.findall(file.text)}
        used = {name for head in heads for name in TYPES.findall(head)}
        shapes = {f"{name}{' '.join(columns.split())}" for name, columns in SHAPE.findall(self.tables) if name in used}
        return sha256(repr((sorted(heads), sorted(shapes))).encode()).hexdigest()

    @property
    def latest(self) -> int:
        return len(self.migrations)


def read_tree(root: Traversable | None = None) -> SqlTree:
    """Read the tree, by default the one this package ships."""
    root = root or files("tenuto") / "sql"
    grants = [root / name for name in GRANTS]
    return SqlTree(
        migrations=_read_migrations(root / "migrations"),
        objects=tuple(file for context in CONTEXTS for file in _read_folder(root, context)),
        testing=tuple(_read_folder(root, "testing")),
        grants="\n".join(file.read_text() for file in grants if file.is_file()),
        tables=tables.read_text() if (tables := root / "tables.sql").is_file() else "",
    )


def _read_migrations(folder: Traversable) -> tuple[Migration, ...]:
    found = [_read_migration(file) for file in _sql_files(folder)]
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise BrokenMigrations(
                f"migration {migration.name} should have number {expected:04d}: numbers start at 0001, "
                "without gaps or repeats; rename the file that has not been released"
            )
    return tuple(found)


def _read_migration(file: Traversable) -> Migration:
    match = MIGRATION_NAME.fullmatch(file.name)
    if match is None or match[2] not in CONTEXTS:
        raise BrokenMigrations(f"migration {file.name} must be named NNNN_<context>_<change>.sql")
    return Migration(int(match[1]), file.name, file.read_text())


def _read_folder(root: Traversable, folder: str) -> list[ObjectFile]:
    """The objects of a context and of the topics in it, which are its folders."""
    here = root / folder
    if not here.is_dir():
        return []
    found = [ObjectFile(f"{folder}/{file.name}", file.read_text()) for file in _sql_files(here)]
    for topic in sorted(file.name for file in here.iterdir() if file.is_dir()):
        found += _read_folder(root, f"{folder}/{topic}")
    return sorted(found, key=lambda file: file.name)


def _sql_files(folder: Traversable) -> list[Traversable]:
    if not folder.is_dir():
        return []
    return sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
