"""Finds and imports the apps that a command line names as `module:app` or `file.py`."""

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

from tenuto.sdk.app import App

RESERVED = "tenuto"  # the app of operators, which only jobs run
_loading: list[str] = []  # the target whose module is being imported


class BadTarget(Exception):
    """The target does not name an app; the message says what to write."""


def split_target(target: str) -> tuple[str, str]:
    """Split a target into its module or file and the name of the app, which is empty for `file.py`."""
    where, _, name = target.partition(":")
    if where.endswith(".py") and (not name or name.isidentifier()):
        return where, name
    if where and name.isidentifier():
        return where, name
    raise BadTarget(f"{target!r} does not name an app; write module:app, such as shop.tasks:app, or a file: tasks.py")


def check_target(target: str) -> None:
    """Check without importing user code that the file, or a package of that name, exists."""
    where, _ = split_target(target)
    if where.endswith(".py"):
        _find_file(where)
    elif PathFinder.find_spec(where.partition(".")[0], [str(Path.cwd()), *sys.path]) is None:
        raise _no_module(where)


def load_app(target: str) -> App:
    """Import and return the app named by `module:name` or `file.py:name`. The current folder is searched first."""
    where, name = split_target(target)
    _loading.append(where)
    try:
        module = _load_file(where) if where.endswith(".py") else _load_module(where)
    except BadTarget:
        raise
    except ModuleNotFoundError as error:
        raise BadTarget(f"{where} needs the module {error.name!r}, which is not installed") from error
    except Exception as error:
        raise BadTarget(f"{where} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        _loading.clear()
    return _pick(module, where, name)


def load_apps(targets: Iterable[str]) -> App:
    """Import the apps of a worker; return an app with the tasks and hooks of all of them."""
    return combine_apps((target, load_app(target)) for target in targets)


def combine_apps(apps: Iterable[tuple[str, App]]) -> App:
    """Return an app with the tasks and hooks of all of these apps. Each app is passed with its target, for error
    messages."""
    every, sources = App("worker"), dict[str, str]()
    for target, app in apps:
        if app.name.partition(".")[0] == RESERVED:
            raise BadTarget(f"{target} is named {app.name!r}, a name of the operators; give it another one: App(…)")
        if both := sources.keys() & app.functions.keys():
            name = min(both)
            raise BadTarget(
                f"{sources[name]} and {target} both define {name}; pass each app only once, "
                "and give every app its own name: App(…)"
            )
        sources |= dict.fromkeys(app.functions, target)
        every.tasks.update(app.tasks)
        every.job_functions.update(app.job_functions)
        every.hooks.extend(app.hooks)
    return every


def refuse_while_loading() -> None:
    """Raise BadTarget if a module opens a client while it is being imported. Every worker imports the module, so each
    of them would start the module's tasks again, or the import would wait for itself."""
    if _loading:
        raise BadTarget(
            f'{_loading[0]} connects while it is imported; put that part below `if __name__ == "__main__":`'
        )


def _load_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and not name.startswith(error.name):
            raise
        raise _no_module(name) from error


def _no_module(name: str) -> BadTarget:
    cure = "; to load a file, write tasks.py" if "/" in name else ""
    return BadTarget(f"there is no module {name!r} here or on the Python path; looked in {Path.cwd()} first{cure}")


def _find_file(file: str) -> Path:
    path = Path(file).absolute()
    if not path.is_file():
        raise BadTarget(f"there is no file {path}")
    return path


def _load_file(file: str) -> ModuleType:
    path = _find_file(file)
    if path.stem in sys.modules:
        raise BadTarget(f"{file} has the name of a module that is in use, {path.stem!r}; rename it")
    sys.path.insert(0, str(path.parent))  # modules beside the file can be imported, as when Python runs it
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, "a .py file has a loader"  # noqa: S101, PT018 - for types
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses and pickle look up modules here
    spec.loader.exec_module(module)
    return module


def _pick(module: ModuleType, where: str, name: str) -> App:
    named = getattr(module, name, None)
    if isinstance(named, App):
        return named
    apps = {key: value for key, value in vars(module).items() if isinstance(value, App)}
    if not name and len(apps) == 1:
        return next(iter(apps.values()))
    if not name:
        hint = f"write {where}:{next(iter(apps))}" if apps else "create one: app = App(…)"
        raise BadTarget(f"{where} has {len(apps) or 'no'} apps; {hint}")
    hint = f"write {where}:{next(iter(apps))}" if apps else "create one with App(…)"
    what = "is not an App" if hasattr(module, name) else "does not exist"
    raise BadTarget(f"{name!r} in {where} {what}; {hint}")
