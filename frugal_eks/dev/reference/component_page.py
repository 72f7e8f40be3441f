"""Renders docs/components/: a page for each component that other programs may use."""

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

from frugal_eks.dev.reference.markdown import anchor, code, table
from frugal_eks.dev.reference.parts import PARTS, Part
from frugal_eks.dev.reference.record import Record, Right, recorded
from stack_config.docstrings import Field, fields, paragraph
from stack_config.places import Places

ROOT = Path(__file__).parents[3]
_MOST_ACTIONS = 8
_WIDTH = 100
_HEAD = """# Components

Each is a Pulumi component that works in any program: [examples/](../../examples/README.md) has
three whole ones, and says how they find it. All of this is made of the program by
`python -m frugal_eks.dev.reference`, which runs each example.

## The beginning of the examples
```python
{beginning}
```
"""


def pages(places: Places) -> dict[str, str]:
    """Texts of the pages by file name below docs/components/."""
    texts = {part.page: _text(_component(part, places)) for part in PARTS}
    return {"README.md": _text(_index())} | texts


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def _index() -> Iterator[str]:
    yield _HEAD.format(beginning=_BEGINNING)
    rows = [
        (f"[{part.name}]({part.page})", _section_link(part), _first_sentence(part))
        for part in PARTS
    ]
    yield from table(("component", "in the stack file", "what it is"), rows)


_BEGINNING = """import pulumi
import pulumi_aws as aws

from frugal_eks.components.kubernetes.charts import ChartSource
from frugal_eks.components.cluster.existing_cluster import ExistingCluster, ExistingClusterArgs
from frugal_eks.components.cluster.existing_cluster_config import ExistingClusterConfig
from frugal_eks.components.location import Location

account = aws.get_caller_identity().account_id
at = Location(region=pulumi.Config("aws").require("region"), account=account)
charts = ChartSource()
shared = ExistingClusterConfig(existing="shared")
cluster = ExistingCluster("cluster", ExistingClusterArgs(config=shared, location=at))"""


def _component(part: Part, places: Places) -> Iterator[str]:
    module = inspect.getmodule(part.component)
    assert module
    assert module.__file__
    source = Path(module.__file__).relative_to(ROOT)
    record = recorded(part)
    yield f"# {part.name}"
    yield ""
    yield paragraph(module.__doc__)
    yield ""
    yield paragraph(part.component.__doc__)
    yield ""
    links = [f"[{source}](../../{source})"]
    links += [f"[docs/{page}](../{page})" for page in part.more]
    if part.section:
        links.insert(0, f"{_section_link(part)} in the stack file")
    yield f"See {', '.join(links)}."
    yield ""
    yield from _arguments(part, module)
    yield from _outputs(part)
    yield from _made(record)
    yield from _rights(record)
    yield from _cost(part, places)
    yield from _example(part)


def _arguments(part: Part, module: ModuleType) -> Iterator[str]:
    args = getattr(module, f"{part.name}Args", None)
    if args is None:
        return
    documented = fields(args)
    yield "## Arguments"
    yield f"`{args.__name__}`: {paragraph(args.__doc__)}"
    yield ""
    rows = [
        (
            code(field.name),
            code(documented[field.name].annotation),
            _default(documented[field.name]),
            why,
        )
        for field in dataclasses.fields(args)
        for why in [documented[field.name].docstring]
    ]
    yield from table(("argument", "type", "default", "what"), rows)


def _default(field: Field) -> str:
    if not field.default:
        return "required"
    return "made" if field.default.startswith("field(") else code(field.default)


def _outputs(part: Part) -> Iterator[str]:
    documented = fields(part.component)
    own = [name for name in part.component.__annotations__ if not name.startswith("_")]
    rows = [
        (code(name), code(documented[name].annotation), documented[name].docstring) for name in own
    ]
    if rows:
        yield "## Outputs"
        yield from table(("output", "type", "what"), rows)


def _made(record: Record) -> Iterator[str]:
    yield "## What the example makes"
    rows = [(code(kind), str(count)) for kind, count in record.resources.items()]
    yield from table(("type", "how many"), rows)
    known = {part.name: part.page for part in PARTS}
    inside = [f"[{name}]({known[name]})" for name in record.components if name in known]
    if inside:
        yield f"Of its parts these have a page of their own: {', '.join(inside)}."
        yield ""


def _rights(record: Record) -> Iterator[str]:
    if not (record.rights or record.managed):
        return
    yield "## Rights in AWS that it gives"
    if record.managed:
        yield f"AWS's own policies: {', '.join(map(code, record.managed))}."
        yield ""
    yield from table(("", "actions", "on", "with conditions"), map(_right, record.rights))


def _right(right: Right) -> Sequence[str]:
    condition = "yes" if right.has_condition else ""
    return right.effect, _actions(right.actions), " ".join(map(code, right.resources)), condition


def _actions(actions: Sequence[str]) -> str:
    shown = " ".join(map(code, actions[:_MOST_ACTIONS]))
    more = len(actions) - _MOST_ACTIONS
    return f"{shown} and {more} more" if more > 0 else shown


def _cost(part: Part, places: Places) -> Iterator[str]:
    """Sentences that contain a price."""
    if not part.section:
        return
    place = places.entry(places.find(part.section))
    sentences = [("", sentence) for sentence in _priced(place.node.get("description", ""))]
    for section in places.sections(place):
        sentences += [("", sentence) for sentence in _priced(section["description"])]
        for row in places.rows(section):
            sentences += [(code(row.key), sentence) for sentence in _priced(row.why)]
    if sentences:
        yield "## What it costs"
        for key, sentence in dict.fromkeys(sentences):
            yield f"- {key}: {sentence}" if key else f"- {sentence}"
        yield ""


def _priced(text: str) -> Iterator[str]:
    yield from (each for each in re.split(r"(?<=\.)\s+", text) if "USD" in each)


def _example(part: Part) -> Iterator[str]:
    source = textwrap.dedent(inspect.getsource(part.example))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    body = [each for each in function.body if not _is_text(each)]
    lines = source.splitlines()[body[0].lineno - 1 :]
    example = textwrap.dedent("\n".join(lines)).replace("return ", "cluster = ", 1)
    yield "## By itself"
    needed = [each.arg for each in function.args.args]
    if needed and part.name != "ExistingCluster":
        names = ", ".join(map(code, needed))
        beginning = f"[the beginning](README.md#{anchor('The beginning of the examples')})"
        yield f"After {beginning}, which has {names}:"
        yield ""
    yield "```python"
    yield from _imports(part, body)
    yield ""
    yield example
    yield "```"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _imports(part: Part, body: Sequence[ast.stmt]) -> Iterator[str]:
    """Imports of the example's file that the body uses."""
    used = {each.id for node in body for each in ast.walk(node) if isinstance(each, ast.Name)}
    module: Any = inspect.getmodule(part.example)
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = [each for each in node.names if (each.asname or each.name) in used]
            if names:
                node.names = names
                if isinstance(node, ast.ImportFrom):
                    name = "." * node.level + (node.module or "")
                    node.module = _installed(resolve_name(name, module.__package__))
                    node.level = 0
                yield _import(node, names)


def _installed(module: str) -> str:
    """Name of a module of components/ in a program that installed the package."""
    return f"frugal_eks.{module}" if module.partition(".")[0] == "components" else module


def _import(node: ast.ImportFrom | ast.Import, names: Sequence[ast.alias]) -> str:
    line = ast.unparse(node)
    if len(line) <= _WIDTH or isinstance(node, ast.Import):
        return line
    listed = "".join(f"    {each.name},\n" for each in names)
    return f"from {node.module} import (\n{listed})"


def _section_link(part: Part) -> str:
    if not part.section:
        return ""
    return f"[`{part.section}`](../reference.md#{anchor(_heading(part.section))})"


def _heading(path: str) -> str:
    return path.replace("*", "NAME")


def _first_sentence(part: Part) -> str:
    module = inspect.getmodule(part.component)
    # A module without Args of this name is about more than the component.
    is_its_own = hasattr(module, f"{part.name}Args")
    docstring = module.__doc__ if module and is_its_own else part.component.__doc__
    return re.split(r"(?<=\.)\s", paragraph(docstring))[0]
