"""Creates or replaces all functions and views, in the order that their dependencies require."""

from psycopg import Connection, Error, errors

from tenuto.db.connection.errors import BrokenObject
from tenuto.db.install import object_catalog as catalog
from tenuto.db.install.sql_tree import GRANTS, ObjectFile, SqlTree

NEEDS_ANOTHER = (errors.UndefinedFunction, errors.UndefinedTable, errors.UndefinedColumn, errors.UndefinedObject)
CHANGED_SHAPE = (errors.InvalidFunctionDefinition, errors.InvalidTableDefinition)


def apply_objects(conn: Connection, tree: SqlTree, *, test: bool) -> None:
    """Create or replace the objects in the files, drop objects without a file, and then apply the grants. Raises
    BrokenObject for a file that cannot be applied."""
    conn.execute("set local check_function_bodies = off")
    catalog.drop_view_triggers(conn)
    before = catalog.list_objects(conn)
    files = [*tree.objects, *(tree.testing if test else ())]
    _apply_all(conn, files, before)
    kept = {file.identity for file in files}
    catalog.drop(conn, [item for item in catalog.list_objects(conn) if item.key not in kept])
    catalog.drop_schemas(conn, keep=tree.schemas)
    catalog.describe(conn, {file.identity: file.description for file in files})
    try:
        if tree.grants:
            conn.execute(tree.grants.encode())
    except Error as error:
        raise BrokenObject(f"{', '.join(GRANTS)} cannot be applied: {error}") from error


def _apply_all(conn: Connection, files: list[ObjectFile], before: list[catalog.Item]) -> None:
    pending = files
    while pending:
        waiting: dict[ObjectFile, Error] = {}
        dropped: set[catalog.Key] = set()
        for file in pending:
            try:
                dropped |= _apply(conn, file)
            except NEEDS_ANOTHER as error:
                waiting[file] = error
            except Error as error:
                raise BrokenObject(f"{file.path} cannot be applied: {error}") from error
        if len(waiting) == len(pending) and not dropped:
            file, error = next(iter(waiting.items()))
            raise BrokenObject(f"{file.path} needs something that no file creates: {error}") from error
        dropped |= _drop_old_overloads(conn, files, waiting, before)
        pending = [file for file in files if file in waiting or file.identity in dropped]


def _apply(conn: Connection, file: ObjectFile) -> set[catalog.Key]:
    """Apply one file. Returns the keys of objects that had to be dropped for it and must be created again."""
    try:
        with conn.transaction():
            conn.execute(file.text.encode())
            return set()
    except CHANGED_SHAPE:
        with conn.transaction():
            same_name = [item for item in catalog.list_objects(conn) if item.key == file.identity]
            dropped = catalog.drop_with_dependents(conn, same_name)
            conn.execute(file.text.encode())
            return dropped - {file.identity}


def _drop_old_overloads(
    conn: Connection, files: list[ObjectFile], waiting: dict[ObjectFile, Error], before: list[catalog.Item]
) -> set[catalog.Key]:
    """Drops old overloads. If the type of a parameter changes, Postgres creates a second function with the same name.
    Of the two, the old one is the one that this transaction did not change. Returns the keys of dependents that must be
    created again."""
    settled = {file.identity for file in files} - {file.identity for file in waiting}
    touched = catalog.list_objects(conn)
    names = [item.key for item in touched if item.kind == "function"]
    old = [item for item in touched if item in before and item.key in settled and names.count(item.key) > 1]
    return catalog.drop_with_dependents(conn, old) - {item.key for item in old} if old else set()
