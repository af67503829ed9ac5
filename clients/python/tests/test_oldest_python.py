"""The package runs on the oldest Python that it names, whatever Python runs this test."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
OLDEST = (3, 9)

# Parts of the standard library that are newer than 3.9 and easy to use by mistake.
NEWER_MODULES = {"tomllib"}
NEWER_NAMES = {
    "aiter",
    "anext",
    "asyncio.Barrier",
    "asyncio.Runner",
    "asyncio.TaskGroup",
    "asyncio.timeout",
    "asyncio.timeout_at",
    "BaseExceptionGroup",
    "contextlib.aclosing",
    "contextlib.chdir",
    "datetime.UTC",
    "enum.StrEnum",
    "ExceptionGroup",
    "itertools.batched",
    "itertools.pairwise",
    "types.NoneType",
    "types.UnionType",
    *(
        f"typing.{name}"
        for name in "Concatenate LiteralString Never NotRequired ParamSpec Required Self TypeAlias "
        "TypeGuard TypeVarTuple Unpack assert_never assert_type override".split()
    ),
}
NEWER_ARGUMENTS = {("dataclass", "kw_only"), ("dataclass", "slots"), ("zip", "strict")}
NEWER_METHODS = {"add_note", "bit_count"}


def problems_of(tree: ast.Module):
    """The parts of a module that the oldest Python cannot run, apart from its syntax."""
    annotations = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                annotations.update(ast.walk(getattr(node, name)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in NEWER_MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{name.name}" for name in node.names}
            yield from sorted(names & NEWER_NAMES)
            yield from {node.module} & NEWER_MODULES
        elif isinstance(node, ast.Attribute):
            whole = ast.unparse(node)
            if whole in NEWER_NAMES or node.attr in NEWER_METHODS:
                yield whole
        elif isinstance(node, ast.Name) and node.id in NEWER_NAMES:
            yield node.id
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func).rpartition(".")[2]
            yield from (f"{called}({word.arg}=)" for word in node.keywords if (called, word.arg) in NEWER_ARGUMENTS)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and node not in annotations:
            if any(is_type(side) for side in (node.left, node.right)):
                yield ast.unparse(node)


def is_type(node: ast.expr) -> bool:
    """Whether an operand of ``|`` is plainly a type."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id[:1].isupper() or is_type(node.value)
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Name) and node.id in "bool bytes dict float int list set str tuple".split()


def test_it_is_the_oldest_that_the_package_names():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.findall(r'requires-python = ">=(\d+)\.(\d+)"', text) == [tuple(map(str, OLDEST))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_module_needs_nothing_newer(path):
    text = path.read_text(encoding="utf-8")
    assert list(problems_of(ast.parse(text, feature_version=OLDEST))) == []
    # Without this import, Python 3.9 evaluates `int | None` in an annotation, which fails.
    if "|" in text:
        assert "from __future__ import annotations" in text


@pytest.mark.parametrize(
    "text",
    [
        "import tomllib",
        "from typing import Self",
        "asyncio.timeout(1)",
        "anext(x)",
        "zip(a, b, strict=True)",
        "@dataclasses.dataclass(slots=True)\nclass A: ...",
        "isinstance(x, int | str)",
        "Maybe = Union[str] | None",
        "error.add_note('')",
    ],
)
def test_a_newer_part_is_reported(text):
    assert len(list(problems_of(ast.parse(text)))) == 1


@pytest.mark.parametrize("text", ["def f(a: int | None) -> str | None: ...", "flags = a | b", "x: list[int] | None"])
def test_what_the_oldest_python_has_is_not_reported(text):
    assert list(problems_of(ast.parse(text))) == []


def test_newer_syntax_is_refused():
    with pytest.raises(SyntaxError):
        ast.parse("match a:\n    case 1: pass", feature_version=OLDEST)
