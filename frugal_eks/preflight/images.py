"""Lists the releases of node images that AWS publishes, as a stack file pins them.

  frugal-eks images
      every image of the newest minor
  frugal-eks images --kubernetes 1.35 --family al2023
      those of one minor and family
  frugal-eks images --arch arm64 --all
      the old ones too

The column releaseVersion is for managedNodeGroups and spotNodeGroups, amiAlias for Karpenter's
nodeClasses. They are read from the region's public parameters, with the right
ssm:GetParametersByPath; nothing is changed.
"""

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, get_args

import boto3  # pyright: ignore[reportMissingTypeStubs]
from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
)
from rich.table import Table

from components import compatibility
from components.ec2.image_releases import FAMILY_NAMES, ImageSeries
from components.ec2.instance_types import Architecture
from frugal_eks.arguments import add_output
from frugal_eks.errors import CommandError
from frugal_eks.output import console, print_json

OFFERED = ("al2023", "bottlerocket")
"""Families on offer; AL2 has no image from Kubernetes 1.33 on."""
SHOWN = 10
"""Number of newest releases of an image that are listed without --all."""


def published(parameters: Any, series: ImageSeries) -> Sequence[str]:
    """All releases of an image, newest first, from SSM's client `parameters`. Raises
    CommandError.
    """
    values: dict[str, str] = {}
    pages = parameters.get_paginator("get_parameters_by_path")
    try:
        for page in pages.paginate(Path=series.path, Recursive=True):
            values |= {each["Name"]: each["Value"] for each in page["Parameters"]}
    except (BotoCoreError, ClientError) as error:
        raise CommandError(
            f"AWS does not list {series.path}: {error}. Give credentials (AWS_PROFILE, or "
            "`aws sso login`) with the right ssm:GetParametersByPath, and the right --region."
        ) from error
    return series.releases(values)[::-1]


def _minor(text: str) -> str:
    if not re.fullmatch(r"1\.\d\d", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no minor of Kubernetes: write it like 1.35")
    return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options that narrow the list."""
    newest = compatibility.KUBERNETES[-1]
    parser.add_argument(
        "--kubernetes",
        type=_minor,
        default=newest,
        metavar="MINOR",
        help=f"the cluster's minor (default {newest})",
    )
    parser.add_argument("--family", choices=OFFERED, help="default: both")
    parser.add_argument("--arch", choices=get_args(Architecture), help="default: both")
    parser.add_argument(
        "--all", action="store_true", help=f"more than the {SHOWN} newest of each image"
    )
    parser.add_argument("--region", help="default: AWS_REGION, or the profile's")
    add_output(parser)


def _client(region: str | None) -> Any:
    """SSM's client. Raises CommandError without a region or a profile."""
    try:
        session: Any = boto3.Session(
            region_name=region or os.environ.get("AWS_REGION") or None  # boto3 does not read it
        )
        # A list is up to 20 pages, several lists at once.
        config = Config(retries={"mode": "standard", "max_attempts": 8})
        if session.region_name:
            return session.client("ssm", config=config)
    except BotoCoreError as error:
        raise CommandError(f"{error}: choose another AWS_PROFILE or --region.") from error
    raise CommandError("no region: give --region, or set AWS_REGION.")


def _rows(
    series: Sequence[ImageSeries], lists: Sequence[Sequence[str]], *, most: int
) -> Iterator[dict[str, str]]:
    for image, releases in zip(series, lists, strict=True):
        for release in releases[:most]:
            yield {
                "family": FAMILY_NAMES[image.family],
                "architecture": image.architecture,
                "releaseVersion": release,
                "amiAlias": image.alias_of(release),
            }


def run(arguments: argparse.Namespace) -> int:
    """0; raises CommandError if AWS does not answer, or publishes nothing of the kind."""
    parameters = _client(arguments.region)
    families = [arguments.family] if arguments.family else OFFERED
    architectures = [arguments.arch] if arguments.arch else get_args(Architecture)
    series = [
        ImageSeries(family=family, architecture=architecture, kubernetes=arguments.kubernetes)
        for family in families
        for architecture in architectures
    ]
    with ThreadPoolExecutor(max_workers=len(series)) as readers:
        lists = list(readers.map(partial(published, parameters), series))
    if not any(lists):
        raise CommandError(
            f"AWS publishes no such image for Kubernetes {arguments.kubernetes} in this region: "
            f"give another --kubernetes, for example {compatibility.KUBERNETES[-1]}."
        )
    most = max(map(len, lists)) if arguments.all else SHOWN
    rows = list(_rows(series, lists, most=most))
    if arguments.json:
        print_json(rows)
        return 0
    table = Table(*rows[0])
    for _, group in groupby(rows, key=itemgetter("family", "architecture")):
        for row in group:
            table.add_row(*row.values())
        table.add_section()
    terminal = console()
    terminal.print(table)
    more = sum(len(releases[most:]) for releases in lists)
    if more:
        terminal.print(f"{more} older ones are left out: --all lists them.", highlight=False)
    return 0
