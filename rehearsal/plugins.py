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
"""Played by these Python modules; each is a plugin of its own process."""
OF_EKS = {"aws": "7.25.0", "kubernetes": "4.19.0"}
"""Versions that the component of pulumi-eks 4.4.0 asks for, beside those of the program's SDKs
(nodejs/eks/package.json of pulumi-eks at 7bf0c1b, after 4.3.0)."""


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
    """The folder in which `pulumi` finds its language host beside itself, without a warning.

    Where they lie apart, as the toolchain keeps them, both are linked into `folder`.
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
    """`choice` is auto, real or stand-in. None means the stand-in.

    Raises RehearsalError if the real one is asked for and not installed.
    """
    found = None if choice == "stand-in" else installed_eks()
    if choice == "real" and found is None:
        raise RehearsalError(
            f"The real eks plugin is not installed: run `pulumi plugin install resource eks "
            f"{version('pulumi_eks')}`, or leave out `--eks real`."
        )
    return found


def _folders(plugins: Path, package: str) -> list[Path]:
    """One for each version of the package's plugin that is asked for."""
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
    """A folder of links: the engine passes over a plugin folder that is a link itself."""
    _empty(folder)
    for target in targets:
        (folder / target.name).symlink_to(target.resolve())


def _empty(folder: Path) -> None:
    """Without what an earlier run laid there, which may have been the other kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
