"""Stack files in which any two sections, with their main options, stand beside each other."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from allpairspy import AllPairs
from pydantic.alias_generators import to_camel

from components.addons.config import AddonsConfig
from stack_config import StackConfig, parsed

Section = dict[str, Any]
Key = tuple[str, ...]
Row = tuple[int, ...]

IMAGE = {"releaseVersion": "1.35.8-20260930"}
TYPES = ["m5.large", "m5a.large", "m6i.large", "m6a.large"]
ON_DEMAND = {
    "instanceTypes": ["m7i.large"],
    "size": {"min": 2, "max": 7},
    "labels": {"lifecycle": "OnDemand"},
    **IMAGE,
}
SPOT = {
    "instanceTypes": TYPES,
    "size": {"min": 3, "max": 9},
    "labels": {"lifecycle": "Ec2Spot"},
    **IMAGE,
}
POOLS = {
    "nodeClasses": {"default": {"amiAlias": "al2023@v20260930"}},
    "nodePools": {
        "default": {
            "nodeClass": "default",
            "capacityTypes": ["spot"],
            "labels": {"intent": "apps"},
        }
    },
}
TUNED_POOLS = {
    "nodeClasses": {"default": {"amiAlias": "al2023@v20260930", "detailedMonitoring": True}},
    "nodePools": {
        "default": {
            "nodeClass": "default",
            "weight": 17,
            "limits": {"pods": "170"},
            "annotations": {"karpenter.sh/do-not-disrupt": "true"},
            "taints": [{"key": "example.com/apps", "effect": "NoSchedule"}],
            "disruption": {"budgets": [{"nodes": "3", "reasons": ["Drifted"]}]},
        },
        "steady": {"nodeClass": "default", "replicas": 1},
    },
    "controller": {"cpu": "1100m", "spotToSpotConsolidation": True},
    "disruptionWindow": {"schedule": "0 9 * * mon-fri", "duration": "8h"},
}
KARPENTERS = {"karpenter": [{"namespace": "karpenter"}]}
SYSTEM = {"kube-system": [{"namespace": "kube-system"}]}
DNS = {"dns": [{"namespace": "kube-system", "labels": {"k8s-app": "kube-dns"}}]}
EXISTING_VPC = {
    "vpcId": "vpc-0123456789abcdef0",
    "privateSubnetIds": ["subnet-0aaaaaaa", "subnet-0bbbbbbb"],
    "publicSubnetIds": ["subnet-0cccccca"],
    "tagSubnets": True,
}
ISOLATED = {"cidr": "10.20.0.0/16", "natGateways": "none"}
MIRROR = {"imageMirror": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mirror"}
LOAD_BALANCER = {
    "loadBalancer": "nlb",
    "internal": False,
    "sourceRanges": ["203.0.113.0/24"],
    "timeZone": "Asia/Seoul",
}
HPA = {"horizontalPodAutoscaler": {"min": 2, "max": 11, "cpuUtilization": 61}}
EXACT_BUILD = {"version": "v1.2.3-eksbuild.4", "resolveConflictsOnCreate": "NONE"}

NEUTRAL: Section = {
    "aws:region": "eu-west-1",
    "cluster": {
        "name": "joints",
        "version": "1.35",
        "endpoint": {},
        "admins": ["arn:aws:iam::111122223333:role/platform-admin"],
    },
    "network": {"cidr": "10.20.0.0/16"},
}
"""What a file must say, where no choice below says something else."""

# By a choice's name its values: sections that stand in the file together. Where pods run is chosen
# first, since a file without it is refused; `{}` is the section left out.
CHOICES: Mapping[str, Sequence[Section]] = {
    "homes": [
        {"fargate": {"profiles": {**SYSTEM, **KARPENTERS}}, "karpenter": POOLS},
        {
            "fargate": {"profiles": {**DNS, **KARPENTERS}, "logs": {"retentionDays": 7}},
            "karpenter": TUNED_POOLS,
            "managedNodeGroups": {"base": ON_DEMAND},
        },
        {
            "managedNodeGroups": {"base": ON_DEMAND | {"volumeGib": 37, "nodeRepair": True}},
            "karpenter": POOLS | {"ownInstanceProfile": True, "namespace": "kube-system"},
            "eksAddons": {"coredns": {"runsOn": "karpenter"}},
        },
        {
            "managedNodeGroups": {"base": ON_DEMAND},
            "spotNodeGroups": {"ng": SPOT},
            "eksAddons": {"coredns": {"replicas": 3}},
        },
        {
            "managedNodeGroups": {"base": ON_DEMAND},
            "spotNodeGroups": {
                "zonal": SPOT | {"perZone": True, "capacityRebalance": False},
                "plain": SPOT | {"kubelet": {"maxPods": 47}, "refresh": {"instanceWarmup": 77}},
            },
        },
        {"spotNodeGroups": {"ng": SPOT | {"distribution": {"onDemandBaseCapacity": 1}}}},
        {
            "fargate": {"profiles": {**SYSTEM, **KARPENTERS}},
            "karpenter": POOLS,
            "spotNodeGroups": {"ng": SPOT},
            "roles": {"spotServiceLinkedRole": False},
        },
        {"fargate": {"profiles": {**SYSTEM, "samples": [{"namespace": "default"}]}}},
    ],
    "network": [
        {},
        {"network": {"cidr": "10.40.0.0/16", "availabilityZones": 2, "natInstance": {}}},
        {"network": ISOLATED, **MIRROR},
        {"network": EXISTING_VPC},
    ],
    "cluster": [
        {},
        {
            "cluster": NEUTRAL["cluster"]
            | {"deletionProtection": False, "logs": {"types": ["api"], "retentionDays": 3}}
        },
        {"cluster": {"existing": "shared"}},
    ],
    "nodeSecurityGroup": [
        {},
        {"nodeSecurityGroup": {}},
        {"nodeSecurityGroup": {"betweenFargateAndNodes": "dns"}},
    ],
    "clusterAutoscaler": [
        {},
        {"clusterAutoscaler": {"replicas": 0, "expander": "priority"}},
        {"clusterAutoscaler": {"expander": "priority", "scaleDownUnneededTime": "13m", "v": 2}},
        {
            "clusterAutoscaler": {
                "groups": [{"name": "of-others", "min": 1, "max": 8}],
                "balanceSimilarNodeGroups": True,
                "extraArgs": {"max-node-provision-time": "9m"},
            }
        },
    ],
    "handler": [
        {},
        {"nodeTerminationHandler": {"replicas": 3, "heartbeatIntervalSeconds": 77}},
        {"nodeTerminationHandler": {"mode": "imds", "nodeSelector": {"lifecycle": "Ec2Spot"}}},
        {
            "nodeTerminationHandler": {
                "mode": "imds",
                "taintNode": True,
                "affinity": [
                    {
                        "matchExpressions": [
                            {"key": "lifecycle", "operator": "In", "values": ["Ec2Spot"]}
                        ]
                    }
                ],
            }
        },
    ],
    "overprovisioning": [
        {},
        {
            "overprovisioning": {
                "replicas": 5,
                "tolerations": [{"key": "example.com/apps", "operator": "Exists"}],
            }
        },
        {"overprovisioning": {"by": "capacityBuffer", "memory": "777Mi", "replicas": 6}},
    ],
    "page": [
        {},
        {"awsLoadBalancerController": {"replicas": 3, "defaultTags": {"team": "a"}}},
        {
            "awsLoadBalancerController": {},
            "externalDns": {"zones": ["example.com"], "policy": "sync", "zoneType": "private"},
            "kubeOpsView": LOAD_BALANCER | {"hostname": "page.example.com"},
        },
    ],
    "volumes": [
        {},
        {"efsCsi": {"replicas": 2}, "ebsCsi": {"replicas": 3, "volumeTags": {"team": "b"}}},
        {
            "efsCsi": {"fileSystem": {}, "storageClass": "shared", "cpu": "170m"},
            "ebsCsi": {"defaultStorageClass": False, "preserve": True, **EXACT_BUILD},
        },
    ],
    "metrics": [{}, {"metricsServer": {}}, {"metricsServer": {"replicas": 3, "memory": "333Mi"}}],
    "samples": [
        {},
        {"sampleWorkloads": {"inflate": {"replicas": 4, "cpu": "770m"}}},
        {"sampleWorkloads": {"ecsdemo": {"tag": "v7", "images": "docker.io/brentley", **HPA}}},
    ],
    "nodeLabels": [{}, {"nodeLabels": [{"nodes": ["ip-10-0-0-1.internal"], "labels": {"a": "b"}}]}],
    "extraReleases": [
        {},
        {
            "extraReleases": {
                "own": {
                    "chart": "oci://registry.example.com/charts/own",
                    "version": "1.2.3",
                    "namespace": "own",
                    "createNamespace": True,
                    "values": {"replicas": 7},
                    "timeoutSeconds": 77,
                }
            },
            "chartMirror": "oci://registry.example.com/mirror",
        },
    ],
    "bastion": [
        {},
        {"bastion": {"access": "edit"}},
        {"bastion": {"ssh": {"keyName": "mine", "cidr": "203.0.113.7/32"}}},
    ],
    "roles": [
        {},
        {
            "roles": {
                "path": "/teams/platform/",
                "permissionsBoundary": "arn:aws:iam::111122223333:policy/boundary",
            }
        },
    ],
    "deployer": [{}, {"aws:profile": "mine"}, {"policy": {"except": {"unpinned-image/*": "why"}}}],
}
_ADDONS = {to_camel(name) for name in AddonsConfig.model_fields}


def stack_file(row: Row) -> Section:
    """The stack file of a row, which has the number of a value for each of the first choices."""
    found: Section = {}
    for values, number in zip(CHOICES.values(), row, strict=False):
        found |= values[number]
    addons = {key: found.pop(key) for key in [*found] if key in _ADDONS}
    return NEUTRAL | found | ({"addons": addons} if addons else {})


@cache
def accepted(row: Row) -> bool:
    """Whether the program takes this file: the rules between sections are its own."""
    return isinstance(parsed(stack_file(row)), StackConfig)


@cache
def rows() -> Sequence[Row]:
    """Each home by itself, then as few rows as put any two values beside each other that the
    program takes together."""
    numbers = [[*range(len(values))] for values in CHOICES.values()]
    homes = numbers[0]
    found = [(home, *[0] * (len(numbers) - 1)) for home in homes]
    # The generator stops at the first row without a new pair: another home may still have one.
    for wanted in [homes, *([home] for home in homes)]:
        found += _pairs(numbers, wanted, found)
    return found


def _pairs(numbers: list[list[int]], homes: list[int], found: Sequence[Row]) -> list[Row]:
    """More rows, with these homes."""

    def fits(row: list[int]) -> bool:
        return tuple(row) in found or (row[0] in homes and accepted(tuple(row)))

    return [tuple(row) for row in AllPairs(numbers, fits, [list(row) for row in found])]


def options(value: Any, path: Key = ()) -> Iterator[tuple[Key, Any]]:
    """All that a part of a stack file gives, each with its path; a list counts as one thing."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from options(part, (*path, key))
    else:
        yield path, value


def without(settings: Section, path: Key) -> Section:
    """The stack file without what this path leads to."""
    key, *rest = path
    if not rest:
        return {name: value for name, value in settings.items() if name != key}
    return settings | {key: without(settings[key], tuple(rest))}
