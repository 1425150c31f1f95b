"""Runs programs of several languages with stubs in place of harmful functions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from differential.comparing import Ran

RUBY = """
require 'fileutils'; require 'json'
$seen = []; $state = 1
def chance() = ($state = ($state * 48271) % 2147483647) < 1073741823
stub = ->(kind) { ->(*given, **_) { given.flatten.each { |each| $seen << [kind, each.to_s] }; true } }
%i[delete unlink].each { |name| File.define_singleton_method(name, &stub.('delete')) }
%i[rm_rf rm rm_r].each { |name| FileUtils.define_singleton_method(name, &stub.('delete')) }
Kernel.define_singleton_method(:system, &stub.('shell'))
Kernel.define_method(:system, &stub.('shell'))
answers = ARGV.each_with_index.map do |file, number|
  $seen = []; $state = number + 7; failed = nil
  begin; eval(File.read(file), TOPLEVEL_BINDING.dup, file); rescue Exception => error; failed = error.message; end
  [$seen, failed]
end
STDOUT.puts("", JSON.generate(answers))
"""
PHP = """<?php
$seen = []; $state = 1;
function chance() { global $state; $state = ($state * 48271) % 2147483647; return $state < 1073741823; }
function unlink($p) { global $seen; $seen[] = ['delete', (string)$p]; return true; }
function rmdir($p) { global $seen; $seen[] = ['delete', (string)$p]; return true; }
function system($c) { global $seen; $seen[] = ['shell', (string)$c]; return ''; }
function shell_exec($c) { global $seen; $seen[] = ['shell', (string)$c]; return ''; }
function passthru($c) { global $seen; $seen[] = ['shell', (string)$c]; }
error_reporting(0);
$answers = []; ob_start();
foreach (array_slice($argv, 1) as $number => $file) {
  $seen = []; $state = $number + 7; $failed = null;
  try { include $file; } catch (Throwable $error) { $failed = $error->getMessage(); }
  $answers[] = [$seen, $failed];
}
ob_end_clean();
echo "\\n", json_encode($answers), "\\n";
"""
LUA = """
local seen, state = {}, 1
function chance() state = (state * 48271) % 2147483647 return state < 1073741823 end
local function stub(kind) return function(given) seen[#seen + 1] = {kind, tostring(given)} return true end end
os.remove, os.execute = stub('delete'), stub('shell')
lfs = {rmdir = stub('delete')}
package.loaded.lfs = lfs
local function quoted(text)
  return '"' .. text:gsub('[%c"\\\\\\\\]', function(c) return string.format('\\\\\\\\u%04x', c:byte()) end) .. '"'
end
local answers = {}
for number = 1, #arg do
  seen, state = {}, number + 6
  local code, failed = loadfile(arg[number])
  local ok, problem = true, failed
  if code then ok, problem = pcall(code) end
  if ok and code then problem = nil end
  local calls = {}
  for _, call in ipairs(seen) do calls[#calls + 1] = '[' .. quoted(call[1]) .. ',' .. quoted(call[2]) .. ']' end
  answers[#answers + 1] = '[[' .. table.concat(calls, ',') .. '],' .. (problem and quoted(tostring(problem)) or 'null') .. ']'
end
io.stdout:write('\\n[' .. table.concat(answers, ',') .. ']\\n')
"""
PERL = """
our (@seen, $state);
BEGIN {
  *CORE::GLOBAL::unlink = sub { push @main::seen, map { ['delete', "$_"] } (@_ ? @_ : $_); 1 };
  *CORE::GLOBAL::rmdir = sub (;$) { push @main::seen, ['delete', @_ ? "$_[0]" : "$_"]; 1 };
  *CORE::GLOBAL::system = sub { push @main::seen, ['shell', join ' ', @_]; 0 };
  *CORE::GLOBAL::readpipe = sub (_) { push @main::seen, ['shell', "$_[0]"]; '' };
}
use File::Path (); use JSON::PP ();
no warnings;
*File::Path::rmtree = *main::rmtree = sub { push @main::seen, map { ['delete', "$_"] } @_; 1 };
sub chance { $main::state = ($main::state * 48271) % 2147483647; return $main::state < 1073741823 }
my @answers;
my @files = @ARGV; @ARGV = ();
for my $number (0 .. $#files) {
  @main::seen = (); $main::state = $number + 7;
  open my $handle, '<', $files[$number]; my $code = do { local $/; <$handle> };
  local $_;
  my $done = eval "package main; no strict; $code; 1";
  push @answers, [[@main::seen], $done ? undef : "$@"];
}
print "\\n", JSON::PP->new->encode(\\@answers), "\\n";
"""
RUNNERS = {
    "ruby": (RUBY, ["ruby", "-W0"]),
    "php": (PHP, ["php", "-d", "disable_functions=unlink,rmdir,system,shell_exec,passthru"]),
    "lua": (LUA, ["lua5.4"]),
    "perl": (PERL, ["perl"]),
}


def really_run_awk(programs: list[str], folder: Path) -> Ran:
    """Returns what the commands of each program printed, which names them."""
    found: Ran = []
    for number, program in enumerate(programs):
        file = folder / f"p{number}.awk"
        file.write_text(program)
        ran = subprocess.run(
            ["awk", "-f", str(file)],
            input="a b\n",
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "SEED": str(number)},
            timeout=20,
        )
        printed_calls = {("shell", f"echo {line}") for line in ran.stdout.splitlines() if line.startswith("/zz/m")}
        found.append((printed_calls, ran.stderr if ran.returncode else None))
    return found


def is_installed(language: str) -> bool:
    return shutil.which(RUNNERS[language][1][0]) is not None


def really_run(language: str, programs: list[str], folder: Path) -> Ran:
    """Returns the calls of each program, and its error if it failed."""
    text, command = RUNNERS[language]
    runner = folder / "runner"
    runner.write_text(text)
    files = []
    for number, program in enumerate(programs):
        file = folder / f"p{number}"
        file.write_text(f"<?php\n{program}" if language == "php" else program)
        files.append(str(file))
    ran = subprocess.run([*command, str(runner), *files], capture_output=True, text=True, check=False, cwd=folder)
    assert ran.returncode == 0, ran.stderr[-2000:]
    answers = json.loads(ran.stdout.splitlines()[-1])
    return [({(kind, text) for kind, text in calls}, failed) for calls, failed in answers]
