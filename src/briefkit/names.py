"""Package names: what is the same name, and what may be a name at all."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import NewType

PypiName = NewType("PypiName", str)
"""A PyPI name normalised by PEP 503; only `pypi_name` makes one."""

NPM = "npm"
PYPI = "pypi"
ECOSYSTEMS = (NPM, PYPI)

_RUNS = lazy_pattern(r"[-_.]+")
_PYPI = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,212}[A-Za-z0-9])?")
_NPM_PART = lazy_pattern(r"[A-Za-z0-9~_!'()*-][A-Za-z0-9._~!'()*-]{0,213}")


def pypi_name(name: str) -> PypiName:
    """The PEP 503 form of a PyPI name: lower case, each run of `-`, `_`, `.` one `-`."""
    if name.islower() and "_" not in name and "." not in name and "--" not in name:
        return PypiName(name)  # most names are so already; a lockfile asks for thousands
    return PypiName(_RUNS.sub("-", name).lower())


def is_pypi_name(name: str) -> bool:
    """Whether the text can be the name of a PyPI distribution (PEP 508)."""
    return _PYPI.fullmatch(name) is not None


def is_npm_name(name: str) -> bool:
    """Whether the text can be an installed npm package's name: no path parts, no control characters, at most one scope."""
    scope, slash, bare = name.rpartition("/")
    if slash and not (scope.startswith("@") and _NPM_PART.fullmatch(scope[1:])):
        return False
    return _NPM_PART.fullmatch(bare) is not None and bare not in ("node_modules", "favicon.ico")


def split_npm_subpath(query: str) -> tuple[str, str | None]:
    """An npm import split into package name and sub-path: `@s/n/a/b` gives `("@s/n", "a/b")`, `n` gives `("n", None)`."""
    parts = query.split("/")
    size = 2 if query.startswith("@") else 1
    sub = "/".join(parts[size:])
    return "/".join(parts[:size]), sub or None


def canonical(ecosystem: str, name: str) -> str:
    """The form under which a name is compared in its ecosystem."""
    return pypi_name(name) if ecosystem == PYPI else name
