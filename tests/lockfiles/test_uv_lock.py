"""uv.lock as uv writes it: every layout on manifests of our own."""

from __future__ import annotations

from lockfile_rows import importer_rows, lines, package_rows, sample, skipped_rows


def test_a_workspace_with_forks_extras_groups_and_conflicts_reads_whole() -> None:
    reading = sample("uv/workspace/uv.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("uv", "1 revision 5", ">=3.9", (".", "packages/core", "packages/tools"), ())
    assert package_rows(reading) == lines("""
        21 attrs 23.2.0 <packages/core,packages/tools> {main} direct
        30 click 8.1.8 <.> {main} direct ; python_full_version < '3.10' -> colorama 0.4.6
        45 click 8.5.1 <.> {main} direct ; (python_full_version >= '3.11') or (python_full_version == '3.10.*')
        58 colorama 0.4.6 {main} indirect
        67 crate 9.9 directory vendor/crate <.> {main} direct -> six 1.16.0
        78 idna 2.10 <.> {extra:old} direct ; (python_full_version >= '3.11') or (python_full_version == '3.10.*') or (python_full_version < '3.10')
        92 idna 3.20 <.> {extra:new} direct ; (python_full_version >= '3.11') or (python_full_version == '3.10.*') or (python_full_version < '3.10')
        106 importlib-metadata 8.7.1 <packages/core> {main} direct ; python_full_version < '3.10' -> zipp 3.23.1
        121 importlib-metadata 9.0.1 indirect -> zipp 4.1.2
        133 importlib-metadata 10.2.0 indirect -> lazy-importer 0.1.0, zipp 4.1.2
        146 iniconfig 2.1.0 <.> {dev} direct ; python_full_version < '3.10'
        158 iniconfig 2.3.1 <.> {dev} direct ; (python_full_version >= '3.11') or (python_full_version == '3.10.*')
        171 lazy-importer 0.1.0 indirect
        180 pathspec 0.12.1 <.> {dev,lint} direct
        189 pysocks 1.7.1 {main} indirect
        198 shelf 0.3.0 workspace . indirect -> click 8.1.8, click 8.5.1, crate 9.9, shelf-core 1.0.0, toolbelt 1.2.0, urllib3 2.3.0
        248 shelf-core 1.0.0 workspace packages/core <.,packages/tools> {main} direct -> attrs 23.2.0, importlib-metadata 8.7.1
        272 shelf-tools (none) workspace packages/tools indirect -> attrs 23.2.0, shelf-core 1.0.0
        286 six 1.16.0 {main} indirect
        295 sortedcontainers 2.4.0 <packages/core> {main,extra:fast} direct
        304 toolbelt 1.2.0 git https://git.example/toolbelt?tag=v1.2.0 #56b50e64d631c1295b358d28c9b9cdb2638314ce <.> {main} direct -> six 1.16.0
        312 urllib3 2.3.0 <.> {main} direct
        326 zipp 3.23.1 {main} indirect ; python_full_version < '3.10'
        338 zipp 4.1.2 indirect
    """)
    assert importer_rows(reading) == lines("""
        vendor/crate crate 9.9
          72 six ==1.16.0 {main} -> six 1.16.0
        . shelf 0.3.0
          203 click >=8 {main} ; python_full_version < '3.10' -> click 8.1.8
          204 click >=8 {main} ; python_full_version >= '3.10' -> click 8.5.1
          205 crate vendor/crate {main} -> crate 9.9 link vendor/crate
          206 shelf-core packages/core {main} -> shelf-core 1.0.0 link packages/core
          207 toolbelt https://git.example/toolbelt?tag=v1.2.0 {main} -> toolbelt 1.2.0
          208 urllib3[socks] >=1.26,<2.4 {main} -> urllib3 2.3.0
          213 idna >=3.7 {extra:new} -> idna 3.20
          216 idna <3 {extra:old} -> idna 2.10
          221 iniconfig >=2 {dev} ; python_full_version < '3.10' -> iniconfig 2.1.0
          222 iniconfig >=2 {dev} ; python_full_version >= '3.10' -> iniconfig 2.3.1
          223 pathspec <1 {dev} ; sys_platform != 'win32' -> pathspec 0.12.1
          226 pathspec <1 {lint} ; sys_platform != 'win32' -> pathspec 0.12.1
        packages/core shelf-core 1.0.0
          253 attrs ==23.2.0 {main} -> attrs 23.2.0
          254 importlib-metadata >=6 {main} ; python_full_version < '3.10' -> importlib-metadata 8.7.1
          261 sortedcontainers >=2 {extra:fast} -> sortedcontainers 2.4.0
        packages/tools shelf-tools (none)
          276 attrs {main} -> attrs 23.2.0
          277 shelf-core[fast] packages/core {main} -> shelf-core 1.0.0 link packages/core
    """)
    assert skipped_rows(reading) == lines("""
        272 shelf-tools: the lockfile states no version
    """)


def test_a_root_that_is_no_package_declares_its_groups() -> None:
    reading = sample("uv/virtual-root/uv.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("uv", "1 revision 5", ">=3.10", ("apps/one", "apps/two"), ())
    assert package_rows(reading) == lines("""
        14 app-one 0.1.0 workspace apps/one <apps/two> {main} direct -> six 1.17.0
        25 app-two 0.1.0 workspace apps/two indirect -> app-one 0.1.0
        36 iniconfig 2.3.1 <.> {dev} direct
        45 six 1.17.0 <apps/one> {main} direct
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none)
          12 iniconfig >=2 {dev} -> iniconfig 2.3.1
        apps/one app-one 0.1.0
          19 six >=1.16 {main} -> six 1.17.0
        apps/two app-two 0.1.0
          30 app-one apps/one {main} -> app-one 0.1.0 link apps/one
    """)
    assert skipped_rows(reading) == []


def test_the_lock_of_a_script_is_declared_by_the_script() -> None:
    reading = sample("uv/script/greet.py.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("uv", "1 revision 5", ">=3.11", (), ())
    assert package_rows(reading) == lines("""
        11 click 8.5.1 <.> {main} direct
        20 six 1.17.0 <.> {main} direct
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none)
          7 click >=8,<9 {main} -> click 8.5.1
          8 six {main} -> six 1.17.0
    """)
    assert skipped_rows(reading) == []


def test_a_lock_without_a_revision_reads_whole() -> None:
    reading = sample("uv/plain/uv.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("uv", "1", ">=3.9", (".",), ())
    assert package_rows(reading) == lines("""
        4 click 8.1.8 <.> {main} direct -> colorama 0.4.6
        16 colorama 0.4.6 {main} indirect
        25 iniconfig 2.0.0 <.> {dev} direct
        34 plain 0.1.0 workspace . indirect -> click 8.1.8, toolbelt 1.2.0
        63 six 1.17.0 <.> {main,extra:six} direct
        72 toolbelt 1.2.0 git https://git.example/toolbelt?tag=v1.2.0 #56b50e64d631c1295b358d28c9b9cdb2638314ce <.> {main} direct -> six 1.17.0
    """)
    assert importer_rows(reading) == lines("""
        . plain 0.1.0
          39 click >=8 {main} -> click 8.1.8
          40 toolbelt https://git.example/toolbelt?tag=v1.2.0 {main} -> toolbelt 1.2.0
          45 six {extra:six} -> six 1.17.0
          50 iniconfig <2.1 {dev} -> iniconfig 2.0.0
    """)
    assert skipped_rows(reading) == []


def test_a_lock_of_distributions_from_before_the_first_release_reads_whole() -> None:
    reading = sample("uv/plain/distribution/uv.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("uv", "1", ">=3.9", (".",), ())
    assert package_rows(reading) == lines("""
        4 click 8.1.8 <.> {main} direct -> colorama 0.4.6
        16 colorama 0.4.6 {main} indirect
        25 iniconfig 2.0.0 <.> {dev} direct
        34 plain 0.1.0 workspace . indirect -> click 8.1.8, toolbelt 1.2.0
        53 six 1.17.0 <.> {main,extra:six} direct
        62 toolbelt 1.2.0 git https://git.example/toolbelt?tag=v1.2.0 #56b50e64d631c1295b358d28c9b9cdb2638314ce <.> {main} direct -> six 1.17.0
    """)
    assert importer_rows(reading) == lines("""
        . plain 0.1.0
          39 click {main} -> click 8.1.8
          40 toolbelt {main} -> toolbelt 1.2.0
          45 six {extra:six} -> six 1.17.0
          50 iniconfig {dev} -> iniconfig 2.0.0
    """)
    assert skipped_rows(reading) == []
