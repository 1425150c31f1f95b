"""Checks the tables that list the files of a folder: they are complete and correct."""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from toolgate import cases, languages, programs, rules, tools
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleRow
from toolgate.policy import forms, tool_rows
from toolgate.programs import tasks
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import ROLES, Program

SOURCE = Path(programs.__file__).parents[1]
OPERATIONS = tomllib.loads((SOURCE / "model" / "operations.toml").read_text())
EFFECTS = {
    "Read",
    "Write",
    "Delete",
    "Move",
    "Link",
    "Permission",
    "Mount",
    "Run",
    "Interpret",
    "Connect",
    "Send",
    "Escalate",
    "Environment",
    "Opaque",
}


# ---- programs


@pytest.mark.parametrize("family", programs.FAMILIES)
def test_a_family_has_the_rows_that_the_table_names(family: str) -> None:
    rows = import_module(f"toolgate.programs.{family}").ROWS
    assert sorted(rows) == sorted(programs.FAMILIES[family].split())


def test_a_program_has_one_row() -> None:
    names = [name for family in programs.FAMILIES.values() for name in family.split()]
    assert sorted(names) == sorted(set(names))


def modules_with_rows(folder: str) -> set[str]:
    """Returns the modules below a folder of programs that define rows, by their dotted paths."""
    root = SOURCE / "programs" / folder
    return {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in root.rglob("*.py")
        if re.search(r"^ROWS\b", path.read_text(), re.MULTILINE)
    }


def test_every_family_is_in_the_table() -> None:
    assert modules_with_rows("") - {f"tasks.{module}" for module in tasks.MODULES} == set(programs.FAMILIES)


@pytest.mark.parametrize("module", tasks.MODULES)
def test_a_kind_of_project_code_has_the_rows_that_the_table_names(module: str) -> None:
    rows = import_module(f"toolgate.programs.tasks.{module}").ROWS
    assert sorted(rows) == sorted(tasks.MODULES[module].split())
    assert all(programs.find_project_code(name) is rows[name] for name in rows)


def test_every_kind_of_project_code_is_in_the_table() -> None:
    assert modules_with_rows("tasks") - {family.removeprefix("tasks.") for family in programs.FAMILIES} == set(tasks.MODULES)


def test_an_aspect_is_loaded_for_the_programs_that_it_is_about() -> None:
    from toolgate.programs import aspects
    from toolgate.programs.argv import command_options
    from toolgate.programs.databases import forward_migrations, model_shells, rollbacks
    from toolgate.programs.infrastructure import cluster_manifests, credential_printers, printed_settings
    from toolgate.programs.network import exposed_servers, text_messages
    from toolgate.programs.packages import sources, written_sources
    from toolgate.programs.system import configured_programs

    named = {aspect.rpartition(".")[2]: set(names.split()) for aspect, names in aspects.ASPECTS.items()}
    for without_table in ("find_access", "find_settings_commands", "find_served_roots", "find_database_resets"):
        del named[without_table]
    assert named == {
        "find_printed_credentials": {*credential_printers.SPECIAL_PRINTERS, *credential_printers.PRINTERS},
        "find_settings": set(configured_programs.SETTINGS),
        "find_option_values": {*configured_programs._COMMAND_OPTIONS, "docker", "gh"},
        "find_open_configuration": set(exposed_servers.OPEN_CONFIGURATIONS),
        "find_debugger_of_variables": set(exposed_servers.OPTION_VARIABLES),
        "find_added_sources": set(sources._SOURCE_VERBS),
        "find_written_sources": set(written_sources._SETTINGS),
        "find_commands": {
            *command_options.COMMAND_OPTIONS,
            *command_options.PROGRAM_SUBCOMMANDS,
            *command_options._NAMESPACE_PROGRAMS,
        },
        "find_text_messages": set(text_messages.SENDERS),
        "find_recordings": {"ffmpeg"},
        "find_production_push": {"git"},
        "find_open_rules": {"firebase"},
        "find_remote_rollbacks": set(rollbacks.ROLLBACKS),
        "find_lossy_migrations": set(forward_migrations.MIGRATIONS),
        "find_printed_settings": set(printed_settings.SETTINGS_PRINTERS),
        "find_production_changes": set(model_shells._RUNNERS),
        "find_manifests": {*cluster_manifests._CLIENTS, "helm", "helm3"},
    }


def all_rows() -> Iterator[tuple[str, Program]]:
    for names in programs.FAMILIES.values():
        for name in names.split():
            row = programs.find_row(name)
            assert row is not None
            yield name, row


@pytest.mark.parametrize(("name", "row"), list(all_rows()), ids=lambda value: value if isinstance(value, str) else "")
def test_roles_are_roles(name: str, row: Program) -> None:
    operands = " ".join((row.operands, *row.subcommands.values()))
    roles = {role.rstrip("*") for role in operands.split()} | set(row.flags.roles.values())
    assert roles <= set(ROLES), name


def flag_tables() -> Iterator[tuple[str, Flags]]:
    for family in programs.FAMILIES:
        for name, value in vars(import_module(f"toolgate.programs.{family}")).items():
            if isinstance(value, Flags):
                yield f"{family}.{name}", value


@pytest.mark.parametrize(("name", "flags"), list(flag_tables()), ids=lambda value: value if isinstance(value, str) else "")
def test_roles_of_option_values_are_roles(name: str, flags: Flags) -> None:
    assert set(flags.roles.values()) <= set(ROLES), name


# ---- operations


def iter_operation_names() -> Iterator[str]:
    """Yields names of operations that the source spells out."""
    for folder in ("programs", "shell", "languages"):
        for path in (SOURCE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.args
                    and isinstance(node.args[0], ast.Constant)
                ):
                    if node.func.id == "Operation":
                        yield str(node.args[0].value)
                    elif node.func.id == "operation":
                        yield "git." + str(node.args[0].value)


def test_every_operation_is_declared() -> None:
    assert set(iter_operation_names()) <= set(OPERATIONS)
    for name, table in OPERATIONS.items():
        assert set(table) <= {"does", "target", "flags"}, name


def test_rules_are_triggered_by_what_there_is() -> None:
    for rule, row in rules.TABLE.items():
        assert set(row.triggers) <= EFFECTS | set(OPERATIONS), rule


def test_a_flag_that_is_not_given_is_false() -> None:
    from toolgate.model.effect import DEFAULT_ORIGIN

    assert Operation("git.push", DEFAULT_ORIGIN).get_flag("force") is False


# ---- rules


@pytest.mark.parametrize("rule", rules.TABLE)
def test_a_rule_is_one_module_that_can_be_read_aloud(rule: str) -> None:
    module = rules.load_rule_module(rule)
    pages = (module.__doc__ or "").strip().split("\n\n")
    assert len(pages) >= 2, "what, then why and what instead"
    assert len(" ".join(pages[0].split())) < 120
    assert callable(module.check)
    options = getattr(module, "Options", None)
    assert options is None or inspect.getdoc(options), "options are explained"


def test_every_rule_module_is_in_the_table() -> None:
    found = {
        f"{path.parent.name}.{path.stem}".replace("_", "-")
        for path in (SOURCE / "rules").glob("*/*.py")
        if path.stem not in ("__init__", "context")
    }
    assert found == set(rules.TABLE)


@pytest.mark.parametrize(("rule", "row"), rules.TABLE.items())
def test_a_row_is_never_laxer_when_sure(rule: str, row: RuleRow) -> None:
    assert row.verdict >= row.unsure, rule
    assert row.verdict >= row.floor[0], rule
    assert row.unsure >= row.floor[1], rule


def test_case_files_stand_beside_what_they_are_about() -> None:
    for file in cases.iter_shipped_files():
        inner = file.relative_to(SOURCE)
        path = SOURCE.joinpath(*inner.parts[2:]) if inner.parts[0] == "designs" else file
        assert any(path.with_name(path.name.replace(".cases.toml", end)).exists() for end in (".py", ".toml")), path


# ---- languages


@pytest.mark.parametrize("language", languages.LANGUAGE_MODULES)
def test_a_language_has_a_reader(language: str) -> None:
    assert languages.reader_for_language(language) is not None


def test_every_reader_is_in_the_table() -> None:
    files = (path for path in (SOURCE / "languages").iterdir() if path.suffix in (".py", ""))
    found = {path.stem for path in files if path.stem not in ("__init__", "__pycache__", "evaluation", "scripting")}
    assert found == set(languages.LANGUAGE_MODULES.values())


def test_every_table_of_servers_is_in_the_list() -> None:
    found = {path.stem for path in (SOURCE / "tools").glob("*.toml") if not path.name.endswith(".cases.toml")}
    assert found == set(tools.TABLES)
    for table in tools._load_tables():
        for tool, row in table["tools"].items():
            msgspec.convert(row, forms.Tool)
            assert list(tool_rows.iter_problems(table["servers"][0], tool, row, tuple(OPERATIONS))) == []
