"""Imports the modules of packages, so that the tasks in them are declared."""

import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType

from tenuto.model.errors import InvalidInput


def import_packages(packages: Iterable[str], named: str | None) -> None:
    """Import these packages with all packages and modules in them. With `named`, import only the modules with this
    name. A module `__main__` is left out, because importing it runs a program."""
    for package in packages:
        _import_below(_import(package), named)


def _import_below(package: ModuleType, named: str | None) -> None:
    for module in pkgutil.iter_modules(getattr(package, "__path__", []), f"{package.__name__}."):
        own = module.name.rpartition(".")[2]
        if own == "__main__":
            continue
        if module.ispkg or named in (None, own):
            imported = _import(module.name)
            if module.ispkg:
                _import_below(imported, named)


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}.")
        problem = "does not exist" if missing else f"cannot be imported: {type(error).__name__}: {error}"
        raise InvalidInput(f"app.discover: the module {name} {problem}") from error
