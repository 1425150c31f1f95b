"""Generates Ruby programs around calls that are stubbed."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from differential.script_programs import Forms, ScriptPrograms


class RubyPrograms(ScriptPrograms):
    markers = MappingProxyType(
        {
            "File.delete": "delete",
            "File.unlink": "delete",
            "FileUtils.rm_rf": "delete",
            "FileUtils.rm": "delete",
            "system": "shell",
            "Kernel.system": "shell",
        }
    )
    head = "require 'fileutils'\n"

    def quote(self, text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def texts(self, text: str, inner: Callable[[str], str], v: str) -> Forms:
        left, right = self.split(text)
        return [
            lambda: f"({inner(left)} + {inner(right)})",
            lambda: f'"#{{{inner(left)}}}{right}"',
            lambda: f'"{left}#{{{inner(right)}}}"',
            lambda: f"[{inner(left)}, {inner(right)}].join",
            lambda: f"[{inner(left)}, {inner(right)}].join('')",
            lambda: f"({inner(left)} << {inner(right)})",
            lambda: f"({inner(left)}.concat({inner(right)}))",
            lambda: f"[{inner(text)}, 'no'][0]",
            lambda: f"['no', {inner(text)}].last",
            lambda: f"['no', {inner(text)}][-1]",
            lambda: f"['no', {inner(text)}].pop",
            lambda: f"['no', *[{inner(text)}]][1]",
            lambda: f"%w[no].push({inner(text)}).last",
            lambda: f"{{k: {inner(text)}}}[:k]",
            lambda: f"{{'k' => {inner(text)}}}['k']",
            lambda: f"{{k: {inner(text)}}}.fetch(:k)",
            lambda: f"{{k: {{j: {inner(text)}}}}}.dig(:k, :j)",
            lambda: f"{{k: {inner(text)}}}.values.first",
            lambda: f"{{k: 1}}.merge(k: {inner(text)})[:k]",
            lambda: f"{{k: {inner(text)}}}.map {{ |_, {v}| {v} }}.first",
            lambda: f"({inner(text)} || 'no')",
            lambda: f"(nil || {inner(text)})",
            lambda: f"('yes' && {inner(text)})",
            lambda: f"(1 < 2 ? {inner(text)} : 'no')",
            lambda: f"(if chance then {inner(text)} else {inner(text)} end)",
            lambda: f"(unless false then {inner(text)} end)",
            lambda: f"(case 1 when 1 then {inner(text)} else 'no' end)",
            lambda: f"begin; {inner(text)}; end",
            lambda: f"{inner('x' + text)}[1..]",
            lambda: f"{inner('x' + text)}[1..-1]",
            lambda: f"{inner(text + 'xy')}[0...-2]",
            lambda: f"{inner('x' + text)}.delete_prefix('x')",
            lambda: f"{inner(text.replace('m', 'Q'))}.sub('Q', 'm')",
            lambda: f"{inner(text.replace('z', 'Q'))}.gsub('Q', 'z')",
            lambda: f"{inner(text.replace('z', 'Q'))}.tr('Q', 'z')",
            lambda: f"{inner(' ' + text + ' ')}.strip",
            lambda: f"{inner(text.upper())}.downcase",
            lambda: f"{inner(text)}.to_s",
            lambda: f"{inner(text)}.to_sym.to_s",
            lambda: f"{inner(text + '|no')}.split('|').first",
            lambda: f"{inner(text[::-1])}.reverse",
            lambda: f"->({v}) {{ {v} }}.({inner(text)})",
            lambda: f"lambda {{ |{v}| {v} }}.call({inner(text)})",
            lambda: f"proc {{ |{v}| {v} }}.call({inner(text)})",
            lambda: f"[{inner(text)}].map {{ |{v}| {v} }}.first",
            lambda: f"[{inner(text)}].map(&:to_s)[0]",
            lambda: f"['no', {inner(text)}].find {{ |{v}| {v} != 'no' }}",
            lambda: f"['no', {inner(text)}].reject {{ |{v}| {v} == 'no' }}.first",
            lambda: f"[{inner(left)}, {inner(right)}].inject {{ |a, {v}| a + {v} }}",
            lambda: f"[{inner(left)}, {inner(right)}].inject(:+)",
            lambda: f"[[{inner(text)}]].flatten.first",
            lambda: f"format('%s', {inner(text)})",
            lambda: f"('%s' % {inner(text)})",
            lambda: f"File.join({inner('/zz')}, {inner(text[4:])})" if text.startswith("/zz/") else self.quote(text),
            lambda: (
                f"File.dirname({inner(text + '/no')})" if text.startswith("/zz/") and not text.endswith("/") else self.quote(text)
            ),
            lambda: f"({v} = {inner(text)})",
            lambda: f"{inner(text)}.then {{ |{v}| {v} }}",
            lambda: f"{inner(text)}.tap {{ |{v}| {v} }}",
            lambda: f"Struct.new(:k).new({inner(text)}).k",
            lambda: f"eval({self.quote(inner(text))})",
            lambda: f'"{chr(92)}x{ord(text[0]):02x}{text[1:]}"',
        ]

    def functions(self, name: str) -> list[str]:
        owner, _, method = name.rpartition(".")
        receiver = owner or "Kernel"
        return [
            f"{name}(@)",
            f"{name}(@)",
            f"{name} @",
            f"{receiver}.send(:{method}, @)",
            f"{receiver}.public_send('{method}', @)",
            f"{receiver}.send('{method[:2]}' + '{method[2:]}', @)",
            f"{receiver}.method(:{method}).call(@)",
            f"{receiver}.method(:{method}).to_proc.call(@)",
            f"[@].each(&{receiver}.method(:{method}))",
            f"Object.const_get(:{receiver}).{method}(@)",
            f"{receiver}.then {{ |m| m.{method}(@) }}",
            f"->(w) {{ {name}(w) }}.(@)",
            f"{name}(*[@])",
        ]

    def list_statements(self, call: Callable[[str], str], e: str, x: str, y: str, z: str) -> Forms:
        return [
            lambda: call(f"({e})"),
            lambda: f"{x} = {e}; {call(x)}",
            lambda: f"{x}, {y} = 'no', {e}; {call(y)}",
            lambda: f"{x} = ->({y}) {{ -> {{ {call(y)} }} }}; {z} = chance ? {x}.call('/zz/no') : {x}.call({e}); {z}.call",
            lambda: f"{x} = ['no', {e}]; {x}.delete('no'); {call(f'{x}[0]')}",
            lambda: f"{x} = ['no', {e}]; {x}.delete_at(0); {call(f'{x}[0]')}",
            lambda: f"{x} = ['no', {e}]; {x}.slice!(0, 1); {call(f'{x}[0]')}",
            lambda: f"{x} = ['no', {e}]; {x}.{self.random.choice(('select!', 'keep_if'))} {{ |v| v != 'no' }}; {call(f'{x}[0]')}",
            lambda: (
                f"{x} = ['no', {e}]; {x}.{self.random.choice(('reject!', 'delete_if'))} {{ |v| v == 'no' }}; {call(f'{x}[0]')}"
            ),
            lambda: f"{x} = [1]; {x}.map! {{ |_| {e} }}; {call(f'{x}[0]')}",
            lambda: f"{x} = {{ 'k' => 1 }}; {x}.delete('k'); unless {x}.key?('k') then {call(f'({e})')} end",
            lambda: (
                f"{x} = {{ 'k' => 1 }}; {x}.{self.random.choice(('clear', 'shift'))}; if {x}.empty? then {call(f'({e})')} end"
            ),
            lambda: f"{x}, *{y} = ['no', {e}]; {call(f'{y}[0]')}",
            lambda: f"{x} = 'no'; if chance then {x} = {e}; {call(x)} end",
            lambda: f"{x} = 'no'; {x} = {e} if chance; {call(x)}",
            lambda: f"${x} = {e}; {call(f'${x}')}",
            lambda: f"@{x} = {e}; {call(f'@{x}')}",
            lambda: f"${x} = 'no'; def {y}({z}) ${x} = {z} end; {y}({e}); {call(f'${x}')}",
            lambda: f"def {x}({y}) {call(y)} end; {x}({e})",
            lambda: f"def {x}({y} = {e}) {call(y)} end; {x}",
            lambda: f"def {x}(a, *{y}) {call(f'{y}.first')} end; {x}(1, {e})",
            lambda: f"def {x}({y}:) {call(y)} end; {x}({y}: {e})",
            lambda: f"def {x}(**{y}) {call(f'{y}[:k]')} end; {x}(k: {e})",
            lambda: f"def {x}; yield {e}; end; {x} {{ |{y}| {call(y)} }}",
            lambda: f"def {x}(&{y}) {y}.call({e}) end; {x} {{ |{z}| {call(z)} }}",
            lambda: f"def {x}; return {e} if chance; {e}; end; {call(x)}",
            lambda: (
                f"class {x.upper()}; def initialize({y}) @{y} = {y} end; def go; {call(f'@{y}')} end; end; {x.upper()}.new({e}).go"
            ),
            lambda: f"class {x.upper()}; attr_accessor :w; end; {y} = {x.upper()}.new; {y}.w = {e}; {call(f'{y}.w')}",
            lambda: f"class {x.upper()}; def self.go({y}) {call(y)} end; end; {x.upper()}.go({e})",
            lambda: f"class {x.upper()}; class << self; def go({y}) {call(y)} end; end; end; {x.upper()}.go({e})",
            lambda: (
                f"class {x.upper()}; def go({y}) {call(y)} end; end; class {y.upper()} < {x.upper()}; def go({y}) super end; end; {y.upper()}.new.go({e})"
            ),
            lambda: (
                f"class {x.upper()}; def initialize({y}) @w = {y} end; end; class {y.upper()} < {x.upper()}; def initialize; super({e}) end; def go; {call('@w')} end; end; {y.upper()}.new.go"
            ),
            lambda: f"class {x.upper()}; def method_missing(n, *a) {call('a[0]')} end; end; {x.upper()}.new.foo({e})",
            lambda: f"class {x.upper()}; define_method(:go) {{ |{y}| {call(y)} }}; end; {x.upper()}.new.go({e})",
            lambda: f"module {x.upper()}; def self.go({y}) {call(y)} end; end; {x.upper()}.go({e})",
            lambda: f"module {x.upper()}; W = {e}; end; {call(f'{x.upper()}::W')}",
            lambda: (
                f"module {x.upper()}; def go({y}) {call(y)} end; end; class {y.upper()}; include {x.upper()}; end; {y.upper()}.new.go({e})"
            ),
            lambda: f"[{e}].each {{ |{y}| {call(y)} }}",
            lambda: f"[{e}].each do |{y}| {call(y)} end",
            lambda: f"['no', {e}].each_with_index {{ |{y}, {z}| {call(y)} if {z} == 1 }}",
            lambda: f"[{e}].each_with_object([]) {{ |{y}, {z}| {call(y)} }}",
            lambda: f"[[1, {e}]].each {{ |{y}, {z}| {call(z)} }}",
            lambda: f"[[1, [2, {e}]]].each {{ |{y}, (a, {z})| {call(z)} }}",
            lambda: f"{{a: {e}}}.each {{ |{y}, {z}| {call(z)} }}",
            lambda: f"{{a: {e}}}.each_pair {{ |{y}, {z}| {call(z)} }}",
            lambda: f"['no', {e}].select {{ |{y}| {y} != 'no' }}.each {{ |{z}| {call(z)} }}",
            lambda: f"for {x} in ['no', {e}] do {call(x)} end",
            lambda: f"{x} = ['no']; {x} << {e}; {x}.each {{ |{y}| {call(y)} }}",
            lambda: f"{x} = ['no']; {x} += [{e}]; {call(f'{x}.last')}",
            lambda: f"{x} = {{}}; {x}[:a] = {e}; {call(f'{x}[:a]')}",
            lambda: f"{x} = {{}}; ({x}[:a] ||= []) << {e}; {call(f'{x}[:a].first')}",
            lambda: f"{x} = Hash.new {{ |h, k| h[k] = [] }}; {x}[:a] << {e}; {call(f'{x}[:a].first')}",
            lambda: f"{x} = nil; {x} ||= {e}; {call(x)}",
            lambda: f"{x} = ''; {x} += {e}; {call(x)}",
            lambda: f"{x} = +''; {x} << {e}; {call(x)}",
            lambda: f"{x} = ['no', {e}]; while (w = {x}.pop) do {call('w')} end",
            lambda: f"{x} = {e}; 2.times {{ |n| {call(x)}; {x} = 'no' }}",
            lambda: f"{x} = 'no'; 3.times {{ |n| {call(x)}; {x} = {e} }}",
            lambda: f"{x} = 'no'; until {x} != 'no' do {x} = {e} end; {call(x)}",
            lambda: f"chance ? ({call(f'({e})')}) : nil",
            lambda: f"chance and {call(f'({e})')}",
            lambda: f"{call(f'({e})')} unless 1 > 2",
            lambda: f"case {e} when 'no' then 1 else {call(f'({e})')} end",
            lambda: f"case [1, {e}]; in [Integer, {x}] then {call(x)} end",
            lambda: f"case {{k: {e}}}; in {{k: {x}}} then {call(x)} end",
            lambda: f"eval({self.quote(call(f'({e})'))})",
            lambda: f"{x} = {e}; eval({self.quote(call(x))})",
            lambda: f"{x} = ->({y}) {{ {call(y)} }}; {x}.({e})",
            lambda: f"{x} = proc {{ |{y}| {call(y)} }}; {x}.call({e})",
            lambda: f"{x} = lambda do |{y}| {call(y)} end; [{e}].each(&{x})",
            lambda: f"{x} = {{go: ->({y}) {{ {call(y)} }}}}; {x}[:go].call({e})",
            lambda: f"Thread.new {{ {call(f'({e})')} }}.join",
            lambda: f"loop {{ {call(f'({e})')}; break }}",
            lambda: f"if 0 then {call(f'({e})')} end",
            lambda: f"if '' then {call(f'({e})')} end",
            lambda: f"def {x}(n) n == 0 ? {e} : {x}(n - 1) end; {call(f'{x}(2)')}",
            lambda: f"[{e}].each_slice(1) {{ |{y}| {call(f'{y}[0]')} }}",
            lambda: f"Array({e}).each {{ |{y}| {call(y)} }}",
            lambda: f"[1, 2].zip(['no', {e}]).each {{ |a, {y}| {call(y)} }}",
            lambda: f"{x} = Struct.new(:a, :b).new(1, {e}); {call(f'{x}.b')}",
        ]

    def wrappers(self, body: str, x: str, y: str) -> list[str]:
        forms = [
            f"if chance then {body} end",
            f"if chance\n1\nelsif chance\n{body}\nelse\n2\nend",
            f"unless chance\n{body}\nend",
            f"2.times {{ {body} }}",
            f"1.upto(2) {{ |{x}| {body} }}",
            f"[1, 2].each do |{x}| {body} end",
            f"for {x} in 1..2 do\n{body}\nend",
            f"{x} = 0; while {x} < 2 do {x} += 1; {body} end",
            f"{x} = 0; until {x} == 2 do {x} += 1; next if {x} == 1; {body} end",
            f"loop do\n{body}\nbreak\nend",
            f"begin; {body}; ensure; 1; end",
            f"begin; raise 'x'; rescue => {x}; {body}; end",
            f"begin; 1; rescue; 2; else; {body}; end",
            f"begin; raise 'x' if chance; rescue; ensure; {body}; end",
            f"case {self.random.randrange(2)} when 0, 1 then {body} end",
            f"case when chance then {body} else {body} end",
            f"def {x}\n{body}\nend\n{x}",
            f"def {x}\nreturn if chance\n{body}\nend\n{x}()",
            f"def {x}(n)\nif n == 0 then {body} else {x}(n - 1) end\nend\n{x}(2)",
            f"def {x}; yield; end\n{x} {{ {body} }}",
            f"{x} = -> {{ {body} }}; {x}.call",
            f"{x} = proc do {body} end; {x}.()",
            f"class {x.upper()}; def go\n{body}\nend; end; {x.upper()}.new.go",
            f"class {x.upper()}; def initialize\n{body}\nend; end; {x.upper()}.new",
            f"module {x.upper()}; def self.go\n{body}\nend; end; {x.upper()}.go",
            f"{x} = [-> {{ {body} }}]; {x}.each(&:call)",
            f"[1].map {{ {body} }}",
            f"1.tap {{ |{x}| {body} }}",
            f"catch(:{x}) do {body} end",
            f"({body}) if chance",
        ]
        if "class " in body or "module " in body:  # no class stands in a method
            forms = [each for each in forms if not each.lstrip().startswith(("def ", "class ", "module "))]
        return forms
