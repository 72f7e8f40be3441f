"""Rules that no linter knows."""

import ast
import gzip
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pulumi_aws as aws
import pytest

from tests.imports import imported, inside, module_of

ROOT = Path(__file__).parent.parent
COMPONENTS = sorted((ROOT / "components").rglob("*.py"))
NOT_OURS = {".git", ".venv", ".rehearsal", ".hypothesis", "__pycache__"}
NOT_OURS |= {".pytest_cache", ".ruff_cache", "build", "dist", "node_modules"}


def our_files(*endings: str) -> Iterator[tuple[Path, str]]:
    """Every text file of the project, relative to its root, with its text."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - NOT_OURS)
        for path in (Path(folder, name) for name in sorted(names)):
            if not endings or path.suffix in endings:
                read = gzip.decompress if path.suffix == ".gz" else bytes
                yield path.relative_to(ROOT), read(path.read_bytes()).decode()


def at(path: Path, node: ast.AST) -> str:
    """`components/network.py:12`, for a message."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def test_every_pin_has_a_renovate_marker_on_the_line_above():
    lines = (ROOT / "components/versions.py").read_text().splitlines()
    pins = [i for i, line in enumerate(lines) if re.match(r'[A-Z][A-Z0-9_]* = "', line)]

    marker = re.compile(r"# renovate: datasource=\S+ depName=\S+")
    assert pins
    assert [lines[i] for i in pins if not marker.match(lines[i - 1])] == []


def test_every_python_requirement_is_pinned_exactly():
    pinned = re.compile(
        r"(#.*|--requirement \S+|[A-Za-z0-9_.-]+(\[[a-z]+\])?==[0-9][^\s*]*( #.*)?|)$"
    )
    files = sorted(ROOT.glob("requirements*.txt"))

    assert files
    assert [
        f"{path.name}: {line}"
        for path in files
        for line in path.read_text().splitlines()
        if not pinned.match(line)
    ] == []


def test_every_action_of_the_workflows_is_pinned_by_commit_with_its_version():
    used = [
        (f"{path}: {line.strip()}", line)
        for path, text in our_files(".yml", ".yaml")
        if ".github" in path.parts
        for line in text.splitlines()
        if re.match(r"\s*(- )?uses: ", line) and "uses: ./" not in line
    ]

    pinned = re.compile(r"\s*(- )?uses: [\w./-]+@[0-9a-f]{40} # v[0-9.]+\s*$")
    assert [where for where, line in used if not pinned.match(line)] == []


def test_every_test_lies_in_a_file_that_is_collected():
    not_collected = [
        path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")
    ]

    assert [
        f"{at(path, node)} {node.name}"
        for path in not_collected
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ] == []


def test_no_test_holds_its_machine_to_a_time():
    """`make bench` measures, as ratios; a busy machine would turn a test red that is right."""
    clocks = {"process_time", "perf_counter", "thread_time", "timeit"}
    tests = sorted((ROOT / "tests").rglob("*.py"))
    nodes = [(path, node) for path in tests for node in ast.walk(ast.parse(path.read_text()))]

    assert nodes
    assert [
        at(path, node)
        for path, node in nodes
        if (isinstance(node, ast.Attribute) and node.attr in clocks)
        or (isinstance(node, ast.Name) and node.id in clocks)
    ] == []


def test_no_file_names_a_folder_of_one_machine_or_the_way_to_a_package_registry():
    folder = re.compile(r"""(?:^|[\s"'`=(:])(/(?:home|root|Users|work|tmp)/[\w.-]+)""")
    registry = re.compile(r"(?i)(?:index-url|goproxy|gonosumdb|npm_config_registry)[=: ]+\S+")

    assert [
        f"{path}: {found[0].strip()}"
        for path, text in our_files()
        if path != Path(__file__).relative_to(ROOT)
        for expression in (folder, registry)
        for found in expression.finditer(text)
    ] == []


def declared_types(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Pulumi's token of each resource class that is called as `aws.ec2.Vpc(…)`."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        match call.func:
            case ast.Attribute(
                value=ast.Attribute(value=ast.Name(id="aws"), attr=module), attr=name
            ):
                token = getattr(getattr(getattr(aws, module), name, None), "pulumi_type", None)
                if token and not name.endswith("Args"):
                    yield token, call


def test_the_stand_in_knows_every_aws_type_that_a_component_declares():
    pages = (ROOT / "rehearsal" / "aws" / "resource_types").glob("*.py")
    table = {token for page in pages for token in re.findall(r'"(aws:[^"]+)"', page.read_text())}
    declared = {
        token: at(path, call)
        for path in COMPONENTS
        for token, call in declared_types(ast.parse(path.read_text()))
    }

    assert "aws:ec2/vpc:Vpc" in declared
    assert {token: where for token, where in declared.items() if token not in table} == {}


def public_definitions(tree: ast.Module) -> Iterator[ast.AST]:
    """The module, its public classes and functions, and the public methods of those classes."""
    yield tree
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in tree.body:
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                methods = [one for one in node.body if isinstance(one, kinds[1:])]
                yield from (one for one in methods if not one.name.startswith("_"))


def test_every_public_class_and_function_of_the_components_has_a_docstring():
    missing = [
        f"{at(path, node)} {getattr(node, 'name', 'module')}"
        for path in COMPONENTS
        for node in public_definitions(ast.parse(path.read_text()))
        if path.read_text().strip() and ast.get_docstring(node) is None
    ]

    assert missing == []


def made_in_apply(tree: ast.Module) -> Iterator[ast.AST]:
    """Calls inside `x.apply(f)` that make a resource or apply again.

    `f` is a lambda, or a function or method of this module. A resource is what is called by a name
    in capitals and given a name or `opts`: `aws.iam.Role("x", …)`, `Release(name, …)`.
    """
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        if call.func.attr != "apply":
            continue
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            name = getattr(argument, "id", getattr(argument, "attr", None))
            body = functions.get(name, argument) if isinstance(name, str) else argument
            inner = [node for node in ast.walk(body) if isinstance(node, ast.Call)]
            yield from (node for node in inner if declares(node) or applies(node))


def declares(call: ast.Call) -> bool:
    """Whether this looks like the declaration of a resource or component."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    resource = bool(re.match(r"[A-Z][a-z]", name)) and not re.search(r"(Args|Error)$", name)
    return resource and (bool(call.args) or any(word.arg == "opts" for word in call.keywords))


def applies(call: ast.Call) -> bool:
    """Whether this is another apply."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "apply"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("queue.arn.apply(queue_policy)", []),
        ("known.apply(lambda role: role['arn'])", []),
        ("known.apply(lambda role: aws.iam.RoleArgs(role))", []),
        ("name.apply(lambda n: aws.iam.Role(n, opts=o))", [1]),
        ("def make(n):\n    return aws.iam.Role(n)\nname.apply(make)", [2]),
        (
            "class A:\n def make(self, n):\n  Release(n)\n def go(self):\n  x.apply(self.make)",
            [3],
        ),
        ("a.apply(lambda x: b.apply(lambda y: x + y))", [1]),
    ],
)
def test_the_rule_about_apply_sees_what_it_should(source, lines):
    assert [node.lineno for node in made_in_apply(ast.parse(source))] == lines


def test_no_resource_is_made_inside_apply_and_no_apply_is_nested():
    assert [
        f"{at(path, node)}: {ast.unparse(node)}"
        for path in [*COMPONENTS, ROOT / "__main__.py"]
        for node in made_in_apply(ast.parse(path.read_text()))
    ] == []


def test_no_component_reads_configuration_or_asks_aws_by_itself():
    """Values come from the stack file by way of the config classes: nothing is read elsewhere.

    `**os.environ` hands the environment on to a command, and reads nothing of it.
    """
    forbidden = re.compile(
        r"\bpulumi\.Config\(|(?<!\*\*)\bos\.environ\b|\bimport boto3\b|\brequests\.\w"
    )

    assert [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in COMPONENTS
        for found in forbidden.finditer(path.read_text())
    ] == []


ARROWS = {
    "components": set[str](),
    "stack_config": {"components"},
    "eks_platform": {"components", "stack_config"},
    "__main__": {"eks_platform", "stack_config"},
    "rehearsal": {"components"},
    "frugal_eks": {"components", "rehearsal", "stack_config"},
}
"""Which rooms each room may import."""


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """The modules that each module imports; those of the standard library and others left out."""
    every = [path for room in ARROWS for path in (ROOT / room).rglob("*.py")]
    files = [path for path in every if ".venv" not in path.parts]
    named = {module_of(path): path for path in [*files, ROOT / "__main__.py"]}
    return {
        name: {each for found in imported(path) if (each := inside(found, named)) and each != name}
        for name, path in named.items()
    }


def test_each_room_imports_only_those_below_it(graph):
    found = {
        f"{name} -> {other}"
        for name, others in graph.items()
        for other in others
        if (room := name.partition(".")[0]) != (below := other.partition(".")[0])
        and below not in ARROWS[room]
    }

    assert list(TopologicalSorter(ARROWS).static_order())
    assert {"components.cluster.cluster", "__main__"} <= graph.keys()
    assert found == set()


def test_no_modules_import_each_other_in_a_circle(graph):
    # Raises CycleError, which names the circle.
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("room", ["components", "components.addons", "frugal_eks"])
def test_no_packages_import_each_other_in_a_circle(graph, room):
    depth = room.count(".") + 2
    packages: dict[str, set[str]] = {}
    for name, others in graph.items():
        if name.startswith(f"{room}."):
            package = ".".join(name.split(".")[:depth])
            found = {".".join(e.split(".")[:depth]) for e in others if e.startswith(f"{room}.")}
            packages.setdefault(package, set()).update(found - {package})

    assert list(TopologicalSorter(packages).static_order())


def test_components_import_each_other_relatively():
    """The wheel has them as frugal_eks.components."""
    assert [
        at(path, node)
        for path in COMPONENTS
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.ImportFrom) and not node.level and node.module in absolute(node))
        or (isinstance(node, ast.Import) and absolute(node))
    ] == []


def absolute(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Modules of this project that a statement imports by their full names."""
    names = [getattr(node, "module", None) or each.name for each in node.names]
    return {name for name in names if name.partition(".")[0] in ARROWS}


def test_pulumi_up_needs_nothing_that_only_tests_and_rehearsals_install():
    """A module that `__main__.py` may import must not import them at its top."""
    only_for_developers = {"boto3", "jsonschema", "lightkube", "moto", "psutil", "rich"}
    rooms = [ROOT / "eks_platform", ROOT / "stack_config"]
    program = [ROOT / "__main__.py", *(path for room in rooms for path in room.rglob("*.py"))]

    found = [
        f"{at(path, node)}: {name}"
        for path in [*COMPONENTS, *program]
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None) or node.names[0].name]
        if name.partition(".")[0] in only_for_developers
    ]

    assert found == []


def test_a_check_of_a_stack_file_loads_no_pulumi():
    """Its packages take a second to load, and a check reads one file."""
    program = "import sys, frugal_eks.check; print(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    loaded = set(done.stdout.split())
    assert "stack_config.rules" in loaded
    assert loaded & {"pulumi", "pulumi_aws", "pulumi_eks", "pulumi_kubernetes"} == set()
