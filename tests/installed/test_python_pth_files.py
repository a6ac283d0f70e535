"""`.pth` files by the rules of `site`: what adds a folder, what is skipped, and that a line of code stays text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from site_trees import environment, site_of, write

from briefkit.installed.pth_files import Pth, read_pth_files

if TYPE_CHECKING:
    from pathlib import Path


def read(site: Path, python: str | None = None) -> tuple[tuple[Pth, ...], tuple[str, ...]]:
    return read_pth_files(str(site), os.listdir(site), python)


def test_lines_that_are_existing_folders_are_added_and_code_is_kept_as_text(tmp_path: Path) -> None:
    write(tmp_path, {"inside/a.py": "", "file.egg": ""})
    text = f"# comment\n\n{tmp_path}/inside\ninside \nfile.egg\n/nowhere/at/all\nimport os; os.x()\nimport\tsys\nimport \nimportant\n"
    write(tmp_path, {"b.pth": text})
    assert read(tmp_path) == (
        (
            Pth(
                str(tmp_path / "b.pth"),
                (str(tmp_path / "inside"), str(tmp_path / "inside"), str(tmp_path / "file.egg")),
                ("import os; os.x()", "import\tsys", "import"),
            ),
        ),
        (),
    )


def test_files_are_read_in_order_of_name_and_hidden_binary_or_huge_ones_are_skipped_with_a_reason(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "b.pth": "",
            "a.pth": "\ufeff# a byte order mark is no text\n",
            "._b.pth": "\0\1",
            "weights.pth": b"PK\x03\x04\0\0",
            "huge.pth": "#" * (1 << 20) + "\n\n",
            "x.pth/inner": "",
        },
    )
    found, warnings = read(tmp_path)
    assert [os.path.basename(pth.path) for pth in found] == ["a.pth", "b.pth"]
    assert warnings == (
        f"{tmp_path / '._b.pth'}: skipped, its name begins with a dot",
        f"{tmp_path / 'huge.pth'}: skipped, not text",
        f"{tmp_path / 'weights.pth'}: skipped, not text",
        f"{tmp_path / 'x.pth'}: skipped, it is no file",
    )


def test_a_start_file_switches_code_off_from_the_python_that_knows_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.pth": "import a\n", "a.start": ""})
    assert [pth.code for pth in read(tmp_path, "3.14.2")[0]] == [("import a",)]
    assert [pth.code for pth in read(tmp_path, "3.15.0")[0]] == [()]


def test_a_folder_that_a_pth_file_adds_is_searched_after_the_site_and_its_own_pth_files_are_not_read(
    tmp_path: Path,
) -> None:
    site, path = environment(tmp_path / "env")
    write(site, {"x.pth": f"{site}\n{tmp_path}/extra\n{tmp_path}/extra\nimport \nimport both\n", "both.py": ""})
    write(tmp_path, {"extra/both.py": "", "extra/only.py": "", "extra/y.pth": f"{tmp_path}/never\n", "never/no.py": ""})
    packages = site_of(path)
    assert packages.path == (str(site), str(tmp_path / "extra"))
    assert {name: packages.find_module(name) for name in ("both", "only", "no")} == {
        "both": str(site / "both.py"),
        "only": str(tmp_path / "extra/only.py"),
        "no": None,
    }


def test_a_package_that_extends_its_path_is_searched_in_every_folder(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    extend = "__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n"
    write(site, {"old/__init__.py": extend, "old/one.py": "", "x.pth": f"{tmp_path}/extra\n"})
    write(tmp_path, {"extra/old/__init__.py": extend, "extra/old/two.py": "", "extra/plain/sub.py": ""})
    packages = site_of(path)
    assert packages.find_module("old.two") == str(tmp_path / "extra/old/two.py")
    assert packages.find_module("plain") == str(tmp_path / "extra/plain")
    assert packages.find_module("plain.sub") == str(tmp_path / "extra/plain/sub.py")
