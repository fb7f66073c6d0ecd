"""Seeing what a function of the kernel really did: the plan of every statement it ran, with rows counted."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.errors import Diagnostic

EXPLAIN = """
load 'auto_explain';
set auto_explain.log_min_duration = 0;
set auto_explain.log_nested_statements = on;
set auto_explain.log_analyze = on;
set auto_explain.log_timing = off;
set auto_explain.log_format = json;
set client_min_messages = log
"""


@dataclass(frozen=True)
class Node:
    """One node of a plan that was executed."""

    kind: str
    table: str
    index: str
    rows: int  # that left it, in all its loops
    read: int  # that it looked at
    removed: int
    filter: str  # also of a join


@dataclass
class Plans:
    """Every node that ran, of every statement, nested ones included."""

    nodes: list[Node] = field(default_factory=list)

    def on(self, table: str) -> list[Node]:
        """What read the table, or one of its partitions."""
        return [node for node in self.nodes if node.table == table or node.table.startswith(f"{table}_")]

    def read(self, table: str) -> int:
        return sum(node.read for node in self.on(table))

    def array_searches(self, rows: int) -> list[Node]:
        """What compared at least so many rows with each element of an array that the plan does not know."""
        return [node for node in self.nodes if node.read >= rows and re.search(r"(ANY|ALL) \(\$", node.filter)]

    def scans_of_all(self, *tables: str) -> list[Node]:
        """Empty partitions may be scanned: that is the quickest way to see that they are empty."""
        return [node for table in tables for node in self.on(table) if node.kind == "Seq Scan" and node.read > 0]


@contextmanager
def explained(db: psycopg.Connection) -> Iterator[Plans]:
    """The plans of what is executed inside."""
    plans = Plans()

    def note(message: Diagnostic) -> None:
        _, found, text = (message.message_primary or "").partition("plan:\n")
        if found:
            plans.nodes.extend(nodes_of(json.loads(text)["Plan"]))

    db.execute(EXPLAIN)
    db.add_notice_handler(note)
    try:
        yield plans
    finally:
        db.remove_notice_handler(note)
        db.execute("set auto_explain.log_min_duration = -1")


def nodes_of(plan: dict[str, Any]) -> Iterator[Node]:
    loops = round(plan.get("Actual Loops", 0))
    if loops:
        rows = round(plan["Actual Rows"] * loops)
        removed = round(sum(value for key, value in plan.items() if key.startswith("Rows Removed")) * loops)
        yield Node(
            plan["Node Type"],
            plan.get("Relation Name", ""),
            plan.get("Index Name", ""),
            rows,
            rows + removed,
            removed,
            plan.get("Filter", "") + plan.get("Join Filter", ""),
        )
    for below in plan.get("Plans", []):
        yield from nodes_of(below)
