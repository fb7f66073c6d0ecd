"""The checks of an output: they run on the written files, before these files are staged."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.dataset as pads

from tenuto.dag.selects import CHECKED
from tenuto.model.durations import seconds
from tenuto.model.json import JsonObject
from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.select import BadSql, View, quoted, selected

MAX_SHOWN_ROWS = 3


class CheckFailed(Fail):
    """A check of severity error refused the data of an output. The message names the check and says what it found."""


class Checks:
    """Runs the checks of one output over its data."""

    def __init__(self, data: pads.Dataset, scratch: Path, cancelled: Callable[[], bool]) -> None:
        self._data, self._scratch, self._cancelled = data, scratch, cancelled

    def run(self, checks: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the result of each check: name, severity, whether it passed, and what was found."""
        return [self._result(check) for check in checks]

    def _result(self, check: JsonObject) -> JsonObject:
        try:
            problem = self._problem(check)
        except BadSql as error:  # such as a column that the data does not have
            problem = str(error)
        return {
            "name": check.get("name") or check["kind"],
            "severity": check.get("severity", "error"),
            "passed": problem is None,
            "message": problem,
        }

    def _problem(self, check: JsonObject) -> str | None:
        """Return what is wrong with the data, or None if the check passes."""
        match check["kind"]:
            case "not_null":
                names = _names(check)
                return self._count(" or ".join(f"{quoted(name)} is null" for name in names), "have no value in", names)
            case "unique":
                return self._duplicates(_names(check))
            case "range":
                return self._outside(check)
            case "freshness":
                return self._stale(check)
            case "row_count":
                return _outside_bounds(self._number(f"select count(*) from {CHECKED}"), check)
            case "sql":
                return self._rows(str(check["sql"]))
            case kind:
                raise Fail(f"there is no check {kind!r} in this version of Tenuto; update the worker")

    def _count(self, condition: str, what: str, names: Sequence[str]) -> str | None:
        count = self._number(f"select count(*) from {CHECKED} where {condition}")
        return f"{count:,} rows {what} {', '.join(names)}" if count else None

    def _duplicates(self, names: Sequence[str]) -> str | None:
        listed = ", ".join(map(quoted, names))
        groups = f"select {listed} from {CHECKED} group by {listed} having count(*) > 1"
        count = self._number(f"select count(*) from ({groups})")
        return f"{count:,} values of {', '.join(names)} occur more than once" if count else None

    def _outside(self, check: JsonObject) -> str | None:
        name, low, high = str(check["column"]), check.get("min"), check.get("max")
        bounds = [(low, "<"), (high, ">")]
        conditions = [
            f"{quoted(name)} {sign} {float(cast(float, bound))!r}" for bound, sign in bounds if bound is not None
        ]
        limits = f"{'' if low is None else f'{low:.15g}'}..{'' if high is None else f'{high:.15g}'}"
        return self._count(" or ".join(conditions), f"are outside of {limits} in", [name]) if conditions else None

    def _stale(self, check: JsonObject) -> str | None:
        """Return what is wrong if the newest value of the column is too old. A check without a column passes, because
        the age of such data counts from its commit, which is now."""
        if check.get("column") is None:
            return None
        name, age = str(check["column"]), timedelta(seconds=seconds(str(check["max_age"])))
        table = self._select(f"select max({quoted(name)})::timestamptz as latest from {CHECKED}")
        latest = table.column("latest")[0].as_py()
        if not isinstance(latest, datetime):
            return f"no row has a value in {name}"
        if datetime.now(UTC) - latest <= age:
            return None
        return f"the latest {name} is {latest.isoformat()}, more than {check['max_age']} ago"

    def _rows(self, sql: str) -> str | None:
        table = self._select(sql, most=MAX_SHOWN_ROWS)
        if not table.num_rows:
            return None
        shown = "; ".join(str(row)[:200] for row in table.to_pylist())
        return f"the SELECT returned rows: {shown}"

    def _number(self, sql: str) -> int:
        return int(str(self._select(sql).column(0)[0].as_py()))

    def _select(self, sql: str, most: int = 1) -> pa.Table:
        with selected(sql, {CHECKED: View([self._data])}, self._scratch, cancelled=self._cancelled) as rows:
            return pa.Table.from_batches(
                [batch.slice(0, most) for batch in islice(rows.batches, 1)], schema=rows.schema
            )


def refuse_failed(output: str, results: Sequence[JsonObject]) -> None:
    """Raise CheckFailed if a check of severity error did not pass."""
    failed = [result for result in results if not result["passed"] and result["severity"] == "error"]
    if failed:
        lines = "\n".join(f"  {result['name']}: {result['message']}" for result in failed)
        raise CheckFailed(f"checks refused the data of {output}:\n{lines}")


def _outside_bounds(count: int, check: JsonObject) -> str | None:
    low, high = check.get("min"), check.get("max")
    if isinstance(low, int) and count < low:
        return f"there are {count:,} rows, fewer than {low:,}"
    if isinstance(high, int) and count > high:
        return f"there are {count:,} rows, more than {high:,}"
    return None


def _names(check: JsonObject) -> list[str]:
    return [str(name) for name in cast("list[object]", check["columns"])]
