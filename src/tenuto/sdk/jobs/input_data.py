"""The rows of an input, filtered as the DAG says. For appended data, only the newest row per unique key."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from tenuto.model.json import JsonObject
from tenuto.sdk.context.control import Fail
from tenuto.sdk.jobs.columns import Columns, common_schema
from tenuto.sdk.jobs.select import View, selected


class InputData:
    """The rows of one input."""

    def __init__(self, name: str, paths: Sequence[Path], description: JsonObject) -> None:
        self._name = name
        columns = cast("list[JsonObject] | None", description.get("columns"))
        if not paths and not columns:
            raise Fail(f"the input {name} has no data yet, and no declared columns")
        declared = Columns(name, columns).schema if columns else None
        self._schema: pa.Schema = declared or common_schema(name, map(pq.read_schema, paths))
        self._paths = paths
        self._where = cast(JsonObject, description.get("where") or {})
        appended = description.get("update_strategy") == "append"
        self._unique_key = cast("list[str]", description.get("unique_key") or []) if appended else []

    def view(self) -> View:
        """Return the data for a SELECT."""
        if len(self._paths) > 1 and self._unique_key:
            return View([self._dataset([path]) for path in self._paths], self._unique_key)
        return View([self._dataset(self._paths)])

    def read(self, scratch: Path) -> pa.Table:
        """Return all rows."""
        view = self.view()
        if not view.unique_key:
            return view.parts[0].to_table()
        with selected('select * from "data"', {"data": view}, scratch) as rows:
            return rows.table()

    def _dataset(self, paths: Sequence[Path]) -> pads.Dataset:
        if not paths:
            return pads.dataset(self._schema.empty_table())
        data = pads.dataset([str(path) for path in paths], schema=self._schema, format="parquet")
        return filtered(data, self._name, self._where)


def filtered(data: pads.Dataset, name: str, where: JsonObject) -> pads.Dataset:
    """Return only the rows of an input that have the values in `where`. Raises Fail if the input lacks such a
    column."""
    for column, wanted in where.items():
        if column not in data.schema.names:
            raise Fail(f"the input {name} is filtered by {column}, a column that it does not have")
        values = cast("list[object]", wanted) if isinstance(wanted, list) else [wanted]
        data = data.filter(pads.field(column).isin(values))
    return data
