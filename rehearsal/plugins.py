"""The engine's plugin folder: the stand-ins for AWS, the real Kubernetes provider."""

import os
import shlex
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from rehearsal.errors import RehearsalError
from rehearsal.state import ROOT

STAND_INS = {"aws": "rehearsal.aws.provider", "eks": "rehearsal.eks.provider"}
"""Python modules that play plugins, each in a process of its own."""
OF_EKS = {"aws": "7.25.0", "kubernetes": "4.19.0"}
"""Versions that the component of pulumi-eks 4.4.0 requires, beside those of the program's SDKs
(nodejs/eks/package.json of pulumi-eks at 7bf0c1b, after 4.3.0).
"""


def lay_plugins(plugins: Path, kubernetes: Path, real_eks: Path | None) -> None:
    """Fill `plugins` so that each SDK finds the version that it asks for, without a download.

    The SDKs are the program's and those inside the component of pulumi-eks. `kubernetes` is the
    real provider's binary; `real_eks` a plugin folder of the user's own.
    """
    for package, module in STAND_INS.items():
        if package != "eks" or real_eks is None:
            for folder in _folders(plugins, package):
                _executable(folder / f"pulumi-resource-{package}", _script(module))
    if real_eks is not None:
        _links(plugins / real_eks.name, list(real_eks.iterdir()))
    for folder in _folders(plugins, "kubernetes"):
        _links(folder, [kubernetes])


def lay_cli(folder: Path, cli: Path, language_host: Path) -> Path:
    """Folder in which `pulumi` finds its language host beside itself, without a warning. If they
    are in different folders, as in the toolchain, both are linked into `folder`.
    """
    if cli.parent == language_host.parent:
        return cli.parent
    folder.mkdir(parents=True, exist_ok=True)
    for file in (cli, *language_host.parent.glob("pulumi-language-python*")):
        linked = folder / file.name
        linked.unlink(missing_ok=True)
        try:
            # No symbolic link: the engine looks beside the file that it leads to.
            linked.hardlink_to(file)
        except OSError:  # on another file system
            shutil.copy2(file, linked)
    return folder


def installed_eks() -> Path | None:
    """The user's own eks plugin in the version of the SDK, if it is installed."""
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    (folder,) = _folders(home / "plugins", "eks")
    return folder if (folder / "pulumi-resource-eks").exists() else None


def choose_eks(choice: str) -> Path | None:
    """Folder of the eks plugin; None means the stand-in. `choice` is auto, real or stand-in. Raises
    RehearsalError if the real one is requested and not installed.
    """
    folder = None if choice == "stand-in" else installed_eks()
    if choice == "real" and folder is None:
        raise RehearsalError(
            f"The real eks plugin is not installed: run `pulumi plugin install resource eks "
            f"{version('pulumi_eks')}`, or leave out `--eks real`."
        )
    return folder


def _folders(plugins: Path, package: str) -> list[Path]:
    """A folder for each required version of the package's plugin."""
    versions = [version(f"pulumi_{package}"), OF_EKS.get(package)]
    return [plugins / f"resource-{package}-v{each}" for each in dict.fromkeys(versions) if each]


def _script(module: str) -> str:
    environment = f"PYTHONPATH={shlex.quote(str(ROOT))}"
    return f'#!/bin/sh\n{environment} exec {shlex.quote(sys.executable)} -m {module} "$@"\n'


def _executable(path: Path, text: str) -> None:
    _empty(path.parent)
    path.write_text(text)
    path.chmod(0o755)


def _links(folder: Path, targets: list[Path]) -> None:
    """Creates a folder of links: the engine ignores a plugin folder that is a link itself."""
    _empty(folder)
    for target in targets:
        (folder / target.name).symlink_to(target.resolve())


def _empty(folder: Path) -> None:
    """Removes what an earlier run laid there, which may have been the other kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
