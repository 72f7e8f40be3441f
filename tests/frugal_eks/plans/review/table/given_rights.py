"""Rights that are given without a statement of the change's own."""

from frugal_eks.plans.previews import UNKNOWN
from tests.frugal_eks.plans.review.made import step, urn
from tests.frugal_eks.plans.review.table.case import Case
from tests.frugal_eks.plans.review.table.rights import BUCKET, POLICY, ROLE, WIDER, allow, document

ATTACHED = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ACCESS_POLICIES = "arn:aws:eks::aws:cluster-access-policy"


def _attached(role, policy, **more):
    return step("create", ATTACHED, new={"role": role, "policyArn": policy}, **more)


CASES = [
    Case(
        "a managed policy for a role that is there",
        [_attached("web", "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")],
        [
            f"{WIDER}: iam.RolePolicyAttachment one gives web the policy "
            "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess as well"
        ],
        [_attached(UNKNOWN, "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")],
    ),
    Case(
        "a policy of all things, for a new role too",
        [_attached(UNKNOWN, "arn:aws:iam::aws:policy/AdministratorAccess")],
        [
            f"{WIDER}: iam.RolePolicyAttachment one gives the new known after up the policy "
            "arn:aws:iam::aws:policy/AdministratorAccess, which is without bounds"
        ],
        [
            step("create", ROLE, "web", new={"name": "web"}),
            _attached("web", "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"),
        ],
    ),
    Case(
        "a new policy for a role that is there, with its statements",
        [
            step("create", POLICY, "logs", new={"policy": document(allow("s3:GetObject", BUCKET))}),
            _attached("web", UNKNOWN, dependencies=[urn(POLICY, "logs")]),
        ],
        [
            f"{WIDER}: iam.Policy logs policy: a new statement allows s3:GetObject on {BUCKET}",
            f"{WIDER}: iam.RolePolicyAttachment one gives web the policy logs as well",
        ],
        [
            step("create", POLICY, "logs", new={"policy": document(allow("s3:GetObject", BUCKET))}),
            _attached(UNKNOWN, UNKNOWN, dependencies=[urn(POLICY, "logs")]),
        ],
    ),
    Case(
        "a boundary removed",
        [step("update", ROLE, old={"permissionsBoundary": "arn:b"}, new={})],
        [f"{WIDER}: iam.Role one permissionsBoundary arn:b is removed"],
        [step("update", ROLE, old={}, new={"permissionsBoundary": "arn:b"})],
    ),
    Case(
        "access to a cluster that is there",
        [
            step(
                "create",
                "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                new={
                    "clusterName": "dev",
                    "principalArn": "arn:p",
                    "policyArn": f"{ACCESS_POLICIES}/AmazonEKSClusterAdminPolicy",
                },
            ),
            step(
                "create",
                "aws:eks/accessEntry:AccessEntry",
                "entry",
                new={"clusterName": "dev", "principalArn": "arn:p", "kubernetesGroups": ["ops"]},
            ),
        ],
        [
            f"{WIDER}: eks.AccessEntry entry puts arn:p into the groups ops",
            f"{WIDER}: eks.AccessPolicyAssociation one gives arn:p arn:aws:eks::aws:"
            "cluster-access-policy/AmazonEKSClusterAdminPolicy (administrator) in dev",
        ],
        [
            step(
                "create",
                "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                new={"clusterName": UNKNOWN, "principalArn": "arn:p", "policyArn": "arn:q"},
            )
        ],
    ),
    Case(
        "who may call a function",
        [
            step(
                "create",
                "aws:lambda/permission:Permission",
                new={"principal": "s3.amazonaws.com", "function": "thumbs"},
            )
        ],
        [
            f"{WIDER}: lambda.Permission one lets s3.amazonaws.com call thumbs from any account "
            "and source"
        ],
        [
            step(
                "create",
                "aws:lambda/permission:Permission",
                new={
                    "principal": "s3.amazonaws.com",
                    "function": "thumbs",
                    "sourceArn": BUCKET,
                },
            )
        ],
    ),
]
