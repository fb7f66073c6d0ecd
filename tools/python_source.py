"""Reads classes and functions from their source: signatures as written, and docstrings."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

OPTION_CLASS = re.compile(r"shows_options\((\w+)")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Member:
    """A method, property or attribute: `tn.start(…) -> Run[R]`."""

    name: str
    shown: str
    doc: str
    options: str | None = None  # the TypedDict of the options that it takes


@cache
def parse(name: str) -> ast.Module:
    """Return the code of a module. Names of constants that are defaults are replaced by their values."""
    module = import_module(name)
    tree = ast.parse(Path(module.__file__ or "").read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            node.defaults = [_value(default, module) for default in node.defaults]
            node.kw_defaults = [default and _value(default, module) for default in node.kw_defaults]
        elif isinstance(node, ast.AnnAssign) and node.value:
            node.value = _value(node.value, module)
    return tree


def _value(default: ast.expr, module: ModuleType) -> ast.expr:
    if isinstance(default, ast.Name) and default.id.isupper():
        return ast.Constant(getattr(module, default.id))
    return default


def find(module: str, name: str) -> ast.ClassDef | Function:
    """Return a class or function; for an overloaded function, its implementation."""
    return [
        node
        for node in parse(module).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ][-1]


def doc_of(node: ast.ClassDef | Function) -> str:
    return " ".join((ast.get_docstring(node) or "").split())


def fields_of(node: ast.ClassDef | Function) -> list[tuple[str, str, str]]:
    """Return name, type and docstring of the annotated fields of a class."""
    return [
        (field.target.id, text(field.annotation), doc)
        for field, doc in _documented(node.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    ]


def members_of(node: ast.ClassDef | Function, variable: str) -> list[Member]:
    """Return the documented public members, in the order of the source."""
    members: dict[str, Member] = {}
    overloads: dict[str, list[Function]] = {}
    for part in node.body:
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if part.name == "__init__" and isinstance(part, ast.FunctionDef):
            members |= {member.name: member for member in _attributes(part, variable)}
        elif "overload" in _decorators(part):
            overloads.setdefault(part.name, []).append(part)
        elif not part.name.startswith("_") and doc_of(part):
            alike = [one for one in overloads.get(part.name, []) if bool(one.args.vararg) == bool(part.args.vararg)]
            members[part.name] = function_member(part, f"{variable}.{part.name}", alike[0] if alike else None)
    return list(members.values())


def function_member(node: Function, name: str, overload: Function | None = None) -> Member:
    """Describe a function by the parameters of its implementation and the type that an overload returns."""
    decorators, returns = _decorators(node), text((overload or node).returns)
    if "property" in decorators or "cached_property" in decorators:
        return Member(node.name, f"{name}: {returns}", doc_of(node))
    before = ""
    if "contextmanager" in " ".join([*decorators, returns]).lower():
        before = "async with " if "async" in " ".join([*decorators, returns]).lower() else "with "
        returns = returns[returns.index("[") + 1 : -1]
    elif isinstance(node, ast.AsyncFunctionDef):
        before = "async for … in " if returns.startswith("AsyncIterator") else "await "
    options = next((OPTION_CLASS.match(decorator) for decorator in decorators if "shows_options" in decorator), None)
    return Member(
        node.name, f"{before}{name}({parameters(node)}) -> {returns}", doc_of(node), options[1] if options else None
    )


def bases_of(node: ast.ClassDef | Function) -> list[str]:
    """Return the names of the base classes."""
    return [text(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []


def constructor(node: ast.ClassDef) -> str:
    """Return how an object of the class is created."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return f"{node.name}({parameters(part)})"
    fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    written = (f"{text(field.target)}: {text(field.annotation)}" + _default(field.value) for field in fields)
    return f"{node.name}({', '.join(written)})" if fields else f"{node.name}(message)"


def parameters(node: Function) -> str:
    """Return the parameters without `self`. `*args`, `**kwargs` and parameters of type object have no type in the
    text."""
    arguments = node.args
    places = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(places) - len(arguments.defaults)), *arguments.defaults]
    written = [_parameter(place, default) for place, default in zip(places, defaults, strict=True)]
    if arguments.posonlyargs:
        written.insert(len(arguments.posonlyargs), "/")
    written = [parameter for parameter in written if parameter != "self"]
    if written[:1] == ["/"]:
        written = written[1:]
    if arguments.vararg or arguments.kwonlyargs:
        written.append(f"*{arguments.vararg.arg}" if arguments.vararg else "*")
    written += map(_parameter, arguments.kwonlyargs, arguments.kw_defaults)
    return ", ".join([*written, *([f"**{arguments.kwarg.arg}"] if arguments.kwarg else [])])


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    if argument.annotation is None or text(argument.annotation) == "object":
        return argument.arg + _default(default).replace(" = ", "=")
    return f"{argument.arg}: {text(argument.annotation)}{_default(default)}"


def text(node: ast.AST | None) -> str:
    """Return the code of a type or value, without quotes around a type that is defined later."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "None" if node is None else ast.unparse(node).replace("'", '"')


def _default(value: ast.expr | None) -> str:
    return "" if value is None else f" = {ast.unparse(value)}".replace("'", '"')


def _decorators(node: Function) -> list[str]:
    return [text(one) for one in node.decorator_list]


def _attributes(init: ast.FunctionDef, variable: str) -> Iterator[Member]:
    for part, doc in _documented(init.body):
        target = part.targets[0] if isinstance(part, ast.Assign) else getattr(part, "target", None)
        if doc and isinstance(target, ast.Attribute):
            yield Member(target.attr, f"{variable}.{target.attr}", doc)


def _documented(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement with the docstring after it, or an empty text."""
    for part, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        value = after.value if isinstance(after, ast.Expr) else None
        doc = value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
        yield part, " ".join(doc.split())
