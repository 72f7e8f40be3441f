"""Checks of tags and user data. Neither may change by itself: a change of either replaces every
node.
"""

import re
from collections.abc import Iterator, Mapping

from ...section import Mistake

RESTRICTED_TAGS = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
"""Tags that Karpenter sets itself; keys below `kubernetes.io/cluster` are its own too."""

_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
"""Pattern of ISO 8601 with a time of day."""
_SECONDS = re.compile(r"^1\d{9}(\d{3})?$")
"""Pattern of seconds or milliseconds since 1970."""
_LONGEST_KEY, _LONGEST_VALUE = 128, 256


def tag_mistakes(tags: Mapping[str, str]) -> Iterator[Mistake]:
    """Mistakes about tags that Karpenter sets, that EC2 refuses, or that change from run to run."""
    for key, value in tags.items():
        path = f"tags.{key}"
        if key in RESTRICTED_TAGS or key.startswith("kubernetes.io/cluster"):
            yield Mistake(path, "Karpenter sets this tag itself: drop it", value)
        elif key.lower().startswith("aws:") or not key:
            yield Mistake(path, "EC2 takes no such key: give it another", value)
        elif len(key) > _LONGEST_KEY or len(value) > _LONGEST_VALUE:
            problem = (
                f"EC2 takes {_LONGEST_KEY} characters of a key and {_LONGEST_VALUE} of a value"
            )
            yield Mistake(path, f"{problem}: shorten it", value)
        if has_moment(value) or _SECONDS.search(value):
            problem = "holds a time stamp, which would replace every node at each run: drop it"
            yield Mistake(path, problem, value)


def has_moment(text: str) -> bool:
    """True if the text contains a date with a time of day."""
    return bool(_MOMENT.search(text))
