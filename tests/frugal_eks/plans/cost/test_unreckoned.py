"""What this knows nothing of is named: most things of AWS cost money."""

import pytest

from frugal_eks.plans.cost.unreckoned import is_known
from rehearsal.recording.computed import COMPUTED


def test_every_type_that_the_components_declare_is_reckoned_or_free():
    assert [kind for kind in COMPUTED if not is_known(kind)] == []


def test_other_things_of_aws_are_named_once_a_type(resource, estimated):
    kind = "aws:rds/instance:Instance"
    databases = [resource(kind, f"db-{n}") for n in range(5)]

    found = estimated(*databases, resource("aws:iam/role:Role"), resource("random:index/x:X"))

    assert found.lines == ()
    assert [(each.name, each.what) for each in found.unknown] == [
        ("db-0, db-1, db-2 and 2 more", f"what {kind} costs, which is not reckoned here")
    ]


@pytest.mark.parametrize(
    "kind", ["pulumi:providers:aws", "pulumi:pulumi:Stack", "kubernetes:core/v1:ConfigMap"]
)
def test_what_is_no_matter_of_aws_is_not_named(resource, estimated, kind):
    assert estimated(resource(kind)).unknown == ()
