"""What is a bundle and what is not: every rule is named, with the file that breaks it."""

import io
import json
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from tenuto.model.bundle_zip import MAX_DIRECTORY_BYTES, MAX_MANIFEST_BYTES
from tenuto.model.bundles import MAX_FILE_BYTES, MAX_FILES, MAX_UNPACKED_BYTES, BadBundle, read_bundle
from tests.support.processes.bundles import CODE, MANIFEST, a_bundle, a_manifest, a_zip, listed


def read(content: bytes) -> None:
    read_bundle(io.BytesIO(content)).verify()


def with_entry(name: "str | zipfile.ZipInfo", data: bytes = b"x", *, manifest: dict[str, Any] | None = None) -> bytes:
    """A sound bundle and one entry more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of a name that comes twice
        head = (MANIFEST, json.dumps(manifest or a_manifest()).encode())
        return a_zip([head, *CODE.items(), (name, data)])


def special(name: str, mode: int) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.external_attr = mode << 16
    return found


def test_a_sound_bundle_says_its_types_and_gives_its_files() -> None:
    bundle = read_bundle(io.BytesIO(a_bundle({**CODE, "images/__init__.py": b"", "data/a.txt": b"a"})))

    assert (bundle.name, bundle.types, bundle.tasks) == ("images", ["images.double"], {"double": "pictures:double"})
    assert dict(bundle.files()) == {**CODE, "images/__init__.py": b"", "data/a.txt": b"a"}


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"more": 1}, "unknown key 'more'"),
        ({"env_allowlist": ["PATH"]}, "unknown key 'env_allowlist'"),
        ({"schema_version": 2}, "schema_version 2, not 1"),
        ({"schema_version": True}, "schema_version True, not 1"),
        ({"runtime": "node"}, "runtime 'node'; write python"),
        ({"name": "Images"}, "name 'Images', not 1-63"),
        ({"name": "../x"}, r"name '\.\./x'"),
        ({"tasks": {}}, "no tasks, or more than 100"),
        ({"tasks": {f"t{no}": "pictures:double" for no in range(101)}}, "no tasks, or more than 100"),
        ({"tasks": {"a b": "pictures:double"}}, "task 'a b', not a name"),
        ({"tasks": {"a": "pictures"}}, "write module:function"),
        ({"tasks": {"a": "other:f"}}, r"lists neither other\.py nor other/__init__\.py"),
        ({"tasks": {"a": "os:system"}}, "in os, which is a module of Python or Tenuto"),
        ({"tasks": {"a": "..pictures:double"}}, "write module:function"),
        ({"files": []}, "lists no files"),
        ({"files": [{"path": "pictures.py"}]}, "path, sha256 and bytes, and nothing else"),
        ({"files": [{**listed(CODE)[0], "mode": 511}]}, "and nothing else"),
        ({"files": [{**listed(CODE)[0], "sha256": "0"}]}, "sha256 '0', not 64"),
        ({"files": [{**listed(CODE)[0], "bytes": -1}]}, "-1 bytes, not 0 to"),
        ({"files": [{**listed(CODE)[0], "bytes": True}]}, "True bytes"),
        ({"files": [{**listed(CODE)[0], "bytes": MAX_FILE_BYTES + 1}]}, "bytes, not 0 to 16,777,216"),
        ({"files": [*listed(CODE), *listed(CODE)]}, r"lists 'pictures\.py' twice"),
        ({"files": [*listed(CODE), *listed({"PICTURES.PY": b""})]}, "twice"),
        ({"files": [*listed(CODE), *listed({"pictures.py/x": b""})]}, r"'pictures\.py' as a file"),
        ({"files": listed({f"f{no}": b"" for no in range(MAX_FILES + 1)})}, "more than 2,000"),
    ],
)  # fmt: skip
def test_a_manifest_that_breaks_a_rule_is_refused_by_name(changed: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadBundle, match=rf"bundle_manifest\.json .*{rule}"):
        read(a_zip({MANIFEST: json.dumps(a_manifest() | changed).encode(), **CODE}))


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x.py", "a/../../x", "./x", "a/./x", "a//b", "a/", "a\\b", "a\x00b", "C:/x", "", "a\nb",
     "x" * 256, MANIFEST],
)  # fmt: skip
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(BadBundle, match="lists the path"):
        read(listing([*listed(CODE), *listed({path: b""})]))


def listing(files: list[dict[str, Any]]) -> bytes:
    """A bundle that lists these files, whether it has them or not."""
    return a_zip({MANIFEST: json.dumps(a_manifest() | {"files": files}).encode(), **CODE})


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: b"", "too short"),
        (lambda: b"x" * 100, "not a zip"),
        (lambda: a_bundle() + b"tail", "not a zip"),
        (lambda: a_bundle()[:-30], "not a zip"),
        (lambda: a_zip(CODE), f"no {MANIFEST}"),
        (lambda: a_zip({MANIFEST: b"{", **CODE}), "is not JSON"),
        (lambda: a_zip({MANIFEST: b"[" * 50_000, **CODE}), "is not JSON"),
        (lambda: a_zip({MANIFEST: b"[]", **CODE}), "is not an object"),
        (lambda: a_zip({MANIFEST: b'{"name": 1, "name": 2}', **CODE}), "a key twice"),
        (lambda: a_zip({MANIFEST: b" " * (MAX_MANIFEST_BYTES + 1), **CODE}), "unpacks to more than 1,048,576"),
        (lambda: with_entry("stray.py"), r"'stray\.py' is in the zip, but .* does not list it"),
        (lambda: with_entry("../escape.py"), r"'\.\./escape\.py' is in the zip"),
        (lambda: with_entry("pictures.py"), r"'pictures\.py' is in the zip twice"),
        (lambda: with_entry(MANIFEST, b"{}"), "is in the zip twice"),
        (lambda: with_entry("folder/"), "'folder/' is a folder"),
        (lambda: with_entry(special("link", stat.S_IFLNK | 0o777), b"/etc/passwd"), "'link' is a symbolic link"),
        (lambda: with_entry(special("device", stat.S_IFBLK | 0o600)), "special file"),
        (lambda: a_zip({MANIFEST: json.dumps(a_manifest()).encode()}), r"'pictures\.py' is listed .* not in the zip"),
        (lambda: a_zip({MANIFEST: json.dumps(a_manifest()).encode(), **CODE}, zipfile.ZIP_LZMA), "stored or deflated"),
    ],
)  # fmt: skip
def test_a_zip_that_breaks_a_rule_is_refused_by_name(make: Callable[[], bytes], rule: str) -> None:
    with pytest.raises(BadBundle, match=rule):
        read(make())


def test_a_file_that_is_not_what_the_manifest_says_is_refused() -> None:
    manifest = json.dumps(a_manifest()).encode()

    with pytest.raises(BadBundle, match=r"'pictures\.py' does not match .* its sha256 differs"):
        read(a_zip({MANIFEST: manifest, "pictures.py": CODE["pictures.py"].replace(b"2", b"3")}))
    with pytest.raises(BadBundle, match=r"'pictures\.py' has 1 bytes, but .* lists"):
        read(a_zip({MANIFEST: manifest, "pictures.py": b"x"}))


def test_a_zip_bomb_is_unpacked_no_further_than_it_says() -> None:
    bomb = a_zip({MANIFEST: json.dumps(a_manifest()).encode(), "pictures.py": b"\0" * 50_000_000})
    assert len(bomb) < 100_000

    with pytest.raises(BadBundle, match=r"'pictures\.py' unpacks to more than 32 bytes"):
        read(bomb)


def test_a_bundle_that_says_it_is_too_large_in_all_is_refused() -> None:
    large = {**listed(CODE)[0], "bytes": MAX_FILE_BYTES}
    files = [*listed(CODE), *({**large, "path": f"f{no}"} for no in range(MAX_UNPACKED_BYTES // MAX_FILE_BYTES))]

    with pytest.raises(BadBundle, match="bytes in all, more than 134,217,728"):
        read(listing(files))


def test_a_list_of_entries_that_would_fill_the_memory_is_not_read() -> None:
    sound = a_bundle()
    large = sound[:-10] + struct.pack("<I", MAX_DIRECTORY_BYTES + 1) + sound[-6:]

    with pytest.raises(BadBundle, match="its directory has more than"):
        read(large)


def test_an_encrypted_file_is_refused() -> None:
    sound = bytearray(a_bundle())
    place = sound.rindex(b"PK\x01\x02") + 8
    sound[place] |= 1

    with pytest.raises(BadBundle, match=r"'pictures\.py' is encrypted"):
        read(bytes(sound))
