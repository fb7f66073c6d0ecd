"""Python asks for exactly what the kernel offers: one wrapper per public function, same name, same arguments."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import psycopg

from tenuto.model import errors

SQL = Path(__file__).parents[2] / "src" / "tenuto" / "sql"
NAMES = """
alerts attempts audit backfills bulk_runs bundles children counts dags data_objects datasets events
idempotency identity installation keys lineage logins maintenance metadata monitoring orgs outbox pools rate_limits
reactions remote_workers run_data run_graph runs search steps task_types webhooks workers
"""
MODULES = [import_module(f"tenuto.db.{name}") for name in NAMES.split()]
PUBLIC_FUNCTIONS = r"""
select p.proname::text,
       array(select substr(a.name, 3)
             from unnest(p.proargnames, coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs::int])))
                  with ordinality a(name, mode, no)
             where a.mode in ('i', 'b') order by a.no),
       p.pronargdefaults::int
from pg_proc p
where p.pronamespace = 'tenuto'::regnamespace
  and p.proname !~ '^_'
"""
RAISED = re.compile(r"_raise\(\s*'(\w+)'|errcode\s*=\s*'(TN\w+)'", re.IGNORECASE)


def wrappers() -> dict[str, Callable]:
    found = [
        (name, function)
        for module in MODULES
        for name, function in inspect.getmembers(module, inspect.iscoroutinefunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]
    assert len(found) == len(dict(found)), "two modules wrap the same function"
    return dict(found)


def asked_for(wrapper: Callable) -> tuple[list[str], int]:
    """The names it takes after the connection, all by keyword, and how many may be left out."""
    conn, *rest = inspect.signature(wrapper).parameters.values()
    assert conn.name == "conn"
    assert {parameter.kind for parameter in rest} <= {inspect.Parameter.KEYWORD_ONLY}
    return [parameter.name for parameter in rest], sum(parameter.default is None for parameter in rest)


def test_every_public_function_has_a_wrapper_and_every_wrapper_a_function(db: psycopg.Connection) -> None:
    functions = {name for name, _, _ in db.execute(PUBLIC_FUNCTIONS).fetchall()}

    assert set(wrappers()) == functions


def test_a_wrapper_takes_the_arguments_of_its_function_and_leaves_out_the_same(db: psycopg.Connection) -> None:
    offered = {name: (arguments, left_out) for name, arguments, left_out in db.execute(PUBLIC_FUNCTIONS).fetchall()}
    asked = {name: asked_for(wrapper) for name, wrapper in wrappers().items()}

    assert {name: (asked[name], offered[name]) for name in asked if asked[name] != offered.get(name)} == {}


def test_the_table_of_errors_is_what_the_kernel_raises() -> None:
    raised = {
        code
        for path in SQL.rglob("*.sql")
        if "testing" not in path.parts
        for match in RAISED.findall(path.read_text())
        for code in match
        if code
    }

    # Buckets answer whether there is room; who asked is refused by the server.
    assert raised | {errors.RateLimited.code} == set(errors.BY_CODE)


def test_every_error_has_its_own_code_and_name_and_says_what_it_is() -> None:
    subclasses = {error for error in errors.TenutoError.__subclasses__() if error.__module__ == errors.__name__}

    assert set(errors.ERRORS) == subclasses
    assert (
        len({error.code for error in errors.ERRORS}) == len({error.name for error in errors.ERRORS}) == len(subclasses)
    )
    assert [error for error in errors.ERRORS if not error.__doc__ or not 400 <= error.status < 500] == []
