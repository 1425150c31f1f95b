"""Compares the readings of Ruby, PHP, Lua, Perl and awk with their programs: every call that was made must have been read."""

import os
from pathlib import Path

import pytest

from differential.awk_programs import AwkPrograms
from differential.comparing import Ran, compare_readings
from differential.lua_programs import LuaPrograms
from differential.perl_programs import PerlPrograms
from differential.php_programs import PhpPrograms
from differential.ruby_programs import RubyPrograms
from differential.script_execution import is_installed, really_run, really_run_awk
from differential.script_programs import ScriptPrograms
from toolgate.languages.awk import parser as awk
from toolgate.languages.lua import lowering as lua
from toolgate.languages.perl import strings as perl
from toolgate.languages.php import lowering as php
from toolgate.languages.ruby import lowering as ruby
from toolgate.languages.scripting import grammars

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "0")) or 500
LANGUAGES = {
    "ruby": (RubyPrograms, ruby.parse, ("tree_sitter_ruby", "language")),
    "php": (PhpPrograms, php.parse, ("tree_sitter_php", "language_php_only")),
    "lua": (LuaPrograms, lua.parse, ("tree_sitter_lua", "language")),
    "perl": (PerlPrograms, perl.parse, ("tree_sitter_perl", "language")),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_ran_was_read(language: str, tmp_path: Path) -> None:
    if not is_installed(language) and "REQUIRE_SHELLS" not in os.environ:
        pytest.skip(f"there is no {language}")
    programs, parse, grammar = LANGUAGES[language]
    source: ScriptPrograms = programs(SEED)

    def run(batch: list[str]) -> Ran:
        return really_run(language, batch, tmp_path)

    compare_readings(language, source, COUNT, run, parse, grammars.node_types(*grammar))


def test_whatever_an_awk_program_ran_was_read(tmp_path: Path) -> None:
    compare_readings("awk", AwkPrograms(SEED), COUNT, lambda batch: really_run_awk(batch, tmp_path), awk.parse, [])
