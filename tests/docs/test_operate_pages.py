"""Files on the pages of docs/operate: units, images, manifests and alert rules are sound, and the commands exist."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.core import TyperGroup
from typer.main import get_command

from tenuto.cli.root import build_app
from tenuto.model.metrics import REGISTRY
from tests.support.docs.pages import Block, blocks_of
from tests.support.processes.terminal import ROOT

OPERATE = ROOT / "docs" / "operate"
FILE = re.compile(r"# (\S+)\n")
METRIC = re.compile(r"\b(tenuto_\w+)(?:\{([^}]*)\})?")
LABELS = re.compile(r"by \(([\w, ]+)\)")
OF_HISTOGRAM = ("_bucket", "_sum", "_count")


def files() -> Iterator[tuple[str, Block]]:
    """Every block that is a file, with the name in its first line."""
    for page in sorted(OPERATE.glob("*.md")):
        for block in blocks_of(page):
            if block.language in ("ini", "yaml", "dockerfile") and (found := FILE.match(block.code)):
                yield found[1], block


FILES = dict(files())


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Every `tenuto …` in a unit, an image or a manifest."""
    for name, block in FILES.items():
        for line in re.findall(r"ExecStart=\S*?(tenuto .*)", block.code):
            yield name, shlex.split(line.replace("%i", "1"))[1:]
        for found in re.findall(r'(?:command:|CMD) (\["tenuto".*?\])', block.code, re.DOTALL):
            yield name, json.loads(found)[1:]


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all(FILES[name].code))


def test_the_pages_have_the_files_that_operators_look_for() -> None:
    assert set(FILES) == {
        "/etc/tenuto/shop.env",
        "/etc/systemd/system/tenuto-worker@.service",
        "/etc/systemd/system/tenuto-server.service",
        "Dockerfile",
        "compose.yaml",
        "migrate.yaml",
        "worker.yaml",
        "server.yaml",
        "tenuto-rules.yaml",
    }


@pytest.mark.parametrize(("name", "arguments"), list(command_lines()), ids=lambda value: str(value)[:60])
def test_every_command_exists_with_these_options(name: str, arguments: list[str]) -> None:
    command: Any = get_command(build_app())
    rest = list(arguments)
    while isinstance(command, TyperGroup):
        context = command.make_context(name, rest, resilient_parsing=True)
        _, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
    command.make_context(name, rest)  # raises for an option that does not exist or a value that does not fit


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".service")])
def test_systemd_accepts_the_units(name: str, tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / Path(name).name.replace("@.", "@1.")
    # Programs, users and files that only the reader has.
    text = re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", FILES[name].code)
    unit.write_text(re.sub(r"(?m)^(User|EnvironmentFile|WorkingDirectory)=.*\n", "", text))

    done = subprocess.run([program, "verify", "--man=no", unit], capture_output=True, text=True, check=False)

    ours = [line for line in done.stderr.splitlines() if unit.name in line]
    assert ours == []
    stop = int(re.findall(r"TimeoutStopSec=(\d+)", text)[0])
    assert stop >= 30 + 12


def test_compose_waits_for_the_migration_and_for_the_grace_period() -> None:
    (compose,) = documents("compose.yaml")
    services = compose["services"]

    for name in ("worker", "server"):
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
        assert services[name]["stop_grace_period"] == "45s"
        assert set(services[name]["volumes"][0].split(":")[:1]) <= set(compose["volumes"])
    used = set(re.findall(r"postgresql://(\w+):", FILES["compose.yaml"].code))
    assert used == {"shop_owner", "shop_worker", "shop_server"}


def test_manifests_select_their_own_pods_and_probe_ports_that_exist() -> None:
    for name in ("worker.yaml", "server.yaml"):
        deployment = documents(name)[0]
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        pod = deployment["spec"]["template"]["spec"]
        assert deployment["spec"]["selector"]["matchLabels"] == labels
        assert pod["terminationGracePeriodSeconds"] >= 30 + 12
        for container in pod["containers"]:
            ports = {port["name"] for port in container["ports"]}
            probes = [container[key] for key in ("livenessProbe", "readinessProbe") if key in container]
            assert {probe["httpGet"]["port"] for probe in probes} <= ports
    _, service = documents("server.yaml")
    assert service["spec"]["selector"] == documents("server.yaml")[0]["spec"]["template"]["metadata"]["labels"]
    assert documents("migrate.yaml")[0]["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def known_metrics() -> dict[str, set[str]]:
    """Every name that Prometheus sees, with its labels."""
    known = {}
    for metric in REGISTRY._collector_to_names:  # pyright: ignore
        for name in REGISTRY._collector_to_names[metric]:  # pyright: ignore
            known[name] = set(metric._labelnames)  # pyright: ignore
    return known


def test_alert_rules_name_metrics_and_labels_that_exist() -> None:
    (rules,) = documents("tenuto-rules.yaml")
    known = known_metrics()
    for rule in rules["groups"][0]["rules"]:
        used = METRIC.findall(rule["expr"])
        assert used, rule
        labels = {label.strip() for group in LABELS.findall(rule["expr"]) for label in group.split(",")}
        for name, selectors in used:
            assert name in known, f"{rule['alert']}: {name}"
            selected = set(re.findall(r"(\w+)\s*=", selectors))
            assert labels | selected <= known[name], f"{rule['alert']}: {name} has {known[name]}"
        shown = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
        assert shown <= labels, rule["alert"]


def test_the_dashboard_shows_metrics_and_labels_that_exist() -> None:
    dashboard = json.loads((OPERATE / "grafana.json").read_text())
    known = known_metrics()
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)
    for panel in panels:
        (target,) = panel["targets"]
        expression = target["expr"]
        labels = {label.strip() for group in LABELS.findall(expression) for label in group.split(",")} - {"le"}
        for name, selectors in METRIC.findall(expression):
            metric = name.removesuffix("_bucket")
            selected = set(re.findall(r"(\w+)\s*=", selectors))
            assert labels | selected <= known[metric], f"{panel['title']}: {name}"
        assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) == labels, panel["title"]
    used = {name for panel in panels for name, _ in METRIC.findall(panel["targets"][0]["expr"])}
    assert {"tenuto_worker_health", "tenuto_stuck_tasks", "tenuto_tasks_finished"} <= used


def test_the_page_lists_every_metric() -> None:
    text = (OPERATE / "alerts.md").read_text()
    listed = set(re.findall(r"tenuto_\w+", text))
    listed |= {f"tenuto_loop{end}" for end in re.findall(r"`(_\w+_total)`", text)}
    shown = {
        name
        for name in known_metrics()
        if not name.endswith((*OF_HISTOGRAM, "_created")) and f"{name}_total" not in known_metrics()
    }

    assert shown - listed == set()
