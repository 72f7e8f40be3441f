"""Writes the comment from which a reviewer decides about a preview.

  pulumi preview --json --show-sames | frugal-eks review -
      Markdown to standard output
  frugal-eks review preview.json -o comment.md
      to a file
  frugal-eks review preview.json --source "the rehearsal"
      says where the preview was made

The preview may be of any Pulumi program. On top stands what needs a human: state or traffic that
goes, nodes that are replaced, permissions that widen, a network that opens, protection that is
removed, versions that jump. Then the cost before and after, then every change by component.
Secrets are hidden, and it stays below the 65,536 characters that GitHub takes. The first line,
<!-- frugal-eks review: PROJECT/STACK -->, is there for finding the comment of an earlier run.
"""

import argparse
from typing import TYPE_CHECKING

from frugal_eks.arguments import add_output, add_preview
from frugal_eks.errors import CommandError
from frugal_eks.output import print_json
from frugal_eks.plans.previews import Preview
from frugal_eks.plans.review.comment import comment
from frugal_eks.plans.review.risks import risks

if TYPE_CHECKING:
    from frugal_eks.plans.cost import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preview, its label, and what the cost is reckoned by."""
    add_preview(parser)
    parser.add_argument(
        "--source", default="", metavar="LABEL", help="where the preview was made, for the reader"
    )
    parser.add_argument(
        "--cost",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="tell the monthly cost before and after (default)",
    )
    parser.add_argument(
        "--region", default="", help="of the prices (default: the preview's aws:region)"
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    """0; raises CommandError if the preview is not whole or its cost cannot be reckoned."""
    preview = Preview.read(arguments.preview)
    costs = _costs(preview, arguments.region) if arguments.cost else None
    if arguments.json:
        print_json(_as_json(preview, costs))
        return 0
    try:
        print(comment(preview, source=arguments.source, costs=costs), end="")
    except RecursionError:
        raise CommandError(
            f"{arguments.preview}: its values are nested too deeply for a preview"
        ) from None
    return 0


def _costs(preview: Preview, region: str) -> "Comparison | None":
    if not any(resource.type.startswith("aws:") for resource in preview.by_urn.values()):
        return None
    # The price list takes a while to load.
    from frugal_eks.plans.cost import CostError, compare  # noqa: PLC0415

    try:
        return compare(preview, region=region)
    except CostError as error:
        raise CommandError(f"{error}; or leave the cost out with --no-cost") from None


def _as_json(preview: Preview, costs: "Comparison | None") -> dict[str, object]:
    from frugal_eks.plans.cost.report import comparison_json  # noqa: PLC0415 (as above)

    findings = [
        {"concern": risk.concern.value, "urn": risk.change.urn, "text": risk.text}
        for risk in risks(preview)
    ]
    return {
        "project": preview.project,
        "stack": preview.stack,
        "findings": findings,
        "cost": comparison_json(costs) if costs else None,
    }
