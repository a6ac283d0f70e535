"""Which distribution is behind a name, which is behind an import, and what is true where two claim the same."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from site_trees import environment, row, site_of, wheel, write

from briefkit.installed.site_packages import describe
from briefkit.packages import Installed

if TYPE_CHECKING:
    from pathlib import Path

    from briefkit.installed.site_packages import SitePackages


def owners(site: SitePackages, name: str) -> list[str]:
    return [owner.name for owner in site.owners_of(name)]


def test_a_wheel_is_told_with_its_package_and_the_files_that_prove_it(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(site, "PyYAML", "6.0.2", {"yaml/__init__.py": "", "yaml/cyaml.py": "", "_yaml/__init__.py": ""})
    assert site_of(path).distribution("pyyaml") == Installed(
        "pypi",
        "pyyaml",
        "6.0.2",
        str(site / "yaml"),
        evidence=(str(info / "METADATA"), str(info / "RECORD")),
        top_levels=("_yaml", "yaml"),
        search_root=str(site),
    )


def test_a_distribution_is_found_in_any_spelling(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "jaraco_functools", "4.6.0", {"jaraco/functools/__init__.py": ""})
    found = {
        name: site_of(path).distribution(name) for name in ("jaraco.functools", "Jaraco-Functools", "jaraco__functools")
    }
    assert [one and one.name for one in found.values()] == ["jaraco-functools"] * 3
    assert site_of(path).distribution("../jaraco.functools") is None


def test_an_import_leads_to_its_distribution_by_its_files_not_by_its_name(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "PyJWT", "2.10.0", {"jwt/__init__.py": "", "jwt/api_jwt.py": ""})
    wheel(site, "beautifulsoup4", "4.13.0", {"bs4/__init__.py": ""})
    packages = site_of(path)
    assert {name: owners(packages, name) for name in ("jwt", "jwt.api_jwt", "bs4", "absent")} == {
        "jwt": ["pyjwt"],
        "jwt.api_jwt": ["pyjwt"],
        "bs4": ["beautifulsoup4"],
        "absent": [],
    }


def test_a_single_module_is_its_file_and_nothing_else_of_site_packages(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "six", "1.17.0", {"six.py": "x = 1\n"})
    wheel(site, "other", "1.0", {"other/__init__.py": ""})
    found = site_of(path).distribution("six")
    assert found is not None
    assert (found.root, found.top_levels) == (str(site / "six.py"), ("six",))


def test_parts_of_a_namespace_belong_each_to_its_distribution(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(
        site,
        "google-cloud-storage",
        "3.0.0",
        {"google/cloud/storage/__init__.py": "", "google/cloud/_storage/__init__.py": ""},
    )
    wheel(
        site,
        "google-cloud-pubsub",
        "2.0.0",
        {"google/cloud/pubsub/__init__.py": "", "google/pubsub_v1/__init__.py": ""},
    )
    packages = site_of(path)
    storage = packages.distribution("google-cloud-storage")
    assert storage is not None
    assert (storage.root, storage.top_levels) == (
        str(site / "google/cloud/storage"),
        ("google.cloud._storage", "google.cloud.storage"),
    )
    assert owners(packages, "google.cloud.storage") == ["google-cloud-storage"]
    assert owners(packages, "google.cloud") == ["google-cloud-pubsub", "google-cloud-storage"]


def test_where_two_distributions_brought_one_file_the_one_whose_record_matches_comes_first(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "opencv_python", "4.9.0", {"cv2/__init__.py": "", "cv2/version.py": "v = 'full'\n"})
    wheel(site, "opencv_python_headless", "4.10.0", {"cv2/__init__.py": "", "cv2/version.py": "v = 'head'\n"})
    assert owners(site_of(path), "cv2.version") == ["opencv-python-headless", "opencv-python"]


def test_of_two_records_of_one_name_the_one_that_the_files_match_is_installed(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "six", "1.16.0", {"six.py": "__version__ = '1.16.0'\n"})
    wheel(site, "six", "1.17.0", {"six.py": "__version__ = '1.17.0'\n"})
    found = site_of(path).distribution("six")
    assert found is not None
    assert found.version == "1.17.0"
    assert found.warnings == (
        f"{site / 'six-1.16.0.dist-info'}: a second record of six; the files on disk are those of {site / 'six-1.17.0.dist-info'}",
    )


def test_of_two_records_with_files_of_one_size_the_hash_decides(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "six", "1.17.0", {"six.py": "v = '1.17.0'\n"})
    wheel(site, "six", "1.16.0", {"six.py": "v = '1.16.0'\n"})
    found = site_of(path).distribution("six")
    assert found is not None
    assert found.version == "1.16.0"


def test_a_record_whose_files_are_gone_gives_way_to_the_one_whose_files_are_there(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "demo", "1.0", {"demo/__init__.py": "", "demo/old.py": "gone = 1\n"})
    wheel(site, "demo", "2.0", {"demo/__init__.py": "", "demo/new.py": ""})
    (site / "demo/old.py").unlink()
    found = site_of(path).distribution("demo")
    assert found is not None
    assert found.version == "2.0"


def test_the_leftovers_of_an_interrupted_removal_are_not_installed(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(site, "six", "1.17.0", {"six.py": ""})
    info.rename(site / "~ix-1.17.0.dist-info")
    (site / "empty-1.0.dist-info").mkdir()
    packages = site_of(path)
    assert packages.distributions() == ()
    assert packages.distribution("empty") is None
    assert packages.warnings == (
        f"{site / '~ix-1.17.0.dist-info'}: left over by an interrupted removal, ignored",
        f"{site / 'empty-1.0.dist-info'}: no metadata in it, ignored",
    )


def test_debians_pair_of_dist_info_and_egg_info_is_one_distribution(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "cryptography", "38.0.4", {"cryptography/__init__.py": ""})
    write(site, {"cryptography.egg-info/PKG-INFO": "Name: cryptography\nVersion: 38.0.4\n"})
    assert [(one.name, one.version) for one in site_of(path).distributions()] == [("cryptography", "38.0.4")]


def test_a_distribution_without_a_record_is_found_by_its_top_level_txt_or_its_name(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    for name, files in {"python-apt": {"apt/__init__.py": ""}, "distro-info": {"distro_info.py": ""}}.items():
        info = wheel(site, name.replace("-", "_"), "1.0", files)
        (info / "RECORD").unlink()
    write(site, {"python_apt-1.0.dist-info/top_level.txt": "apt\nnot_there\n"})
    packages = site_of(path)
    assert [(one.name, one.top_levels) for one in packages.distributions()] == [
        ("distro-info", ("distro_info",)),
        ("python-apt", ("apt",)),
    ]
    assert owners(packages, "apt") == ["python-apt"]


def test_a_part_of_a_namespace_without_a_record_is_told_by_its_spelling(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    for name in ("lazr.uri", "lazr.restfulclient"):
        write(
            site,
            {
                f"{name}-1.0.egg-info/PKG-INFO": f"Name: {name}\nVersion: 1.0\n",
                f"{name}-1.0.egg-info/top_level.txt": "lazr\n",
            },
        )
        write(site, {f"{name.replace('.', '/')}/__init__.py": ""})
    assert [(one.name, one.top_levels) for one in site_of(path).distributions()] == [
        ("lazr-restfulclient", ("lazr.restfulclient",)),
        ("lazr-uri", ("lazr.uri",)),
    ]


def test_stubs_alone_are_stubs_and_no_runtime(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "types_PyYAML", "6.0.12.20250101", {"yaml-stubs/__init__.pyi": "", "yaml-stubs/loader.pyi": ""})
    packages = site_of(path)
    found = packages.distribution("types-pyyaml")
    assert found is not None
    assert (found.kind, found.root) == ("stub-only", str(site / "yaml-stubs"))
    assert packages.owners_of("yaml") == ()
    assert packages.stubs_for("yaml") == packages.stubs_for("pyyaml") == (found,)
    assert packages.lookup("yaml") == (found,)


def test_stubs_in_a_namespace_do_not_hide_a_part_they_do_not_describe(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(
        site,
        "types_protobuf",
        "5.0",
        {"google-stubs/protobuf/__init__.pyi": "", "google-stubs/protobuf/py.typed": "partial\n"},
    )
    wheel(
        site,
        "google_cloud_storage",
        "3.0",
        {"google/cloud/storage/__init__.py": "", "google/cloud/storage/py.typed": ""},
    )
    wheel(site, "protobuf", "5.1", {"google/protobuf/__init__.py": ""})
    packages = site_of(path)
    storage, protobuf = packages.distribution("google-cloud-storage"), packages.distribution("protobuf")
    assert storage is not None
    assert protobuf is not None
    assert [(one["file"], one["from"]) for one in describe(storage).types] == [
        (str(site / "google/cloud/storage/__init__.py"), "py.typed")
    ]
    assert [(one["file"], one["package"]) for one in describe(protobuf).types] == [
        (str(site / "google-stubs/protobuf/__init__.pyi"), "types-protobuf")
    ]


def test_a_compiled_module_is_told_as_such_with_its_stub(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(
        site, "ujson", "5.10.0", {"ujson.cpython-311-x86_64-linux-gnu.so": b"\x7fELF", "ujson-stubs/__init__.pyi": ""}
    )
    packages = site_of(path)
    found = packages.distribution("ujson")
    assert found is not None
    assert (found.root, found.top_levels) == (str(site / "ujson.cpython-311-x86_64-linux-gnu.so"), ("ujson",))
    told = describe(found)
    assert told.warnings == ("ujson is compiled; its source is not in the distribution",)
    assert [(one["file"], one["from"], one["package"]) for one in told.types] == [
        (str(site / "ujson-stubs/__init__.pyi"), "stubs", "ujson")
    ]


def test_source_that_lies_beside_its_compiled_form_is_what_is_cited(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    files: dict[str, str | bytes] = {
        "black/__init__.py": "",
        "black/__init__.cpython-311-x86_64-linux-gnu.so": b"",
        "abc__mypyc.cpython-311-x86_64-linux-gnu.so": b"",
    }
    wheel(site, "black", "25.1.0", files)
    wheel(site, "lxml", "5.0", {"lxml/__init__.py": "", "lxml/etree.abi3.so": b"", "lxml/etree.pyi": ""})
    wheel(site, "all_three", "1.0", {"three.py": "", "three.pyi": "", "three.cpython-311-x86_64-linux-gnu.so": b""})
    packages = site_of(path)
    module = packages.find_spec("black")
    assert module is not None
    assert module.origin == str(site / "black/__init__.cpython-311-x86_64-linux-gnu.so")
    assert packages.find_module("black") == str(site / "black/__init__.py")
    assert packages.find_module("three") == str(site / "three.py")
    assert packages.find_module("lxml.etree") == str(site / "lxml/etree.pyi")


def test_a_copy_inside_another_package_is_told_as_vendored(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    files = {
        "pip/__init__.py": "",
        "pip/_vendor/urllib3/__init__.py": "",
        "pip/_vendor/vendor.txt": "urllib3==1.26.17\n",
    }
    wheel(site, "pip", "23.2.1", files)
    (found,) = site_of(path).lookup("urllib3")
    assert (found.kind, found.version, found.root) == ("vendored", "1.26.17", str(site / "pip/_vendor/urllib3"))
    assert found.warnings == ("a copy inside pip/_vendor, not importable as urllib3",)


def test_a_module_of_the_standard_library_is_builtin(tmp_path: Path) -> None:
    base = tmp_path / "base"
    write(base, {"lib/python3.11/os.py": "", "lib/python3.11/json/__init__.py": "", "bin/python3": ""})
    site, path = environment(tmp_path / "venv")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {base / 'bin'}\nversion = 3.11.7\n", encoding="utf-8")
    wheel(site, "json", "0.1", {"json/__init__.py": ""})
    first, *_ = site_of(path).lookup("json")
    assert (first.kind, first.name, first.version, first.root) == (
        "builtin",
        "json",
        "3.11.7",
        str(base / "lib/python3.11/json"),
    )
    (built,) = site_of(path).lookup("sys")
    assert built.warnings == ("sys is built into the interpreter and has no file",)


def test_an_edited_file_is_told(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "six", "1.17.0", {"six.py": "x = 1\n"})
    (site / "six.py").write_text("x = 1  # a print was added\n", encoding="utf-8")
    found = site_of(path).distribution("six")
    assert found is not None
    assert describe(found).warnings == ("edited after installation: six.py",)


def test_scripts_and_documents_are_described(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    points = "[console_scripts]\nblack = black:patched_main\n\n[gui_scripts]\nb=black.gui:main [extra]\n[other]\nno = black:x\n"
    info = wheel(
        site,
        "black",
        "25.1.0",
        {"black/__init__.py": "", "black/CHANGES.md": ""},
        entry_points=points,
        summary="# black\n",
    )
    found = site_of(path).distribution("black")
    assert found is not None
    told = describe(found)
    assert told.entry == {
        "import": {"black": str(site / "black/__init__.py")},
        "bin": {"black": "black:patched_main", "b": "black.gui:main"},
    }
    assert (told.readme, told.changelog, told.files) == (str(info / "METADATA"), str(site / "black/CHANGES.md"), 5)


def test_direct_urls_tell_git_and_local_files_from_the_registry(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    vcs = {"url": "https://git.example/a.git", "vcs_info": {"vcs": "git", "commit_id": "f" * 40}}
    wheel(site, "a", "1", {"a.py": ""}, direct_url=vcs)
    wheel(site, "b", "1", {"b.py": ""}, direct_url={"url": "file:///tmp/b-1.whl", "archive_info": {}})
    wheel(site, "c", "1", {"c.py": ""}, direct_url={"url": 3})
    assert [(one.name, one.kind) for one in site_of(path).distributions()] == [
        ("a", "git"),
        ("b", "file"),
        ("c", "registry"),
    ]


def test_what_was_opened_is_read_again_when_a_folder_has_changed(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    wheel(site, "six", "1.17.0", {"six.py": ""})
    before = site_of(path)
    assert site_of(path) is before
    wheel(site, "seven", "1.0", {"seven.py": ""})
    shutil.rmtree(site / "six-1.17.0.dist-info")
    os.utime(site, ns=(1, 1))
    assert [one.name for one in site_of(path).distributions()] == ["seven"]


def test_a_record_with_quotes_and_dots_is_read_as_it_is_meant(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(
        site,
        "odd",
        "1.0",
        {"odd/__init__.py": "", "odd/a,b.txt": ""},
        extra_rows=("../../../bin/odd,,", "./odd/c.py,,"),
    )
    assert '"odd/a,b.txt"' in (info / "RECORD").read_text(encoding="utf-8")
    write(site, {"odd/c.py": ""})
    found = site_of(path).distribution("odd")
    assert found is not None
    assert found.top_levels == ("odd",)
    assert owners(site_of(path), "odd.c") == ["odd"]


def test_a_package_that_conda_laid_without_metadata_is_found_in_its_own_list(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    prefix = "lib/python3.11/site-packages"
    write(site, {"cmeel/__init__.py": ""})
    write(
        tmp_path,
        {
            "conda-meta/cmeel-0.5-py_0.json": f'{{"name": "cmeel", "version": "0.5", "files": ["{prefix}/cmeel/__init__.py"]}}'
        },
    )
    assert site_of(path).distribution("cmeel") == Installed(
        "pypi",
        "cmeel",
        "0.5",
        str(site / "cmeel"),
        evidence=(str(tmp_path / "conda-meta/cmeel-0.5-py_0.json"),),
        top_levels=("cmeel",),
        search_root=str(site),
    )


def test_files_of_a_store_are_followed_and_cited_by_the_path_in_the_environment(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    wheel(site, "six", "1.17.0", {"six.py": "x = 1\n"})
    stored = tmp_path / "cache/archive-v0/Zk3/six.py"
    stored.parent.mkdir(parents=True)
    (site / "six.py").rename(stored)
    (site / "six.py").symlink_to(stored)
    packages = site_of(path)
    found = packages.distribution("six")
    assert found is not None
    assert (found.kind, found.root) == ("registry", str(site / "six.py"))
    assert packages.find_module("six") == str(site / "six.py")


def test_a_row_is_as_an_installer_writes_it() -> None:
    assert row("a,b.py", b"") == '"a,b.py",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0'
