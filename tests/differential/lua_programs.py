"""Generates Lua programs around calls that are stubbed."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from differential.script_programs import Forms, ScriptPrograms


class LuaPrograms(ScriptPrograms):
    markers = MappingProxyType({"os.remove": "delete", "lfs.rmdir": "delete", "os.execute": "shell"})

    def quote(self, text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def texts(self, text: str, inner: Callable[[str], str], v: str) -> Forms:
        left, right = self.split(text)
        return [
            lambda: f"({inner(left)} .. {inner(right)})",
            lambda: f"table.concat({{{inner(left)}, {inner(right)}}})",
            lambda: f"string.format('%s%s', {inner(left)}, {inner(right)})",
            lambda: f"('%s'):format({inner(text)})",
            lambda: f"({{{inner(text)}, 'no'}})[1]",
            lambda: f"({{k = {inner(text)}}}).k",
            lambda: f"({{['k'] = {inner(text)}}})['k']",
            lambda: f"({{a = {{b = {inner(text)}}}}}).a.b",
            lambda: f"({inner(text)} or 'no')",
            lambda: f"(nil or {inner(text)})",
            lambda: f"('yes' and {inner(text)})",
            lambda: f"(0 and {inner(text)})",
            lambda: f"(1 < 2 and {inner(text)} or 'no')",
            lambda: f"string.sub({inner('x' + text)}, 2)",
            lambda: f"({inner(text + 'xy')}):sub(1, -3)",
            lambda: f"({inner(text.upper())}):lower()",
            lambda: f"string.reverse({inner(text[::-1])})",
            lambda: f"(({inner(text.replace('z', 'Q'))}):gsub('Q', 'z'))",
            lambda: f"tostring({inner(text)})",
            lambda: f"(function({v}) return {v} end)({inner(text)})",
            lambda: f"(function(...) return ... end)({inner(text)})",
            lambda: f"select(2, 'no', {inner(text)})",
            lambda: f"(function() return {inner(text)}, 'no' end)()",
            lambda: f"table.unpack({{{inner(text)}}})",
            lambda: f"select(2, pcall(function() return {inner(text)} end))",
            lambda: f"load('return ' .. {self.quote(inner(text))})()",
            lambda: f"string.char({', '.join(str(ord(char)) for char in text)})",
            lambda: f"([[{text}]])",
            lambda: f"([==[{text}]==])",
            lambda: f'"\\x{ord(text[0]):02x}\\{ord(text[1])}{text[2:]}"' if not text[2:3].isdigit() else self.quote(text),
            lambda: f"rawget({{k = {inner(text)}}}, 'k')",
            lambda: f"setmetatable({{}}, {{__index = {{k = {inner(text)}}}}}).k",
            lambda: f"setmetatable({{}}, {{__index = function() return {inner(text)} end}}).k",
            lambda: f"assert({inner(text)})",
        ]

    def functions(self, name: str) -> list[str]:
        owner, _, field = name.rpartition(".")
        return [
            f"{name}(@)",
            f"{name}(@)",
            f"{owner}['{field}'](@)",
            f"{owner}['{field[:2]}' .. '{field[2:]}'](@)",
            f"_G['{owner}'].{field}(@)",
            f"_G.{owner}.{field}(@)",
            f"require('{owner}').{field}(@)",
            f"package.loaded.{owner}.{field}(@)",
            f"pcall({name}, @)",
            f"({name})(@)",
            f"({{{name}}})[1](@)",
            f"({{f = {name}}}).f(@)",
            f"(function(w) {name}(w) end)(@)",
            f"(function(...) {name}(...) end)(@)",
            f"(function() return {name} end)()(@)",
            f"coroutine.wrap({name})(@)",
        ]

    def list_statements(self, call: Callable[[str], str], e: str, x: str, y: str, z: str) -> Forms:
        return [
            lambda: f"local _ = {call(e)};",
            lambda: f"local {x} = {e}; _ = {call(x)};",
            lambda: f"{x} = {e}; _ = {call(x)};",
            lambda: f"local {x}, {y} = 'no', {e}; _ = {call(y)};",
            lambda: f"local {x}, {y} = (function() return 'no', {e} end)(); _ = {call(y)};",
            lambda: f"local {x} = 'no'; if chance() then {x} = {e}; _ = {call(x)} end",
            lambda: f"local {x} = 'no'; if chance() then {x} = {e} end _ = {call(x)};",
            lambda: f"local {x} = {e}; do local {x} = 'no' end _ = {call(x)};",
            lambda: f"local {x} = {{}}; {x}.k = {e}; _ = {call(f'{x}.k')};",
            lambda: (
                f"local {x} = function({y}) return function() _ = {call(y)} end end; ({{{x}('no'), {x}({e})}})[chance() and 1 or 2]()"
            ),
            lambda: f"local {x} = {{k = 1}}; {x}.k = nil; if not {x}.k then _ = {call(e)} end",
            lambda: f"local {x} = {{k = 1}}; {x}['k'] = nil; if next({x}) == nil then _ = {call(e)} end",
            lambda: f"local {x} = {{'no', {e}}}; table.remove({x}, 1); _ = {call(f'{x}[1]')};",
            lambda: (
                f"local {x} = {{k = 1}}; {x}.k = nil; local {y} = 0; for _ in pairs({x}) do {y} = 1 end if {y} == 0 then _ = {call(e)} end"
            ),
            lambda: f"local {x} = {{}}; {x}[1] = {e}; _ = {call(f'{x}[1]')};",
            lambda: f"local {x} = {{'no'}}; {x}[#{x} + 1] = {e}; _ = {call(f'{x}[2]')};",
            lambda: f"local {x} = {{}}; table.insert({x}, ({e})); _ = {call(f'{x}[#{x}]')};",
            lambda: f"local {x} = {{'no', {e}}}; _ = {call(f'table.remove({x})')};",
            lambda: f"local {x} = {{{e}, 'no'}}; _ = {call(f'table.remove({x}, 1)')};",
            lambda: f"local function {x}({y}) _ = {call(y)} end {x}({e});",
            lambda: f"local function {x}(a, ...) local {y} = ... _ = {call(y)} end {x}(1, {e});",
            lambda: f"local function {x}(...) for _, {y} in ipairs({{...}}) do _ = {call(y)} end end {x}({e});",
            lambda: f"function {x}({y}) _ = {call(y)} end {x}({e});",
            lambda: f"local {x} = function({y}) _ = {call(y)} end; {x}({e});",
            lambda: f"local {x} = 'no'; local function {y}() {x} = {e} end {y}() _ = {call(x)};",
            lambda: f"local {x} = {{}}; function {x}.go({y}) _ = {call(y)} end {x}.go({e});",
            lambda: f"local {x} = {{}}; function {x}:go() _ = {call('self.p')} end {x}.p = {e}; {x}:go();",
            lambda: (
                f"local {x} = {{}}; {x}.__index = {x}; function {x}.new(p) return setmetatable({{p = p}}, {x}) end function {x}:go() _ = {call('self.p')} end {x}.new({e}):go();"
            ),
            lambda: f"local {x} = setmetatable({{}}, {{__call = function(_, {y}) _ = {call(y)} end}}); {x}({e});",
            lambda: f"local {x} = {{go = function({y}) _ = {call(y)} end}}; {x}['go']({e});",
            lambda: f"for _, {x} in ipairs({{'no', {e}}}) do _ = {call(x)} end",
            lambda: f"for {x}, {y} in pairs({{a = {e}}}) do _ = {call(y)} end",
            lambda: f"for {x} in pairs({{[{e}] = 1}}) do _ = {call(x)} end",
            lambda: f"local {x} = {{'no', {e}}}; for {y} = 1, #{x} do _ = {call(f'{x}[{y}]')} end",
            lambda: (
                f"local {x} = {{{e}}}; local {y} = 0; for {z} in function() {y} = {y} + 1 return {x}[{y}] end do _ = {call(z)} end"
            ),
            lambda: f"for {x} in coroutine.wrap(function() coroutine.yield({e}) end) do _ = {call(e)} end",
            lambda: f"local {x} = 'no'; while chance() do _ = {call(x)} {x} = {e} end",
            lambda: f"local {x} = 'no'; repeat _ = {call(x)} {x} = {e} until chance()",
            lambda: f"local function {x}(n) if n == 0 then return {e} end return {x}(n - 1) end _ = {call(f'{x}(2)')};",
            lambda: f"local function {x}(f) return function(w) return f(w) end end {x}(function({y}) _ = {call(y)} end)({e});",
            lambda: f"load({self.quote('_ = ' + call(e))})()",
            lambda: f"{x} = {e}; load({self.quote('_ = ' + call(x))})()",
            lambda: f"if 0 then _ = {call(e)} end",
            lambda: f"if '' then _ = {call(e)} end",
            lambda: f"if not nil and 1 ~= 2 and #'a' == 1 and 5 // 2 == 2 then _ = {call(e)} end",
            lambda: f"_G.{x} = {e}; _ = {call(x)};",
            lambda: f"_G['{x}'] = {e}; _ = {call(f'_G.{x}')};",
            lambda: f"local {x} = {{{e}}}; local {y} = {x}; {y}[2] = 'no'; _ = {call(f'{x}[1]')};",
            lambda: f"local {x} = {{'b', {e}}}; table.sort({x}); for _, {y} in ipairs({x}) do _ = {call(y)} end",
            lambda: f"local {x} = {{n = {{}}}}; {x}.n.m = {e}; _ = {call(f'{x}.n.m')};",
            lambda: f"local {x} = chance() and {call(e)};",
            lambda: f"xpcall(function() _ = {call(e)} end, print);",
            lambda: f"local {x} = ''; {x} = {x} .. {e}; _ = {call(x)};",
            lambda: f"local {x} <const> = {e}; _ = {call(x)};",
        ]

    def wrappers(self, body: str, x: str, y: str) -> list[str]:
        return [
            f"if chance() then {body} end",
            f"if chance() then elseif chance() then {body} else end",
            f"if not chance() then local {x} = 1 else {body} end",
            f"for {x} = 1, 2 do {body} end",
            f"for {x} = 2, 1, -1 do {body} end",
            f"for _, {x} in ipairs({{1, 2}}) do {body} end",
            f"for {x}, {y} in pairs({{a = 1}}) do {body} end",
            f"local {x} = 0 while {x} < 2 do {x} = {x} + 1 {body} end",
            f"while true do {body} break end",
            f"repeat {body} until true",
            f"do {body} end",
            f"local function {x}() {body} end {x}()",
            f"function {x}() {body} end {x}()",
            f"local {x} = function() {body} end {x}()",
            f";(function() {body} end)()",
            f"local function {x}(n) if n == 0 then {body} else {x}(n - 1) end end {x}(2)",
            f"local function {x}() if chance() then return end {body} end {x}()",
            f"local {x} = {{}} function {x}:go() {body} end {x}:go()",
            f"local {x} = {{go = function() {body} end}} {x}.go()",
            f"pcall(function() {body} end)",
            f"pcall(function() {body} error('x') end)",
            f"local {x} = {{function() {body} end}} for _, {y} in ipairs({x}) do {y}() end",
            f"coroutine.wrap(function() {body} end)()",
            f"goto {x} ::{x}:: {body}",
        ]
