"""`module:app` on a command line, found and checked."""

import importlib
import sys
from pathlib import Path

from tenuto.sdk.app import App


class BadTarget(Exception):
    """What should name an app does not; the message says what to write."""


def load_app(target: str) -> App:
    """The app that `module:name` names; the current folder is searched first, as `python -m` does."""
    module_name, _, name = target.partition(":")
    if not module_name or not name:
        raise BadTarget(f"{target!r} does not name an app; write module:app, for example shop.tasks:app")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and not module_name.startswith(error.name):
            raise BadTarget(f"module {module_name!r} needs {error.name!r}, which is not installed") from error
        raise BadTarget(
            f"there is no module {module_name!r} here or on the Python path; looked in {here} first"
        ) from error
    except Exception as error:
        raise BadTarget(f"module {module_name!r} cannot be imported: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if isinstance(found, App):
        return found
    apps = [key for key, value in vars(module).items() if isinstance(value, App)]
    hint = f"write {module_name}:{apps[0]}" if apps else "make one with App(…)"
    what = "is not an App" if hasattr(module, name) else "does not exist"
    raise BadTarget(f"{name!r} in module {module_name!r} {what}; {hint}")
