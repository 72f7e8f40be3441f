"""Renders docs/reference.md: the whole stack file, section by section."""

from collections.abc import Iterator

from frugal_eks.dev.reference.markdown import anchor, code, table
from stack_config.places import NAME, Place, Places
from stack_config.schema import Schema

_INTRODUCTION = f"""# The stack file, key by key

What `stacks/Pulumi.NAME.yaml` may say below `config:`, made of the program by
`python -m frugal_eks.dev.reference`. At the top of the file each key but `aws:region` has the
project before it: `frugal-eks:cluster`. A key without a default may be absent, and absent means
off, or what its line says. {NAME} is a name of your choice.

The same on the command line: `./frugal-eks explain karpenter.nodePools`; in an editor:
`stacks/stack.schema.json`, which the first line of each stack file names.
`./frugal-eks check FILE` tells all mistakes of a file."""


def stack_page(places: Places) -> str:
    """Text of the page."""
    page = _Page(places)
    lines = [_INTRODUCTION, "", *page.section(places.root)]
    return "\n".join(lines).rstrip() + "\n"


class _Page:
    """The page's sections; each appears once, below the first path that leads to it."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._where: dict[str, str] = {}

    def section(self, place: Place) -> Iterator[str]:
        """Tables of the keys at a place, then the sections below it."""
        below: list[Place] = []
        if place.path:
            is_top = "." not in place.path.removesuffix(f".{NAME}")
            yield f"{'##' if is_top else '###'} {place.path}"
            yield ""
            yield from self._paragraph(place.node.get("description", ""))
        for section in self._places.sections(place):
            if place.path and section["description"] != place.node.get("description"):
                yield from self._paragraph(section["description"])
            rows = [self._row(place, section, key, below) for key in section["properties"]]
            yield from table(("key", "type", "default", "what"), rows)
        for each in below:
            yield from self.section(each)

    def _row(
        self, place: Place, section: Schema, key: str, below: list[Place]
    ) -> tuple[str, str, str, str]:
        row = next(each for each in self._places.rows(section) if each.key == key)
        node = section["properties"][key]
        inside = self._places.entry(Place(f"{place.path}.{key}".lstrip("."), node))
        name = code(key)
        if self._places.sections(inside):
            path = self._first_path(inside)
            if path is None:
                below.append(inside)
                path = inside.path
                self._where.update(dict.fromkeys(self._keys(inside), path))
            name = f"[{name}](#{anchor(path)})"
        default = row.default if row.default == "required" else code(row.default)
        return name, row.kind, default, row.why

    def _first_path(self, place: Place) -> str | None:
        """Path at which all sections of a place are documented already; None if there is none."""
        paths = [self._where.get(key) for key in self._keys(place)]
        return paths[0] if paths and all(paths) else None

    def _keys(self, place: Place) -> list[str]:
        return [each["title"] + each["description"] for each in self._places.sections(place)]

    def _paragraph(self, text: str) -> Iterator[str]:
        if text:
            yield text
            yield ""
