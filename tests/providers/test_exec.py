"""Commands of the operator start, list and end machines; what they print wrongly is said."""

import asyncio
import os
from pathlib import Path
from uuid import uuid4

import pytest

from tenuto.providers.base import Machine, MachineRequest, NoCapacity, ProviderError
from tenuto.providers.exec import ExecProvider

SCRIPT = """
set -e
cd "$STATE"
case "$1" in
  spawn) echo "$TENUTO_MACHINE $TENUTO_POOL_SETTINGS" > "i-$TENUTO_MACHINE"; echo "i-$TENUTO_MACHINE" ;;
  list) for f in i-*; do [ -e "$f" ] && echo "$f $(cut -d' ' -f1 "$f")"; done; echo "i-old old stopped" ;;
  terminate) rm -f "$2" ;;
  describe) echo '{"state": "running"}' ;;
esac
"""


@pytest.fixture
def provider(tmp_path: Path) -> ExecProvider:
    script = tmp_path / "cloud.sh"
    script.write_text(SCRIPT)
    state = tmp_path / "state"
    state.mkdir()
    command = ["sh", str(script)]
    return ExecProvider(
        spawn=[*command, "spawn"],
        list=[*command, "list"],
        terminate=[*command, "terminate"],
        describe=[*command, "describe"],
        environment={**os.environ, "STATE": str(state)},
    )


def failing(script: str, seconds: float = 60.0) -> ExecProvider:
    command = ["sh", "-c", script]
    return ExecProvider(spawn=command, list=command, terminate=command, environment=os.environ, seconds=seconds)


def test_a_machine_is_started_listed_described_and_ended(provider: ExecProvider, tmp_path: Path) -> None:
    async def scene() -> None:
        machine_id = await provider.spawn(MachineRequest("m1", uuid4(), "gpu", "default", {"size": "xl"}))
        assert (tmp_path / "state" / "i-m1").read_text() == 'm1 {"size": "xl"}\n'
        assert await provider.list_machines(uuid4()) == [
            Machine("i-m1", "m1"),
            Machine("i-old", "old", is_running=False),
        ]
        assert await provider.describe(machine_id) == {"state": "running"}
        await provider.terminate(machine_id)
        await provider.terminate(machine_id)
        assert [machine.id for machine in await provider.list_machines(uuid4())] == ["i-old"]

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("script", "kind", "text"),
    [
        ("echo quota >&2; exit 3", ProviderError, "failed with exit status 3: quota"),
        ("echo none free >&2; exit 75", NoCapacity, "none free"),
        ("true", ProviderError, "must print the id"),
        ("echo a; echo b", ProviderError, "must print the id"),
        ("exec sleep 60", ProviderError, "did not end within"),
    ],
)
def test_a_command_that_fails_says_why(script: str, kind: type[Exception], text: str) -> None:
    provider = failing(script, seconds=0.2 if "sleep" in script else 60.0)

    with pytest.raises(kind, match=text):
        asyncio.run(provider.spawn(MachineRequest("m1", uuid4(), "gpu", "default")))


def test_a_list_that_cannot_be_read_is_an_error_and_ends_no_machine() -> None:
    with pytest.raises(ProviderError, match="each line must be an id, a name"):
        asyncio.run(failing("echo only-an-id").list_machines(uuid4()))
