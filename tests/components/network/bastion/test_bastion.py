import json
import os
import re
import subprocess
from hashlib import sha256

import pulumi
import pulumi_aws as aws
import pytest
from pydantic import ValidationError

from components import versions
from components.location import Location
from components.network.bastion.bastion import Bastion, BastionArgs, kubectl_version, user_data
from components.network.bastion.config import BastionConfig, SshConfig
from tests.cluster_refs import cluster_ref

ACCOUNT = "111122223333"
LOCATION = Location(region="eu-west-1", account=ACCOUNT)
USER_DATA_LIMIT, TRIES = 16_384, 6
PINS = {"kubectl": versions.KUBECTL["1.35"], "helm": versions.HELM}
SCRIPT = user_data(region="eu-west-1", cluster="dev", **PINS)

WAY_OUT = "aws:ec2/internetGateway:InternetGateway"
INSTANCE = "aws:ec2/instance:Instance"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
ENTRY = "aws:eks/accessEntry:AccessEntry"
GRANT = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"

SSH = {"key_name": "ann", "cidr": "203.0.113.7/32"}


def bastion(location=LOCATION, **settings):
    way_out = aws.ec2.InternetGateway("way-out")
    args = BastionArgs(
        config=BastionConfig(**settings),
        cluster=cluster_ref(location=location),
        vpc_id="vpc-1",
        subnet_id="subnet-1",
        needs=[way_out],
    )
    return Bastion("it", args)


def by_session_manager():
    bastion()


def by_ssh():
    bastion(ssh=SSH)


def test_the_instance_is_small_encrypted_and_keeps_its_role_to_itself(once, account):
    built = once(by_session_manager, account)

    given = dict(built.one(INSTANCE).inputs)
    del given["userData"]
    assert given == {
        "ami": "ami-0123456789abcdef0",
        "instanceType": "t4g.micro",
        "subnetId": "subnet-1",
        "vpcSecurityGroupIds": ["it-id"],
        "associatePublicIpAddress": False,
        "iamInstanceProfile": "it",
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 1,
        },
        "rootBlockDevice": {"volumeSize": 8, "volumeType": "gp3", "encrypted": True},
        "userDataReplaceOnChange": True,
        "tags": {"Name": "dev-bastion"},
    }


@pytest.mark.feature("A2-09")
def test_without_ssh_no_port_is_open_and_there_is_neither_key_nor_public_address(once, account):
    built = once(by_session_manager, account)

    into_it = [r for r in built.every(INGRESS) if r.inputs["securityGroupId"] == "it-id"]
    assert into_it == []
    assert "ingress" not in built.one(GROUP).inputs
    assert "keyName" not in built.one(INSTANCE).inputs
    assert built.one(INSTANCE).inputs["associatePublicIpAddress"] is False
    assert {a.inputs["policyArn"] for a in built.every(ATTACHMENT)} == {
        "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
    }


@pytest.mark.feature("A2-09")
def test_ssh_is_open_to_one_range_alone_for_one_key_pair(once, account):
    built = once(by_ssh, account)

    assert built.one(INSTANCE).inputs["keyName"] == "ann"
    assert built.one(INSTANCE).inputs["associatePublicIpAddress"] is True
    into_it = [r.inputs for r in built.every(INGRESS) if r.inputs["securityGroupId"] == "it-id"]
    assert into_it == [
        {
            "securityGroupId": "it-id",
            "description": "SSH",
            "ipProtocol": "tcp",
            "fromPort": 22,
            "toPort": 22,
            "cidrIpv4": "203.0.113.7/32",
        }
    ]
    assert "ingress" not in built.one(GROUP).inputs
    # One way in, not two.
    assert built.every(ATTACHMENT) == []


@pytest.mark.feature("A2-09")
@pytest.mark.parametrize(
    ("cidr", "addresses"), [("0.0.0.0/0", 2**32), ("0.0.0.0/1", 2**31), ("128.0.0.0/7", 2**25)]
)
def test_ssh_for_the_whole_internet_is_refused_in_one_part_or_two(cidr, addresses):
    with pytest.raises(ValidationError) as refused:
        BastionConfig.model_validate({"ssh": {"keyName": "ann", "cidr": cidr}})

    assert [error["msg"] for error in refused.value.errors()] == [
        f"cidr: would open SSH to {addresses} addresses: give your own, 203.0.113.7/32 for example"
    ]


@pytest.mark.feature("A2-09")
@pytest.mark.parametrize("missing", ["key_name", "cidr"])
def test_ssh_has_a_key_pair_and_a_range(missing):
    with pytest.raises(ValidationError):
        SshConfig(**{key: value for key, value in SSH.items() if key != missing})


def test_another_architecture_is_refused():
    with pytest.raises(ValidationError) as refused:
        BastionConfig(instance_type="t3.micro")

    assert [error["msg"] for error in refused.value.errors()] == [
        "instanceType: is no Graviton type, and the image is for arm64: take one like t4g.micro"
    ]


@pytest.mark.parametrize("program", [by_session_manager, by_ssh])
def test_it_reaches_the_api_server_and_talks_https_alone(once, account, program):
    built = once(program, account)

    assert built.one(EGRESS).inputs == {
        "securityGroupId": "it-id",
        "description": "AWS, the Kubernetes API, kubectl and helm",
        "ipProtocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "cidrIpv4": "0.0.0.0/0",
    }
    assert built.named(INGRESS, "it-api").inputs == {
        "securityGroupId": "sg-cluster",
        "description": "The bastion to the Kubernetes API",
        "ipProtocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "referencedSecurityGroupId": "it-id",
    }
    # Its first minute needs them: the script runs once.
    for needed in (built.one(EGRESS), built.one(WAY_OUT)):
        assert built.waits_for(built.one(INSTANCE), needed)


@pytest.mark.feature("A2-10")
def test_its_rights_come_from_its_role_and_reach_one_cluster(once, account):
    built = once(by_session_manager, account)

    trust = json.loads(built.one(ROLE).inputs["assumeRolePolicy"])["Statement"]
    assert [s["Principal"] for s in trust] == [{"Service": "ec2.amazonaws.com"}]
    assert built.one(PROFILE).inputs["role"] == "it-role"
    assert built.one(INSTANCE).inputs["iamInstanceProfile"] == "it"
    assert json.loads(built.one(ROLE_POLICY).inputs["policy"])["Statement"] == [
        {
            "Sid": "FindTheCluster",
            "Effect": "Allow",
            "Action": "eks:DescribeCluster",
            "Resource": f"arn:aws:eks:eu-west-1:{ACCOUNT}:cluster/dev",
        }
    ]
    assert built.waits_for(built.one(INSTANCE), built.one(ROLE_POLICY))


@pytest.mark.feature("A2-10")
@pytest.mark.parametrize("program", [by_session_manager, by_ssh])
def test_no_key_token_or_password_is_among_all_that_is_declared(once, account, program):
    built = once(program, account)

    # Access keys by their prefix and length, and whatever calls itself a secret.
    secret = re.compile(
        r"\b(AKIA|ASIA)[A-Z0-9]{16}\b|aws_(access_key|secret|session)|secret_?access|password|"
        r"PRIVATE KEY|bearer|token:",
        re.IGNORECASE,
    )
    everything = json.dumps([declared.inputs for declared in built.declared])
    assert [found[0] for found in secret.finditer(everything)] == []
    assert not [d for d in built.declared if "accessKey" in d.request.type]
    fields = set(BastionConfig.model_fields) | set(SshConfig.model_fields)
    assert fields == {"instance_type", "ssh", "access", "key_name", "cidr"}


@pytest.mark.feature("A2-10")
@pytest.mark.parametrize(
    ("access", "policy"),
    [
        ("view", "AmazonEKSViewPolicy"),
        ("edit", "AmazonEKSEditPolicy"),
        ("admin", "AmazonEKSClusterAdminPolicy"),
    ],
)
def test_what_it_may_do_in_the_cluster_is_a_setting(deploy, account, access, policy):
    china = Location(region="cn-north-1", account=ACCOUNT)
    built = deploy(lambda: bastion(china, access=access), account)

    principal = f"arn:aws:iam::{ACCOUNT}:role/it-role"
    assert built.one(ENTRY).inputs == {"clusterName": "dev", "principalArn": principal}
    assert built.one(GRANT).inputs == {
        "clusterName": "dev",
        "principalArn": principal,
        "policyArn": f"arn:aws-cn:eks::aws:cluster-access-policy/{policy}",
        "accessScope": {"type": "cluster"},
    }


def test_unless_said_otherwise_it_may_only_look():
    assert BastionConfig().access == "view"


@pytest.mark.feature("A2-11")
def test_address_and_command_are_known_for_both_ways_in(once, account):
    assert once(by_ssh, account).outputs["it"] == {
        "address": "198.51.100.7",
        "command": "ssh -i ~/.ssh/ann.pem ec2-user@198.51.100.7",
    }
    assert once(by_session_manager, account).outputs["it"] == {
        "address": "10.0.0.7",
        "command": "aws ssm start-session --region eu-west-1 --target it-id",
    }


def test_a_preview_shows_what_an_update_makes(once, account):
    for program in (by_session_manager, by_ssh):
        preview, update = once(program, account, preview=True), once(program, account)
        assert preview.tree() == update.tree()


def test_the_instance_runs_the_script_for_its_cluster_which_fits(once, account):
    assert once(by_session_manager, account).one(INSTANCE).inputs["userData"] == SCRIPT
    assert "@" not in SCRIPT
    assert len(SCRIPT) < USER_DATA_LIMIT


def test_the_script_takes_every_value_from_its_arguments():
    text = user_data(region="cn-north-1", cluster="peking", kubectl="1.2.3", helm="4.5.6")

    assert "--region cn-north-1 --name peking " in text
    assert "https://dl.k8s.io/release/v1.2.3/bin/linux/arm64/kubectl kubectl" in text
    assert "https://get.helm.sh/helm-v4.5.6-linux-arm64.tar.gz helm.tar.gz" in text


@pytest.mark.feature("B-18")
@pytest.mark.parametrize("kubernetes", versions.EKS_ADDONS)
def test_each_minor_that_can_be_chosen_has_its_kubectl(kubernetes):
    assert kubectl_version(kubernetes).startswith(f"{kubernetes}.")


def test_a_minor_without_a_kubectl_is_told():
    with pytest.raises(pulumi.RunError, match=r"for Kubernetes 1\.29, only for 1\.33, .*1\.36: up"):
        kubectl_version("1.29")


@pytest.fixture
def started(tmp_path):
    """Runs the script with commands that only write down how they are called."""
    log, commands = tmp_path / "log", tmp_path / "commands"
    commands.mkdir()
    recorded = f'echo "$(basename "$0") $*" >>{log}'
    for command in ("install", "tar", "useradd", "aws", "chown", "chmod", "sleep", "id"):
        (commands / command).write_text(f"#!/bin/bash\n{recorded}\n")

    def run(checksum, failing=()):
        # `--output FILE URL` come last: a download is the file's own name.
        (commands / "curl").write_text(
            "#!/bin/bash\n"
            f"{recorded}\n"
            'case "${@: -1}" in\n'
            f'*.sha256) echo "{checksum}" >"${{@: -2:1}}" ;;\n'
            '*) echo content >"${@: -2:1}" ;;\n'
            "esac\n"
        )
        for command in failing:
            (commands / command).write_text(f"#!/bin/bash\n{recorded}\nexit 1\n")
        for command in commands.iterdir():
            command.chmod(0o755)
        path = os.pathsep.join([str(commands), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", SCRIPT],
            env={"PATH": path, "TMPDIR": str(tmp_path)},
            capture_output=True,
            timeout=30,
            check=False,
        )
        return done.returncode, log.read_text().splitlines()

    return run


USERS = ("ec2-user", "ssm-user")
RIGHT = sha256(b"content\n").hexdigest()


def test_the_script_installs_what_it_verified_and_writes_both_users_a_kubeconfig(started):
    status, log = started(RIGHT)

    assert status == 0
    loaded = [line.split()[-1] for line in log if line.startswith("curl")]
    kubectl = f"https://dl.k8s.io/release/v{versions.KUBECTL['1.35']}/bin/linux/arm64/kubectl"
    helm = f"https://get.helm.sh/helm-v{versions.HELM}-linux-arm64.tar.gz"
    assert loaded == [kubectl, f"{kubectl}.sha256", helm, f"{helm}.sha256"]
    safe = "curl --fail --silent --show-error --location --proto =https --tlsv1.2 --retry 10 "
    assert all(line.startswith(safe) for line in log if line.startswith("curl"))
    assert "install --mode 755 kubectl /usr/local/bin/kubectl" in log
    assert "install --mode 755 linux-arm64/helm /usr/local/bin/helm" in log
    configs = [line for line in log if line.startswith("aws")]
    assert configs == [
        "aws eks update-kubeconfig --region eu-west-1 --name dev "
        f"--kubeconfig /home/{user}/.kube/config"
        for user in USERS
    ]
    for user in USERS:
        # Nobody else reads it, and the user does.
        folder = f"--owner {user} --group {user} --mode 700 /home/{user}/.kube"
        assert f"install --directory {folder}" in log
        assert f"chown {user}:{user} /home/{user}/.kube/config" in log
        assert f"chmod 600 /home/{user}/.kube/config" in log


def test_the_script_stops_before_it_installs_something_else(started):
    status, log = started("0" * 64)

    assert status != 0
    assert [line for line in log if line.startswith("install")] == []


def test_the_script_tries_again_while_the_role_is_new_and_makes_a_missing_user(started):
    status, log = started(RIGHT, failing=("aws", "id"))

    assert status == 0
    # Six times for each of the two.
    assert len([line for line in log if line.startswith("aws")]) == 2 * TRIES
    assert "useradd --create-home ssm-user" in log
