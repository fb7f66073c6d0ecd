"""Packages offer operators of their own, which documents use like built-in ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.dag.operators import find_operator, installed_operators
from tenuto.model.errors import InvalidInput
from tests.dag.documents import messages, parsed, with_job

CODE = '''
from __future__ import annotations
from typing import TYPE_CHECKING
from pydantic import BaseModel
if TYPE_CHECKING:
    from tenuto import SyncContext

class ScrubConfig(BaseModel, extra="forbid"):
    columns: list[str]

def scrub(ctx: SyncContext, config: ScrubConfig) -> None:
    """Publishes the rows without personal data.

    More about it.
    """

def free(ctx, config):
    pass

async def waits(ctx, config):
    pass
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package, whose entry points the test writes."""
    installed = tmp_path / "acme_operators-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-operators\nVersion: 1.0\n")
    (tmp_path / "acme_operators.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "acme_operators", raising=False)
    installed_operators.cache_clear()
    yield installed / "entry_points.txt"
    installed_operators.cache_clear()


def test_a_document_uses_an_installed_operator_and_its_options_are_checked(package: Path) -> None:
    package.write_text("[tenuto.operators]\nscrub = acme_operators:scrub\nfree = acme_operators:free\n")

    scrub = find_operator("scrub")

    assert scrub is not None
    assert scrub.summary == "Publishes the rows without personal data."
    assert (
        parsed(with_job("daily", operator="scrub@2", config={"columns": ["email"]})).job("daily").operator == "scrub@2"
    )
    assert parsed(with_job("daily", operator="free", config={"anything": 1})).job("daily").config == {"anything": 1}
    assert messages(with_job("daily", operator="scrub", config={"columns": ["a", 7]})) == [
        "jobs[1].config.columns[1]: is 7, not a text"
    ]
    assert messages(with_job("daily", operator="scrub", config={"column": []})) == [
        "jobs[1].config: the operator scrub needs columns; Publishes the rows without personal data.",
        "jobs[1].config.column: unknown key; did you mean columns?",
    ]
    assert messages(with_job("daily", operator="scrubb")) == [
        "jobs[1].operator: there is no operator 'scrubb'; did you mean scrub?"
    ]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("sql = acme_operators:scrub", "the operator sql of the package acme-operators has the name of a built-in one"),
        ("scrub = acme_operators:nothing", "the operator scrub of the package acme-operators cannot be imported"),
        ("scrub = acme_operators:waits", "is not a plain function; write def operator(ctx, config)"),
        ("scrub = acme_operators:CODE_OF", "cannot be imported: AttributeError"),
    ],
)
def test_an_operator_that_cannot_be_used_is_named_with_its_package(entry: str, problem: str, package: Path) -> None:
    package.write_text(f"[tenuto.operators]\n{entry}\n")

    with pytest.raises(InvalidInput) as refused:
        installed_operators()

    assert problem in str(refused.value)
