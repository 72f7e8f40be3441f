import pytest

from rehearsal.bench.report import (
    Line,
    MarkerError,
    chains,
    path_lines,
    path_table,
    paths,
    replaced,
    table,
)

URN = "urn:pulumi:nodeless::frugal-eks::"


def exported():
    """A cluster, its profile and a release on it, as `pulumi stack export` prints them."""
    cluster, profile, release = (
        f"{URN}{kind}::{name}"
        for kind, name in (
            ("aws:eks/cluster:Cluster", "cluster"),
            ("aws:eks/fargateProfile:FargateProfile", "karpenter"),
            ("kubernetes:helm.sh/v3:Release", "karpenter"),
        )
    )
    rows = [
        {"urn": cluster, "dependencies": []},
        {
            "urn": profile,
            "dependencies": [cluster],
            "inputs": {"selectors": [{"namespace": "karpenter"}]},
        },
        {
            "urn": release,
            "dependencies": [profile],
            "inputs": {"chart": "karpenter", "namespace": "karpenter"},
        },
        {"urn": f"{URN}aws:new/thing:Thing::thing", "dependencies": []},
    ]
    for row in rows:
        row |= {"type": row["urn"].split("::")[2], "custom": True}
    return {"deployment": {"resources": rows}}


def test_a_chain_is_a_table_with_the_minutes_passed():
    found = paths(exported())

    assert path_table(found.create).splitlines() == [
        "| resource | seconds | minutes so far |",
        "| --- | ---: | ---: |",
        "| `eks:Cluster` cluster | 540 | 9.0 |",
        "| `eks:FargateProfile` karpenter | 120 | 11.0 |",
        "| `kubernetes:Release` karpenter | 80 | 12.3 |",
    ]


def test_chains_stand_beside_their_lower_bound_and_aim():
    create, everything, destroy, waves = path_lines(paths(exported()))

    assert create.measured == "12.3 min = 0.93 times the lower bound of 13.3"
    assert create.aim == "at most 1.03 times"
    assert everything.measured == "12.3 min"
    assert destroy.what.endswith("with 1 Fargate profile")
    assert destroy.measured == "4.4 min = 0.82 times the lower bound of 5.4"
    assert (destroy.aim, waves.aim) == ("at most 1.05 times", "")


def test_what_was_only_assumed_is_told():
    told = chains(paths(exported()))

    assert told.endswith("Types without an entry count 1 s each: `aws:new/thing:Thing`.")


def test_the_table_replaces_what_stood_between_the_markers():
    readme = "# Title\n\n<!-- bench -->\nold\n<!-- /bench -->\n\nmore\n"
    content = table([Line("preview", "1 s", "at most 2 s")])

    written = replaced(readme, content)

    assert written == (
        "# Title\n\n<!-- bench -->\n| what | measured | aim |\n| --- | --- | --- |\n"
        "| preview | 1 s | at most 2 s |\n<!-- /bench -->\n\nmore\n"
    )
    assert replaced(written, content) == written


@pytest.mark.parametrize(
    "readme", ["# Title\n", "<!-- bench -->\n", "<!-- /bench --><!-- bench -->"]
)
def test_a_file_without_markers_is_left_alone(readme):
    with pytest.raises(MarkerError, match=r"where the table shall stand$"):
        replaced(readme, "x")
