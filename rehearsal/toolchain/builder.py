"""Builds tools with the user's Go into a cache of the user, once for all checkouts."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rehearsal.errors import RehearsalError
from rehearsal.toolchain.families import FAMILIES, Family, family_of
from rehearsal.toolchain.go import Go
from rehearsal.toolchain.on_path import ON_PATH, pulumi_on_path
from rehearsal.toolchain.progress import LineProgress, Progress


def cache_folder() -> Path:
    """Folder of built tools, per user, so that a fresh clone finds them again."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # A relative value must be ignored (XDG Base Directory Specification).
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return root / "frugal-eks" / "toolchain"


def ensure(
    tools: Iterable[str],
    progress: Progress | None = None,
    families: tuple[Family, ...] = FAMILIES,
) -> dict[str, Path]:
    """Path of each tool, by its name; what is neither installed nor cached is built.

    `pulumi` and its language host are the user's own where they are new enough. Raises
    RehearsalError if Go is missing or too old, or if a build fails.
    """
    wanted = list(dict.fromkeys(tools))
    paths: dict[str, Path] = {}
    if any(name in ON_PATH for name in wanted):
        paths = {name: path for name, path in pulumi_on_path().items() if name in wanted}
    missing = [name for name in wanted if name not in paths]
    if not missing:
        return paths
    progress = progress or LineProgress()
    go = Go.find()
    by_family: dict[str, list[str]] = {}
    for name in missing:
        by_family.setdefault(family_of(name, families).name, []).append(name)
    stores = [
        (Store.of(family, go), by_family[family.name])
        for family in families
        if family.name in by_family
    ]
    progress.plan([s.family for s, names in stores if s.missing(names)])
    for store, names in stores:
        paths |= store.build(names, go, progress)
    return {name: paths[name] for name in wanted}


@dataclass(frozen=True)
class Store:
    """The finished binaries of one family, built from exactly these inputs by this Go."""

    family: Family
    path: Path

    @classmethod
    def of(cls, family: Family, go: Go) -> "Store":
        """Store of a family; the folder's name has a hash of everything that determines a build."""
        digest = hashlib.sha256()
        for part in (go.version, *go.environment_key, *family.tags, family.linker_flags):
            digest.update(part.encode() + b"\0")
        for name, package in sorted(family.packages.items()):
            digest.update(f"{name}={package}\0".encode())
        for edit in family.edits:
            digest.update(f"{edit}\0".encode())
        for file in sorted(family.folder.rglob("go.*")) + sorted(family.folder.rglob("*.go")):
            name = file.relative_to(family.folder).as_posix()
            digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
        return cls(family, cache_folder() / f"{family.name}-{digest.hexdigest()[:16]}")

    def missing(self, tools: Sequence[str]) -> list[str]:
        """Tools that must still be built, or whose companion files are missing."""
        companions = all((self.path / name).exists() for name in self.family.module_files)
        return [name for name in tools if not (companions and (self.path / name).exists())]

    def build(self, tools: Sequence[str], go: Go, progress: Progress) -> dict[str, Path]:
        """Builds what is missing; a binary appears in the folder only when it is complete."""
        paths = {name: self.path / name for name in tools}
        if not self.missing(tools):
            return paths
        with self._locked(progress):
            # Another builder may have been first.
            if missing := self.missing(tools):
                self._build(missing, go, progress)
        return paths

    def _build(self, tools: Sequence[str], go: Go, progress: Progress) -> None:
        # Left by a builder that was killed: nobody else works here while the lock is held.
        for stale in self.path.glob("building-*"):
            shutil.rmtree(stale)
        self.path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.path, prefix="building-") as folder:
            for name in tools:
                go.build(self.family, name, Path(folder) / name, progress)
            for name, (module, file) in self.family.module_files.items():
                source = Path(go.module_folder(self.family, module)) / file
                shutil.copyfile(source, Path(folder) / name)
                (Path(folder) / name).chmod(0o755)
            # Companions first: with a binary everything is there that it needs.
            for name in (*self.family.module_files, *tools):
                (Path(folder) / name).replace(self.path / name)

    @contextmanager
    def _locked(self, progress: Progress) -> Generator[None]:
        """Lock for one builder per family; it is released with its process, however that ends."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.with_name(self.path.name + ".lock")
        try:
            with file.open("a") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    progress.say(f"{self.family.name} is being built by another process: waiting")
                    fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except PermissionError as error:
            raise RehearsalError(
                f"built tools cannot be kept in {self.path.parent} ({error.strerror}): "
                "set XDG_CACHE_HOME to a folder that you may write"
            ) from None
