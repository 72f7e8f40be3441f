"""Tags and user data that hold still: a change of either replaces every node."""

import re
from collections.abc import Iterator, Mapping

from ...section import Mistake

RESTRICTED_TAGS = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
"""Karpenter's own; beside them everything below `kubernetes.io/cluster`."""

_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
"""ISO 8601 with a time of day."""
_SECONDS = re.compile(r"^1\d{9}(\d{3})?$")
"""Seconds or milliseconds since 1970."""
_LONGEST_KEY, _LONGEST_VALUE = 128, 256


def tag_mistakes(tags: Mapping[str, str]) -> Iterator[Mistake]:
    """Tags that Karpenter sets, that EC2 refuses, or that change from run to run."""
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
    """Whether a date with a time of day stands in it."""
    return bool(_MOMENT.search(text))
