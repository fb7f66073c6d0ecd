"""The providers of a dispatcher: read from a file, bounded, and their secrets kept out of what is stored."""

from pathlib import Path

import pytest

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.processes.pool_providers import open_provider, read_providers
from tenuto.model.text import redact
from tenuto.providers.base import MAX_MACHINES

LOCAL = {"kind": "local", "command": ["tenuto", "worker", "shop:app"]}


def test_providers_are_read_with_their_bounds(tmp_path: Path) -> None:
    file = tmp_path / "providers.yaml"
    file.write_text(
        "providers:\n"
        "  here: {kind: local, command: [tenuto, worker], max_machines: 7}\n"
        "  there: {kind: exec, spawn: [a], list: [b], terminate: [c]}\n"
    )

    providers = read_providers(file)

    assert {name: provider.max_machines for name, provider in providers.items()} == {"here": 7, "there": MAX_MACHINES}


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({**LOCAL, "max_machines": "many"}, "has max_machines 'many'"),
        ({**LOCAL, "max_machines": -1}, "has max_machines -1"),
        ({**LOCAL, "maximum": 1}, "unknown options: maximum"),
        ({"kind": "local"}, "needs command"),
        ({"kind": "moon"}, "write one of local, exec, ecs, runpod"),
        (None, "has kind None"),
    ],
)
def test_a_wrong_entry_says_what_to_write(entry: object, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        open_provider("here", entry, {})


def test_the_secrets_of_the_dispatcher_are_hidden_and_its_words_are_not() -> None:
    environment = {
        "CLOUD_API_TOKEN": "t0ken-of-the-cloud",
        "STORE": "postgresql://ann:pa55word-of-ann@host/db",
        "USE_KEYS": "never",
    }

    open_provider("here", LOCAL, environment)

    assert redact("t0ken-of-the-cloud, pa55word-of-ann, never") == "***, ***, never"
