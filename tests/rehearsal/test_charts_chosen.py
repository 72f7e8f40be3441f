"""Which charts a rehearsal takes: stand-ins, placeholders, or upstream's."""

import io

import pytest
import yaml
from rich.console import Console

from frugal_eks import cli
from rehearsal import charts
from rehearsal.charts.placeholders import Placeholder, placeholders
from rehearsal.commands import Options, Rehearsal

RELEASES = {
    "podinfo": {"chart": "podinfo", "repository": "https://example.com", "version": "6.9.0"},
    "other": {"chart": "oci://registry.example.com/charts/other", "version": "v1.2.3"},
    "own": {"chart": "./charts/own", "version": "0.1.0"},
    "absolute": {"chart": "/charts/own", "version": "0.1.0"},
    "unfinished": {"repository": "https://example.com"},
    "wrong": "podinfo",
}


def test_releases_of_the_users_own_get_placeholders_but_not_those_with_a_folder():
    assert placeholders(RELEASES) == [
        Placeholder("podinfo", "podinfo", "6.9.0"),
        Placeholder("other", "other", "v1.2.3"),
    ]
    assert placeholders(None) == placeholders([]) == []


def test_a_stand_in_is_used_by_a_release_of_the_users_own_too(tmp_path):
    second = Placeholder("second", "external-dns", "1.21.1")
    mine = Placeholder("mine", "podinfo", "6.9.0")

    assert charts.assemble(tmp_path, [second, mine]) == [mine]

    assert (tmp_path / "external-dns" / "templates" / "deployment.yaml").exists()


@pytest.mark.engine
def test_a_placeholder_takes_any_values_and_keeps_them(render, tmp_path):
    charts.assemble(tmp_path, placeholders(RELEASES))
    values = {"ui": {"color": "#34577c"}, "replicaCount": 2}

    objects = render("podinfo", values, folder=tmp_path)

    ((key, one),) = objects.items()
    assert key == ("ConfigMap", "podinfo")
    assert yaml.safe_load(one["data"]["values.yaml"]) == values
    assert render("other", {}, folder=tmp_path).keys() == {("ConfigMap", "other")}


@pytest.fixture
def rehearsal(tmp_path):
    """With a release of the user's own; charts as the option says. And what it prints."""
    file = tmp_path / "Pulumi.try.yaml"
    releases = {"frugal-eks:extraReleases": {"mine": RELEASES["podinfo"]}}
    file.write_text(yaml.safe_dump({"config": releases}))
    printed = io.StringIO()

    def choose(option):
        chosen = Options(state=tmp_path, stack="try", stack_file=file, charts=option)
        return Rehearsal(chosen, Console(file=printed, width=200))

    return choose, printed


@pytest.mark.parametrize("option", ["auto", "stand-in"])
def test_stand_ins_are_laid_and_say_which_release_is_not_rehearsed(rehearsal, option):
    choose, printed = rehearsal
    started = choose(option)

    started._lay_charts()

    assert printed.getvalue() == "extraReleases.mine: a placeholder stands in for its chart.\n"
    assert (started.state.charts / "podinfo" / "Chart.yaml").exists()
    assert started._own_settings() == {"frugal-eks:chartMirror": str(started.state.charts)}


def test_real_charts_come_from_where_the_stack_file_says(rehearsal):
    choose, printed = rehearsal
    started = choose("real")

    started._lay_charts()

    assert started._own_settings() == {}
    assert not started.state.charts.exists()
    assert printed.getvalue() == ""


def test_the_command_line_hands_the_choice_on(monkeypatch, tmp_path):
    chosen = []
    monkeypatch.setattr(Rehearsal, "nodes", lambda self: chosen.append(self.options.charts))
    state = ["--state", str(tmp_path)]

    for option in ([], ["--charts", "real"]):
        assert cli.main(["rehearse", "nodes", *state, *option]) == 0

    assert chosen == ["auto", "real"]
