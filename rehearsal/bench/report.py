"""The table of docs/figures.md: measured times, their aims, and the longest chains on AWS."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rehearsal.bench import critical_path
from rehearsal.bench.critical_path import PathStep
from rehearsal.bench.durations import Durations

NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


class MarkerError(ValueError):
    """Why the file has no place for the table; the message says what to write into it."""


class Line(NamedTuple):
    """A row of the table; the aim is empty if there is none."""

    what: str
    measured: str
    aim: str = ""


class Paths(NamedTuple):
    """Longest chains of a stack, with the seconds that AWS takes.

    `first_pod` ends where the first pod runs on a node of Karpenter's, `create` where all is done;
    `destroy` is what the edges allow, `destroy_in_waves` how the engine does it.
    """

    first_pod: list[PathStep]
    create: list[PathStep]
    destroy: list[PathStep]
    destroy_in_waves: list[PathStep]
    durations: Durations


def paths(export: Mapping[str, Any]) -> Paths:
    """The chains of an exported state. Raises RehearsalError if it is none."""
    resources = critical_path.read(export)
    durations = Durations(resources)
    return Paths(
        critical_path.create(resources, durations.create, until=NODE_POOL),
        critical_path.create(resources, durations.create),
        critical_path.destroy(resources, durations.delete),
        critical_path.destroy_in_waves(resources, durations.delete),
        durations,
    )


def path_lines(chains_of_stack: Paths) -> list[Line]:
    """Length of the chains beside the shortest that any program could have."""
    aims = chains_of_stack.durations.aims()
    profiles = chains_of_stack.durations.profiles
    return [
        Line(
            "create on AWS, longest chain, until the first pod runs on a Karpenter node",
            _times(critical_path.total(chains_of_stack.first_pod), aims.create),
            f"at most {aims.create_ratio} times",
        ),
        Line("create on AWS, longest chain, until all is done", _minutes(chains_of_stack.create)),
        Line(
            f"destroy on AWS, longest chain, with {profiles} Fargate profile{'s'[: profiles != 1]}",
            _times(critical_path.total(chains_of_stack.destroy), aims.destroy),
            f"at most {aims.destroy_ratio} times",
        ),
        Line(
            "destroy on AWS as the Pulumi engine does it: depth by depth",
            _times(critical_path.total(chains_of_stack.destroy_in_waves), aims.destroy),
        ),
    ]


def _minutes(steps: list[PathStep]) -> str:
    return f"{critical_path.total(steps) / 60:.1f} min"


def _times(seconds: float, bound: float) -> str:
    return (
        f"{seconds / 60:.1f} min = {seconds / bound:.2f} times the lower bound of {bound / 60:.1f}"
    )


def table(lines: list[Line]) -> str:
    """The lines as a Markdown table."""
    rows = [Line("what", "measured", "aim"), Line("---", "---", "---"), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def path_table(steps: list[PathStep]) -> str:
    """A chain as a Markdown table with the minutes that have passed after each step."""
    rows = [Line("resource", "seconds", "minutes so far"), Line("---", "---:", "---:")]
    rows += [
        Line(f"`{_kind(step)}` {step.resource.name}", f"{step.seconds:.0f}", f"{step.end / 60:.1f}")
        for step in steps
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _kind(step: PathStep) -> str:
    """`eks:FargateProfile` for type `aws:eks/fargateProfile:FargateProfile`."""
    package, module, name = step.resource.type.split(":")
    return f"{module.partition('/')[0] if package == 'aws' else package}:{name}"


def chains(chains_of_stack: Paths) -> str:
    """The chains, each under a sentence, and what was only assumed."""
    texts = [
        "Create, the chain to the first pod (typical seconds of `rehearsal/bench/durations.toml`):",
        path_table(chains_of_stack.first_pod),
        "Create, the longest chain of all:",
        path_table(chains_of_stack.create),
        "Destroy, the longest chain:",
        path_table(chains_of_stack.destroy),
        "Destroy as the engine does it, the slowest resource of each depth:",
        path_table(chains_of_stack.destroy_in_waves),
    ]
    if chains_of_stack.durations.assumed:
        default = chains_of_stack.durations.data["default"]
        texts.append(
            f"Types without an entry count {default['create']} s each:"
            f" {', '.join(f'`{kind}`' for kind in sorted(chains_of_stack.durations.assumed))}."
        )
    return "\n\n".join(texts)


def replaced(text: str, content: str) -> str:
    """The text with `content` between the two markers. Raises MarkerError if they are not there."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise MarkerError(f"write `{BEGIN}` and below it `{END}` where the table shall stand")
    return f"{head}{BEGIN}\n{content}\n{END}{tail}"
