"""The files of the dashboard: served by the server itself, with a policy that allows only them."""

import gzip
import re

import pytest
from starlette.testclient import TestClient

from tenuto.web.assets import find_page

MAX_FIRST_LOAD_BYTES = 300_000


def policy_of(api: TestClient, path: str) -> dict[str, str]:
    header = api.get(path).headers["content-security-policy"]
    return dict(rule.split(" ", 1) for rule in header.split("; "))


def test_browsers_are_redirected_to_the_dashboard_and_programs_are_not(api: TestClient) -> None:
    browser = api.get("/", headers={"Accept": "text/html,application/xhtml+xml"}, follow_redirects=False)

    assert (browser.status_code, browser.headers["location"]) == (303, "/ui/")
    assert api.get("/ui", follow_redirects=False).headers["location"] == "/ui/"
    assert (api.get("/").json()["dashboard"], api.get("/").json()["oidc"]) == ("/ui/", False)


def test_every_page_is_the_same_document_and_runs_only_files_of_this_server(api: TestClient) -> None:
    first = api.get("/ui/")
    deep = api.get("/ui/runs/0190a5d0-7c2e-7a50-8c3b-3c2f1e0d9a8b")

    assert (first.status_code, first.text) == (200, deep.text)
    assert "<script>" not in first.text
    assert "style=" not in first.text
    policy = policy_of(api, "/ui/")
    assert (policy["default-src"], policy["script-src"], policy["style-src"]) == ("'none'", "'self'", "'self'")
    assert (policy["connect-src"], policy["frame-ancestors"]) == ("'self'", "'none'")


def test_the_first_load_is_small_and_its_files_are_kept_by_browsers(api: TestClient) -> None:
    names = re.findall(r'(?:src|href)="(/ui/[^"]+)"', api.get("/ui/").text)
    packed = [api.get(name, headers={"Accept-Encoding": "gzip"}) for name in names]

    assert len(names) >= 3
    assert sum(int(response.headers["content-length"]) for response in packed) < MAX_FIRST_LOAD_BYTES
    kept = {response.headers["cache-control"] for response in packed if "/assets/" in str(response.url)}
    assert kept == {"public, max-age=31536000, immutable"}
    assert api.get("/ui/").headers["cache-control"] == "no-cache"


def test_a_browser_that_has_the_page_gets_no_second_copy(api: TestClient) -> None:
    etag = api.get("/ui/").headers["etag"]

    again = api.get("/ui/", headers={"If-None-Match": etag})

    assert (again.status_code, again.content) == (304, b"")


def test_a_client_that_does_not_accept_gzip_gets_the_plain_file(api: TestClient) -> None:
    plain = api.get("/ui/", headers={"Accept-Encoding": "identity"})
    asset = find_page("")

    assert "content-encoding" not in plain.headers
    assert asset is not None
    assert plain.content == asset.content == gzip.decompress(asset.gzipped)


@pytest.mark.parametrize(
    "path",
    ["/ui/assets/none.js", "/ui/none.js", "/ui/assets/..%2f..%2fassets.py", "/ui/..%2Fassets.py", "/ui/assets/"],
)
def test_what_the_build_did_not_make_is_not_found(api: TestClient, path: str) -> None:
    assert api.get(path).status_code == 404
