from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from tools.pins import PINS, TEST_PINS, Binary, set_key

GO_MOD = "module m\n\ngo 1.26.6\n\nrequire (\n\texample.com/mod v1.2.3\n\texample.com/mod/sub v9.9.9 // indirect\n)\n"


@pytest.fixture
def pin(tmp_path: Path) -> Binary:
    (tmp_path / "go.mod").write_text(GO_MOD, encoding="utf-8")
    (tmp_path / "go.sum").write_text("sums\n", encoding="utf-8")
    (tmp_path / "main.go").write_text("package main\n", encoding="utf-8")
    return Binary(name="tool", folder=str(tmp_path), module="example.com/mod", package=".", minutes=1)


def fresh(pin: Binary) -> Binary:
    """The same entry, as the next run sees it."""
    return replace(pin)


def test_versions_come_from_go_mod_alone(pin: Binary) -> None:
    assert pin.version == "v1.2.3"
    assert pin.go_version == (1, 26, 6)


def test_a_module_that_go_mod_does_not_name_is_an_error(pin: Binary) -> None:
    with pytest.raises(LookupError, match=r"does not require example\.com/other"):
        _ = replace(pin, module="example.com/other").version


def test_the_key_is_the_same_in_the_next_run(pin: Binary) -> None:
    assert fresh(pin).key == pin.key


@pytest.mark.parametrize("name", ["go.mod", "go.sum", "main.go", "new.go"])
def test_the_key_changes_with_every_file_that_is_built_from(pin: Binary, name: str) -> None:
    before = pin.key
    file = pin.source / name
    file.write_text((file.read_text(encoding="utf-8") if file.exists() else "") + "// changed\n", encoding="utf-8")
    assert fresh(pin).key != before


def test_the_key_changes_with_the_entry_itself(pin: Binary) -> None:
    assert replace(pin, variables=("main.version={version}",)).key != pin.key


def test_the_set_changes_with_any_of_its_pins(pin: Binary) -> None:
    other = replace(pin, name="other")
    assert len({set_key((pin,)), set_key((other,)), set_key((pin, other))}) == 3


def test_the_linker_is_told_the_version_where_the_program_asks_for_it(pin: Binary) -> None:
    assert pin.linker_flags == "-s -w"
    told = replace(pin, variables=("main.version={version}", "main.minor={minor}"))
    assert told.linker_flags == "-s -w -X main.version=v1.2.3 -X main.minor=2"


@pytest.mark.parametrize("entry", [*PINS, *TEST_PINS], ids=lambda entry: entry.name)
def test_each_program_is_pinned_by_a_go_mod_with_its_go_sum(entry: Binary) -> None:
    assert entry.version.startswith("v")
    assert entry.go_version >= (1, 21)
    assert (entry.source / "go.sum").exists()


def test_no_two_programs_have_one_name() -> None:
    assert len({entry.name for entry in (*PINS, *TEST_PINS)}) == len(PINS) + len(TEST_PINS)


def test_the_language_host_is_built_for_the_engine_beside_it() -> None:
    assert len({entry.version for entry in PINS if entry.name.startswith("pulumi")}) == 1


def test_the_kubernetes_provider_has_the_version_of_its_python_package() -> None:
    provider = next(entry for entry in TEST_PINS if entry.name == "pulumi-resource-kubernetes")
    assert isinstance(provider, Binary)
    assert provider.variables == (f"main.version={metadata.version('pulumi-kubernetes')}",)
