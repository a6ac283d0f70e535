"""What a Python environment's folder says of itself: its version and its site folders, on every platform, by its files alone."""

from __future__ import annotations

import os
import re
import sys

from briefkit.errors import UnreadableError
from briefkit.packages import Environment
from briefkit.paths import read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CONFIG_LIMIT = 64 << 10

_VERSION = lazy_pattern(r"\d+\.\d+(?:\.\d+)?(?:(?:a|b|rc)\d+)?")
_LIBRARY = lazy_pattern(r"(?i)(python|pypy|graalpy)(\d+)\.(\d+)(t?)")
# Patterns as text: compiled only where an environment needs them.
_METADATA_FOLDER = r"(?i)\.(?:dist-info|egg-info|egg-link|egg)$"
_CONDA_PYTHON = r"python-(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)-[^-]+\.json"
_EXECUTABLES = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")


def read_environment(path: str, rule: str, environ: Mapping[str, str] | None = None) -> Environment | None:
    """The environment at `path`: a virtual environment, a conda or base prefix, or a folder that holds distributions itself.

    None where the folder is none of these. `environ` finds the user site of an environment that sees the system's packages.
    """
    path = os.path.abspath(path)
    if not os.path.isdir(path):
        return None
    config = read_config(path)
    sites = list(site_folders(path, _stated_version(config)) if config else base_sites(path, None))
    if not sites and not config:
        if not holds_distributions(path):
            return None
        sites = [path]
    version = _stated_version(config) or _conda_version(path) or _header_version(path) or _folder_version(sites)
    version = version or _newest_library(path) or None
    if config.get("include-system-site-packages", "").lower() == "true":
        sites += [site for site in _system_sites(config, version, environ or {}) if site not in sites]
    return Environment(path, rule, tuple(sites), version, marker_values(version, _implementation(sites)))


def read_config(path: str) -> dict[str, str]:
    """The keys (lower case) and values of the folder's `pyvenv.cfg`; empty where it has none."""
    try:
        text = read_text(os.path.join(path, "pyvenv.cfg"), CONFIG_LIMIT)
    except UnreadableError:
        return {}
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def site_folders(prefix: str, version: str | None = None) -> Iterator[str]:
    """The site folders under a prefix, those of the stated version alone where several versions were left behind.

    Windows' `Lib/site-packages`, POSIX's `lib/python3.X/site-packages`, Fedora's separate `lib64`, PyPy's.
    """
    flat = _child(prefix, "Lib", "site-packages")
    if flat is not None and not _child(prefix, "lib", f"python{_minor(version)}"):
        yield flat
        return
    found = list(_versioned_sites(prefix))
    stated = [site for site, minor in found if minor == _minor(version)]
    yield from stated or [site for site, minor in found if minor == found[0][1]]


def _versioned_sites(prefix: str) -> list[tuple[str, str]]:
    """Each `lib*/pythonX.Y/site-packages` under the prefix with its X.Y, newest version first, `lib` before `lib64`."""
    found = []
    for order, library in enumerate(("lib", "lib64")):
        folder = os.path.join(prefix, library)
        if library == "lib64" and os.path.islink(folder):
            continue
        for name in _names(folder):
            matched = _LIBRARY.fullmatch(name)
            site = os.path.join(folder, name, "site-packages")
            if matched and os.path.isdir(site):
                minor = (int(matched[2]), int(matched[3]))
                found.append((-minor[0], -minor[1], matched[4], order, site, f"{minor[0]}.{minor[1]}"))
    return [(entry[4], entry[5]) for entry in sorted(found)]


def base_sites(prefix: str, version: str | None) -> Iterator[str]:
    """The site folders of a base installation; Debian keeps `dist-packages` of its own beside those of pip."""
    minor = _minor(version) or _newest_library(prefix)
    shapes = (
        ("local", "lib", f"python{minor}", "dist-packages"),
        ("lib", f"python{minor}", "dist-packages"),
        ("lib", "python3", "dist-packages"),
    )
    yield from (folder for folder in (os.path.join(prefix, *shape) for shape in shapes) if os.path.isdir(folder))
    yield from site_folders(prefix, version)


def _newest_library(prefix: str) -> str:
    """X.Y of the newest standard library under a prefix, empty where there is none."""
    found = [_LIBRARY.fullmatch(name) for name in _names(os.path.join(prefix, "lib"))]
    versions = [(int(one[2]), int(one[3])) for one in found if one and _holds_library(prefix, one[0])]
    return "{}.{}".format(*max(versions)) if versions else ""


def _holds_library(prefix: str, name: str) -> bool:
    return os.path.isfile(os.path.join(prefix, "lib", name, "os.py"))


def user_site(environ: Mapping[str, str], version: str) -> str | None:
    """The user's site folder for a Python version, where it exists."""
    minor = _minor(version)
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    shapes = [
        (environ.get("PYTHONUSERBASE", ""), "lib", f"python{minor}", "site-packages"),
        (home and os.path.join(home, ".local"), "lib", f"python{minor}", "site-packages"),
        (home and os.path.join(home, "Library", "Python"), minor, "lib", "python", "site-packages"),
        (environ.get("APPDATA", ""), "Python", f"Python{minor.replace('.', '')}", "site-packages"),
    ]
    for first, *rest in shapes:
        if first and os.path.isdir(os.path.join(first, *rest)):
            return os.path.join(first, *rest)
    return None


def holds_distributions(folder: str) -> bool:
    """Whether a folder is itself a site folder: `pip --target`, `__pypackages__/X.Y/lib`, a site-packages."""
    if os.path.basename(folder) in ("site-packages", "dist-packages"):
        return True
    return any(re.search(_METADATA_FOLDER, name) for name in _names(folder))


def environment_of_python(path: str) -> str | None:
    """The environment's folder that an interpreter's path belongs to; None where it is not an interpreter's path.

    A virtual environment's `bin/python` is a link to the base: its own folder counts, not the link's target.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.basename(path).lower().startswith(("python", "pypy")):
        return None
    for prefix in (os.path.dirname(folder), folder):
        if os.path.isfile(os.path.join(prefix, "pyvenv.cfg")):
            return prefix
    if os.path.basename(folder) == "shims":
        return None
    real = os.path.dirname(os.path.realpath(path))
    return os.path.dirname(real) if os.path.basename(real).lower() in ("bin", "scripts") else real


def is_environment(path: str) -> bool:
    """Whether the folder is a virtual or conda environment."""
    return os.path.isfile(os.path.join(path, "pyvenv.cfg")) or os.path.isdir(os.path.join(path, "conda-meta"))


def has_interpreter(path: str) -> bool:
    """Whether an interpreter, or the link to one that may be gone, lies in the environment."""
    return any(os.path.lexists(os.path.join(path, *name.split("/"))) for name in _EXECUTABLES)


def marker_values(version: str | None, implementation: str) -> tuple[tuple[str, str], ...]:
    """The values of PEP 508's markers for a Python of that version on this host; empty where the version is unknown."""
    if version is None:
        return ()
    system, machine, release, build = _host()
    name = {"cpython": "CPython", "pypy": "PyPy", "graalpy": "GraalVM"}[implementation]
    return (
        ("implementation_name", implementation),
        ("implementation_version", version),
        ("os_name", os.name),
        ("platform_machine", machine),
        ("platform_python_implementation", name),
        ("platform_release", release),
        ("platform_system", system),
        ("platform_version", build),
        ("python_full_version", version),
        ("python_version", _minor(version)),
        ("sys_platform", sys.platform),
    )


def _host() -> tuple[str, str, str, str]:
    """System, machine, release and version of this host, as the `platform` module would say them."""
    if hasattr(os, "uname"):
        host = os.uname()
        return host.sysname, host.machine, host.release, host.version
    return "Windows", os.environ.get("PROCESSOR_ARCHITECTURE", ""), "", ""


def _stated_version(config: dict[str, str]) -> str | None:
    for key in ("version_info", "version"):
        found = _VERSION.match(config.get(key, ""))
        if found:
            return found.group()
    return None


def _conda_version(path: str) -> str | None:
    for name in _names(os.path.join(path, "conda-meta")):
        found = re.fullmatch(_CONDA_PYTHON, name)
        if found:
            return found[1]
    return None


def _header_version(prefix: str) -> str | None:
    """The version in the C headers of a base installation, which names the patch release."""
    include = os.path.join(prefix, "include")
    for name in _names(include):
        if _LIBRARY.fullmatch(name):
            try:
                text = read_text(os.path.join(include, name, "patchlevel.h"), CONFIG_LIMIT)
            except UnreadableError:
                continue
            found = re.search(r'#define\s+PY_VERSION\s+"([0-9a-z.]+)', text)
            if found:
                return found[1]
    return None


def _folder_version(sites: list[str]) -> str | None:
    """X.Y by the name of the folder, all that a site folder alone can say."""
    for site in sites:
        for part in reversed(site.replace("\\", "/").split("/")):
            found = _LIBRARY.fullmatch(part)
            if found:
                return f"{found[2]}.{found[3]}"
            if re.fullmatch(r"3\.\d+", part):
                return part
    return None


def _implementation(sites: list[str]) -> str:
    for site in sites:
        found = _LIBRARY.search(os.path.basename(os.path.dirname(site)))
        if found and found[1].lower() != "python":
            return found[1].lower()
    return "cpython"


def _system_sites(config: dict[str, str], version: str | None, environ: Mapping[str, str]) -> Iterator[str]:
    """What an environment with `include-system-site-packages` sees besides its own: the user's site, then the base's."""
    user = user_site(environ, version) if version else None
    if user is not None:
        yield user
    home = config.get("home", "")
    if os.path.isabs(home):
        prefix = os.path.dirname(home) if os.path.basename(home).lower() in ("bin", "scripts") else home
        yield from base_sites(prefix, version)


def _minor(version: str | None) -> str:
    return ".".join(version.split(".")[:2]) if version else ""


def _child(folder: str, *names: str) -> str | None:
    """The folder below, by the real spelling of each name: on a file system that ignores case `lib` is no `Lib`."""
    for name in names:
        if name not in _names(folder):
            return None
        folder = os.path.join(folder, name)
    return folder if os.path.isdir(folder) else None


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
