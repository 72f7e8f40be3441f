"""What the played controllers read, and which load balancer they decide on."""

import pytest
from lightkube.models import core_v1, networking_v1
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Service
from lightkube.resources.networking_v1 import Ingress, IngressClass

from rehearsal.controllers import ingress_model, rights, service_model, subnets
from rehearsal.controllers.arguments import Arguments, ArgumentsError
from rehearsal.controllers.balancers import permissions
from rehearsal.controllers.balancers_now import waiting
from rehearsal.controllers.model import ModelError, Settings

HOST = "k8s-apps-web-1.eu-west-1.elb.amazonaws.com"
NLB = "service.beta.kubernetes.io/aws-load-balancer-"
ALB = "alb.ingress.kubernetes.io/"
LONGEST = 32
"""Characters that Elastic Load Balancing allows in a name."""
INTERNAL_TAG = "kubernetes.io/role/internal-elb"

SETTINGS = Settings(cluster="dev", vpc_id="vpc-1", target_type="instance", tags={})


def test_options_are_read_as_they_are_written():
    arguments = Arguments(["--source=a", "--source=b", "--policy=sync", "--events", "--no-cache"])

    assert arguments.all("source") == ["a", "b"]
    assert arguments.text("source") == "b"
    assert arguments.text("absent", "default") == "default"
    assert [arguments.on(one) for one in ("events", "policy", "cache")] == [True, False, False]


def test_options_that_are_missing_or_strange_are_told():
    arguments = Arguments(["--cluster-name=", "--interval=soon", "--no-cache", "--other=1"])

    with pytest.raises(ArgumentsError, match=r"^--cluster-name must be given$"):
        arguments.needed("cluster-name")
    with pytest.raises(ArgumentsError, match=r"^--interval=soon is no duration such as 1m30s$"):
        arguments.seconds("interval", 1)
    with pytest.raises(ArgumentsError, match=r"^--other is not played by the rehearsal$"):
        arguments.require_known({"cluster-name", "interval", "cache"})
    with pytest.raises(ArgumentsError, match="'sync' is no option"):
        Arguments(["sync"])


def test_a_duration_is_seconds():
    given, absent = Arguments(["--interval=1m30s"]), Arguments([])

    assert [one.seconds("interval", 60) for one in (given, absent)] == [90, 60]


def subnet(name, zone="a", free=200, **tags):
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    return {
        "SubnetId": name,
        "AvailabilityZone": f"eu-west-1{zone}",
        "AvailableIpAddressCount": free,
        "Tags": listed,
    }


def internal(name, zone="a", **fields):
    return subnet(name, zone, **{INTERNAL_TAG: "1"}, **fields)


def discovered(listed, scheme="internal", kind="network"):
    return subnets.discovered(listed, scheme=scheme, cluster="dev", kind=kind)


def test_subnets_are_found_by_the_tag_of_the_scheme():
    public = subnet("public", **{"kubernetes.io/role/elb": "1"})
    listed = [public, internal("private"), subnet("plain", "b"), internal("other", "b")]

    assert discovered(listed) == ["other", "private"]
    assert discovered(listed, scheme="internet-facing") == ["public"]


def test_of_two_subnets_in_a_zone_the_one_of_the_cluster_is_taken_then_the_lower_id():
    shared = {"kubernetes.io/cluster/dev": "shared"}

    assert discovered([internal("a"), internal("b")]) == ["a"]
    assert discovered([internal("a"), internal("b", **shared)]) == ["b"]


def test_a_subnet_tagged_only_for_another_cluster_is_nobody_elses():
    foreign = {"kubernetes.io/cluster/prod": "owned"}
    both = foreign | {"kubernetes.io/cluster/dev": "shared"}

    assert discovered([internal("a", **both)]) == ["a"]
    with pytest.raises(ModelError) as failure:
        discovered([internal("a", **foreign), internal("b", free=7)])
    assert str(failure.value) == (
        "unable to resolve at least one subnet. Evaluated 2 subnets: 1 are tagged for other "
        "clusters, and 1 have insufficient available IP addresses"
    )


def test_without_the_tag_there_is_no_subnet():
    with pytest.raises(ModelError, match=r"none of the VPC's 1 has the tag kubernetes.io/role/elb"):
        discovered([internal("a")], scheme="internet-facing")


def test_an_application_balancer_needs_two_zones():
    assert discovered([internal("a"), internal("b", "b")], kind="application") == ["a", "b"]
    with pytest.raises(ModelError, match="minimal required count: 1 < 2"):
        discovered([internal("a"), internal("b")], kind="application")


def test_subnets_may_be_named_by_id_or_name_tag():
    listed = [subnet("a"), subnet("b", Name="second")]

    assert subnets.named(listed, ["second", "a"], "network") == ["b", "a"]
    with pytest.raises(ModelError, match=r"^couldn't find all subnets: third is not in the VPC$"):
        subnets.named(listed, ["third"], "network")


def service(annotations=None, kind="LoadBalancer", hostname=None, name="web", **fields):
    port = core_v1.ServicePort(port=80, targetPort=8080, nodePort=30080)
    entries = [core_v1.LoadBalancerIngress(hostname=hostname)] if hostname else []
    balancer = core_v1.LoadBalancerStatus(ingress=entries)
    return Service(
        metadata=ObjectMeta(name=name, namespace="apps", uid=name, annotations=annotations),
        spec=core_v1.ServiceSpec(type=kind, **{"ports": [port]} | fields),
        status=core_v1.ServiceStatus(loadBalancer=balancer),
    )


@pytest.mark.parametrize(
    ("ours", "asked"),
    [
        (True, service(loadBalancerClass="service.k8s.aws/nlb")),
        (True, service({f"{NLB}type": "external"})),
        (True, service({f"{NLB}type": "nlb-ip"})),
        (False, service()),
        (False, service({f"{NLB}type": "nlb"})),
        (False, service({f"{NLB}type": "external"}, loadBalancerClass="other")),
        (False, service({f"{NLB}type": "external"}, kind="ClusterIP")),
    ],
)
def test_a_service_chooses_the_controller_by_class_or_annotation(ours, asked):
    assert service_model.is_ours(asked, Arguments([])) is ours


def test_the_class_is_the_one_the_controller_was_started_with():
    asked = service(loadBalancerClass="mine")

    assert service_model.is_ours(asked, Arguments(["--load-balancer-class=mine"]))


def test_a_service_becomes_an_internal_network_balancer():
    made = service_model.model(service(), SETTINGS)

    assert (made.kind, made.scheme, made.target_type) == ("network", "internal", "instance")
    assert [(one.port, one.target_port) for one in made.listeners] == [(80, 30080)]
    assert made.sources == ("0.0.0.0/0",)


def test_annotations_change_the_balancer_of_a_service():
    annotations = {
        f"{NLB}scheme": "internet-facing",
        f"{NLB}nlb-target-type": "ip",
        f"{NLB}subnets": "one, two",
    }
    asked = service(annotations, loadBalancerSourceRanges=["192.0.2.0/24"])
    made = service_model.model(asked, SETTINGS)

    assert (made.scheme, made.target_type) == ("internet-facing", "ip")
    assert [(one.port, one.target_port) for one in made.listeners] == [(80, 8080)]
    assert made.subnets == ("one", "two")
    assert permissions(made) == [
        {
            "IpProtocol": "tcp",
            "FromPort": 80,
            "ToPort": 80,
            "IpRanges": [{"CidrIp": "192.0.2.0/24"}],
        }
    ]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (service({f"{NLB}scheme": "public"}), "scheme must be internal or internet-facing"),
        (service({f"{NLB}nlb-target-type": "pod"}), "nlb-target-type must be ip or instance"),
        (service(ports=[core_v1.ServicePort(port=80)]), "port 80 has no node port"),
    ],
)
def test_a_service_that_the_controller_refuses_says_why(asked, why):
    with pytest.raises(ModelError, match=why):
        service_model.model(asked, SETTINGS)


def test_names_differ_by_cluster_and_object_and_fit_into_32_characters():
    owner = service_model.model(service(name="a-very-long-name"), SETTINGS).owner
    other = service_model.model(service(name="a-very-long-name-2"), SETTINGS).owner
    names = [owner.physical("dev"), owner.physical("prod"), other.physical("dev")]

    assert len(set(names)) == len(names)
    assert {name[:-10] for name in names} == {"k8s-apps-averylon-"}
    assert max(len(name) for name in names) <= LONGEST


def ingress(annotations=None, class_name="alb", port=80, hostname=None, **fields):
    number = networking_v1.ServiceBackendPort(number=port)
    backend = networking_v1.IngressBackend(
        service=networking_v1.IngressServiceBackend(name="web", port=number)
    )
    entries = [networking_v1.IngressLoadBalancerIngress(hostname=hostname)] if hostname else []
    balancer = networking_v1.IngressLoadBalancerStatus(ingress=entries)
    return Ingress(
        metadata=ObjectMeta(name="page", namespace="apps", uid="page", annotations=annotations),
        spec=networking_v1.IngressSpec(
            ingressClassName=class_name, defaultBackend=backend, **fields
        ),
        status=networking_v1.IngressStatus(loadBalancer=balancer),
    )


def model_of(asked, backing=None):
    backing = backing or service(kind="NodePort")
    return ingress_model.model(asked, {("apps", "web"): backing}, SETTINGS)


def test_an_ingress_belongs_to_the_class_of_the_controller():
    classes = ingress_model.our_classes(
        [
            IngressClass(
                metadata=ObjectMeta(name=name), spec=networking_v1.IngressClassSpec(controller=of)
            )
            for name, of in (("alb", "ingress.k8s.aws/alb"), ("nginx", "k8s.io/ingress-nginx"))
        ]
    )
    old = "kubernetes.io/ingress.class"
    asked = [
        ingress(),
        ingress(class_name="nginx"),
        ingress({old: "alb"}, None),
        ingress({old: "x"}),
    ]

    assert classes == {"alb"}
    assert [ingress_model.is_ours(one, classes, Arguments([])) for one in asked] == [
        True,
        False,
        True,
        False,
    ]


def test_an_ingress_becomes_an_application_balancer():
    made = model_of(ingress())

    assert (made.kind, made.scheme, made.target_type) == ("application", "internal", "instance")
    assert [(one.protocol, one.port, one.target_port) for one in made.listeners] == [
        ("HTTP", 80, 30080)
    ]


def test_a_certificate_makes_the_listener_https():
    certificate = "arn:aws:acm:eu-west-1:111122223333:certificate/1"
    made = model_of(ingress({f"{ALB}certificate-arn": certificate, f"{ALB}target-type": "ip"}))

    assert [(one.protocol, one.port, one.target_port) for one in made.listeners] == [
        ("HTTPS", 443, 8080)
    ]
    assert made.listeners[0].certificates == (certificate,)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (ingress({f"{ALB}group.name": "shared"}), "group.name is not played"),
        (ingress({f"{ALB}listen-ports": "80"}), "listen-ports must look like"),
        (ingress({f"{ALB}listen-ports": '[{"HTTPS": 443}]'}), "needs alb.ingress.*certificate-arn"),
        (ingress(port=81), "unable to find port 81 on service apps/web"),
    ],
)
def test_an_ingress_that_the_controller_refuses_says_why(asked, why):
    with pytest.raises(ModelError, match=why):
        model_of(asked)


def test_instances_are_reached_only_through_node_ports():
    with pytest.raises(ModelError, match=r"'NodePort' or 'LoadBalancer': apps/web"):
        model_of(ingress(), service(kind="ClusterIP"))
    with pytest.raises(ModelError, match='Service "web" not found'):
        ingress_model.model(ingress(), {}, SETTINGS)


class FakeIam:
    """One role with one inline and one attached policy."""

    def __init__(self, inline, attached):
        self.inline, self.attached = inline, attached

    def list_role_policies(self, **_):
        return {"PolicyNames": ["inline"]}

    def get_role_policy(self, **_):
        return {"PolicyDocument": {"Statement": self.inline}}

    def list_attached_role_policies(self, **_):
        return {"AttachedPolicies": [{"PolicyArn": "arn:policy"}]}

    def get_policy(self, **_):
        return {"Policy": {"DefaultVersionId": "v1"}}

    def get_policy_version(self, **_):
        return {"PolicyVersion": {"Document": {"Statement": self.attached}}}


def allow(action, resource="*", **more):
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def test_a_role_may_do_what_a_policy_allows_and_none_denies():
    zone_arn = "arn:aws:route53:::hostedzone/Z1"
    denied = {"Effect": "Deny", "Action": "ec2:DeleteVpc", "Resource": "*"}
    perhaps = denied | {"Action": "ec2:CreateVpc", "Condition": {"Bool": {"a": "b"}}}
    inline = [allow(["ec2:*", "route53:List*"]), denied, perhaps]
    iam = FakeIam(inline, allow("route53:ChangeResourceRecordSets", [zone_arn]))
    policies = rights.Policies(iam, "arn:aws:iam::111122223333:role/lbc")

    assert policies.refusal("ec2:DescribeSubnets") is None
    assert policies.refusal("ec2:CreateVpc") is None
    assert policies.refusal("route53:ChangeResourceRecordSets", zone_arn) is None
    assert policies.refusal("route53:ChangeResourceRecordSets", f"{zone_arn}2").endswith(
        "on resource: arn:aws:route53:::hostedzone/Z12 because no identity-based policy allows "
        "the route53:ChangeResourceRecordSets action"
    )
    assert "explicit deny" in policies.refusal("ec2:DeleteVpc")
    assert "not authorized to perform: iam:GetRole" in policies.refusal("iam:GetRole")


class FakeCluster:
    """Lists by the last word of their path."""

    def __init__(self, **lists):
        self.lists = lists

    def items(self, path):
        return self.lists.get(path.rpartition("/")[2], [])


def thing(name, spec, hostname=None):
    ingress = [{"hostname": hostname}] if hostname else []
    return {
        "metadata": {"name": name, "namespace": "apps", "uid": name},
        "spec": spec,
        "status": {"loadBalancer": {"ingress": ingress} if ingress else {}},
    }


def test_who_has_no_address_is_named_with_what_was_said_about_it():
    asking = {"type": "LoadBalancer", "loadBalancerClass": "service.k8s.aws/nlb"}
    cluster = FakeCluster(
        services=[
            thing("served", asking, HOST),
            thing("failing", asking),
            thing("bare", {"type": "LoadBalancer"}),
            thing("inner", {"type": "ClusterIP"}),
        ],
        ingresses=[thing("page", {"ingressClassName": "alb"})],
        events=[{"involvedObject": {"uid": "failing"}, "message": "no subnets"}],
    )

    assert waiting(cluster) == [
        "Service apps/failing: no subnets",
        "Service apps/bare: it has no loadBalancerClass, so no controller takes it on",
        "Ingress apps/page: nothing was said about it; its ingressClassName is alb",
    ]
