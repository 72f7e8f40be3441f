import pulumi
import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components import versions
from components.karpenter.config import KarpenterConfig
from components.karpenter.crd_rules import violations
from components.karpenter.karpenter import Karpenter, KarpenterArgs
from components.placement import Placement, RunsOn
from rehearsal.recording.account import IMAGES
from tests.cluster_refs import CLUSTER, cluster_ref

THEIRS = cluster_ref(discoverable=False, security_group_id="sg-theirs")
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
POLICY = "aws:iam/policy:Policy"
RELEASE = "kubernetes:helm.sh/v3:Release"
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
ROLE = "aws:iam/role:Role"
QUEUE = "aws:sqs/queue:Queue"
IMAGE = {"ami_alias": "al2023@v20260930"}
WARNING = (
    "karpenter.nodePools.{}.expireAfter is {}: nodes of that age are replaced without regard to "
    "disruption budgets, and before a new one is there"
)


@pytest.fixture
def deploy(deploy):
    """In an account to which AWS publishes every image."""
    return lambda program, answers=IMAGES, **options: deploy(program, answers, **options)


def config(**settings):
    given = {
        "node_classes": {"default": IMAGE, "other": IMAGE},
        "node_pools": {"a": {"node_class": "default"}, "b": {"node_class": "other"}},
    }
    return KarpenterConfig(**(given | settings))


def karpenter(cluster=CLUSTER, **settings):
    """A program with Karpenter; `home` and `network` stand for what the platform gives it."""
    args = KarpenterArgs(
        config=config(**settings),
        cluster=cluster,
        placement=Placement(runs_on=RunsOn.FARGATE, needs=[aws.sqs.Queue("home")]),
        node_needs=[aws.sqs.Queue("network")],
    )
    return Karpenter("it", args)


def plain():
    return karpenter()


def with_own_profile():
    return karpenter(own_instance_profile=True)


@pytest.mark.feature("C-02")
def test_a_pool_goes_before_its_class_and_a_class_before_all_that_ends_nodes(once):
    built = once(plain)

    pool, own_class = built.named(POOL, "nodepool-a"), built.named(CLASS, "ec2nodeclass-default")
    assert built.waits_for(pool, own_class)
    ending = [
        *built.every(RELEASE),
        *built.every(QUEUE),
        *built.every("aws:sqs/queuePolicy:QueuePolicy"),
        *built.every("aws:cloudwatch/eventTarget:EventTarget"),
        *built.every("aws:iam/policy:Policy"),
        *built.every("aws:iam/rolePolicyAttachment:RolePolicyAttachment"),
        *built.every(ROLE),
        *built.every("aws:eks/accessEntry:AccessEntry"),
    ]
    for first in (pool, own_class):
        assert [each.urn for each in ending if not built.waits_for(first, each)] == []


def test_a_pool_waits_for_no_other_pool_s_class(once):
    built = once(plain)

    pool = built.named(POOL, "nodepool-a")
    assert not built.waits_for(pool, built.named(CLASS, "ec2nodeclass-other"))
    assert not built.waits_for(pool, built.named(POOL, "nodepool-b"))


def test_the_network_add_on_outlives_the_nodes_and_the_controller_does_not_wait_for_it(once):
    built = once(plain)

    network, home = built.named(QUEUE, "network"), built.named(QUEUE, "home")
    release = built.named(RELEASE, "karpenter")
    assert built.waits_for(built.named(CLASS, "ec2nodeclass-default"), network)
    assert built.waits_for(release, home)
    assert not built.waits_for(release, network)


@pytest.mark.feature("C-02")
@pytest.mark.parametrize(
    ("grace", "limit"), [("30m", "3600s"), ("1m", "3600s"), ("3h", f"{3 * 3600 + 1800}s")]
)
def test_a_deletion_may_take_as_long_as_the_drain(deploy, grace, limit):
    pools = {"a": {"node_class": "default", "termination_grace_period": grace}}

    built = deploy(lambda: karpenter(node_pools=pools))

    assert built.one(POOL).request.customTimeouts.delete == limit
    for each in built.every(CLASS):
        assert each.request.customTimeouts.delete == "3600s"


def test_objects_are_ready_before_anything_that_waits_for_them(once):
    built = once(plain)

    objects = [*built.every(CLASS), *built.every(POOL)]
    names = sorted(each.inputs["metadata"]["name"] for each in objects)
    assert names == ["a", "b", "default", "other"]
    for each in objects:
        waiting = {"pulumi.com/waitFor": "condition=Ready"}
        assert each.inputs["metadata"]["annotations"] == waiting
        assert violations(each.inputs["kind"], each.inputs) == []


@pytest.mark.feature("A2-54")
def test_every_class_finds_subnets_and_groups_by_the_cluster_s_discovery_tag(once):
    found = [{"tags": {"karpenter.sh/discovery": "dev"}}]

    for each in once(plain).every(CLASS):
        assert each.inputs["spec"]["subnetSelectorTerms"] == found
        assert each.inputs["spec"]["securityGroupSelectorTerms"] == found


def test_karpenter_makes_the_instance_profile_of_the_node_role_unless_told_otherwise(once):
    built = once(plain)

    assert built.every(PROFILE) == []
    assert {each.inputs["spec"]["role"] for each in built.every(CLASS)} == {"KarpenterNodeRole-dev"}


@pytest.mark.feature("A2-14")
def test_the_stack_can_make_the_instance_profile_of_the_node_role(once):
    built = once(with_own_profile)

    profile = built.one(PROFILE)
    assert profile.inputs["role"] == "KarpenterNodeRole-dev"
    for each in built.every(CLASS):
        assert each.inputs["spec"]["instanceProfile"] == "it-node"
        assert "role" not in each.inputs["spec"]
        assert built.waits_for(each, profile)


@pytest.mark.feature("A2-52")
@pytest.mark.parametrize("age", ["120s", "23h59m"])
def test_a_short_life_is_told_since_budgets_do_not_count_for_it(deploy, caplog, age):
    pools = {"short": {"node_class": "default", "expire_after": age}}

    deploy(lambda: karpenter(node_pools=pools, node_classes={"default": IMAGE}))

    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == [WARNING.format("short", age)]


@pytest.mark.parametrize("age", ["24h", "720h", "Never"])
def test_an_ordinary_life_is_not_told(deploy, caplog, age):
    pools = {"a": {"node_class": "default", "expire_after": age}}

    deploy(lambda: karpenter(node_pools=pools, node_classes={"default": IMAGE}))

    assert caplog.records == []


@pytest.mark.feature("A2-15")
def test_the_version_is_a_setting_with_a_pinned_default(once, deploy):
    assert config().version == versions.KARPENTER
    assert {each.inputs["version"] for each in once(plain).every(RELEASE)} == {versions.KARPENTER}

    built = deploy(lambda: karpenter(version="1.14.0"))

    assert {each.inputs["version"] for each in built.every(RELEASE)} == {"1.14.0"}


@pytest.mark.parametrize("version", ["v1.14.1", "1.14", "latest", ">=1.14.0"])
def test_a_version_is_an_exact_number(version):
    with pytest.raises(ValidationError):
        config(version=version)


def test_a_pool_names_a_class_that_there_is():
    with pytest.raises(ValidationError) as error:
        config(node_pools={"a": {"node_class": "gone"}})

    (detail,) = error.value.errors()
    assert detail["msg"] == (
        "nodePools.a.nodeClass: nodeClasses has only default, other: "
        "name one of these, or add the class"
    )


@pytest.mark.parametrize("section", ["node_classes", "node_pools"])
@pytest.mark.parametrize("name", ["Upper", "under_score", "-dash", "a" * 64])
def test_names_are_those_of_kubernetes_objects(section, name):
    with pytest.raises(ValidationError):
        config(**{section: {name: IMAGE if section == "node_classes" else {"node_class": "x"}}})


def test_the_outputs_are_the_queue_and_the_role_of_the_nodes(once):
    outputs = once(plain).outputs["it"]

    assert outputs == {"queueName": "dev", "nodeRoleName": "KarpenterNodeRole-dev"}


@pytest.mark.parametrize("program", [plain, with_own_profile])
def test_a_preview_shows_all_of_it(once, program):
    assert once(program, preview=True).tree() == once(program).tree()


@pytest.mark.feature("A0-09")
def test_in_a_cluster_of_somebody_else_nodes_find_their_group_without_a_tag_on_it(deploy):
    built = deploy(lambda: karpenter(THEIRS))

    groups = [each.inputs["spec"]["securityGroupSelectorTerms"] for each in built.every(CLASS)]
    assert groups == [[{"id": "sg-theirs"}]] * 2


def test_a_group_that_the_stack_file_names_comes_first(deploy):
    theirs = [{"tags": {"team": "blue"}}]
    classes = {"default": IMAGE | {"security_group_selector_terms": theirs}, "other": IMAGE}
    built = deploy(lambda: karpenter(THEIRS, node_classes=classes))

    spec = built.named(CLASS, "ec2nodeclass-default").inputs["spec"]
    assert spec["securityGroupSelectorTerms"] == theirs


def test_a_window_is_a_budget_of_every_pool(deploy):
    window = {"schedule": "0 8 * * mon-fri", "duration": "10h"}

    built = deploy(lambda: karpenter(disruption_window=window))

    for pool in built.every(POOL):
        own, of_window = pool.inputs["spec"]["disruption"]["budgets"]
        assert own == {"nodes": "10%"}
        assert of_window == {"nodes": "0"} | window


def test_a_pool_is_told_that_has_no_room_for_the_window_among_its_budgets():
    budgets = [{"nodes": "1"}] * 50
    crowded = {"node_class": "default", "disruption": {"budgets": budgets}}

    with pytest.raises(ValidationError, match=r"with disruptionWindow there are 51"):
        config(
            node_pools={"a": crowded},
            disruption_window={"schedule": "@daily", "duration": "1h"},
        )


def test_the_role_of_a_class_may_be_passed_on(deploy):
    classes = {"default": IMAGE | {"role": "gpu-nodes"}, "other": IMAGE}

    built = deploy(lambda: karpenter(node_classes=classes))

    policies = [each.inputs["policy"] for each in built.every(POLICY)]
    assert [p for p in policies if "arn:aws:iam::111122223333:role/gpu-nodes" in p]
    assert [e.inputs["spec"]["role"] for e in built.every(CLASS)].count("gpu-nodes") == 1


def parameters(*architectures):
    """Parameter Store with the release of these architectures."""

    def below(query):
        there = any(f"/{architecture}/" in query["path"] for architecture in architectures)
        return next(iter(IMAGES.values()))(query) if there else {"names": [], "values": []}

    return dict.fromkeys(IMAGES, below)


@pytest.mark.feature("B-34")
@pytest.mark.behaviour("karpenter-ami-alias-not-published")
@pytest.mark.parametrize("preview", [False, True])
@pytest.mark.parametrize(
    ("published", "missing"),
    [
        ((), "(x86_64|arm64)"),
        (("arm64",), "x86_64"),
        (("x86_64",), "arm64"),
        (("x86_64", "arm64"), None),
    ],
)
def test_an_alias_without_an_image_ends_the_preview(deploy, preview, published, missing):
    pools = {"a": {"node_class": "default", "architectures": ("amd64", "arm64")}}

    def program():
        karpenter(node_classes={"default": IMAGE}, node_pools=pools)

    if missing:
        said = (
            "^karpenter.nodeClasses.default.amiAlias: AWS has no such image of AL2023 for "
            f"Kubernetes 1.35 and {missing} in this region: .*"
            r'\(got "al2023@v20260930"\)$'
        )
        with pytest.raises(pulumi.RunError, match=said):
            deploy(program, parameters(*published), preview=preview)
    else:
        built = deploy(program, parameters(*published), preview=preview)
        spec = built.one(CLASS).inputs["spec"]
        assert spec["amiSelectorTerms"] == [{"alias": "al2023@v20260930"}]
