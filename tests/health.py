"""Measure how readable the code is: complexity, names, docstrings, sizes, cycles, repetition.

    python tests/health.py [FOLDER] [--json]      the checkout in FOLDER, by default this one
    python tests/health.py [FOLDER] --check       the figures over LIMITS; fails if there are any

Complexity is cyclomatic as radon counts it (McCabe 1976, with boolean operators and
comprehensions), without assertions, which are no branches. A docstring is an indirect question
when it begins with a question word. Repeated lines are in a run of RUN lines that occurs elsewhere
too. Nothing is imported from the checkout that is measured.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import cast

import networkx
from radon.complexity import cc_visit
from radon.visitors import Function

PRODUCT = ("indexes/scholar_indexes", "tui/scholar_tui", "scholar_cli")
RUN = 6
LONG_MODULE = 500
MANY_METHODS = 30
VAGUE = frozenset({"each", "found", "said", "told", "asked", "kept", "several"})
NOT_A_SENTENCE = re.compile(r":test_(?:what|who|whom|whose|where|of|that)_")
"""The beginning of a test name, after its path, that reads as a riddle."""
QUESTION = re.compile(r"(Whether|What|Which|Who|Whom|Whose|Where|When|How|Why)\b")
IDIOMS = {
    "stands (for is)": (r"\bstands?\b(?! for)", 0.8),
    "those that, that of": (r"\b(?:those (?:that|of|which|who|whose)|that of)\b", 1.0),
    "where there is": (r"\bwhere (?:there|it|they|that) (?:is|are)\b", 4.0),
    "beside": (r"\bbeside\b", 4.0),
    "is said, says if": (r"\b(?:is|are|was) said\b|\bsays? if\b", 1.5),
    "of some": (r"\bof some \w+s\b", 0.5),
    "tells": (r"\btells?\b", 2.0),
    "so many": (r"\bso many\b", 0.5),
    "anew": (r"\banew\b", 0.3),
    "alike": (r"\balike\b", 0.5),
    "bear out": (r"\bbears? (?:\w+ ){0,3}out\b", 0.3),
    "mend": (r"\bmend(?:ed|s|ing)?\b", 0.3),
    "at hand": (r"\bat hand\b|\bto be had\b", 0.3),
    "what f raises": (r"\bwhat [\w.]+ raises?\b", 0.2),
}
"""Idioms of a dialect that nobody speaks, with the most per 10,000 words of English that well-kept
projects have (harlequin, httpx, sqlite-utils, model2vec, thinc)."""

FORMATTER_OFF = re.compile(r"#\s*fmt:\s*(skip|off)")

Value = int | float | str

LIMITS: Mapping[str, Mapping[str, int]] = {
    label: {"product": product, "tests": tests}
    for label, product, tests in (
        ("functions over complexity 12", 4, 0),
        ("test names that are riddles", 0, 0),
        ("public class names used twice", 0, 0),
        (f"modules over {LONG_MODULE} lines", 1, 1),
        (f"classes over {MANY_METHODS} methods", 7, 0),
        ("import cycles of modules", 0, 0),
        ("import cycles of packages", 0, 0),
        ("formatter switched off", 0, 0),
    )
}
"""The most of a figure. Lower a limit that is no longer needed."""


@dataclass(frozen=True, slots=True)
class Source:
    """A module: its path in the checkout, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """Return the dotted name, such as scholar_indexes.net.client."""
        parts = Path(self.path).with_suffix("").parts
        start = next((n for n, part in enumerate(parts) if part.startswith("scholar_")), 0)
        names = parts[start:]
        return ".".join(names[:-1] if names[-1] == "__init__" else names)


def sources(root: Path, folders: tuple[str, ...]) -> list[Source]:
    """Return the modules under some folders of a checkout, by path."""
    paths = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
    texts = {path: path.read_text("utf-8") for path in paths}
    return [
        Source(path.relative_to(root).as_posix(), text, ast.parse(text))
        for path, text in texts.items()
    ]


def complexities(modules: list[Source]) -> dict[str, int]:
    """Return the complexity of every function and method, by "path:name"."""
    return {
        f"{source.path}:{block.fullname}": block.complexity
        for source in modules
        for block in cc_visit(source.text, no_assert=True)
        if isinstance(block, Function)
    }


def docstrings(modules: list[Source]) -> Iterator[str]:
    """Yield the docstrings of functions and classes."""
    for source in modules:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                docstring = ast.get_docstring(node)
                if docstring:
                    yield docstring


def prose(modules: list[Source]) -> Iterator[str]:
    """Yield the docstrings, the comments, and the messages of at least three words; the other texts
    of tests are the words of books and users."""
    for source in modules:
        if source.path.startswith("tests/"):
            yield from docstrings([source])
        else:
            yield from _long_texts(source)
        for token in tokenize.generate_tokens(StringIO(source.text).readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def _long_texts(source: Source) -> Iterator[str]:
    """Yield the texts of at least three words in a module."""
    for node in ast.walk(source.tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and len(re.findall(r"[A-Za-z]{2,} ", text)) >= 3:
            yield text


def idiom_rates(texts: list[str]) -> dict[str, str]:
    """Return how often each idiom occurs per 10,000 words, with its limit if it is exceeded."""
    text = "\n".join(" ".join(text.split()) for text in texts).lower()
    words = max(1, len(text.split()))
    rates = {
        name: (10_000 * len(re.findall(pattern, text)) / words, most)
        for name, (pattern, most) in IDIOMS.items()
    }
    return {
        f"idiom: {name}": f"{rate:.1f}" + (f" (over {most})" if rate > most else "")
        for name, (rate, most) in rates.items()
    }


def bindings(modules: list[Source]) -> Counter[str]:
    """Return how often each name is bound to a variable or a parameter."""
    counts: Counter[str] = Counter()
    for source in modules:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                counts[node.id] += 1
            elif isinstance(node, ast.arg):
                counts[node.arg] += 1
    return counts


def classes(modules: list[Source]) -> list[tuple[str, ast.ClassDef]]:
    """Return every class with the path of its module, nested ones too."""
    return [
        (source.path, node)
        for source in modules
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
    ]


def repeated_class_names(modules: list[Source]) -> dict[str, list[str]]:
    """Return the public class names that occur more than once, with their modules."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, node in classes(modules):
        if not node.name.startswith("_"):
            paths[node.name].append(path)
    return {name: where for name, where in paths.items() if len(where) > 1}


def methods(node: ast.ClassDef) -> int:
    """Return the number of methods of a class."""
    return sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)


def imports(modules: list[Source]) -> Iterator[tuple[str, str]]:
    """Yield (importing module, imported module) for all imports among the modules."""
    names = {source.module for source in modules}
    for source in modules:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom):
                package = source.module.split(".")
                stem = ".".join(package[: -node.level]) + "." if node.level else ""
                base = f"{stem}{node.module or ''}".strip(".")
                imported = {f"{base}.{alias.name}" for alias in node.names} | {base}
            elif isinstance(node, ast.Import):
                imported = {alias.name for alias in node.names}
            else:
                continue
            for name in imported & names - {source.module}:
                if not source.module.startswith(f"{name}."):
                    yield source.module, name


def cycles(edges: Iterator[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of modules, or packages, that import one another."""
    graph = networkx.DiGraph(edge for edge in edges if edge[0] != edge[1])
    groups = networkx.strongly_connected_components(graph)
    return sorted(sorted(group) for group in groups if len(group) > 1)


def product_imports(modules: list[Source]) -> list[tuple[str, str]]:
    """Return the imports by modules of scholar_indexes."""
    return [edge for edge in imports(modules) if edge[0].startswith("scholar_indexes")]


def package_of(module: str) -> str:
    """Return the package directly under scholar_indexes that a module is in, or the module."""
    return ".".join(module.split(".")[:2])


def repeated_lines(modules: list[Source]) -> int:
    """Return the number of lines of code in runs of RUN lines that occur twice."""
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for source in modules:
        lines = [(n, line.strip()) for n, line in enumerate(source.text.splitlines())]
        code = [(n, line) for n, line in lines if len(line) > 3 and not _is_thin(line)]
        for first in range(len(code) - RUN + 1):
            run = code[first : first + RUN]
            places[tuple(line for _, line in run)].extend((source.path, n) for n, _ in run)
    repeated = {place for stands in places.values() if len(stands) > RUN for place in stands}
    return len(repeated)


def _is_thin(line: str) -> bool:
    """Return True for lines that are similar in most modules: imports and comments."""
    return line.startswith(("#", "import ", "from ", '"""'))


def measure(modules: list[Source]) -> dict[str, Value]:
    """Return the figures of modules by their labels."""
    return {**measure_structure(modules), **measure_wording(modules)}


def measure_structure(modules: list[Source]) -> dict[str, Value]:
    """Return the figures of functions, classes, modules and their imports, by their labels."""
    complexity = complexities(modules)
    sizes = {source.path: source.text.count("\n") for source in modules}
    method_counts = {f"{path}:{node.name}": methods(node) for path, node in classes(modules)}
    edges = product_imports(modules)
    by_package = ((package_of(importer), package_of(name)) for importer, name in edges)
    return {
        "lines": sum(sizes.values()),
        "functions": len(complexity),
        "functions over complexity 10": _above(10, complexity),
        "functions over complexity 12": _above(12, complexity),
        "highest complexity": _highest(complexity),
        "test names that are riddles": sum(map(bool, map(NOT_A_SENTENCE.search, complexity))),
        "public class names used twice": len(repeated_class_names(modules)),
        f"modules over {LONG_MODULE} lines": _above(LONG_MODULE, sizes),
        "longest module": _highest(sizes),
        f"classes over {MANY_METHODS} methods": _above(MANY_METHODS, method_counts),
        "most methods": _highest(method_counts),
        "import cycles of modules": len(cycles(iter(edges))),
        "import cycles of packages": len(cycles(by_package)),
        "formatter switched off": sum(
            len(FORMATTER_OFF.findall(source.text)) for source in modules
        ),
    }


def measure_wording(modules: list[Source]) -> dict[str, Value]:
    """Return the figures of docstrings, variable names, repetition and idioms, by their labels."""
    texts = list(docstrings(modules))
    bound = bindings(modules)
    return {
        "docstrings": len(texts),
        "docstrings that ask, %": round(_percent_questions(texts), 1),
        "vague variable names": sum(bound[name] for name in VAGUE),
        "of these, `each`": bound["each"],
        "of these, `found`": bound["found"],
        "repeated lines": repeated_lines(modules),
        **idiom_rates(list(prose(modules))),
    }


def _percent_questions(texts: list[str]) -> float:
    return 100 * sum(bool(QUESTION.match(text)) for text in texts) / max(1, len(texts))


def _above(limit: int, values: Mapping[str, int]) -> int:
    """Return the number of values over the limit."""
    return sum(value > limit for value in values.values())


def _highest(values: Mapping[str, int]) -> str:
    name, value = max(values.items(), key=lambda item: item[1])
    return f"{value} ({name})"


def over_limits(figures: Mapping[str, Mapping[str, Value]]) -> Iterator[str]:
    """Yield a line for each figure of a part that is over its limit."""
    for part, values in figures.items():
        for label, limits in LIMITS.items():
            count, most = int(values[label]), limits[part]
            if count > most:
                yield f"{part}: {label}: {count}, at most {most}"


def main(arguments: list[str]) -> None:
    """Print the figures of the product and of its tests, or only the ones over their limits."""
    folders = [argument for argument in arguments if not argument.startswith("-")]
    root = Path(folders[0]) if folders else Path(__file__).parents[1]
    parts = {"product": sources(root, PRODUCT), "tests": sources(root, ("tests",))}
    if "--check" in arguments:
        structure = {part: measure_structure(modules) for part, modules in parts.items()}
        sys.exit("\n".join(over_limits(structure)) or None)
    figures = {part: measure(modules) for part, modules in parts.items()}
    if "--json" in arguments:
        print(json.dumps(figures, indent=2))
        return
    for label in figures["product"]:
        product, tests = (cast("Value", figures[part][label]) for part in ("product", "tests"))
        print(f"{label:32} {product!s:>10}   tests: {tests}")


if __name__ == "__main__":
    main(sys.argv[1:])
