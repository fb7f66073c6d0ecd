"""The sandbox's own file system. It contains read-only programs, code and system files, some devices, and a writable
folder in memory."""

import os
from pathlib import Path

from tenuto.runtimes.sandbox.spec import BUNDLE, MB, Spec
from tenuto.runtimes.sandbox.syscalls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    mount,
    pivot_root,
    unmount,
)

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
OF_ETC = (
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/alternatives",
    "/etc/mime.types",
)
DEVICES = ("null", "zero", "full", "random", "urandom")
PLAIN = MS_NOSUID | MS_NODEV


def build_walls(spec: Spec) -> None:
    """Build the file system of the sandbox in its mount namespace. Afterwards `/` is this file system, and no other
    files can be reached."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    root = Path(spec.root)
    mount("tmpfs", spec.root, "tmpfs", PLAIN, f"size={MB},mode=755")
    _make_etc(root, spec)
    _make_devices(root)
    _make_scratch(root, spec)  # first, because code may be in a folder below it
    for name in (*SYSTEM, *OF_ETC, *_outermost(spec.shown)):
        _show(root, Path(name))
    for name in spec.hidden:
        _hide(root, Path(name))
    if spec.code.folder:
        _bind(Path(spec.code.folder), _folder(root / BUNDLE.lstrip("/")), MS_RDONLY | PLAIN)
    mount("proc", str(_folder(root / "proc")), "proc", PLAIN | MS_NOEXEC | MS_RDONLY, "hidepid=2")
    os.chdir(root)
    mount(None, spec.root, None, MS_REMOUNT | MS_BIND | MS_RDONLY | PLAIN)
    pivot_root(".", ".")
    unmount(".")
    os.chdir("/")


def _outermost(paths: tuple[str, ...]) -> list[str]:
    """Return the existing paths that are not inside another path or a system folder."""
    kept: list[str] = []
    for path in sorted(set(paths), key=len):
        if Path(path).exists() and not any(Path(path).is_relative_to(other) for other in (*kept, *SYSTEM)):
            kept.append(path)
    return kept


def _show(root: Path, source: Path) -> None:
    target = root / source.relative_to("/")
    if source.is_symlink():
        _folder(target.parent)
        target.symlink_to(source.readlink())
    elif source.is_dir():
        _bind(source, _folder(target), MS_RDONLY | PLAIN)
    elif source.is_file():
        _file(target)
        _bind(source, target, MS_RDONLY | PLAIN)


def _hide(root: Path, folder: Path) -> None:
    """Mount an empty folder over `folder`, if the sandbox sees it at all."""
    target = root / folder.relative_to("/")
    if target.is_dir():
        mount("tmpfs", str(target), "tmpfs", PLAIN | MS_RDONLY, "size=4k,mode=555")


def _bind(source: Path, target: Path, flags: int) -> None:
    mount(str(source), str(target), None, MS_BIND)  # without file systems that are mounted below it
    mount(None, str(target), None, MS_BIND | MS_REMOUNT | flags)


def _make_etc(root: Path, spec: Spec) -> None:
    uid = spec.uid or 0
    _file(root / "etc" / "passwd").write_text(f"sandbox:x:{uid}:{uid}::/tmp:/usr/sbin/nologin\n")
    _file(root / "etc" / "group").write_text(f"sandbox:x:{uid}:\n")


def _make_devices(root: Path) -> None:
    for name in DEVICES:
        _bind(Path("/dev") / name, _file(root / "dev" / name), MS_NOSUID | MS_NOEXEC)
    (root / "dev" / "fd").symlink_to("/proc/self/fd")


def _make_scratch(root: Path, spec: Spec) -> None:
    """Mount one file system in memory for everything that the sandbox writes, so that one limit applies to all of
    it."""
    scratch = _folder(root / "tmp")
    owner = f"uid={spec.uid},gid={spec.uid}," if spec.uid is not None else ""
    # Small pages: a single used byte of a huge page would keep 2 MB after the file is gone.
    options = f"{owner}size={spec.limits.scratch},nr_inodes=20000,huge=never,mode=700"
    mount("tmpfs", str(scratch), "tmpfs", PLAIN, options)
    (root / "dev" / "shm").symlink_to("/tmp")  # noqa: S108 (the sandbox's own)


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def _file(path: Path) -> Path:
    _folder(path.parent)
    path.touch()
    return path
