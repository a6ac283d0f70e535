"""The files of one distribution: listed, read, cited and hashed, in a folder or a zip, and never past its borders."""

from __future__ import annotations

import hashlib
import os
import zipfile
from typing import TYPE_CHECKING

import pytest
from node_trees import lay, package
from site_trees import environment, site_of, wheel, write

from briefkit.errors import UnreadableError
from briefkit.installed.files import (
    PackageFile,
    citation_path,
    find_changelog,
    find_readme,
    package_files,
    read_file,
    source_digest,
    stat_signature,
)
from briefkit.installed.record_files import RecordRow, parse_record
from briefkit.packages import Installed

if TYPE_CHECKING:
    from pathlib import Path


def distribution(path: str, name: str) -> Installed:
    found = site_of(path).distribution(name)
    assert found is not None
    return found


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_files_of_a_wheel_carry_the_hashes_of_its_record(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(
        site,
        "demo",
        "1.0",
        {"demo/__init__.py": "a = 1\n", "demo/b.py": "b = 1\n"},
        extra_rows=("../../../bin/demo,,", "demo/__pycache__/b.cpython-311.pyc,,", "gone.py,sha256=x,1"),
    )
    (site / "demo/b.py").write_text("edited = 1\n", encoding="utf-8")
    metadata = (info / "METADATA").read_text(encoding="utf-8")
    assert package_files(distribution(path, "demo")) == (
        PackageFile("demo-1.0.dist-info/METADATA", len(metadata), sha(metadata)),
        PackageFile("demo-1.0.dist-info/RECORD", (info / "RECORD").stat().st_size, None),
        PackageFile("demo/__init__.py", 6, sha("a = 1\n")),
        PackageFile("demo/b.py", 11, None),
    )


def test_files_of_an_npm_package_stop_at_nested_packages(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/a/package.json": package("a"),
            "node_modules/a/lib/a.js": "x",
            "node_modules/a/node_modules/b/package.json": package("b"),
        },
    )
    place = os.path.join(root, "node_modules/a")
    installed = Installed("npm", "a", "1.0.0", place)
    assert [file.path for file in package_files(installed)] == ["lib/a.js", "package.json"]
    assert read_file(installed, "lib/a.js") == b"x"
    assert citation_path(installed, "lib/a.js") == os.path.join(place, "lib/a.js")


def test_files_in_a_zip_are_listed_read_and_cited_inside_it(tmp_path: Path) -> None:
    place = str(tmp_path / "zod-npm-3.25.76.zip")
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("node_modules/zod/package.json", '{"name": "zod"}')
        archive.writestr("node_modules/zod/lib/index.js", "export {}\n")
        archive.writestr("node_modules/zod/../../evil.js", "x")
        archive.writestr("node_modules/zod/README.md", "# zod\n")
    installed = Installed("npm", "zod", "3.25.76", place, inner="node_modules/zod")
    assert [(file.path, file.size) for file in package_files(installed)] == [
        ("README.md", 6),
        ("lib/index.js", 10),
        ("package.json", 15),
    ]
    assert read_file(installed, "lib/index.js") == b"export {}\n"
    assert citation_path(installed, "lib/index.js") == f"{place}!/node_modules/zod/lib/index.js"
    assert find_readme(installed) == "README.md"


@pytest.mark.parametrize("relative", ["../../../../etc/passwd", "/etc/passwd", "demo/out.py", "demo/loop.py"])
def test_a_path_or_link_that_leaves_the_package_is_not_read(tmp_path: Path, relative: str) -> None:
    site, path = environment(tmp_path / "env")
    wheel(site, "demo", "1.0", {"demo/__init__.py": ""}, extra_rows=("demo/out.py,,", "demo/loop.py,,"))
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (site / "demo/out.py").symlink_to(tmp_path / "secret.txt")
    (site / "demo/loop.py").symlink_to(site / "demo/loop.py")
    installed = distribution(path, "demo")
    with pytest.raises(UnreadableError):
        read_file(installed, relative)
    assert "demo/out.py" not in [file.path for file in package_files(installed)]


def test_a_link_into_a_store_is_read_only_where_the_store_keeps_the_file_under_the_same_path(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    wheel(site, "demo", "1.0", {"demo/__init__.py": ""}, extra_rows=("demo/a.py,,", "demo/b.py,,"))
    write(tmp_path, {"cache/archive-v0/Xy/demo/a.py": "a = 1\n", "cache/archive-v0/Xy/secret": "secret"})
    (site / "demo/a.py").symlink_to(tmp_path / "cache/archive-v0/Xy/demo/a.py")
    (site / "demo/b.py").symlink_to(tmp_path / "cache/archive-v0/Xy/secret")
    installed = distribution(path, "demo")
    assert read_file(installed, "demo/a.py") == b"a = 1\n"
    with pytest.raises(UnreadableError, match="leaves the package"):
        read_file(installed, "demo/b.py")


def test_a_fifo_and_a_file_over_the_limit_are_refused_without_waiting(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "demo", "1.0", {"demo/__init__.py": "", "demo/large.py": "#" * 100}, extra_rows=("demo/pipe.py,,",))
    os.mkfifo(site / "demo/pipe.py")
    installed = distribution(path, "demo")
    with pytest.raises(UnreadableError, match=r"pipe\.py: a FIFO, not a file"):
        read_file(installed, "demo/pipe.py")
    with pytest.raises(UnreadableError, match=r"100 bytes, more than the 10 that are read"):
        read_file(installed, "demo/large.py", 10)


def test_two_machines_agree_on_the_digest_whatever_installer_compiler_and_time(tmp_path: Path) -> None:
    source: dict[str, str | bytes] = {"demo/__init__.py": "a = 1\n", "demo/x.pyi": ""}
    compiled: dict[str, str | bytes] = {"demo/_fast.cpython-311-x86_64-linux-gnu.so": b"\x7fELF"}
    digests = set()
    for number, files in enumerate((source, {**source, **compiled})):
        site, path = environment(tmp_path / str(number))
        info = wheel(site, "demo", "1.0", files)
        write(info, {"INSTALLER": str(number), "REQUESTED": "", "direct_url.json": "{}"})
        write(site, {"demo/__pycache__/a.cpython-311.pyc": b"\0"})
        os.utime(site / "demo/__init__.py", (number, number))
        digests.add(source_digest(distribution(path, "demo")))
    assert len(digests) == 1


def test_the_digest_is_over_paths_and_hashes_of_the_source(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "demo", "1.0", {"demo/__init__.py": "a = 1\n"})
    assert source_digest(distribution(path, "demo")) == sha(f"demo/__init__.py\0{sha('a = 1' + chr(10))}\n")


def test_an_edit_changes_signature_and_digest_and_a_touch_only_the_signature(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "demo", "1.0", {"demo/__init__.py": "a = 1\n"})
    installed = distribution(path, "demo")
    signature, digest = stat_signature(installed), source_digest(installed)
    os.utime(site / "demo/__init__.py", (1, 1))
    assert stat_signature(installed) != signature
    assert source_digest(installed) == digest
    (site / "demo/__init__.py").write_text("a = 2222\n", encoding="utf-8")
    assert source_digest(installed) != digest


def test_a_metadata_body_is_the_readme_and_a_changelog_is_found_near_the_top(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(
        site,
        "demo",
        "1.0",
        {"demo/__init__.py": "", "demo/data/changes.txt": "", "demo/HISTORY.rst": ""},
        summary="# demo\n",
    )
    installed = distribution(path, "demo")
    assert (find_readme(installed), find_changelog(installed)) == ("demo-1.0.dist-info/METADATA", "demo/HISTORY.rst")
    wheel(site, "bare", "1.0", {"bare.py": ""})
    os.utime(site, ns=(1, 1))
    bare = distribution(path, "bare")
    assert (find_readme(bare), find_changelog(bare)) == (None, None)


def test_a_zip_bomb_a_damaged_zip_and_an_encrypted_entry_are_refused_by_name(tmp_path: Path) -> None:
    bomb, damaged = str(tmp_path / "bomb.zip"), str(tmp_path / "damaged.zip")
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/bomb.js", b"\0" * (30 << 20))
    installed = Installed("npm", "a", "1", bomb, inner="a")
    with pytest.raises(UnreadableError, match="packed like a zip bomb"):
        read_file(installed, "bomb.js", 64 << 20)
    with pytest.raises(UnreadableError, match="more than the 1,000 that are read"):
        read_file(installed, "bomb.js", 1000)
    write(tmp_path, {"damaged.zip": "PK not a zip"})
    with pytest.raises(UnreadableError, match=r"damaged\.zip: not a zip"):
        package_files(Installed("npm", "a", "1", damaged, inner="a"))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a.py,,\n", [RecordRow("a.py", None, None)]),
        ("a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n", [RecordRow("a.py", sha(""), 0)]),
        ("a.py,md5=abc,3\n", [RecordRow("a.py", None, 3)]),
        ('"a,b.py",,\n./c.py,,7\n', [RecordRow("a,b.py", None, None), RecordRow("c.py", None, 7)]),
        ("sub\\d.py,,\n", [RecordRow("sub/d.py", None, None)]),
        ("only two,fields\n\n,,\n", []),
        ('"never closed,,\n', []),
    ],
)
def test_record_rows_are_read_in_every_form_that_installers_write(text: str, rows: list[RecordRow]) -> None:
    assert list(parse_record(text)) == rows
