import pytest

from tests.rehearsal.aws.endpoint.conftest import refused


def update(aws, **changes):
    """The update that a change starts, as it ends."""
    started = aws.eks.update_cluster_config(name="demo", **changes)["update"]
    assert started["status"] == "InProgress"
    return aws.eks.describe_update(name="demo", updateId=started["id"])["update"]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (
            {"resourcesVpcConfig": {"publicAccessCidrs": ["203.0.113.0/24"]}},
            "EndpointAccessUpdate",
        ),
        (
            {"logging": {"clusterLogging": [{"types": ["api"], "enabled": True}]}},
            "LoggingUpdate",
        ),
        ({"upgradePolicy": {"supportType": "STANDARD"}}, "UpgradePolicyUpdate"),
        ({"deletionProtection": True}, "DeletionProtectionUpdate"),
    ],
)
def test_a_setting_is_changed_by_an_update_that_succeeds(aws, change, kind):
    aws.create_cluster()

    done = update(aws, **change)

    assert (done["type"], done["status"]) == (kind, "Successful")
    cluster = aws.eks.describe_cluster(name="demo")["cluster"]
    (key,) = change
    if key == "resourcesVpcConfig":
        assert cluster[key]["publicAccessCidrs"] == ["203.0.113.0/24"]
    elif key == "logging":
        assert {"types": ["api"], "enabled": True} in cluster[key]["clusterLogging"]
    else:
        assert cluster[key] == change[key]


def test_two_kinds_of_change_in_one_call_are_refused(aws):
    aws.create_cluster()

    problem = refused(
        lambda: update(aws, deletionProtection=True, upgradePolicy={"supportType": "STANDARD"})
    )

    assert problem.startswith("InvalidParameterException: Only one type of update can be allowed")


def test_a_change_that_changes_nothing_is_refused(aws):
    aws.create_cluster()

    assert refused(
        lambda: update(aws, resourcesVpcConfig={"endpointPublicAccess": True})
    ).startswith("InvalidParameterException: Cluster is already at the desired configuration")
    off = {"clusterLogging": [{"types": ["api"], "enabled": False}]}
    assert refused(lambda: update(aws, logging=off)).endswith("for the logging config provided")


def test_the_authentication_mode_has_no_way_back(aws):
    aws.create_cluster(accessConfig={"authenticationMode": "CONFIG_MAP"})

    update(aws, accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"})
    problem = refused(lambda: update(aws, accessConfig={"authenticationMode": "CONFIG_MAP"}))

    assert problem.endswith("update from API_AND_CONFIG_MAP to CONFIG_MAP")


def test_kubernetes_goes_up_one_minor_at_a_time(aws):
    aws.create_cluster(version="1.33")

    def to(version: str) -> None:
        aws.eks.update_cluster_version(name="demo", version=version)

    assert refused(lambda: to("1.35")).endswith(
        "Unsupported Kubernetes minor version update from 1.33 to 1.35"
    )
    assert refused(lambda: to("1.33")).endswith("already at the desired Kubernetes version: 1.33")
    assert refused(lambda: to("1.99")).endswith("unsupported Kubernetes version: 1.99")
    to("1.34")
    assert aws.eks.describe_cluster(name="demo")["cluster"]["version"] == "1.34"
    assert refused(lambda: to("1.33")).endswith("update from 1.34 to 1.33")


def test_a_control_plane_stays_in_the_zones_in_which_it_was_made(aws):
    spare = aws.subnet("10.20.9.0/24", "a")
    aws.create_cluster(resourcesVpcConfig={"subnetIds": aws.subnets[:2]})

    for subnets in (aws.subnets, aws.subnets[1:]):
        problem = refused(lambda ids=subnets: update(aws, resourcesVpcConfig={"subnetIds": ids}))
        assert "Provided subnets belong to the AZs" in problem
    moved = [spare, aws.subnets[1]]
    assert update(aws, resourcesVpcConfig={"subnetIds": moved})["status"] == "Successful"


@pytest.mark.behaviour("cluster-one-update-at-a-time")
def test_a_cluster_that_is_updating_takes_no_second_update_and_is_not_deleted(aws):
    aws.create_cluster(version="1.33")
    aws.eks_state.moment = 60
    aws.eks.update_cluster_config(name="demo", upgradePolicy={"supportType": "STANDARD"})

    busy = "because cluster demo currently has an update in progress"
    assert refused(lambda: update(aws, deletionProtection=True)) == (
        f"ResourceInUseException: Cannot UpdateClusterConfig {busy}"
    )
    assert refused(lambda: aws.eks.update_cluster_version(name="demo", version="1.34")) == (
        f"ResourceInUseException: Cannot UpdateClusterVersion {busy}"
    )
    assert refused(lambda: aws.eks.delete_cluster(name="demo")) == (
        f"ResourceInUseException: Cannot delete {busy}"
    )


def test_updates_are_listed_and_an_unknown_one_is_not_found(aws):
    aws.create_cluster()
    done = update(aws, deletionProtection=True)

    assert aws.eks.list_updates(name="demo")["updateIds"] == [done["id"]]
    assert refused(lambda: aws.eks.describe_update(name="demo", updateId="u")) == (
        "ResourceNotFoundException: No update found for ID: u"
    )


def test_tags_of_a_cluster_come_and_go(aws):
    arn = aws.create_cluster(tags={"a": "1"})["arn"]

    aws.eks.tag_resource(resourceArn=arn, tags={"b": "2"})
    aws.eks.untag_resource(resourceArn=arn, tagKeys=["a"])

    assert aws.eks.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    missing = arn.replace("demo", "none")
    assert refused(lambda: aws.eks.list_tags_for_resource(resourceArn=missing)).startswith(
        "NotFoundException"
    )
