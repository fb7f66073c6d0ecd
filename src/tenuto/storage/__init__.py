"""Object stores: where large data objects and datasets are kept."""

import re
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tenuto.model.errors import InvalidInput
from tenuto.storage.base import StorageProblem, Store, check_key
from tenuto.storage.folder import FolderStore

RETRY_SECONDS = 20.0  # how long to retry while a server does not respond
EXAMPLES = "write TENUTO_STORAGE=file:///var/lib/tenuto/objects or TENUTO_STORAGE=s3://bucket/prefix"

_BUCKET = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{1,62}")


def open_store(url: str, *, retry_seconds: float = RETRY_SECONDS) -> Store:
    """Return the store at the URL in TENUTO_STORAGE, without connecting to it. Raises InvalidInput if the URL is
    invalid or the package for the store is not installed."""
    if not url:
        raise InvalidInput("this process has no object store", "set TENUTO_STORAGE as for the server")
    shown = "set to a URL with a password" if "@" in url else url
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.query or parts.fragment or "@" in url:
        raise InvalidInput(
            f"TENUTO_STORAGE is {shown}, but only a folder or a bucket and a prefix are allowed",
            "endpoint and keys come from AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )
    match parts.scheme:
        case "file":
            return FolderStore(_folder(url, parts.netloc, unquote(parts.path)))
        case "s3":
            return _open_s3(url, parts.netloc, parts.path.strip("/"), retry_seconds)
        case "" if url.startswith(("/", "~", ".")):
            raise InvalidInput(
                f"TENUTO_STORAGE is {url}, a path", f"write TENUTO_STORAGE={Path(url).absolute().as_uri()}"
            )
        case _:
            raise InvalidInput(f"TENUTO_STORAGE is {shown}, which is neither a folder nor a bucket", EXAMPLES)


def _folder(url: str, host: str, path: str) -> Path:
    if host or not path.strip("/") or "\0" in path:
        raise InvalidInput(
            f"TENUTO_STORAGE is {url}, which is not a folder", "write file:// and the whole path: file:///data"
        )
    return Path(path)


def _open_s3(url: str, bucket: str, prefix: str, retry_seconds: float) -> Store:
    if not _BUCKET.fullmatch(bucket):
        raise InvalidInput(f"TENUTO_STORAGE is {url}, but {bucket!r} is not a valid bucket name", EXAMPLES)
    if prefix:
        try:
            check_key(prefix)
        except StorageProblem as problem:
            raise InvalidInput(f"TENUTO_STORAGE is {url}: {problem}") from problem
    if find_spec("obstore") is None:
        raise InvalidInput(
            f"TENUTO_STORAGE is {url}, and the package obstore is not installed", "run pip install 'tenuto[data]'"
        )
    from tenuto.storage.s3 import S3Store

    return S3Store(bucket, prefix, retry_seconds=retry_seconds)
