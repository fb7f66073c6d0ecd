"""An API shape is defined once: a response model repeats no dataclass of `model/` unless it hides a field."""

import dataclasses
import inspect
import pkgutil
from importlib import import_module

from pydantic import BaseModel

import tenuto.model
import tenuto.server.routes
import tenuto.server.schemas
from tenuto.server.schemas.base import ResponseModel

# Response models with the fields of a dataclass: their parts hide fields.
ALLOWED = {"RunResponse"}  # its progress leaves out when and why a request was made


def dataclasses_of_the_model() -> list[set[str]]:
    modules = [import_module(f"tenuto.model.{module.name}") for module in pkgutil.iter_modules(tenuto.model.__path__)]
    classes = [value for module in modules for value in vars(module).values() if inspect.isclass(value)]
    return [{field.name for field in dataclasses.fields(value)} for value in classes if dataclasses.is_dataclass(value)]


def response_models() -> list[type[BaseModel]]:
    packages = (tenuto.server.schemas, tenuto.server.routes)
    names = [
        module.name
        for package in packages
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [
        value
        for name in names
        for value in vars(import_module(name)).values()
        if inspect.isclass(value) and issubclass(value, ResponseModel) and value.__module__ == name
    ]


def test_no_response_model_repeats_the_fields_of_a_dataclass() -> None:
    shapes = dataclasses_of_the_model()
    repeated = {
        model.__name__
        for model in response_models()
        if len(model.model_fields) > 2 and set(model.model_fields) in shapes
    }

    assert repeated <= ALLOWED, "make the dataclass the response model"
