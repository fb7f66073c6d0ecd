"""Stores objects in a bucket of S3, or of a server that speaks its protocol. obstore reads endpoint, region and keys
from the usual AWS_* variables."""

import io
import os
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, cast

import obstore
from obstore import exceptions

from tenuto.storage.base import (
    PAGE,
    Method,
    StorageProblem,
    StorageUnavailable,
    StoredItem,
    TooManyObjects,
    check_key,
    check_prefix,
    check_seconds,
)

if TYPE_CHECKING:
    from obstore import ReadableFile
    from obstore.store import S3Store as Client

PART_BYTES = 16 << 20  # per request; S3 accepts at most 10,000 parts
MAX_PARTS = 9000
PARTS_AT_ONCE = 4  # so that an upload holds 64 MB in memory
READ_BYTES = 4 << 20  # per request of an open object
CONNECT_SECONDS = 5
REQUEST_SECONDS = 120
REFUSED = ("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "AuthorizationHeaderMalformed")

_started_in: int | None = None  # the id of the process that first used obstore, which has obstore's threads


class S3Store:
    """Stores objects below a prefix of a bucket."""

    def __init__(self, bucket: str, prefix: str = "", *, retry_seconds: float) -> None:
        self._bucket, self._prefix, self._retry_seconds = bucket, prefix, retry_seconds

    @property
    def root(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}/" if self._prefix else f"s3://{self._bucket}/"

    def uri_of(self, key: str) -> str:
        return self.root + check_key(key)

    def key_of(self, uri: str) -> str:
        if not uri.startswith(self.root):
            raise StorageProblem(
                f"{uri} is not in the object store {self.root}; TENUTO_STORAGE must name the store that has it"
            )
        return check_key(uri.removeprefix(self.root))

    def put(self, key: str, data: bytes) -> str:
        return self.put_file(key, io.BytesIO(data))

    def put_file(self, key: str, file: BinaryIO) -> str:
        uri = self.uri_of(key)
        begin = file.tell()
        size = file.seek(0, io.SEEK_END) - begin
        file.seek(begin)
        with self._explained(f"store {uri}"):
            # A large object is uploaded in parts, and exists once all parts are stored.
            obstore.put(
                self._client,
                key,
                file,
                use_multipart=size > PART_BYTES,
                chunk_size=max(PART_BYTES, size // MAX_PARTS),
                max_concurrency=PARTS_AT_ONCE,
            )
        return uri

    def get(self, key: str) -> bytes:
        with self._explained(f"read {self.uri_of(key)}"):
            return obstore.get(self._client, key).bytes().to_bytes()

    def open(self, key: str) -> BinaryIO:
        uri = self.uri_of(key)
        with self._explained(f"read {uri}"):
            file = obstore.open_reader(self._client, key, buffer_size=READ_BYTES)
        return cast("BinaryIO", io.BufferedReader(S3Reader(self, uri, file), READ_BYTES))

    def delete(self, key: str) -> None:
        with self._explained(f"delete {self.uri_of(key)}"):
            obstore.delete(self._client, key)

    def list_all(self, prefix: str, *, max_objects: int) -> list[StoredItem]:
        found: list[StoredItem] = []
        after: str | None = None
        while page := self.list(prefix, after=after):
            found += page
            after = page[-1].key
            if len(found) > max_objects:
                raise TooManyObjects(f"{self.root}{prefix} has more than {max_objects:,} objects")
        return sorted(found, key=lambda item: item.key)

    def list(self, prefix: str, *, after: str | None = None, limit: int = PAGE) -> list[StoredItem]:
        check_prefix(prefix)
        with self._explained(f"list {self.root}{prefix}"):
            # An overload of `list` returns a type of a package that is not installed.
            stream = obstore.list(  # pyright: ignore[reportUnknownMemberType]
                self._client, prefix, offset=after, chunk_size=limit
            )
            found = next(iter(stream), ())
        return [StoredItem(item["path"], item["size"], item["last_modified"]) for item in found]

    def delete_prefix(self, prefix: str) -> int:
        deleted, after, problems = 0, None, list[StorageProblem]()
        while page := [item.key for item in self.list(prefix, after=after)]:
            after = page[-1]
            try:
                with self._explained(f"delete {self.root}{prefix}"):
                    obstore.delete(self._client, page)
                deleted += len(page)
            except StorageUnavailable:
                raise
            except StorageProblem:
                for key in page:
                    try:
                        self.delete(key)
                        deleted += 1
                    except StorageProblem as problem:
                        problems.append(problem)
        if problems:
            raise StorageProblem(f"{len(problems)} objects in {self.root}{prefix} cannot be deleted: {problems[0]}")
        return deleted

    def presign(self, method: Method, key: str, seconds: float) -> str:
        time = timedelta(seconds=check_seconds(seconds))
        with self._explained(f"sign a URL of {self.uri_of(key)}"):
            return obstore.sign(self._client, method, key, time)

    @cached_property
    def _client(self) -> "Client":
        from obstore.store import S3Store as Client

        return Client(
            self._bucket,
            prefix=self._prefix or None,
            # Only an endpoint that the user has set can begin with http://; the default endpoints use TLS.
            client_options={
                "allow_http": True,
                "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                "timeout": timedelta(seconds=REQUEST_SECONDS),
            },
            retry_config={"max_retries": 10, "retry_timeout": timedelta(seconds=self._retry_seconds)},
        )

    @contextmanager
    def _explained(self, what: str) -> Generator[None]:
        """Turn errors of obstore into a StorageProblem that says what to do."""
        _check_process()
        try:
            yield
        except (exceptions.BaseError, FileNotFoundError, PermissionError) as error:
            raise self._explain(what, error) from error
        except BaseException as error:
            # Settings that obstore cannot parse; some of them end in a panic of Rust, which is no Exception.
            if isinstance(error, ValueError) or type(error).__name__ == "PanicException":
                raise StorageProblem(f"cannot {what}: {_first_line(error)}; check the variables AWS_*") from error
            raise

    def _explain(self, what: str, error: Exception) -> StorageProblem:
        text = str(error)
        keys = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        if "NoSuchBucket" in text:
            return StorageProblem(f"cannot {what}: there is no bucket {self._bucket}; create it, or set TENUTO_STORAGE")
        if isinstance(error, FileNotFoundError):
            return StorageProblem(f"cannot {what}: there is no such object, or no bucket {self._bucket}")
        refusal = next((code for code in REFUSED if code in text), None)
        if refusal or isinstance(
            error, PermissionError | exceptions.PermissionDeniedError | exceptions.UnauthenticatedError
        ):
            return StorageProblem(
                f"cannot {what}: the server refuses access ({refusal or 'not allowed'}); check {keys}, AWS_REGION, and "
                f"that this key may read, write, list and delete in the bucket {self._bucket}"
            )
        if "169.254." in text:  # where a machine of AWS gets its keys
            return StorageUnavailable(f"cannot {what}: there are no keys for S3; set {keys}")
        if isinstance(error, exceptions.GenericError):
            return StorageUnavailable(
                f"cannot {what}: the S3 server does not respond as it should; check AWS_ENDPOINT_URL and AWS_REGION: "
                f"{_first_line(error)}"
            )
        return StorageProblem(f"cannot {what}: {_first_line(error)}")


class S3Reader(io.RawIOBase):
    """An open object as a Python file."""

    def __init__(self, store: S3Store, uri: str, file: "ReadableFile") -> None:
        self._store, self._uri, self._file = store, uri, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] (narrower)
        with self._store._explained(f"read {self._uri}"):  # pyright: ignore[reportPrivateUsage] (one module)
            piece = self._file.read(len(buffer))
        buffer[: len(piece)] = memoryview(piece)
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _check_process() -> None:
    """Raise StorageProblem in a process that was forked after the first use of obstore, because it lacks obstore's
    threads."""
    global _started_in
    if _started_in not in (None, os.getpid()):
        raise StorageProblem(
            "S3 cannot be used in this process, because it was forked from one that had used it; "
            "use S3 only after the fork, or start processes with the method spawn"
        )
    _started_in = os.getpid()


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:300]
