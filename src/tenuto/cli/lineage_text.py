"""Shows lineage as a tree for terminals, and as a graph for Graphviz."""

import json
from collections.abc import Iterator, Mapping

from tenuto.model.lineage_graph import LineageEdge, LineageGraph, LineageNode
from tenuto.model.text import one_line

HEADINGS = {"up": "computed from", "down": "used by"}


def tree(graph: LineageGraph, name: str) -> str:
    """Return the graph as two trees: what the root was computed from, and what uses it."""
    nodes = {node.id: node for node in graph.nodes}
    if graph.root is None:
        return f"{name} has no current version, and so no lineage"
    lines = [_label(nodes[graph.root])]
    for direction in ("up", "down"):
        branches = list(_branches(graph, direction, nodes))
        if branches:
            lines += [HEADINGS[direction], *branches]
    if len(lines) == 1:
        lines.append("no lineage is recorded")
    if graph.truncated:
        lines.append("… there is more: pass a smaller --depth, or a column")
    return "\n".join(lines)


def _branches(graph: LineageGraph, direction: str, nodes: Mapping[str, LineageNode]) -> Iterator[str]:
    """Yield the lines of one tree. If a node occurs again, its branches are not shown again."""
    edges: dict[str, list[LineageEdge]] = {}
    for edge in graph.edges:
        edges.setdefault(edge.to if direction == "up" else edge.source, []).append(edge)
    seen: set[str] = set()
    root = str(graph.root)

    stack: list[tuple[str, str, list[LineageEdge]]] = [("", root, _sorted(edges.get(root, []), nodes))]
    while stack:
        indent, _, left = stack[-1]
        if not left:
            stack.pop()
            continue
        edge = left.pop(0)
        other = edge.source if direction == "up" else edge.to
        again = other in seen and bool(edges.get(other))
        seen.add(other)
        branch, bar = ("├── ", "│   ") if left else ("└── ", "    ")
        yield f"{indent}{branch}{_label(nodes[other])}  {_note(edge)}{' …' if again else ''}"
        if not again:
            stack.append((indent + bar, other, _sorted(edges.get(other, []), nodes)))


def _sorted(edges: list[LineageEdge], nodes: Mapping[str, LineageNode]) -> list[LineageEdge]:
    return sorted(edges, key=lambda edge: (edge.kind, _label(nodes[edge.source]), _label(nodes[edge.to])))


def _label(node: LineageNode) -> str:
    name = node.dataset if node.column is None else f"{node.dataset}.{one_line(node.column)}"
    return name if node.current else f"{name} (version {node.version})"


def _note(edge: LineageEdge) -> str:
    subtype = one_line(edge.subtype.replace("_", " ")) if edge.subtype else None
    parts = [edge.kind if edge.kind == "indirect" else None, subtype, edge.method, edge.confidence]
    return f"[{', '.join(part for part in parts if part)}{', stale' if edge.stale else ''}]"


def dot(graph: LineageGraph) -> str:
    """Return the graph in the language of Graphviz."""
    lines = ["digraph lineage {", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f"  {_quoted(node.id)} [label={_quoted(_label(node))}];" for node in graph.nodes]
    for edge in graph.edges:
        style = "dashed" if edge.kind == "indirect" else "solid"
        lines.append(f"  {_quoted(edge.source)} -> {_quoted(edge.to)} [style={style}, label={_quoted(_note(edge))}];")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return json.dumps(one_line(text), ensure_ascii=False)


def graph_json(graph: LineageGraph) -> dict[str, object]:
    """Return the graph in the JSON form of the server, in which an edge has the key `from`."""
    return {
        "root": graph.root,
        "nodes": graph.nodes,
        "edges": [
            {
                "from": edge.source,
                "to": edge.to,
                "kind": edge.kind,
                "subtype": edge.subtype,
                "method": edge.method,
                "confidence": edge.confidence,
                "stale": edge.stale,
            }
            for edge in graph.edges
        ],
        "truncated": graph.truncated,
    }
