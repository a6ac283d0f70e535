"""Python environments laid by the real tools, for the slow suite: pip, uv and every build backend's editable install."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

from python_managers import manager_folder

if TYPE_CHECKING:
    from pathlib import Path

C_MODULE = (
    '#include <Python.h>\nstatic struct PyModuleDef m = {PyModuleDef_HEAD_INIT, "_ext", 0, -1, 0};\n'
    "PyMODINIT_FUNC PyInit__ext(void) { return PyModule_Create(&m); }\n"
)
MESON_BUILD = """
project('meson-p', 'c', version: '1.0.0')
py = import('python').find_installation(pure: false)
py.install_sources(['meson_p/__init__.py', 'meson_p/sub.py'], subdir: 'meson_p')
py.extension_module('_ext', 'meson_p/_ext.c', install: true, subdir: 'meson_p')
"""
CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.15)
project(skb_p C)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
python_add_library(_ext MODULE src/skb_p/_ext.c WITH_SOABI)
install(TARGETS _ext DESTINATION skb_p)
"""
BACKENDS = {
    "setuptools": ("setuptools.build_meta", "setuptools>=64"),
    "hatchling": ("hatchling.build", "hatchling"),
    "pdm": ("pdm.backend", "pdm-backend"),
    "flit": ("flit_core.buildapi", "flit_core>=3.2"),
    "poetry": ("poetry.core.masonry.api", "poetry-core"),
    "uv": ("uv_build", "uv_build"),
    "meson": ("mesonpy", "meson-python"),
    "scikit": ("scikit_build_core.build", "scikit-build-core"),
}
PACKAGE = {"src/{0}/__init__.py": "", "src/{0}/sub.py": ""}
FLAT = {"{0}/__init__.py": "", "{0}/sub.py": ""}

# name: backend, files, more of pyproject.toml, pip's settings, import names with the file each leads to
EDITABLES: dict[str, tuple[str, dict[str, str], str, str, dict[str, str]]] = {
    "st_src": ("setuptools", PACKAGE, "", "", {"st_src.sub": "src/st_src/sub.py"}),
    "st_flat": ("setuptools", FLAT, "", "", {"st_flat.sub": "st_flat/sub.py"}),
    "st_strict": ("setuptools", FLAT, "", "editable_mode=strict", {"st_strict.sub": "st_strict/sub.py"}),
    "st_compat": ("setuptools", FLAT, "", "editable_mode=compat", {"st_compat.sub": "st_compat/sub.py"}),
    "st_map": (
        "setuptools",
        {"code/__init__.py": "", "code/inner.py": "", "single.py": ""},
        '[tool.setuptools]\npackages = ["mapped"]\npy-modules = ["single"]\npackage-dir = {mapped = "code"}\n',
        "",
        {"mapped.inner": "code/inner.py", "single": "single.py"},
    ),
    "st_space": (
        "setuptools",
        {"acme/a/__init__.py": "", "acme/a/b.py": ""},
        '[tool.setuptools]\npackages = ["acme.a"]\n',
        "",
        {"acme.a.b": "acme/a/b.py"},
    ),
    "hat_src": ("hatchling", PACKAGE, "", "", {"hat_src.sub": "src/hat_src/sub.py"}),
    "hat_exact": ("hatchling", FLAT, "[tool.hatch.build]\ndev-mode-exact = true\n", "", {"hat_exact.sub": "hat_exact/sub.py"}),
    "pdm_path": ("pdm", PACKAGE, "", "", {"pdm_path.sub": "src/pdm_path/sub.py"}),
    "pdm_ed": ("pdm", PACKAGE, '[tool.pdm.build]\neditable-backend = "editables"\n', "", {"pdm_ed.sub": "src/pdm_ed/sub.py"}),
    "flit_src": ("flit", {"src/flit_src/__init__.py": '"""A."""\n', "src/flit_src/sub.py": ""}, "", "", {"flit_src.sub": "src/flit_src/sub.py"}),
    "poe_core": ("poetry", FLAT, "", "", {"poe_core.sub": "poe_core/sub.py"}),
    "uv_b": ("uv", PACKAGE, "", "", {"uv_b.sub": "src/uv_b/sub.py"}),
    "meson_p": (
        "meson",
        {**FLAT, "meson_p/_ext.c": C_MODULE, "meson.build": MESON_BUILD, "meson_p/left_out.py": ""},
        "",
        "",
        {"meson_p.sub": "meson_p/sub.py"},
    ),
    "skb_p": ("scikit", {**PACKAGE, "src/skb_p/_ext.c": C_MODULE, "CMakeLists.txt": CMAKE_LISTS}, "", "", {"skb_p.sub": "src/skb_p/sub.py"}),
}  # fmt: skip


def uv() -> str:
    """The real uv."""
    return str(manager_folder("uv") / "uv")


def run(*command: str, folder: Path | None = None, **environ: str) -> str:
    """A command's output; an error with its talk where it fails."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        command, cwd=folder, env={**kept, **environ}, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} exited {done.returncode}: {done.stderr[-1500:]}")
    return done.stdout


def lay_environment(path: Path, *requirements: str, options: tuple[str, ...] = ()) -> Path:
    """An environment laid by uv, with pip in it; returns its path."""
    run(uv(), "venv", "-q", "--seed", "--python", sys.executable, str(path))
    if requirements:
        install(path, *requirements, options=options)
    return path


def install(path: Path, *requirements: str, options: tuple[str, ...] = ()) -> None:
    """More distributions, by uv."""
    run(uv(), "pip", "install", "-q", "--python", str(path / "bin/python"), *options, *requirements)


def pip(path: Path, *arguments: str, folder: Path | None = None) -> str:
    """The environment's own pip; build tools of the environment come first on the path."""
    search = f"{path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return run(
        str(path / "bin/python"), "-m", "pip", *arguments, folder=folder, PATH=search, PIP_DISABLE_PIP_VERSION_CHECK="1"
    )


def write_project(folder: Path, name: str) -> Path:
    """One of the editable projects, written out; returns its folder."""
    backend, files, more, _, _ = EDITABLES[name]
    module, requirement = BACKENDS[backend]
    described = 'description = "A."\n' if backend == "flit" else ""
    head = (
        f'[build-system]\nrequires = ["{requirement}"]\nbuild-backend = "{module}"\n'
        f'[project]\nname = "{name}"\nversion = "1.0.0"\n{described}'
    )
    for path, text in {**files, "pyproject.toml": head + more}.items():
        place = folder / name / path.format(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder / name


def lay_editables(folder: Path) -> Path:
    """An environment that holds every editable project, installed by pip; returns the environment's path."""
    environment = lay_environment(
        folder / "env",
        *(
            [
                "setuptools",
                "wheel",
                "hatchling",
                "editables",
                "pdm-backend",
                "flit_core",
                "poetry-core",
                "uv_build",
                "meson-python",
                "meson",
                "ninja",
            ]
        ),
        *(["scikit-build-core", "cmake"]),
    )
    for name, (_, _, _, settings, _) in EDITABLES.items():
        project = write_project(folder, name)
        config = ("--config-settings", settings) if settings else ()
        pip(environment, "install", "-q", "--no-deps", "--no-build-isolation", *config, "-e", str(project))
    return environment
