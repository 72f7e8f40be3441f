"""What opens."""

from frugal_eks.plans.previews import UNKNOWN
from tests.frugal_eks.plans.review.made import step, urn
from tests.frugal_eks.plans.review.table.case import Case

GROUP = "aws:ec2/securityGroup:SecurityGroup"
RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
OLD_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
CLUSTER = "aws:eks/cluster:Cluster"
OPENS = "The network opens"


def _inline(*cidrs, port=443, protocol="tcp"):
    rule = {"protocol": protocol, "fromPort": port, "toPort": port, "cidrBlocks": list(cidrs)}
    return {"ingress": [rule]}


def _rule(cidr, group="sg-1", **more):
    given = {"securityGroupId": group, "ipProtocol": "tcp", "fromPort": 443, "toPort": 443}
    return given | {"cidrIpv4": cidr} | more


def _endpoint(*cidrs, **more):
    return {"vpcConfig": {"publicAccessCidrs": list(cidrs)} | more}


def _scheme(value):
    name = "service.beta.kubernetes.io/aws-load-balancer-scheme"
    return {"metadata": {"annotations": {name: value}}}


CASES = [
    Case(
        "an inline rule from a wider range",
        [step("update", GROUP, old=_inline("10.0.0.0/16"), new=_inline("10.0.0.0/8"))],
        [f"{OPENS}: ec2.SecurityGroup one lets in 10.0.0.0/8 to tcp 443"],
        [step("update", GROUP, old=_inline("10.0.0.0/8"), new=_inline("10.1.0.0/16"))],
    ),
    Case(
        "more ports, or every protocol",
        [
            step(
                "update", GROUP, old=_inline("10.0.0.0/8"), new=_inline("10.0.0.0/8", protocol="-1")
            )
        ],
        [f"{OPENS}: ec2.SecurityGroup one lets in 10.0.0.0/8 to every port"],
        [
            step(
                "update", GROUP, old=_inline("10.0.0.0/8", protocol="-1"), new=_inline("10.0.0.0/8")
            )
        ],
    ),
    Case(
        "a wider span of ports",
        [step("update", RULE, old=_rule("10.0.0.0/8"), new=_rule("10.0.0.0/8", toPort=8443))],
        [f"{OPENS}: vpc.SecurityGroupIngressRule one lets in 10.0.0.0/8 to tcp 443-8443"],
        [step("update", RULE, old=_rule("10.0.0.0/8", fromPort=80), new=_rule("10.0.0.0/8"))],
    ),
    Case(
        "a new rule of a group that is there",
        [step("create", RULE, new=_rule("10.0.0.0/8"))],
        [f"{OPENS}: vpc.SecurityGroupIngressRule one lets in 10.0.0.0/8 to tcp 443"],
        [step("create", RULE, new=_rule("10.0.0.0/8", group=UNKNOWN))],
    ),
    Case(
        "the whole world, of a group that is only made now",
        [step("create", RULE, new=_rule("0.0.0.0/0", group=UNKNOWN))],
        [f"{OPENS}: vpc.SecurityGroupIngressRule one lets in 0.0.0.0/0 to tcp 443"],
        [step("create", GROUP, new=_inline("10.0.0.0/8"))],
    ),
    Case(
        "of IPv6 too, and from another group",
        [
            step(
                "update",
                RULE,
                old=_rule(None, cidrIpv6="fd00::/8"),
                new=_rule(None, cidrIpv6="::/0"),
            ),
            step(
                "create",
                OLD_RULE,
                "two",
                new={
                    "type": "ingress",
                    "securityGroupId": "sg-1",
                    "sourceSecurityGroupId": "sg-2",
                    "protocol": "tcp",
                    "fromPort": 1,
                    "toPort": 2,
                },
            ),
        ],
        [
            f"{OPENS}: ec2.SecurityGroupRule two lets in sg-2 to tcp 1-2",
            f"{OPENS}: vpc.SecurityGroupIngressRule one lets in ::/0 to tcp 443",
        ],
        [
            step(
                "create",
                OLD_RULE,
                new={"type": "egress", "securityGroupId": "sg-1", "cidrBlocks": ["0.0.0.0/0"]},
            )
        ],
    ),
    Case(
        "a rule that moves from one resource to another opens nothing",
        [
            step("delete", OLD_RULE, "old", old={"type": "ingress"} | _rule("10.0.0.0/16")),
            step("create", RULE, "new", new=_rule("10.0.0.0/8")),
        ],
        [f"{OPENS}: vpc.SecurityGroupIngressRule new lets in 10.0.0.0/8 to tcp 443"],
        [
            step(
                "delete",
                OLD_RULE,
                "old",
                old={
                    "type": "ingress",
                    "securityGroupId": "sg-1",
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["10.0.0.0/8"],
                },
            ),
            step("create", RULE, "new", new=_rule("10.1.0.0/16")),
        ],
    ),
    Case(
        "the cluster's public endpoint, to more or once more to all",
        [
            step("update", CLUSTER, old=_endpoint("203.0.113.0/24"), new=_endpoint()),
            step(
                "update",
                CLUSTER,
                "two",
                old=_endpoint(endpointPublicAccess=False),
                new=_endpoint("203.0.113.0/24", endpointPublicAccess=True),
            ),
        ],
        [
            f"{OPENS}: eks.Cluster one has its API server open to 0.0.0.0/0",
            f"{OPENS}: eks.Cluster two has its API server open to 203.0.113.0/24",
        ],
        [step("update", CLUSTER, old=_endpoint("203.0.113.0/24"), new=_endpoint("203.0.113.7/32"))],
    ),
    Case(
        "a new cluster that the whole world reaches",
        [step("create", CLUSTER, new={})],
        [f"{OPENS}: eks.Cluster one has its API server open to 0.0.0.0/0"],
        [step("create", CLUSTER, new=_endpoint("203.0.113.0/24"))],
    ),
    Case(
        "switches of any type",
        [
            step(
                "update",
                "aws:rds/instance:Instance",
                old={"publiclyAccessible": False},
                new={"publiclyAccessible": True},
            ),
            step(
                "update",
                "kubernetes:core/v1:Service",
                old=_scheme("internal"),
                new=_scheme("internet-facing"),
            ),
        ],
        [
            f"{OPENS}: rds.Instance one has publiclyAccessible no longer false, but true",
            f"{OPENS}: Service one has metadata.annotations["
            '"service.beta.kubernetes.io/aws-load-balancer-scheme"] no longer internal, but '
            "internet-facing",
        ],
        [
            step(
                "update",
                "kubernetes:core/v1:Service",
                old=_scheme("internet-facing"),
                new=_scheme("internal"),
            )
        ],
    ),
    Case(
        "ranges of a load balancer, of which none is all",
        [
            step(
                "update",
                "kubernetes:core/v1:Service",
                old={"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}},
                new={"spec": {}},
            )
        ],
        [f"{OPENS}: Service one lets in 0.0.0.0/0, ::/0 at spec.loadBalancerSourceRanges"],
        [
            step(
                "update",
                "kubernetes:core/v1:Service",
                old={"spec": {}},
                new={"spec": {"loadBalancerSourceRanges": ["10.0.0.0/8"]}},
            )
        ],
    ),
    Case(
        "what kept shut by being there",
        [step("delete", "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")],
        [f"{OPENS}: s3.BucketPublicAccessBlock one is deleted: what it kept shut is open"],
        [
            step(
                "delete",
                "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
                dependencies=[urn("aws:iam/group:Group", "staff")],
            ),
            step("delete", "aws:iam/group:Group", "staff"),
        ],
    ),
]
