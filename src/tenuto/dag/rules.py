"""Checks that the fields of a job fit together. Works on the tree of the document, so that one wrong field does not
hide other problems."""

from collections.abc import Collection
from typing import get_args

from pydantic import ValidationError

from tenuto.dag.document_fields import JobRuntimeName
from tenuto.dag.operators import OPERATORS, Operator, base_name, find_operator, installed_operators
from tenuto.dag.problems import Problems, did_you_mean, quoted
from tenuto.dag.structure import PydanticError, hint_of, message_of
from tenuto.dag.yaml_tree import YamlNode, show_path

SYSTEM_COLUMNS = {"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"}  # of every table in Postgres
RUNTIMES = get_args(JobRuntimeName)
ONLY_SOURCE, ONLY_REACTIVE = ("source", "bootstrap"), ("inputs", "execution_strategy", "idle_timeout")


class JobRules:
    """Checks one job."""

    def __init__(
        self,
        number: int,
        job: YamlNode,
        defaults: YamlNode | None,
        problems: Problems,
        functions: Collection[str] | None = None,  # that jobs can run; None: any name is accepted
    ) -> None:
        self._job, self._defaults, self._problems = job, defaults, problems
        self._number, self._functions = number, functions

    def check(self) -> None:
        self._check_activation()
        self._check_update()
        self._check_operator()
        self._check_runtime()
        self._check_triggers()
        for number, output in enumerate(self._items("outputs")):
            self._check_columns(number, output)
            self._check_table(number, output)

    def _check_activation(self) -> None:
        activation = self._job.text("activation")
        if activation == "source":
            self._forbid(ONLY_REACTIVE, "a source has none: it does not read datasets")
            self._require("source", "write when it starts, such as source: {kind: manual}")
        elif activation == "reactive":
            self._forbid(ONLY_SOURCE, "only jobs with activation: source have it")
            self._require("inputs", "write the datasets that it reads")
            if self._value("execution_strategy") is None:
                self._require("execution_strategy", "write PerUpdate or PerPartition")

    def _check_update(self) -> None:
        append, key = self._value("update_strategy") == "append", self._get("unique_key")
        if append and key is None:
            self._require("unique_key", "append needs the columns that identify a row")
        elif key is not None and not append:
            self._add(key, "unique_key", "only update_strategy: append uses it", "remove it, or write append")

    def _check_operator(self) -> None:
        node, written = self._get("operator"), self._job.text("operator")
        if node is None or written is None:
            return
        name, udf = base_name(written), self._get("udf")
        operator = find_operator(name)
        if operator is None:
            known = [*OPERATORS, *installed_operators()]
            hint = did_you_mean(name, known) or f"write {', '.join(known)}"
            self._add(node, "operator", f"there is no operator {quoted(name)}", hint)
            return
        if name == "bundle" and udf is None:
            self._require("udf", "write udf: {bundle: HASH, task: NAME}")
        elif udf is not None and name != "bundle":
            self._add(udf, "udf", "only the operator bundle uses it", "write operator: bundle")
        self._check_config(name, operator, node)
        if name == "python" and self._functions is not None:
            self._check_function(self._functions)

    def _check_function(self, functions: Collection[str]) -> None:
        config = self._get("config")
        node = config.get("task") if config else None
        if node is not None and isinstance(node.value, str) and node.value not in functions:
            hint = did_you_mean(node.value, functions) or "declare it with @app.job"
            self._add(node, "config.task", f"no app declares {quoted(node.value)}", hint)

    def _check_config(self, name: str, operator: Operator, node: YamlNode) -> None:
        """Checks the options of the operator; `node`: where to report a missing option if there is no `config`."""
        config = self._get("config")
        if operator.config is None or (config is not None and not isinstance(config.value, dict)):
            return
        try:
            operator.config.model_validate(config.json() if config else {})
        except ValidationError as wrong:
            for error in wrong.errors(include_url=False):
                self._add_option(name, operator, error, config or node)

    def _add_option(self, name: str, operator: Operator, error: PydanticError, node: YamlNode) -> None:
        path: list[str | int] = ["config"]
        for part in error["loc"]:
            node, path = _inner(node, part), [*path, part]
        where = show_path(tuple(path))
        if error["type"] == "missing":
            self._add(node, show_path(tuple(path[:-1])), f"the operator {name} needs {path[-1]}", operator.summary)
        elif error["type"] == "extra_forbidden":
            known = operator.config.model_fields if operator.config else ()
            hint = did_you_mean(str(path[-1]), known) or f"the operator {name} has {', '.join(known)}"
            self._problems.add(node.key, self._path(where), "unknown key", hint)
        else:
            self._add(node, where, message_of(error), hint_of(error))

    def _check_runtime(self) -> None:
        name, udf, secrets = base_name(self._job.text("operator") or ""), self._get("udf"), self._get("secrets")
        runtime = runtime_of(self._job, self._defaults)
        runtime_node, operator = self._get("runtime") or self._job, find_operator(name)
        reads_secrets = operator is not None and (operator.runs_code or name == "http_poll")
        inside = [name for name, operator in OPERATORS.items() if operator.in_dispatcher]
        if runtime in RUNTIMES and name == "bundle" and runtime != "sandbox":
            self._add(runtime_node, "runtime", f"a bundle does not run in {quoted(runtime)}", "write sandbox")
        if runtime == "sandbox" and operator is not None and name != "bundle":
            hint = "only bundle does; write worker, or upload the code as a bundle"
            self._add(runtime_node, "runtime", f"the operator {name} does not run in a sandbox", hint)
        if runtime == "dispatcher" and operator is not None and name not in [*inside, "bundle"]:
            hint = f"only {', '.join(inside)} do"
            self._add(runtime_node, "runtime", f"the operator {name} does not run in a dispatcher", hint)
        for field in ("queue", "labels") if runtime == "dispatcher" else ():
            if (node := self._get(field)) is not None:
                self._add(node, field, "the tasks of a dispatcher wait in its own queue", "remove it")
        if secrets is not None and secrets.items() and (runtime == "sandbox" or udf is not None):
            hint = "run the job in a worker, or pass the values in config"
            self._add(secrets, "secrets", "untrusted code gets no secrets", hint)
        elif secrets is not None and secrets.items() and operator is not None and not reads_secrets:
            self._add(secrets, "secrets", f"the operator {name} reads no secrets", "remove it")
        source = self._get("source")
        if name == "webhook" and (source is None or source.text("kind") not in ("webhook", None)):
            hint = "write activation: source and source: {kind: webhook, webhook_path: /PATH}"
            self._add(source or self._job, "source", "the operator webhook publishes what a webhook receives", hint)

    def _check_triggers(self) -> None:
        inputs = self._items("inputs")
        triggers = [trigger.value if (trigger := node.get("trigger")) else "any" for node in inputs]
        words = {trigger for trigger in triggers if isinstance(trigger, str)}
        for number, node in enumerate(inputs):
            if triggers[number] == "all_same_partition" and self._value("execution_strategy") == "PerUpdate":
                self._add(node, f"inputs[{number}].trigger", "all_same_partition needs PerPartition")
        if words == {"any", "all_same_partition"}:
            hint = "write the same trigger for all inputs that start tasks, and false for the others"
            message = "the triggers any and all_same_partition cannot be combined"
            self._add(self._get("inputs") or self._job, "inputs", message, hint)
        if triggers and all(trigger is False for trigger in triggers):
            node = self._get("inputs") or self._job
            self._add(node, "inputs", "no input starts tasks", "remove trigger: false from one of them")

    def _check_columns(self, number: int, output: YamlNode) -> None:
        """If the output declares columns, checks that their names differ and that other fields use only declared
        columns."""
        columns = output.get("columns")
        names = [column.text("name") for column in columns.items()] if columns else []
        known = {name for name in names if name is not None}
        path = f"outputs[{number}]"
        if len(known) < len(names) and None not in names and columns is not None:
            self._add(columns, f"{path}.columns", "two columns have the same name")
        if not known:
            return
        partition, checks, key = output.get("partition"), output.get("checks"), self._get("unique_key")
        named = [
            (f"{path}.partition", [partition.get("column")] if partition else []),
            ("unique_key", [*key.items()] if key else []),
        ]
        for check_number, check in enumerate(checks.items() if checks else []):
            listed = check.get("columns")
            members = [check.get("column"), *(listed.items() if listed else [])]
            named.append((f"{path}.checks[{check_number}]", members))
        for where, nodes in named:
            for node in nodes:
                if node is not None and isinstance(node.value, str) and node.value not in known:
                    message = f"{path} has no column {quoted(node.value)}"
                    self._add(node, where, message, did_you_mean(node.value, known))

    def _check_table(self, number: int, output: YamlNode) -> None:
        """Checks that an output in Postgres declares columns, with names that Postgres does not use itself."""
        storage, columns, path = output.get("storage"), output.get("columns"), f"outputs[{number}]"
        if storage is None or storage.text("kind") != "postgres":
            return
        if columns is None or not columns.items():
            self._add(storage, f"{path}.storage", "a dataset in Postgres needs its columns", "write columns: […]")
            return
        for column_number, column in enumerate(columns.items()):
            if column.text("name") in SYSTEM_COLUMNS:
                where = f"{path}.columns[{column_number}]"
                self._add(column, where, f"Postgres has a column {quoted(column.text('name'))} in every table")

    def _get(self, name: str) -> YamlNode | None:
        """Returns a field of the job; None if it is missing or has no value."""
        node = self._job.get(name)
        return node if node is not None and node.value is not None else None

    def _items(self, name: str) -> list[YamlNode]:
        node = self._get(name)
        return node.items() if node else []

    def _value(self, name: str) -> object:
        """Returns the value of a field of the job, or the default of the document if the job does not set the field."""
        node = self._get(name) or (self._defaults.get(name) if self._defaults else None)
        return node.value if node else None

    def _forbid(self, names: tuple[str, ...], reason: str) -> None:
        for name in names:
            if (node := self._get(name)) is not None:
                self._problems.add(node.key, self._path(name), reason, "remove it")

    def _require(self, name: str, hint: str) -> None:
        if self._get(name) is None:
            self._problems.add(self._job.at, self._path(""), f"{name} is missing", hint)

    def _add(self, node: YamlNode, name: str, message: str, hint: str | None = None) -> None:
        self._problems.add(node.at, self._path(name), message, hint)

    def _path(self, name: str) -> str:
        return show_path(("jobs", self._number)) + (f".{name}" if name else "")


def runtime_of(job: YamlNode, defaults: YamlNode | None) -> object:
    """Returns the runtime of a job: its own, sandbox for a bundle, or else the default of the document."""
    if (own := job.get("runtime")) is not None and own.value is not None:
        return own.value
    if base_name(job.text("operator") or "") == "bundle":
        return "sandbox"
    default = defaults.get("runtime") if defaults else None
    return default.value if default is not None and default.value is not None else "worker"


def _inner(node: YamlNode, part: str | int) -> YamlNode:
    """Returns a part of a node; the node itself if it has no such part."""
    if isinstance(part, str):
        return node.get(part) or node
    items = node.items()
    return items[part] if part < len(items) else node
