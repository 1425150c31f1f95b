"""Generates PHP programs around calls that are stubbed."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from differential.script_programs import Forms, ScriptPrograms


class PhpPrograms(ScriptPrograms):
    markers = MappingProxyType(
        {"unlink": "delete", "rmdir": "delete", "system": "shell", "shell_exec": "shell", "passthru": "shell"}
    )

    def quote(self, text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def texts(self, text: str, inner: Callable[[str], str], v: str) -> Forms:
        left, right = self.split(text)
        under = text.startswith("/zz/")
        return [
            lambda: f"({inner(left)} . {inner(right)})",
            lambda: f"implode('', [{inner(left)}, {inner(right)}])",
            lambda: f"join([{inner(left)}, {inner(right)}])",
            lambda: f"sprintf('%s%s', {inner(left)}, {inner(right)})",
            lambda: f"[{inner(text)}, 'no'][0]",
            lambda: f"['k' => {inner(text)}]['k']",
            lambda: f"['a' => ['b' => {inner(text)}]]['a']['b']",
            lambda: f"array('no', {inner(text)})[1]",
            lambda: f"[...['no'], ...[{inner(text)}]][1]",
            lambda: f"array_merge(['no'], [{inner(text)}])[1]",
            lambda: f"array_values(['k' => {inner(text)}])[0]",
            lambda: f"current([{inner(text)}])",
            lambda: f"array_slice(['no', {inner(text)}], 1)[0]",
            lambda: f"array_reverse([{inner(text)}, 'no'])[1]",
            lambda: f"array_combine(['k'], [{inner(text)}])['k']",
            lambda: f"array_column([['k' => {inner(text)}]], 'k')[0]",
            lambda: f"array_map(fn(${v}) => ${v}, [{inner(text)}])[0]",
            lambda: f"array_map('strval', [{inner(text)}])[0]",
            lambda: f"array_reduce([{inner(left)}, {inner(right)}], fn($c, ${v}) => $c . ${v}, '')",
            lambda: f"({inner(text)} ?: 'no')",
            lambda: f"(null ?? {inner(text)})",
            lambda: f"(1 < 2 ? {inner(text)} : 'no')",
            lambda: f"(chance() ? {inner(text)} : {inner(text)})",
            lambda: f"match(1) {{ 1 => {inner(text)}, default => 'no' }}",
            lambda: f"match(true) {{ 1 < 2 => {inner(text)}, default => 'no' }}",
            lambda: f"substr({inner('x' + text)}, 1)",
            lambda: f"substr({inner(text + 'xy')}, 0, -2)",
            lambda: f"trim({inner(' ' + text + ' ')})",
            lambda: f"strtolower({inner(text.upper())})",
            lambda: f"strrev({inner(text[::-1])})",
            lambda: f"str_replace('Q', 'z', {inner(text.replace('z', 'Q'))})",
            lambda: f"strtr({inner(text.replace('z', 'Q'))}, 'Q', 'z')",
            lambda: f"strtr({inner(text.replace('z', 'Q'))}, ['Q' => 'z'])",
            lambda: f"preg_replace('/Q/', 'z', {inner(text.replace('z', 'Q'))})",
            lambda: f"explode('|', {inner(text + '|no')})[0]",
            lambda: f"strval({inner(text)})",
            lambda: f"(string){inner(text)}",
            lambda: f"ucfirst({inner(text)})",
            lambda: f"(fn(${v}) => ${v})({inner(text)})",
            lambda: f"(function (${v}) {{ return ${v}; }})({inner(text)})",
            lambda: f"(function (...${v}) {{ return ${v}[0]; }})({inner(text)})",
            lambda: f"call_user_func(fn(${v}) => ${v}, {inner(text)})",
            lambda: f"call_user_func_array(fn(${v}) => ${v}, [{inner(text)}])",
            lambda: f"call_user_func('strval', {inner(text)})",
            lambda: f"(${v} = {inner(text)})",
            lambda: f"dirname({inner(text + '/no')})" if under and not text.endswith("/") else self.quote(text),
            lambda: f"('/zz/' . basename({inner(text)}))" if under else self.quote(text),
            lambda: f"urldecode(urlencode({inner(text)}))",
            lambda: f"(new class({inner(text)}) {{ function __construct(public $k) {{}} }})->k",
            lambda: f"eval({self.quote('return ' + inner(text) + ';')})",
            lambda: f'"\\x{ord(text[0]):02x}{text[1:]}"',
        ]

    def functions(self, name: str) -> list[str]:
        return [
            f"{name}(@)",
            f"{name}(@)",
            f"\\{name}(@)",
            f"{name.upper()}(@)",
            f"('{name[:2]}' . '{name[2:]}')(@)",
            f"('{name}')(@)",
            f"['{name}'][0](@)",
            f"{name}(...)(@)",
            f"{name}(...[@])",
            f"call_user_func('{name}', @)",
            f"call_user_func_array('{name}', [@])",
            f"array_map('{name}', [@])",
            f"(fn($w) => {name}($w))(@)",
            f"(new ReflectionFunction('{name}'))->invoke(@)",
            f"Closure::fromCallable('{name}')(@)",
        ]

    def list_statements(self, call: Callable[[str], str], e: str, x: str, y: str, z: str) -> Forms:
        return [
            lambda: f"{call(e)};",
            lambda: f"${x} = {e}; {call(f'${x}')};",
            lambda: f"[${x}, ${y}] = ['no', {e}]; {call(f'${y}')};",
            lambda: f"list(, ${y}) = ['no', {e}]; {call(f'${y}')};",
            lambda: f"['k' => ${y}] = ['k' => {e}]; {call(f'${y}')};",
            lambda: f"${x} = 'no'; if (chance()) {{ ${x} = {e}; {call(f'${x}')}; }}",
            lambda: f"${x} = 'no'; if (chance()) ${x} = {e}; {call(f'${x}')};",
            lambda: f"${x} = []; ${x}[] = 'no'; ${x}[] = {e}; {call(f'${x}[1]')};",
            lambda: f"${x} = []; ${x}['k'] = {e}; {call(f'''${x}['k']''')};",
            lambda: f"${x} = [{e}]; ${y} = ${x}; ${y}[0] = 'no'; {call(f'${x}[0]')};",
            lambda: f"${x} = [1]; array_push(${x}, {e}); {call(f'${x}[1]')};",
            lambda: f"${x} = ['no', {e}]; {call(f'array_pop(${x})')};",
            lambda: f"${x} = [{e}, 'no']; {call(f'array_shift(${x})')};",
            lambda: f"${x} = fn(${y}) => fn() => {call(f'${y}')}; ${z} = chance() ? ${x}('/zz/no') : ${x}({e}); ${z}();",
            lambda: f"${x} = ['k' => 1]; unset(${x}['k']); if (!isset(${x}['k'])) {call(e)};",
            lambda: f"${x} = ['no', {e}]; unset(${x}[0]); foreach (${x} as ${y}) {call(f'${y}')};",
            lambda: f"${x} = ['no', {e}]; unset(${x}[0]); {call(f'array_values(${x})[0]')};",
            lambda: f"${x} = ['no', {e}]; array_splice(${x}, 0, 1); {call(f'${x}[0]')};",
            lambda: f"${x} = 1; unset(${x}); if (!isset(${x})) {call(e)};",
            lambda: f"${x} = ''; ${x} .= {e}; {call(f'${x}')};",
            lambda: f"${x} = null; ${x} ??= {e}; {call(f'${x}')};",
            lambda: f"${x} = {e}; " + call(f'"${x}"') + ";",
            lambda: f"${x} = {e}; " + call('"{$' + x + '}"') + ";",
            lambda: f"${x} = ['k' => {e}]; " + call(f'"${x}[k]"') + ";",
            lambda: f"function {x}(${y}) {{ {call(f'${y}')}; }} {x}({e});",
            lambda: f"function {x}(${y} = 'no', ...${z}) {{ {call(f'${z}[0]')}; }} {x}(1, {e});",
            lambda: f"function {x}(${y}, ${z} = {self.quote('/zz/d')}) {{ {call(f'${y}')}; }} {x}({y}: {e});",
            lambda: f"function {x}() {{ if (chance()) return {e}; return {e}; }} {call(f'{x}()')};",
            lambda: f"function {x}() {{ {call('func_get_args()[0]')}; }} {x}({e});",
            lambda: f"${x} = {e}; function {y}() {{ global ${x}; {call(f'${x}')}; }} {y}();",
            lambda: f"${x} = {e}; function {y}() {{ {call(f'''$GLOBALS['{x}']''')}; }} {y}();",
            lambda: f"function {x}(&${y}) {{ ${y} = {e}; }} {x}(${z}); {call(f'${z}')};",
            lambda: f"function {x}() {{ static ${y} = 'no'; {call(f'${y}')}; ${y} = {e}; }} {x}(); {x}();",
            lambda: f"${x} = function (${y}) {{ {call(f'${y}')}; }}; ${x}({e});",
            lambda: f"${x} = {e}; ${y} = function () use (${x}) {{ {call(f'${x}')}; }}; ${y}();",
            lambda: f"${x} = 'no'; ${y} = function () use (&${x}) {{ ${x} = {e}; }}; ${y}(); {call(f'${x}')};",
            lambda: f"${x} = {e}; ${y} = fn() => {call(f'${x}')}; ${y}();",
            lambda: (
                f"class {x} {{ function __construct(private $p) {{}} function go() {{ {call('$this->p')}; }} }} (new {x}({e}))->go();"
            ),
            lambda: (
                f"class {x} {{ public $p = 'no'; function set($p) {{ $this->p = $p; return $this; }} }} {call(f'(new {x})->set({e})->p')};"
            ),
            lambda: f"class {x} {{ static $p; static function go() {{ {call('self::$p')}; }} }} {x}::$p = {e}; {x}::go();",
            lambda: (
                f"class {x} {{ const W = {self.quote('/zz/c')}; static function go(${y}) {{ {call(f'${y}')}; }} }} {x}::go({e});"
            ),
            lambda: f"class {x} {{ function __call($n, $a) {{ {call('$a[0]')}; }} }} (new {x})->foo({e});",
            lambda: f"class {x} {{ function __invoke(${y}) {{ {call(f'${y}')}; }} }} ${z} = new {x}; ${z}({e});",
            lambda: f"class {x} {{ function __get($n) {{ return {e}; }} }} {call(f'(new {x})->foo')};",
            lambda: (
                f"class {x} {{ function go(${y}) {{ {call(f'${y}')}; }} }} class {y} extends {x} {{ function go(${z}) {{ parent::go(${z}); }} }} (new {y})->go({e});"
            ),
            lambda: f"class {x} {{ function go(${y}) {{ {call(f'${y}')}; }} }} call_user_func([new {x}, 'go'], {e});",
            lambda: f"class {x} {{ static function go(${y}) {{ {call(f'${y}')}; }} }} call_user_func('{x}::go', {e});",
            lambda: f"class {x} {{ function go(${y}) {{ {call(f'${y}')}; }} }} ${z} = 'go'; (new {x})->${z}({e});",
            lambda: f"trait {x} {{ function go(${y}) {{ {call(f'${y}')}; }} }} class {y} {{ use {x}; }} (new {y})->go({e});",
            lambda: (
                f"abstract class {x} {{ abstract function w(); function go() {{ {call('$this->w()')}; }} }} class {y} extends {x} {{ function w() {{ return {e}; }} }} (new {y})->go();"
            ),
            lambda: f"foreach (['no', {e}] as ${x}) {{ {call(f'${x}')}; }}",
            lambda: f"foreach (['a' => {e}] as ${x} => ${y}) {call(f'${y}')};",
            lambda: f"foreach ([[1, {e}]] as [${x}, ${y}]) {{ {call(f'${y}')}; }}",
            lambda: f"${x} = ['no']; foreach (${x} as &${y}) {{ ${y} = {e}; }} unset(${y}); {call(f'${x}[0]')};",
            lambda: f"${x} = ['no', {e}]; for (${y} = 0; ${y} < count(${x}); ${y}++) {{ {call(f'${x}[${y}]')}; }}",
            lambda: f"array_map(function (${x}) {{ {call(f'${x}')}; }}, [{e}]);",
            lambda: f"${x} = [{e}]; array_walk(${x}, function (${y}) {{ {call(f'${y}')}; }});",
            lambda: f"foreach (array_filter(['no', {e}], fn(${x}) => ${x} !== 'no') as ${y}) {call(f'${y}')};",
            lambda: f"${x} = ['b' => 'no', 'a' => {e}]; ksort(${x}); foreach (${x} as ${y}) {call(f'${y}')};",
            lambda: f"function {x}() {{ yield 'no'; yield {e}; }} foreach ({x}() as ${y}) {call(f'${y}')};",
            lambda: f"extract(['{x}' => {e}]); {call(f'${x}')};",
            lambda: f"${x} = {e}; {call(f'''compact('{x}')['{x}']''')};",
            lambda: f"${y} = {e}; ${x} = '{y}'; {call(f'$${x}')};",
            lambda: f"define('{x}', {e}); {call(x)};",
            lambda: f"eval({self.quote(call(e) + ';')});",
            lambda: f"${x} = {e}; eval({self.quote(call(f'${x}') + ';')});",
            lambda: f"switch ({e}) {{ case 'no': break; default: {call(e)}; }}",
            lambda: f"chance() ? {call(e)} : null;",
            lambda: f"chance() && {call(e)};",
            lambda: f"if ('0') {{ }} else {{ {call(e)}; }}",
            lambda: f"${x} = 'no'; while (chance()) {{ {call(f'${x}')}; ${x} = {e}; }}",
            lambda: f"function {x}($n) {{ return $n ? {x}($n - 1) : {e}; }} {call(f'{x}(2)')};",
            lambda: f"echo {call(e)};",
            lambda: f"try {{ throw new Exception({e}); }} catch (Exception ${x}) {{ {call(e)}; }}",
            lambda: f"${x} = new ArrayObject([{e}]); foreach (${x} as ${y}) {call(f'${y}')};",
            lambda: f"${x} = (object)['k' => {e}]; {call(f'${x}->k')};",
            lambda: f"${x} = new stdClass; ${x}->k = {e}; {call(f'${x}->k')};",
        ]

    def wrappers(self, body: str, x: str, y: str) -> list[str]:
        forms = [
            f"if (chance()) {{ {body} }}",
            f"if (chance()) ; elseif (chance()) {{ {body} }} else {{ }}",
            f"if (!chance()): ${x} = 1; else: {body} endif;",
            f"for (${x} = 0; ${x} < 2; ${x}++) {{ {body} }}",
            f"foreach ([1, 2] as ${x}) {{ {body} }}",
            f"${x} = 0; while (${x} < 2) {{ ${x}++; if (${x} == 1) continue; {body} }}",
            f"while (true) {{ {body} break; }}",
            f"do {{ {body} }} while (chance());",
            f"switch ({self.random.randrange(3)}) {{ case 0: case 1: case 2: {body} break; default: }}",
            f"switch (chance()) {{ case true: ${x} = 1; default: {body} }}",
            f"try {{ {body} }} finally {{ }}",
            f"try {{ throw new Exception('x'); }} catch (Exception ${x}) {{ {body} }}",
            f"try {{ if (chance()) throw new Exception('x'); }} catch (Exception ${x}) {{ }} finally {{ {body} }}",
            f"function {x}() {{ {body} }} {x}();",
            f"{x}(); function {x}() {{ {body} }}",
            f"function {x}($n) {{ if ($n === 0) {{ {body} return; }} {x}($n - 1); }} {x}({self.random.randrange(4)});",
            f"function {x}() {{ if (chance()) return; {body} }} {x}();",
            f"${x} = function () {{ {body} }}; ${x}();",
            f"(function () {{ {body} }})();",
            f"class {x} {{ function go() {{ {body} }} }} (new {x})->go();",
            f"class {x} {{ static function go() {{ {body} }} }} {x}::go();",
            f"class {x} {{ function __construct() {{ {body} }} }} class {y} extends {x} {{ }} new {y};",
            f"class {x} {{ function __destruct() {{ {body} }} }} ${y} = new {x}; unset(${y});",
            f"array_map(function () {{ {body} }}, [1]);",
            f"${x} = [function () {{ {body} }}]; ${x}[0]();",
            f"call_user_func(function () {{ {body} }});",
        ]
        if (
            "class " in body
            or "trait " in body
            or "const " in body
            or "$GLOBALS" in body
            or "global " in body
            or "func_get_args" in body
        ):
            forms = forms[:3] + forms[8:13]
        if "function v" in body:  # one that is in a loop is declared twice
            forms = [
                each for each in forms if not each.startswith(("for", "while", "do ", "$")) and f"function {x}($n)" not in each
            ]
        return forms
