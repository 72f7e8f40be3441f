import re

import pulumi
import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

import stack_config
from components.addons import user_values
from components.addons.node_termination_handler.config import ImdsHandlerConfig, QueueHandlerConfig
from tests.components.addons.programs import CHARTS

RELEASE = "kubernetes:helm.sh/v3:Release"
CONFIGS = {each.section: each.minimal for each in CHARTS}
CHART = "metrics-server"
# Keys of a chart in the shipped stack file, by the add-on's key there.
IN_THE_STACK = {
    "awsLoadBalancerController": ("aws-load-balancer-controller", {"logLevel": "debug"}),
    "externalDns": ("external-dns", {"logLevel": "debug"}),
    "kubeOpsView": ("kube-ops-view", {"podAnnotations": {"a": "b"}}),
    "metricsServer": ("metrics-server", {"args": ["--v=4"], "replicas": 2}),
}


@pytest.fixture
def file(tmp_path):
    """Writes a values file, and tells its path."""

    def write(text):
        path = tmp_path / "values.yaml"
        path.write_text(text if isinstance(text, str) else yaml.safe_dump(text))
        return str(path)

    return write


def problems(path, chart=CHART, **reserved):
    return list(user_values.problems(path, chart, reserved))


@pytest.mark.feature("A4-18")
@pytest.mark.parametrize("config", CONFIGS)
def test_a_key_that_the_chart_does_not_have_is_a_mistake_of_the_stack_file(config, file):
    path = file({"replicaz": 2})

    with pytest.raises(ValidationError) as error:
        TypeAdapter(config).validate_python({**CONFIGS[config], "valuesFile": path})
    (told,) = error.value.errors()
    (mistake,) = told["ctx"]["mistakes"]
    assert told["loc"] == ("valuesFile",)
    assert mistake.value == path
    assert mistake.problem.startswith(f"replicaz is no value of the chart {config.CHART_NAME}: ")


@pytest.mark.feature("A4-18")
@pytest.mark.parametrize("config", CONFIGS)
def test_a_key_that_the_chart_has_is_none(config, file):
    key, value = next(
        (key, value)
        for key, value in user_values.of_chart(config.CHART_NAME).items()
        if isinstance(value, bool | int | str)
    )

    path = file({key: value})
    made = TypeAdapter(config).validate_python({**CONFIGS[config], "valuesFile": path})
    assert made.values_file == path


@pytest.mark.feature("A4-18")
def test_a_key_is_found_at_any_depth_and_its_likeness_is_named(file):
    assert problems(file({"serviceMonitor": {"intervall": "1m"}, "xyz": 1})) == [
        "serviceMonitor.intervall is no value of the chart metrics-server: did you mean "
        "serviceMonitor.interval?",
        "xyz is no value of the chart metrics-server: correct or drop it",
    ]


@pytest.mark.feature("A4-18")
@pytest.mark.parametrize(
    "values",
    [
        # Of a Kubernetes type that the chart has a default for: any field of it.
        {"resources": {"limits": {"cpu": 1}}, "livenessProbe": {"grpc": {"port": 1}}},
        # What the chart leaves empty takes all.
        {"podAnnotations": {"a": "b"}, "commonLabels": {"c": "d"}},
        {"args": ["--v=4"], "revisionHistoryLimit": 3},
        {},
    ],
)
def test_a_key_that_the_chart_leaves_open_is_none(file, values):
    assert problems(file(values)) == []


@pytest.mark.feature("A4-18")
def test_a_null_is_refused_at_any_depth_since_pulumi_would_drop_it(file):
    dropped = "is null, which would be dropped: write out what it shall be, or drop it"

    assert problems(file("replicas:\nresources: {limits: {cpu: null}}\nxyz:\n")) == [
        f"replicas {dropped}",
        f"resources.limits.cpu {dropped}",
        f"xyz {dropped}",
    ]


@pytest.mark.feature("A4-18")
def test_a_mapping_of_the_chart_is_one_of_the_user(file):
    assert problems(file({"image": "example.com/x"})) == [
        "image is a mapping in the chart metrics-server: write it as keys with values"
    ]


@pytest.mark.feature("A4-18")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "holds no values: write it as keys with values, as in "),
        ("", "holds no values: write it as keys with values, as in "),
        ("a: [", "is no YAML (while parsing a flow node expected the node content, but found"),
        ("a: !!python/name:os.system\n", "is no YAML (could not determine a constructor for"),
    ],
)
def test_a_file_that_holds_no_values_is_refused(file, text, problem):
    (told,) = problems(file(text))

    assert told.startswith(problem)


@pytest.mark.feature("A4-18")
def test_a_file_is_looked_for_in_the_project_and_refused_if_it_is_not_there(tmp_path, monkeypatch):
    remedy = "correct the path, which starts at the project"

    missing = f"cannot be read (No such file or directory): {remedy}"
    assert problems(str(tmp_path / "values.yaml")) == problems("values.yaml") == [missing]
    assert problems(str(tmp_path)) == [f"cannot be read (Is a directory): {remedy}"]
    monkeypatch.chdir(tmp_path)
    of_project = "components/addons/external_dns/values.yaml"
    assert user_values.read(of_project) == user_values.of_chart("external-dns")


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "values.yaml"
    path.write_bytes(b"a: \xff\xfe")

    (told,) = problems(str(path))
    assert told.startswith("is no YAML (")


@pytest.mark.feature("A4-16", "A4-07", "C-19")
@pytest.mark.parametrize(
    ("config", "key", "problem"),
    [
        (ImdsHandlerConfig, "affinity", "would replace the rule that keeps off Fargate"),
        (ImdsHandlerConfig, "linuxAffinity", "would replace the rule that keeps off Fargate"),
        (ImdsHandlerConfig, "daemonsetAffinity", "would replace the rule that keeps off Farg"),
        (ImdsHandlerConfig, "enableSqsTerminationDraining", "is what mode says: drop it"),
        (QueueHandlerConfig, "enableSqsTerminationDraining", "is what mode says: drop it"),
        (QueueHandlerConfig, "queueURL", "is this cluster's queue, and of another each reader"),
        (QueueHandlerConfig, "managedTag", "is on the groups' instances, whose key is the clu"),
    ],
)
def test_what_keeps_the_handler_right_is_not_the_file_s(config, key, problem, file):
    value = {} if "ffinity" in key else "true"

    section = {**CONFIGS[config], "valuesFile": file({key: value})}
    with pytest.raises(ValidationError, match=re.escape(f"{key} {problem}")):
        TypeAdapter(config).validate_python(section)


@pytest.mark.feature("A4-18")
def test_what_the_user_says_wins_and_the_rest_stays():
    ours = {"a": {"b": 1, "c": [1, 2], "d": {"e": 1}}, "f": 1, "g": {"h": 1}}
    users = {"a": {"b": 2, "c": [3], "d": {"x": 1}}, "g": 2, "i": {"j": 1}}

    assert user_values.merged(ours, users) == {
        "a": {"b": 2, "c": [3], "d": {"e": 1, "x": 1}},
        "f": 1,
        "g": 2,
        "i": {"j": 1},
    }
    assert ours == {"a": {"b": 1, "c": [1, 2], "d": {"e": 1}}, "f": 1, "g": {"h": 1}}


def test_what_is_not_known_yet_is_replaced_whole(deploy):
    def program():
        ours = {"a": pulumi.Output.from_input({"b": 1}), "c": pulumi.Output.from_input(1)}
        merged = user_values.merged(ours, {"a": {"x": 1}})
        assert merged["a"] == {"x": 1}
        assert merged["c"] is ours["c"]

    deploy(program)


@pytest.mark.feature("A4-18")
def test_each_add_on_of_a_stack_installs_its_chart_with_the_user_s_values(
    platform, stack_file, tmp_path
):
    addons = stack_file("nodeless")["frugal-eks:addons"]
    for key, (chart, values) in IN_THE_STACK.items():
        path = tmp_path / f"{chart}.yaml"
        path.write_text(yaml.safe_dump(values))
        addons[key] = {**addons[key], "valuesFile": str(path)}

    plain, built = platform(), platform({"addons": addons})

    for chart, values in IN_THE_STACK.values():
        given = built.named(RELEASE, chart).inputs["values"]
        ours = plain.named(RELEASE, chart).inputs["values"]
        assert given == user_values.merged(ours, values) != ours


@pytest.mark.feature("A4-18")
def test_a_mistake_of_the_file_is_told_with_the_key_that_names_it(stack_file, file):
    path = file({"replicaz": 2, "image": {"tag": None}})
    shipped = {k.removeprefix("frugal-eks:"): v for k, v in stack_file("nodeless").items()}
    addons = {"metricsServer": {"valuesFile": path}}

    told = stack_config.parsed(shipped | {"addons": addons})

    dropped = "is null, which would be dropped: write out what it shall be, or drop it"
    assert [(mistake.path, mistake.problem, mistake.value) for mistake in told] == [
        ("addons.metricsServer.valuesFile", f"image.tag {dropped}", path),
        (
            "addons.metricsServer.valuesFile",
            "replicaz is no value of the chart metrics-server: did you mean replicas?",
            path,
        ),
    ]


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        ("aws-efs-csi-driver", {"node": {"volumeAttachLimit": 20}}),
        ("aws-efs-csi-driver", {"controller": {"podDisruptionBudget": {"maxUnavailable": 1}}}),
        ("aws-load-balancer-controller", {"envFrom": [{"secretRef": {"name": "proxy"}}]}),
        ("aws-load-balancer-controller", {"autoscaling": {"autoscaleBehavior": {}}}),
        ("cluster-autoscaler", {"podDisruptionBudget": {"minAvailable": 1}}),
        ("cluster-autoscaler", {"extraArgs": {"scan-interval": "20s"}}),
        ("cluster-autoscaler", {"serviceMonitor": {"selector": {"team": "a"}}}),
        ("metrics-server", {"additionalAnnotations": {"a": "b"}}),
    ],
)
def test_a_key_that_only_the_templates_read_is_taken(file, chart, values):
    assert list(user_values.problems(file(values), chart, {})) == []


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        ("aws-efs-csi-driver", {"node": {"volumeAttachLimits": 20}}),
        ("metrics-server", {"hostUsers": False}),
        ("metrics-server", {"namespaceOverride": "elsewhere"}),
    ],
)
def test_a_key_that_no_template_of_the_pinned_version_reads_is_refused(file, chart, values):
    (problem,) = user_values.problems(file(values), chart, {})
    assert f"is no value of the chart {chart}" in problem
