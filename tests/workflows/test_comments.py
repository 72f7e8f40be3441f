"""The job that posts: a comment a stack, found again by its marker, from data nobody trusts."""

import io
import itertools
import zipfile

import pytest

from frugal_eks import cli
from frugal_eks.errors import CommandError
from frugal_eks.plans.pull_requests.comments import Run, post
from frugal_eks.plans.pull_requests.errors import PullRequestError
from frugal_eks.plans.pull_requests.reviews import LONGEST

SHA = "1234567890" * 4
MARKER = "<!-- frugal-eks review: frugal-eks/{} -->"
BOT = "github-actions[bot]"
IDS = itertools.count(1)
pytestmark = pytest.mark.feature("C-16")


def run(*, fork=False, succeeded=True, sha=SHA):
    owner = "stranger" if fork else "owner"
    return Run(
        repository="owner/platform",
        id="77",
        succeeded=succeeded,
        head_sha=sha,
        head_branch="change",
        head_owner=owner,
        head_repository=f"{owner}/platform",
    )


def pull(number=5, owner="owner", sha=SHA, state="open"):
    return {"number": number, "state": state, "head": {"label": f"{owner}:change", "sha": sha}}


def text(stack="spot", says="All is well."):
    return f"{MARKER.format(stack)}\n## {stack}\n\n{says}\n"


def zipped(files):
    told = io.BytesIO()
    with zipfile.ZipFile(told, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return told.getvalue()


def artifact(stack="spot", number=5, comment=None, name=None, archive=None):
    files = {"comment.md": comment or text(stack), "number": f"{number}\n"}
    content = zipped(files) if archive is None else archive
    return {
        "id": next(IDS),
        "name": name or f"review-{stack}",
        "size_in_bytes": len(content),
        "hex": content.hex(),
    }


def know(world, **known):
    world.write({**world.read(), **known})


def bodies(world, number=5):
    return [
        one["body"].replace("\r\n", "\n") for one in world.read()["comments"].get(str(number), [])
    ]


def test_each_stack_gets_a_comment_and_a_second_run_changes_nothing(world):
    know(world, pulls=[pull()], artifacts=[artifact("spot"), artifact("nodeless")])

    assert sorted(post(run())) == [
        f"#5 {MARKER.format('nodeless')}: posted",
        f"#5 {MARKER.format('spot')}: posted",
    ]
    assert sorted(bodies(world)) == sorted([text("nodeless").rstrip(), text("spot").rstrip()])
    before = world.writes

    assert {line.rpartition(": ")[2] for line in post(run())} == {"says that already"}
    assert world.writes == before


def test_a_later_preview_takes_the_place_of_the_earlier_one(world):
    strangers = {"id": 3, "user": {"login": "stranger"}, "body": text("spot", "Forged.")}
    plain = {"id": 4, "user": {"login": BOT}, "body": "Something else"}
    filler = [{"id": 1000 + n, "user": {"login": "someone"}, "body": None} for n in range(120)]
    ours = {"id": 9, "user": {"login": BOT}, "body": text("spot", "Old.").replace("\n", "\r\n")}
    know(world, pulls=[pull()], artifacts=[artifact("spot")])
    know(world, comments={"5": [strangers, plain, *filler, ours]})

    assert post(run()) == [f"#5 {MARKER.format('spot')}: updated"]
    assert world.writes == [["PATCH", "repos/owner/platform/issues/comments/9"]]
    found = bodies_by_id(world)
    assert found[9] == text("spot").rstrip()
    assert found[3] == strangers["body"]


def bodies_by_id(world):
    return {
        one["id"]: (one["body"] or "").replace("\r\n", "\n")
        for one in world.read()["comments"]["5"]
    }


def test_a_stack_that_is_not_touched_any_more_says_so(world):
    ours = {"id": 9, "user": {"login": BOT}, "body": text("spot")}
    know(world, pulls=[pull()], artifacts=[], comments={"5": [ours]})

    post(run())

    marker, sentence = bodies_by_id(world)[9].splitlines()
    assert marker == MARKER.format("spot")
    assert sentence == "The change as it is now does not touch this stack any more."


def test_a_run_that_failed_takes_no_earlier_comment_away(world):
    ours = {"id": 9, "user": {"login": BOT}, "body": text("nodeless")}
    know(world, pulls=[pull()], artifacts=[artifact("spot")], comments={"5": [ours]})

    assert post(run(succeeded=False)) == [f"#5 {MARKER.format('spot')}: posted"]
    assert bodies_by_id(world)[9] == text("nodeless")


def test_a_forks_comment_says_so_below_its_marker_and_calls_nobody(world):
    said = text("spot", "@owner/admins look, or mail a@b.c; `@x` and al2023@v20260930 stay")
    know(world, pulls=[pull(owner="stranger")], artifacts=[artifact("spot", comment=said)])

    post(run(fork=True))

    (body,) = bodies(world)
    first, second, *rest = body.splitlines()
    assert first == MARKER.format("spot")
    assert second.startswith("> This comment was written by code of a fork")
    assert "@\u200bowner/admins look, or mail a@b.c; `@x` and al2023@v20260930 stay" in rest


def test_a_forks_comment_of_full_length_is_cut_to_make_room_for_that(world):
    said = text("spot", "x" * (LONGEST - len(text("spot", ""))))
    assert len(said) == LONGEST
    know(world, pulls=[pull(owner="stranger")], artifacts=[artifact("spot", comment=said)])

    post(run(fork=True))

    (body,) = bodies(world)
    assert body.splitlines()[1].startswith("> This comment was written by code of a fork")
    assert body.endswith("(cut off here: the artifact of the run holds all of it)")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (artifact(number=6), "is meant for pull request 6, whose head this run is not of"),
        (artifact(number="5; rm -rf"), "number is no number of a pull request"),
        (artifact(number="\N{ARABIC-INDIC DIGIT FIVE}"), "number is no number of a pull request"),
        (artifact(comment="# Hello"), "comment.md does not begin with a marker of a review"),
        (artifact(comment=text().replace("-->", "--> x")), "does not begin with a marker"),
        (artifact(comment=text("a b")), "comment.md does not begin with a marker of a review"),
        (artifact(comment=text(says="x" * LONGEST)), "GitHub takes at most 65536 characters"),
        (artifact(comment=text(says="\N{TURTLE}" * 32_800)), "takes at most 65536 characters"),
        (artifact(comment=text(says="x" * 300_000)), "comment.md has more than 262144 bytes"),
        (artifact(comment=b"\xff\xfe" * 9), "comment.md is no UTF-8 text"),
        (artifact(archive=zipped({"number": "5"})), "has no comment.md"),
        (artifact(archive=zipped({"comment.md": text()})), "has no number"),
        (artifact(archive=b"PK\x03\x04"), "is no whole zip file"),
        (artifact(archive=b"x" * 1_000_001), "is larger than 1000000 bytes"),
    ],
)
def test_an_artifact_that_is_no_comment_is_refused_and_the_others_are_posted(world, found, message):
    know(world, pulls=[pull()], artifacts=[found, artifact("nodeless")])

    with pytest.raises(PullRequestError, match=message):
        post(run())

    assert bodies(world) == [text("nodeless").rstrip()]


def test_an_artifact_with_another_name_is_not_even_fetched(world):
    know(
        world,
        pulls=[pull()],
        artifacts=[artifact(name="../review-spot"), artifact(name="plan-spot")],
    )

    assert post(run()) == []
    assert [call[1] for call in world.read()["calls"] if call[1].endswith("zip")] == []


@pytest.mark.parametrize(
    "pulls",
    [
        [],
        [pull(sha="f" * 40)],
        [pull(state="closed")],
        [pull(owner="stranger")],
    ],
    ids=["none", "a newer push", "closed", "of another owner"],
)
def test_a_run_that_is_no_open_pull_requests_head_posts_nothing(world, pulls):
    know(world, pulls=pulls, artifacts=[artifact("spot")])

    assert post(run()) == [f"no open pull request has {SHA} as its head: nothing to post"]
    assert world.writes == []


def test_too_many_comments_are_refused(world):
    know(world, pulls=[pull()], artifacts=[artifact(f"s{n}") for n in range(51)])

    with pytest.raises(PullRequestError, match="the run left 51 comments, more than 50"):
        post(run())

    assert world.writes == []


def test_the_command_takes_the_run_from_its_environment(world, monkeypatch, capsys):
    know(world, pulls=[pull()], artifacts=[artifact("spot")])
    event = {"GITHUB_REPOSITORY": "owner/platform", "RUN_ID": "77", "RUN_CONCLUSION": "success"}
    event |= {"HEAD_SHA": SHA, "HEAD_BRANCH": "change", "HEAD_OWNER": "owner"}
    for name, value in event.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HEAD_REPOSITORY", raising=False)

    assert cli.main(["pull-request", "post"]) == CommandError.code
    assert "'HEAD_REPOSITORY' is not set" in capsys.readouterr().err

    monkeypatch.setenv("HEAD_REPOSITORY", "owner/platform")
    assert cli.main(["pull-request", "post"]) == 0
    assert capsys.readouterr().out == f"#5 {MARKER.format('spot')}: posted\n"

    know(world, down=True)
    assert cli.main(["pull-request", "post"]) == CommandError.code
    assert "connection refused" in capsys.readouterr().err
