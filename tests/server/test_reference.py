"""The page with the reference of the API: served by the server itself, without other hosts."""

import hashlib
import re

from starlette.testclient import TestClient

SHA256 = "affbd173a65e870e18f392cca963113bcdafb6e50e88cd2f6a834a65b22db94d"  # dist/rapidoc-min.js of rapidoc 9.3.8, npm


def test_the_page_loads_its_script_and_the_description_from_this_server(api: TestClient) -> None:
    page = api.get("/docs")
    script, described = re.findall(r'(?:src|spec-url)="([^"]+)"', page.text)

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "https://" not in page.text
    assert api.get(f"/{described}").json()["openapi"] == "3.1.0"
    assert hashlib.sha256(api.get(f"/{script}").content).hexdigest() == SHA256


def test_the_page_may_run_its_own_script_and_nothing_else(api: TestClient) -> None:
    policy = dict(rule.split(" ", 1) for rule in api.get("/docs").headers["content-security-policy"].split("; "))

    assert (policy["default-src"], policy["script-src"], policy["connect-src"]) == ("'none'", "'self'", "'self'")
    assert api.get("/").headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_the_script_is_sent_to_clients_that_do_not_accept_gzip(api: TestClient) -> None:
    plain = api.get("/docs/rapidoc.js", headers={"Accept-Encoding": "identity"})
    packed = api.get("/docs/rapidoc.js", headers={"Accept-Encoding": "gzip"})

    assert ("content-encoding" in plain.headers, packed.headers["content-encoding"]) == (False, "gzip")
    assert int(packed.headers["content-length"]) < 250_000 < len(plain.content) == len(packed.content)
    assert plain.headers["content-type"] == "text/javascript; charset=utf-8"


def test_every_endpoint_has_a_sentence_as_its_summary(api: TestClient) -> None:
    paths = api.get("/openapi.json").json()["paths"].values()
    summaries = [operation["summary"] for methods in paths for operation in methods.values()]

    assert "Get the OpenAPI document" in summaries
    assert [summary for summary in summaries if len(summary.split()) < 2 or summary.endswith(".")] == []
