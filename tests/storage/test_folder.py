"""What a folder adds: links, rights, and names that the file system takes."""

from pathlib import Path

import pytest

from tenuto.storage.base import StorageProblem
from tenuto.storage.folder import FolderStore


@pytest.fixture
def folder(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "objects")


def test_links_lead_nowhere(folder: FolderStore, tmp_path: Path):
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "key").write_text("secret")
    folder.put("a/b", b"x")
    (folder.folder / "a" / "link").symlink_to(secrets)
    (folder.folder / "a" / "key").symlink_to(secrets / "key")

    for key in ("a/link/key", "a/key", "a/link/new"):
        for call in (folder.get, folder.open, folder.delete, folder.path, lambda key: folder.put(key, b"x")):
            with pytest.raises(StorageProblem, match="leads through a symbolic link"):
                call(key)
    with pytest.raises(StorageProblem, match="leads through a symbolic link"):
        folder.delete_prefix("a/link/")
    assert [item.key for item in folder.list("a/")] == ["a/b"]
    assert folder.delete_prefix("a/") >= 1
    assert (secrets / "key").read_text() == "secret"
    assert not (folder.folder / "a").exists()


def test_a_store_behind_a_link_is_a_store(tmp_path: Path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "objects").symlink_to(tmp_path / "disk")
    store = FolderStore(tmp_path / "objects")

    assert store.get(store.key_of(store.put("a/b", b"x"))) == b"x"
    assert (tmp_path / "disk" / "a" / "b").read_bytes() == b"x"


def test_a_listing_is_in_the_order_of_keys_as_in_s3(folder: FolderStore):
    stored = ["p/a-b", "p/a/x", "p/a/y/z", "p/aa", "p/b"]
    for key in reversed(stored):
        folder.put(key, b"x")

    assert [item.key for item in folder.list("p/")] == stored
    assert [item.key for item in folder.list("p/", after="p/a/x", limit=2)] == ["p/a/y/z", "p/aa"]


def test_a_uri_is_decoded_once(folder: FolderStore, tmp_path: Path):
    (tmp_path / "secret").write_text("x")
    uri = folder.put("a/b", b"x")

    for wrong in ("/../../../secret", "%2F..%2F..%2F..%2Fsecret", "/%2e%2e/%2e%2e/%2e%2e/secret", "\n"):
        with pytest.raises(StorageProblem):
            folder.key_of(uri + wrong)
    assert folder.key_of(f"{folder.root}%252E%252E/a") == "%2E%2E/a"  # a name like any other


def test_a_name_cannot_be_a_folder_and_a_file(folder: FolderStore):
    folder.put("a/b", b"x")

    for key in ("a", "a/b/c"):
        with pytest.raises(StorageProblem, match="cannot store an object"):
            folder.put(key, b"x")
        folder.delete(key)  # there is no such object
    assert [item.key for item in folder.list("a/")] == ["a/b"]
    assert folder.list("a/b/") == []


def test_one_file_that_cannot_be_deleted_keeps_no_other(folder: FolderStore, monkeypatch: pytest.MonkeyPatch):
    for name in ("1", "2", "3"):
        folder.put(f"a/{name}", b"x")
    unlink = Path.unlink

    def fails_for_2(path: Path, missing_ok: bool = False) -> None:
        if path.name == "2":
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", fails_for_2)
    with pytest.raises(StorageProblem, match=r"1 files in .*a cannot be deleted: Permission denied"):
        folder.delete_prefix("a/")
    with pytest.raises(StorageProblem, match=r"cannot delete .*a/2: Permission denied"):
        folder.delete("a/2")
    monkeypatch.undo()
    assert [item.key for item in folder.list("a/")] == ["a/2"]


def test_a_folder_that_cannot_be_made_says_what_to_set(tmp_path: Path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(StorageProblem, match="set TENUTO_STORAGE to another folder or a bucket"):
        FolderStore(tmp_path / "file" / "objects").put("a", b"x")


def test_objects_stored_before_keys_had_folders_are_still_found(folder: FolderStore):
    old = folder.folder / "71" / "01a1df21-cfcf-7b02-b26d-41eb25a90471"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"old")

    assert folder.get(folder.key_of(old.as_uri())) == b"old"
