import json
from contextlib import nullcontext
from importlib.metadata import version
from ipaddress import IPv4Network

import grpc
import pulumi
import pulumi_kubernetes as k8s
import pytest
from pulumi.runtime import rpc
from pydantic import ValidationError

from components.cluster.cluster import (
    Cluster,
    ClusterArgs,
    by_our_providers,
    control_plane_settings,
    deploys_as_admin,
)
from components.cluster.cluster_config import ClusterConfig, EndpointConfig
from components.cluster.cluster_guard import ClusterGuard, problems
from components.kubernetes.first_request import AS_ADMINISTRATOR
from components.kubernetes.kubeconfig import TokenIdentity, kubeconfig
from components.location import Location

ACCOUNT = "111122223333"
LOCATION = Location(region="eu-west-1", account=ACCOUNT)
ADMIN = f"arn:aws:iam::{ACCOUNT}:role/platform-admin"
ANYBODY = IPv4Network("0.0.0.0/0")
ISSUER = "oidc.eks.eu-west-1.amazonaws.com/id/EXAMPLE"
OIDC_PROVIDER_ARN = f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
CLUSTER_ARN = f"arn:aws:eks:eu-west-1:{ACCOUNT}:cluster/dev"

CLUSTER = "eks:index:Cluster"
CONTROL_PLANE = "aws:eks/cluster:Cluster"
KEY = "aws:kms/key:Key"
LOGS = "aws:cloudwatch/logGroup:LogGroup"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ENTRY = "aws:eks/accessEntry:AccessEntry"
GRANT = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
OIDC = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
PROVIDER = "pulumi:providers:kubernetes"
TAG = "aws:ec2/tag:Tag"


class NotFound(grpc.RpcError):
    """What the engine answers where a look-up fails."""

    def code(self):
        return grpc.StatusCode.UNKNOWN

    def details(self):
        return "NotFoundException"


@pytest.fixture
def deploy(deploy, account):
    """Run a program in an account that answers what the component asks."""
    return lambda program, answers=account, **how: deploy(program, answers, **how)


def config(**settings):
    given = {"name": "dev", "version": "1.35", "endpoint": EndpointConfig(), "admins": (ADMIN,)}
    return ClusterConfig(**(given | settings))


def cluster(settings, location=LOCATION):
    args = ClusterArgs(
        config=settings, location=location, vpc_id="vpc-1", subnet_ids=["subnet-a", "subnet-b"]
    )
    return Cluster("it", args)


def by_default():
    built = cluster(config())
    k8s.core.v1.Namespace("inside", opts=pulumi.ResourceOptions(provider=built.ref.provider))


def endpoint(**settings):
    return config(endpoint=EndpointConfig(**settings))


@pytest.mark.feature("B-19", "B-06", "B-05", "A2-18")
def test_the_control_plane_comes_alone_safe_and_without_extended_support(once):
    built = once(by_default)

    given = dict(built.one(CLUSTER).inputs)
    for role_and_options in ("serviceRole", "kubeProxyAddonOptions", "corednsAddonOptions"):
        del given[role_and_options]
    assert given == {
        "name": "dev",
        "version": "1.35",
        "vpcId": "vpc-1",
        "privateSubnetIds": ["subnet-a", "subnet-b"],
        "authenticationMode": "API",
        "skipDefaultNodeGroup": True,
        "skipDefaultSecurityGroups": True,
        "useDefaultVpcCni": True,
        "bootstrapSelfManagedAddons": False,
        "createOidcProvider": False,
        "endpointPublicAccess": False,
        "endpointPrivateAccess": True,
        "enabledClusterLogTypes": ["audit", "authenticator"],
        "encryptionConfigKeyArn": f"arn:aws:kms:eu-west-1:{ACCOUNT}:key/it-secrets",
        "upgradePolicy": {"supportType": "STANDARD"},
        "deletionProtection": True,
        "tags": {"karpenter.sh/discovery": "dev"},
    }


@pytest.mark.feature("B-19")
def test_the_call_makes_none_of_the_default_add_ons(once):
    given = once(by_default).one(CLUSTER).inputs

    assert given["bootstrapSelfManagedAddons"] is False
    assert given["kubeProxyAddonOptions"]["enabled"] is False
    assert given["corednsAddonOptions"]["enabled"] is False
    # The argument's name misleads: it means that the add-on is not made.
    assert given["useDefaultVpcCni"] is True


@pytest.mark.feature("A2-17")
def test_name_version_and_region_are_the_stack_file_s(another):
    given = another.one(CLUSTER).inputs

    assert (given["name"], given["version"]) == ("seoul", "1.34")
    trusts = [role.inputs["assumeRolePolicy"] for role in another.every(ROLE)]
    profiles = f"arn:aws:eks:ap-northeast-2:{ACCOUNT}:fargateprofile/seoul/*"
    assert any(profiles in trust for trust in trusts)
    values = another.named("kubernetes:helm.sh/v3:Release", "karpenter").inputs["values"]
    assert values["controller"]["env"] == [{"name": "AWS_REGION", "value": "ap-northeast-2"}]


@pytest.mark.feature("B-01")
@pytest.mark.parametrize(
    ("settings", "given"),
    [
        # Never true: the component would wait five minutes for an endpoint it may not reach.
        ({"public": True, "public_cidrs": (ANYBODY,)}, (None, True, ["0.0.0.0/0"])),
        (
            {
                "public": True,
                "public_cidrs": ("203.0.113.0/24", "198.51.100.7/32"),
                "private": False,
            },
            (None, False, ["203.0.113.0/24", "198.51.100.7/32"]),
        ),
        ({}, (False, True, None)),
    ],
)
def test_the_api_is_private_or_public_for_those_who_are_listed(deploy, settings, given):
    built = deploy(lambda: cluster(endpoint(**settings)))

    keys = ("endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs")
    assert tuple(built.one(CLUSTER).inputs.get(key) for key in keys) == given


@pytest.mark.feature("B-01")
@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"private": False}, "private: public and private are both false: set one of them to true"),
        (
            {"public": True},
            "publicCidrs: public is true: list the addresses that may connect, "
            "[0.0.0.0/0] for all of the internet",
        ),
        ({"public_cidrs": (ANYBODY,)}, "publicCidrs: needs public: true, or drop it"),
    ],
)
def test_an_endpoint_that_nobody_could_reach_or_everybody_is_refused(settings, problem):
    with pytest.raises(ValidationError) as refused:
        EndpointConfig(**settings)

    assert [error["msg"] for error in refused.value.errors()] == [problem]


@pytest.mark.feature("B-02")
def test_secrets_are_encrypted_with_a_key_that_rotates(once):
    built = once(by_default)

    assert built.one(KEY).inputs == {
        "description": "Secrets of the EKS cluster dev",
        "enableKeyRotation": True,
        "deletionWindowInDays": 7,
    }
    key_arn = f"arn:aws:kms:eu-west-1:{ACCOUNT}:key/it-secrets"
    assert built.one(CLUSTER).inputs["encryptionConfigKeyArn"] == key_arn


@pytest.mark.feature("B-02")
def test_a_key_of_the_users_own_takes_the_place_of_the_stacks(deploy):
    arn = f"arn:aws:kms:eu-west-1:{ACCOUNT}:key/1234abcd"
    built = deploy(lambda: cluster(config(kms_key_arn=arn)))

    assert built.one(CLUSTER).inputs["encryptionConfigKeyArn"] == arn
    assert built.every(KEY) == []


@pytest.mark.feature("B-03")
def test_the_log_group_has_its_retention_before_the_cluster_writes_to_it(once):
    built = once(by_default)

    logs = built.one(LOGS)
    assert logs.inputs == {"name": "/aws/eks/dev/cluster", "retentionInDays": 30}
    assert built.waits_for(built.one(CLUSTER), logs)
    assert not built.waits_for(logs, built.one(CLUSTER))


@pytest.mark.feature("B-03", "B-05", "B-06")
def test_log_types_retention_protection_and_support_are_settings(deploy):
    logs = {"types": ("api", "scheduler"), "retention_days": 7}
    settings = config(logs=logs, deletion_protection=False, support_type="EXTENDED")
    built = deploy(lambda: cluster(settings))

    given = built.one(CLUSTER).inputs
    assert given["enabledClusterLogTypes"] == ["api", "scheduler"]
    assert given["deletionProtection"] is False
    assert given["upgradePolicy"] == {"supportType": "EXTENDED"}
    assert built.one(LOGS).inputs == {"name": "/aws/eks/dev/cluster", "retentionInDays": 7}


@pytest.mark.feature("B-04")
def test_access_is_by_entries_for_the_administrators_of_the_stack_file_alone(deploy):
    user = f"arn:aws-cn:iam::{ACCOUNT}:user/ops/ann"
    china = Location(region="cn-north-1", account=ACCOUNT)
    built = deploy(lambda: cluster(config(admins=(ADMIN, user)), china))

    assert built.one(CLUSTER).inputs["authenticationMode"] == "API"
    entries = [entry.inputs for entry in built.every(ENTRY)]
    assert sorted(entries, key=lambda entry: entry["principalArn"]) == [
        {"clusterName": "dev", "principalArn": user},
        {"clusterName": "dev", "principalArn": ADMIN},
    ]
    policy = "arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    everything = {"type": "cluster"}
    grants = [grant.inputs for grant in built.every(GRANT)]
    assert sorted(grants, key=lambda grant: grant["principalArn"]) == [
        {
            "clusterName": "dev",
            "principalArn": principal,
            "policyArn": policy,
            "accessScope": everything,
        }
        for principal in (user, ADMIN)
    ]


@pytest.fixture
def transformed(deploy):
    """What the settings of a stack file make of a resource inside eks.Cluster."""

    def transform(kind, settings, **props):
        results = []
        given = pulumi.ResourceTransformArgs(
            custom=True,
            type_=kind,
            name="it",
            props=props,
            opts=pulumi.ResourceOptions(ignore_changes=["bootstrapSelfManagedAddons"]),
        )
        guard = ClusterGuard(
            protected=settings.deletion_protection, replace_for_kms_key=settings.replace_for_kms_key
        )
        deploy(lambda: results.append(control_plane_settings(guard)(given)))
        return results[0]

    return transform


@pytest.mark.feature("B-04")
def test_whoever_creates_the_cluster_gets_no_right_by_that(once, transformed):
    made_by_component = {
        "authenticationMode": "API",
        "bootstrapClusterCreatorAdminPermissions": True,
    }
    result = transformed(CONTROL_PLANE, config(), name="dev", accessConfig=made_by_component)

    access = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}
    assert result.props == {"name": "dev", "accessConfig": access}
    assert result.opts.ignore_changes == ["bootstrapSelfManagedAddons"]
    assert len(once(by_default).one(CLUSTER).request.transforms) == 2  # noqa: PLR2004


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        (CONTROL_PLANE, version("pulumi_aws")),
        (PROVIDER, version("pulumi_kubernetes")),
        (CLUSTER, "1.0.0"),
    ],
)
def test_what_the_component_makes_is_of_the_program_s_own_plugins(kind, ours):
    given = pulumi.ResourceTransformArgs(
        custom=True,
        type_=kind,
        name="it",
        props={"name": "dev"},
        opts=pulumi.ResourceOptions(version="1.0.0", protect=True),
    )
    result = by_our_providers(given) or pulumi.ResourceTransformResult(given.props, given.opts)

    assert (result.props, result.opts.version, result.opts.protect) == (given.props, ours, True)


def test_the_transform_leaves_every_other_resource_alone(transformed):
    assert transformed(ROLE, config()) is None


@pytest.mark.feature("B-05")
@pytest.mark.parametrize("protected", [True, False])
def test_deletion_protection_is_pulumis_too_so_that_a_destroy_stops_at_once(transformed, protected):
    result = transformed(CONTROL_PLANE, config(deletion_protection=protected))

    assert result.opts.protect is protected


@pytest.mark.feature("B-02")
def test_another_key_replaces_the_cluster_only_if_the_stack_file_says_so(transformed):
    kept = transformed(CONTROL_PLANE, config()).opts
    replaced = transformed(CONTROL_PLANE, config(replace_for_kms_key=True)).opts

    assert (kept.replace_on_changes, kept.delete_before_replace) == (None, None)
    assert replaced.replace_on_changes == ["encryptionConfig"]
    assert replaced.delete_before_replace is True


def inputs(version="1.34", key=None):
    """Inputs of the control plane; the key may be unknown."""
    encrypted = {"encryptionConfig": {"provider": {"keyArn": key}}} if key else {}
    return {"version": version, **encrypted}


FIRST, SECOND = (f"arn:aws:kms:eu-west-1:{ACCOUNT}:key/{name}" for name in ("first", "second"))


@pytest.mark.behaviour("eks-upgrade-needs-nodes-at-same-minor")
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (inputs(key=FIRST), inputs(key=FIRST), []),
        (inputs(), inputs(key=FIRST), []),
        (
            inputs(key=FIRST),
            inputs(key=SECOND),
            [
                f"cluster.kmsKeyArn: the cluster's Secrets are encrypted with {FIRST}, and EKS "
                "cannot change a cluster's key: undo the change, or set "
                "cluster.replaceForKmsKey: true to delete the cluster with all that runs in it, "
                f"and make it anew with the other key (got {SECOND})"
            ],
        ),
        (inputs(key=FIRST), inputs(key=rpc.UNKNOWN), ["with the other key (got a new one)"]),
        (inputs(key=FIRST), {"encryptionConfig": rpc.UNKNOWN, "version": "1.34"}, ["a new one)"]),
        (inputs("1.34"), inputs("1.35"), []),
        (
            inputs("1.33"),
            inputs("1.35"),
            [
                "cluster.version: the cluster runs 1.33, and EKS goes up one minor at a time: "
                'set "1.34" first, with nodes that follow (got "1.35")'
            ],
        ),
        (
            inputs("1.35"),
            inputs("1.34"),
            [
                "cluster.version: the cluster runs 1.35, and EKS never goes back: "
                'set "1.35" (got "1.34")'
            ],
        ),
    ],
)
def test_what_eks_cannot_change_is_told_with_the_remedy(before, after, told):
    found = list(problems(before, after, replace_for_kms_key=False))

    assert len(found) == len(told)
    assert all(problem.endswith(end) for problem, end in zip(found, told, strict=True))


@pytest.mark.parametrize("preview", [True, False])
def test_what_eks_cannot_change_ends_an_update_at_once_and_a_preview_at_its_end(deploy, preview):
    refused = 'and EKS never goes back: set "1.35" [(]got "1.34"[)]$'
    at_once = nullcontext() if preview else pytest.raises(ValueError, match=refused)
    at_the_end = pytest.raises(pulumi.RunError, match=refused) if preview else nullcontext()
    guard = ClusterGuard(protected=False, replace_for_kms_key=False)
    change = {"old_inputs": inputs("1.35"), "new_inputs": inputs("1.34")}

    def program():
        (refusal,) = guard.options(pulumi.ResourceOptions()).hooks.before_update
        with at_once:
            refusal(pulumi.ResourceHookArgs("urn", "id", "dev", CONTROL_PLANE, **change))

    deploy(program, preview=preview)

    with at_the_end:
        guard.tell()


def test_a_key_may_change_where_the_cluster_is_to_be_replaced():
    changed = inputs(key=FIRST), inputs(key=SECOND)

    assert not list(problems(*changed, replace_for_kms_key=True))


@pytest.mark.feature("B-02")
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"keyState": "PendingDeletion"}, "the key is PendingDeletion: "),
        ({"keyState": "Disabled"}, "the key is Disabled: "),
        ({"keyUsage": "SIGN_VERIFY"}, "the key is SIGN_VERIFY: "),
        ({"keySpec": "RSA_2048"}, "the key is RSA_2048: "),
        (None, "KMS does not tell of this key: "),
    ],
)
def test_a_key_that_eks_cannot_use_is_refused_before_anything_is_made(
    deploy, account, answer, problem
):
    token = "aws:kms/getKey:getKey"

    def asked(query):
        if answer is None:
            raise NotFound
        return account[token](query) | answer

    with pytest.raises(pulumi.RunError) as refused:
        deploy(lambda: cluster(config(kms_key_arn=FIRST)), account | {token: asked}, preview=True)

    assert str(refused.value).startswith(f"cluster.kmsKeyArn: {problem}")
    assert "give a symmetric key of this region that is enabled" in str(refused.value)
    assert f"(got {FIRST})" in str(refused.value)


@pytest.mark.feature("B-02")
def test_a_key_of_another_region_is_refused_without_asking(deploy):
    arn = FIRST.replace("eu-west-1", "us-east-1")

    with pytest.raises(pulumi.RunError, match="the key is in us-east-1, the cluster in eu-west-1"):
        deploy(lambda: cluster(config(kms_key_arn=arn)), {})


@pytest.mark.feature("B-03")
@pytest.mark.behaviour("log-group-already-exists")
def test_a_log_group_of_that_very_name_is_adopted(deploy, account):
    names = ["/aws/eks/dev/cluster", "/aws/eks/dev/cluster-logs"]

    def built(*there):
        found = {"aws:cloudwatch/getLogGroups:getLogGroups": lambda _: {"logGroupNames": there}}
        return deploy(lambda: cluster(config()), account | found).one(LOGS).request.importId

    assert (built(*names), built(names[1])) == (names[0], "")


@pytest.mark.feature("B-04")
def test_an_administrator_who_is_named_twice_is_told():
    with pytest.raises(ValidationError) as refused:
        config(admins=(ADMIN, ADMIN))

    assert [error["msg"] for error in refused.value.errors()] == [
        "admins: is named twice: drop one"
    ]


@pytest.mark.feature("A2-17")
@pytest.mark.parametrize("version", ["1.17", "1.24", "1.99", "1.3", "latest"])
def test_a_version_that_eks_does_not_run_is_refused_with_those_it_runs(version):
    with pytest.raises(ValidationError) as refused:
        config(version=version)

    assert [error["msg"] for error in refused.value.errors()] == [
        "version: is not offered: choose one of 1.33, 1.34, 1.35, 1.36"
    ]


def test_the_control_plane_s_role_has_its_policy_before_it_is_used(once):
    built = once(by_default)

    role, attachment = built.one(ROLE), built.one(ATTACHMENT)
    assert "eks.amazonaws.com" in role.inputs["assumeRolePolicy"]
    assert attachment.inputs == {
        "role": "it-role",
        "policyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",
    }
    assert built.one(CLUSTER).inputs["serviceRole"]["urn"] == role.urn
    assert built.waits_for(built.one(CLUSTER), attachment)


@pytest.mark.feature("A2-19")
def test_the_cluster_s_issuer_is_trusted_by_iam(once):
    built = once(by_default)

    assert built.one(OIDC).inputs == {
        "url": f"https://{ISSUER}",
        "clientIdLists": ["sts.amazonaws.com"],
        "tags": {"kubernetes.io/cluster/dev": "owned"},
    }
    assert built.waits_for(built.one(OIDC), built.one(CLUSTER))
    assert built.outputs["it"]["oidcProviderArn"] == OIDC_PROVIDER_ARN


@pytest.mark.feature("A2-19")
def test_the_roles_of_service_accounts_trust_the_provider_that_the_stack_made(platform):
    built = platform()

    controller = built.named(ROLE, "karpenter-controller-role")
    assert f'"Federated": "{OIDC_PROVIDER_ARN}"' in controller.inputs["assumeRolePolicy"]
    assert built.waits_for(controller, built.one(OIDC))


@pytest.mark.feature("A2-18", "B-12")
def test_the_only_security_group_is_the_one_that_eks_made_and_karpenter_finds_it(once, platform):
    built = once(by_default)

    assert built.one(TAG).inputs == {
        "resourceId": "sg-cluster",
        "key": "karpenter.sh/discovery",
        "value": "dev",
    }
    assert built.outputs["it"]["securityGroupId"] == "sg-cluster"
    # Its members may reach each other on every port, webhooks and kubelets among them: a second
    # group would split nodes, Fargate pods and control plane.
    whole = platform()
    kinds = {declared.request.type for declared in whole.declared}
    assert not [kind for kind in kinds if "securityGroup" in kind]
    classes = [each.inputs for each in whole.every("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass")]
    tag = {"karpenter.sh/discovery": "nodeless"}
    assert [each["spec"]["securityGroupSelectorTerms"] for each in classes] == [[{"tags": tag}]]


@pytest.mark.feature("A2-18")
def test_cluster_private_subnets_and_one_group_carry_the_discovery_tag_and_nothing_else(platform):
    built = platform()

    mark = "karpenter.sh/discovery"
    tagged = {
        declared.request.name: declared.inputs["tags"][mark]
        for declared in built.declared
        if declared.request.type.startswith(("aws:", "eks:"))
        and mark in (declared.inputs.get("tags") or {})
    }
    subnets = [f"network-private-{number}" for number in (1, 2, 3)]
    assert tagged == dict.fromkeys(["cluster", *subnets], "nodeless")
    assert [tag.inputs["resourceId"] for tag in built.every(TAG)] == ["sg-cluster"]


@pytest.mark.feature("B-45")
def test_the_provider_is_known_by_the_cluster_whatever_its_kubeconfig_says(once):
    built = once(by_default)

    text = kubeconfig(
        name="dev",
        region="eu-west-1",
        endpoint="https://example.eks.amazonaws.com",
        ca_data="Q0E=",
    )
    assert built.one(PROVIDER).inputs == {"kubeconfig": text, "clusterIdentifier": CLUSTER_ARN}


@pytest.mark.behaviour("access-policy-takes-effect-late", "cluster-active-before-endpoint-usable")
def test_an_update_asks_the_api_once_after_the_grants_and_before_anything_is_made_there(once):
    built, preview = once(by_default), once(by_default, preview=True)

    (asked,) = built.asked
    assert asked[:2] == ("https://example.eks.amazonaws.com", AS_ADMINISTRATOR)
    before = {declared.request.type for declared in asked.after}
    assert GRANT in before
    assert before.isdisjoint({PROVIDER, "kubernetes:core/v1:Namespace"})
    assert preview.asked == []


def test_the_token_is_that_of_the_profile_and_role_by_which_aws_is_reached(deploy):
    identity = TokenIdentity(profile="ops", role_arn=ADMIN)
    args = ClusterArgs(
        config=config(),
        location=LOCATION,
        vpc_id="vpc-1",
        subnet_ids=["subnet-a", "subnet-b"],
        identity=identity,
    )

    def program():
        built = Cluster("it", args)
        told = {"annotations": {"kubectl": built.update_kubeconfig}}
        opts = pulumi.ResourceOptions(provider=built.ref.provider)
        k8s.core.v1.Namespace("inside", metadata=told, opts=opts)

    built = deploy(program)

    options = ["--role-arn", ADMIN, "--profile", "ops"]
    (user,) = json.loads(built.one(PROVIDER).inputs["kubeconfig"])["users"]
    assert user["user"]["exec"]["args"][-4:] == options
    told = built.one("kubernetes:core/v1:Namespace").inputs["metadata"]["annotations"]
    assert told["kubectl"] == (
        f"aws eks update-kubeconfig --region eu-west-1 --name dev {' '.join(options)}"
    )


def test_nothing_is_asked_of_the_api_before_the_administrators_may(once):
    built = once(by_default)

    inside = built.one("kubernetes:core/v1:Namespace")
    assert built.waits_for(inside, built.one(PROVIDER))
    assert built.waits_for(inside, built.one(GRANT))
    assert built.waits_for(built.one(GRANT), built.one(ENTRY))
    assert built.waits_for(built.one(ENTRY), built.one(CLUSTER))


def test_the_control_plane_waits_for_its_subnets_and_not_for_the_way_to_the_internet(platform):
    built = platform()

    control_plane = built.one(CLUSTER)
    needed = [
        *built.every("aws:ec2/vpc:Vpc"),
        *(s for s in built.every("aws:ec2/subnet:Subnet") if "private" in s.request.name),
    ]
    not_needed = [
        declared
        for kind in ("natGateway:NatGateway", "route:Route", "internetGateway:InternetGateway")
        for declared in built.every(f"aws:ec2/{kind}")
    ]
    not_needed += [
        *built.every("aws:sqs/queue:Queue"),
        *built.every("aws:ec2/vpcEndpoint:VpcEndpoint"),
    ]
    assert (len(needed), len(not_needed)) == (4, 8)
    assert [each.urn for each in needed if not built.waits_for(control_plane, each)] == []
    assert [each.urn for each in not_needed if built.waits_for(control_plane, each)] == []


def test_entries_oidc_provider_and_tag_stand_side_by_side_behind_the_control_plane(once):
    built = once(by_default)

    beside = [built.one(kind) for kind in (ENTRY, OIDC, TAG)]
    assert all(built.waits_for(each, built.one(CLUSTER)) for each in beside)
    assert not [(one.urn, two.urn) for one in beside for two in beside if built.waits_for(one, two)]


def test_a_preview_shows_what_an_update_makes(once):
    preview, update = once(by_default, preview=True), once(by_default)

    assert preview.tree() == update.tree()
    known = dict(preview.one(CLUSTER).inputs)
    assert known.pop("encryptionConfigKeyArn") == rpc.UNKNOWN
    del known["serviceRole"]
    assert known == {key: update.one(CLUSTER).inputs[key] for key in known}
    assert known["version"] == "1.35"


def test_the_outputs_come_from_the_cluster_itself(once):
    assert once(by_default).outputs["it"] == {
        "name": "dev",
        "arn": CLUSTER_ARN,
        "endpoint": "https://example.eks.amazonaws.com",
        "oidcProviderArn": OIDC_PROVIDER_ARN,
        "securityGroupId": "sg-cluster",
    }


@pytest.mark.parametrize(
    ("caller", "admins", "may"),
    [
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/platform-admin/ann", [ADMIN], True),
        (
            f"arn:aws:sts::{ACCOUNT}:assumed-role/admin/ci",
            [f"arn:aws:iam::{ACCOUNT}:role/ops/deep/admin"],
            True,
        ),
        (
            f"arn:aws-cn:sts::{ACCOUNT}:assumed-role/admin/ci",
            [f"arn:aws-cn:iam::{ACCOUNT}:role/admin"],
            True,
        ),
        (f"arn:aws:iam::{ACCOUNT}:user/ann", [f"arn:aws:iam::{ACCOUNT}:user/ann"], True),
        (f"arn:aws:iam::{ACCOUNT}:user/ann", [ADMIN], False),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/admin/ann", [ADMIN], False),
        ("arn:aws:sts::444455556666:assumed-role/platform-admin/ann", [ADMIN], False),
        (
            f"arn:aws:sts::{ACCOUNT}:assumed-role/ann/x",
            [f"arn:aws:iam::{ACCOUNT}:user/ann"],
            False,
        ),
        (f"arn:aws:iam::{ACCOUNT}:root", [ADMIN], False),
    ],
)
def test_a_deployer_is_an_administrator_by_its_role_whatever_its_path_and_session(
    caller, admins, may
):
    assert deploys_as_admin(caller, admins) is may
