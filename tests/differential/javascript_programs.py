"""Generates JavaScript programs around calls that are stubbed, with every form of call, of text and of data flow.

A program may branch on a value that is only known when it runs (`chance()`); whichever branch it takes, its calls must be among
those that are read.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable

MARKERS = ("fs.rmSync", "fs.unlinkSync", "fs.rmdirSync", "fs.promises.rm", "child_process.execSync", "fs.rm")
"""The calls that are stubbed."""
HEAD = """const fs = require('fs'), path = require('path'), child_process = require('child_process'), util = require('util');
const vm = require('vm'), os = require('os'), events = require('events');
function chance() { return Math.random() < 0.5 }
"""


def quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


class Programs:
    """Programs for a seed, by number."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0

    def name(self) -> str:
        self._number += 1
        return f"v{self._number}"

    def __iter__(self) -> Programs:
        return self

    def __next__(self) -> str:
        lines = [self._block(self._random.randrange(3)) for _ in range(self._random.randrange(1, 4))]
        return HEAD + "\n".join(f"{{ {line} }}" for line in lines) + "\n"

    # ---- texts

    def marker(self) -> str:
        return f"/zz/m{self._random.randrange(10**6)}"

    def text(self, text: str, depth: int = 0) -> str:
        """Returns an expression that evaluates to this text."""
        chosen = self._random
        if depth > 2 or len(text) < 3 or chosen.random() < 0.3:
            return quote(text)
        at = chosen.randrange(1, max(2, len(text)))
        left, right = text[:at], text[at:]
        v = self.name()

        def inner(part: str) -> str:
            return self.text(part, depth + 1)

        forms: list[Callable[[], str]] = [
            lambda: f"({inner(left)} + {inner(right)})",
            lambda: f"`${{{inner(left)}}}{right}`",
            lambda: f"`{left}${{{inner(right)}}}`",
            lambda: f"[{inner(left)}, {inner(right)}].join('')",
            lambda: f"{inner(left)}.concat({inner(right)})",
            lambda: f"String.raw`${{{inner(text)}}}`",
            lambda: f"[{inner(text)}, 'no'][0]",
            lambda: f"['no', {inner(text)}].at(-1)",
            lambda: f"['no', {inner(text)}].slice(1)[0]",
            lambda: f"['no', {inner(text)}].pop()",
            lambda: f"[...['no'], ...[{inner(text)}]][1]",
            lambda: f"({{k: {inner(text)}}}).k",
            lambda: f"({{k: {inner(text)}}})['k']",
            lambda: f"({{...{{k: {inner(text)}}}}}).k",
            lambda: f"({{get k() {{ return {inner(text)} }}}}).k",
            lambda: f"({{['k' + 1]: {inner(text)}}}).k1",
            lambda: f"({{a: {{b: [{inner(text)}]}}}}).a?.b?.[0]",
            lambda: f"Object.assign({{}}, {{k: {inner(text)}}}).k",
            lambda: f"Object.values({{k: {inner(text)}}})[0]",
            lambda: f"Object.entries({{k: {inner(text)}}})[0][1]",
            lambda: f"Object.fromEntries([['k', {inner(text)}]]).k",
            lambda: f"Object.freeze({{k: {inner(text)}}}).k",
            lambda: f"JSON.parse(JSON.stringify({{k: {inner(text)}}})).k",
            lambda: f"new Map([['k', {inner(text)}]]).get('k')",
            lambda: f"[...new Set([{inner(text)}])][0]",
            lambda: f"({inner(text)} || 'no')",
            lambda: f"(null ?? {inner(text)})",
            lambda: f"('yes' && {inner(text)})",
            lambda: f"(1 < 2 ? {inner(text)} : 'no')",
            lambda: f"(typeof 'a' === 'string' ? {inner(text)} : 'no')",
            lambda: f"(0, {inner(text)})",
            lambda: f"{inner('x' + text)}.slice(1)",
            lambda: f"{inner(text + 'xy')}.slice(0, -2)",
            lambda: f"{inner('x' + text)}.substring(1)",
            lambda: f"{inner(text.replace('m', 'Q'))}.replace('Q', 'm')",
            lambda: f"{inner(text.replace('z', 'Q'))}.replaceAll('Q', 'z')",
            lambda: f"{inner(' ' + text + ' ')}.trim()",
            lambda: f"{inner(text.upper())}.toLowerCase()" if text == text.lower() else quote(text),
            lambda: f"String({inner(text)})",
            lambda: f"{inner(text)}.toString()",
            lambda: f"{inner(text + '|no')}.split('|')[0]",
            lambda: f"{inner(text[::-1])}.split('').reverse().join('')",
            lambda: f"(({v}) => {v})({inner(text)})",
            lambda: f"(function ({v}) {{ return {v} }})({inner(text)})",
            lambda: f"(function () {{ return arguments[0] }})({inner(text)})",
            lambda: f"(function () {{ return this.k }}).call({{k: {inner(text)}}})",
            lambda: f"(({{k: {v}}}) => {v})({{k: {inner(text)}}})",
            lambda: f"(({v} = {inner(text)}) => {v})()",
            lambda: f"((...{v}) => {v}[0])({inner(text)})",
            lambda: f"String.fromCharCode({', '.join(str(ord(char)) for char in text)})",
            lambda: f"Buffer.from({json.dumps([ord(char) for char in text])}).toString()",
            lambda: f"Buffer.from({inner(text)}).toString('utf8')",
            lambda: f"decodeURIComponent(encodeURIComponent({inner(text)}))",
            lambda: f"path.join({inner('/zz')}, {inner(text[4:])})" if text.startswith("/zz/") else quote(text),
            lambda: f"path.resolve({inner('/zz')}, {inner(text[4:])})" if text.startswith("/zz/") else quote(text),
            lambda: f"path.dirname({inner(text + '/no')})" if text.startswith("/zz/") else quote(text),
            lambda: f"[{inner(text)}].map({v} => {v})[0]",
            lambda: f"[{inner(text)}].filter({v} => {v})[0]",
            lambda: f"['no', {inner(text)}].find({v} => {v} !== 'no')",
            lambda: f"[{inner(left)}, {inner(right)}].reduce(({v}, w) => {v} + w)",
            lambda: f"[[{inner(text)}]].flat()[0]",
            lambda: f"Array.from([{inner(text)}])[0]",
            lambda: f"Reflect.get({{k: {inner(text)}}}, 'k')",
            lambda: f"new (class {{ k = {inner(text)} }})().k",
            lambda: f"(class {{ static k = {inner(text)} }}).k",
            lambda: f"eval({quote(inner(text))})",
            lambda: f"structuredClone({{k: {inner(text)}}}).k",
            lambda: f"{json.dumps(text)}",
            lambda: f"'\\x{ord(text[0]):02x}\\u{{{ord(text[1]):x}}}{text[2:]}'",
        ]
        return chosen.choice(forms)()

    def call(self) -> tuple[str, str]:
        """Returns a stubbed function and an expression for its argument."""
        function = self._random.choice(MARKERS)
        text = self.marker()
        return function, self.text(f"echo {text}" if function.startswith("child") else text)

    def function(self, name: str) -> str:
        """Returns an expression that evaluates to this function."""
        owner, _, attribute = name.rpartition(".")
        module = owner.partition(".")[0]
        rest = owner[len(module) :]
        half = len(attribute) // 2
        forms = [
            name,
            name,
            name,
            f"{owner}[{self.text(attribute, 1)}]",
            f"{owner}['{attribute[:half]}' + '{attribute[half:]}']",
            f"require('{module}'){rest}.{attribute}",
            f"require('node:{module}'){rest}.{attribute}",
            f"process.getBuiltinModule?.('{module}'){rest}?.{attribute} ?? {name}",
            f"module.require('{module}'){rest}.{attribute}",
            f"({{a: {name}}}).a",
            f"[{name}][0]",
            f"(1 ? {name} : console.log)",
            f"((...a) => {name}(...a))",
            f"(function (...a) {{ return {name}.apply(this, a) }})",
            f"{name}.bind(null)",
            f"(({{{attribute}}}) => {attribute})({owner})",
            f"(() => {name})()",
            f"Reflect.get({owner}, '{attribute}')",
            f"Object.entries({{k: {name}}})[0][1]",
        ]
        return "(" + self._random.choice(forms) + ")"

    # ---- statements

    def _block(self, depth: int) -> str:
        body = self._leaf() if depth == 0 else self._block(depth - 1)
        return self._wrap(body) if depth and self._random.random() < 0.9 else body

    def _wrap(self, body: str) -> str:
        x, y = self.name(), self.name()
        is_async = "await " in body
        forms = [
            f"if (chance()) {{ {body} }}",
            f"if (chance()) ; else if (chance()) {{ {body} }} else ;",
            f"if (!chance()) {{ let {x} = 1 }} else {{ {body} }}",
            f"for (let {x} = 0; {x} < {self._random.randrange(1, 3)}; {x}++) {{ {body} }}",
            f"for (var {x} = 0; {x} < 3; {x}++) {{ if ({x} != 1) continue; {body}; break }}",
            f"for (const {x} of [1, 2]) {{ {body} }}",
            f"for (const {x} in {{a: 1}}) {{ {body} }}",
            f"let {x} = 0; while ({x} < 2) {{ {x}++; {body} }}",
            f"while (true) {{ {body}; break }}",
            f"while (chance()) {{ {body} }}",
            f"do {{ {body} }} while (chance())",
            f"{x}: for (const {y} of [1, 2]) {{ for (;;) {{ if ({y} == 1) continue {x}; {body}; break {x} }} }}",
            f"{x}: {{ if (chance()) break {x}; {body} }}",
            f"try {{ {body} }} finally {{ }}",
            f"try {{ throw new Error('{x}') }} catch ({x}) {{ {body} }}",
            f"try {{ null.x }} catch {{ {body} }}",
            f"try {{ if (chance()) throw 1 }} catch ({{{x}}}) {{ }} finally {{ {body} }}",
            f"switch ({self._random.randrange(3)}) {{ case 0: case 1: case 2: {{ {body} }} default: }}",
            f"switch (chance()) {{ case true: let {x} = 1; default: {{ {body} }} break; case 5: }}",
            f"function {x}() {{ {body} }} {x}()",
            f"{x}(); function {x}() {{ {body} }}",
            f"const {x} = () => {{ {body} }}; {x}()",
            f"(function () {{ {body} }})()",
            f"!function () {{ {body} }}()",
            f"void (async () => {{ {body} }})()",
            f"async function {x}() {{ {body} }} {x}().then(() => 1)",
            f"class {x} {{ go() {{ {body} }} }} new {x}().go()",
            f"class {x} {{ constructor() {{ {body} }} }} class {y} extends {x} {{ }} new {y}()",
            f"class {x} {{ static go() {{ {body} }} }} {x}.go()",
            f"class {x} {{ static {{ {body} }} }}",
            f"class {x} {{ get go() {{ {body}; return 1 }} }} new {x}().go",
            f"class {x} {{ set go(v) {{ {body} }} }} new {x}().go = 1",
            f"class {x} {{ #go() {{ {body} }} run() {{ this.#go() }} }} new {x}().run()",
            f"const {x} = {{go() {{ {body} }}}}; {x}.go()",
            f"const {x} = {{go: function () {{ {body} }}}}; {x}['go']()",
            f"function {x}() {{ }} {x}.prototype.go = function () {{ {body} }}; new {x}().go()",
            f"function* {x}() {{ {body}; yield 1 }} [...{x}()]",
            f"function {x}(n) {{ if (n === 0) {{ {body}; return }} {x}(n - 1) }} {x}({self._random.randrange(4)})",
            f"function {x}() {{ if (chance()) return; {body} }} {x}()",
            f"const {x} = []; {x}.push(() => {{ {body} }}); for (const {y} of {x}) {y}()",
            f"setTimeout(() => {{ {body} }}, 0)",
            f"setImmediate(() => {{ {body} }})",
            f"process.nextTick(() => {{ {body} }})",
            f"queueMicrotask(() => {{ {body} }})",
            f"Promise.resolve().then(() => {{ {body} }})",
            f"Promise.reject(1).catch(() => {{ {body} }})",
            f"new Promise({x} => {{ {body}; {x}(1) }})",
            f"[1].forEach(() => {{ {body} }})",
            f"const {x} = new events.EventEmitter(); {x}.on('e', () => {{ {body} }}); {x}.emit('e')",
            f"const {x} = f => (...a) => f(...a); {x}(() => {{ {body} }})()",
            f"var {x}; ({x} = () => {{ {body} }})()",
        ]
        if is_async:
            forms = [each for each in forms if "async" in each] or forms
        else:
            forms += [
                f"eval({quote(body)})",
                f"new Function('fs', 'child_process', 'require', 'chance', 'path', 'module', 'events', {quote(body)})(fs, child_process, require, chance, path, module, events)",
            ]
        return self._random.choice(forms)

    def _leaf(self) -> str:
        f, e = self.call()
        g = self.function(f)
        x, y, z = self.name(), self.name(), self.name()
        attribute = f.rpartition(".")[2]
        owner = f.rpartition(".")[0]
        cb = ", () => {}" if f == "fs.rm" else ""
        return self._random.choice(
            (
                f"{g}({e}{cb})",
                f"{g}(...[{e}]{cb})",
                f"{g}.call(null, {e}{cb})",
                f"{g}.apply(null, [{e}{cb}])",
                f"{g}.bind(null, {e})({cb[2:]})",
                f"Reflect.apply({g}, null, [{e}{cb}])",
                f"const {x} = {g}; {x}({e}{cb})",
                f"const {x} = {y} => () => {g}({y}{cb}); const {z} = chance() ? {x}('/zz/no') : {x}({e}); {z}()",
                f"const {x} = {{k: 1}}; delete {x}.k; if (!('k' in {x})) {g}({e}{cb})",
                f"const {x} = {{k: 1}}; delete {x}['k']; if (!{x}.k) {g}({e}{cb})",
                f"const {x} = {{k: 1}}; if (delete {x}.k && !Object.keys({x}).length) {g}({e}{cb})",
                f"const {x} = new Map([['k', 1]]); {x}.{self._random.choice(('delete', 'clear'))}('k'); if (!{x}.has('k')) {g}({e}{cb})",
                f"const {x} = new Set(['k']); {x}.{self._random.choice(('delete', 'clear'))}('k'); if (!{x}.size) {g}({e}{cb})",
                f"const {x} = ['no', {e}]; {x}.splice(0, 1); {g}({x}[0]{cb})",
                f"const {x} = ['no']; {x}.length = 0; if (!{x}[0]) {g}({e}{cb})",
                f"const {x} = ['no', {e}]; {x}.{self._random.choice(('reverse', 'copyWithin'))}(0, 1); {g}({x}[0]{cb})",
                f"let {x}, {y}; {x} = {y} = {g}; {y}({e}{cb})",
                f"const [{x}, {y}] = [{g}, {e}]; {x}({y}{cb})",
                f"const [, {x}, ...{y}] = [0, {e}, 1]; {g}({x}{cb})",
                f"const [{x} = {e}] = []; {g}({x}{cb})",
                f"const {{a: {x}, b: {{c: {y}}}}} = {{a: {g}, b: {{c: {e}}}}}; {x}({y}{cb})",
                f"const {{{x} = {e}}} = {{}}; {g}({x}{cb})",
                f"const {{a: {x}, ...{y}}} = {{a: 1, b: {e}}}; {g}({y}.b{cb})",
                f"const {{{attribute}: {x}}} = {owner}; {x}({e}{cb})",
                f"let {x}; ({{a: {x}}} = {{a: {e}}}); {g}({x}{cb})",
                f"let {x} = 'no'; if (chance()) {{ {x} = {e}; {g}({x}{cb}) }}",
                f"let {x} = 'no'; if (chance()) {x} = {e}; {g}({x}{cb})",
                f"let {x} = {e}; for (let {y} = 0; {y} < 2; {y}++) {{ {g}({x}{cb}); {x} = 'no' }}",
                f"let {x} = 'no'; for (const {y} of [1, 2, 3]) {{ {g}({x}{cb}); {x} = {e} }}",
                f"let {x} = 'no'; while (chance()) {{ {g}({x}{cb}); {x} = {e} }}",
                f"let {x} = null; function {y}() {{ {x} = {e} }} {y}(); if ({x} !== null) {g}({x}{cb})",
                f"let {x}; {{ let {x} = 'no' }} {x} = {e}; {g}({x}{cb})",
                f"const {x} = {e}; {{ const {x} = 'no' }} {g}({x}{cb})",
                f"const {x} = []; for (let {y} = 0; {y} < 2; {y}++) {x}.push(() => {g}(['no', {e}][{y}]{cb})); {x}.forEach({z} => {z}())",
                f"const {x} = []; for (const {y} of ['no', {e}]) {x}.push(() => {g}({y}{cb})); for (const {z} of {x}) {z}()",
                f"globalThis.{x} = {e}; {g}({x}{cb})",
                f"function {x}(p, q = 1, ...r) {{ return p(r[0]{cb}) }} {x}({g}, 2, {e})",
                f"function {x}({{a, b = {e}}} = {{}}) {{ {g}(b{cb}) }} {x}()",
                f"function {x}() {{ return {g}(...arguments{cb}) }} {x}({e})",
                f"class {x} {{ constructor(w) {{ this.w = w }} go() {{ {g}(this.w{cb}) }} }} new {x}({e}).go()",
                f"class {x} {{ w = {e}; go() {{ {g}(this.w{cb}) }} }} new {x}().go()",
                f"class {x} {{ w = {e}; go = () => {g}(this.w{cb}) }} const {{go: {y}}} = new {x}(); {y}()",
                f"class {x} {{ #w = {e}; go() {{ {g}(this.#w{cb}) }} }} new {x}().go()",
                f"class {x} {{ static w = {e}; static go() {{ {g}(this.w{cb}) }} }} {x}.go()",
                f"class {x} {{ get w() {{ return {e} }} }} {g}(new {x}().w{cb})",
                f"class {x} {{ set w(v) {{ {g}(v{cb}) }} }} new {x}().w = {e}",
                f"class {x} {{ go(w) {{ {g}(w{cb}) }} }} class {y} extends {x} {{ go(w) {{ super.go(w) }} }} new {y}().go({e})",
                f"class {x} {{ constructor(w) {{ this.w = w }} }} class {y} extends {x} {{ constructor() {{ super({e}) }} go() {{ {g}(this.w{cb}) }} }} new {y}().go()",
                f"class {x} {{ *[Symbol.iterator]() {{ yield {e} }} }} for (const {y} of new {x}()) {g}({y}{cb})",
                f"class {x} {{ ['a' + 'b'](w) {{ {g}(w{cb}) }} }} new {x}().ab({e})",
                f"const {x} = class {{ go(w) {{ {g}(w{cb}) }} }}; new {x}().go({e})",
                f"function {x}(w) {{ this.w = w }} {x}.prototype.go = function () {{ {g}(this.w{cb}) }}; new {x}({e}).go()",
                f"function {x}(w) {{ if (!new.target) return new {x}(w); this.w = w }} {g}({x}({e}).w{cb})",
                f"const {x} = {{w: {e}, go() {{ {g}(this.w{cb}) }}}}; {x}.go()",
                f"const {x} = {{go(w) {{ {g}(w{cb}) }}}}; const {y} = {{...{x}}}; {y}.go({e})",
                f"const {x} = {{}}; {x}.w = {e}; {x}['f'] = {g}; {x}.f({x}.w{cb})",
                f"const {x} = {{}}; {x}.a ??= []; {x}.a.push({e}); for (const {y} of {x}.a) {g}({y}{cb})",
                f"const {x} = {{}}; Object.defineProperty({x}, 'w', {{value: {e}}}); {g}({x}.w{cb})",
                f"const {x} = {{get w() {{ return {e} }}, set w(v) {{ }}}}; {g}({x}.w{cb})",
                f"[{e}].forEach({y} => {g}({y}{cb}))",
                f"[{e}].map({y} => {g}({y}{cb}))",
                f"[{e}].forEach(({y}, n, all) => {g}(all[n]{cb}))",
                f"['no', {e}].filter({y} => {y} !== 'no').forEach({y} => {g}({y}{cb}))",
                f"[[{e}]].flatMap({y} => {y}).forEach({z} => {g}({z}{cb}))",
                f"['no', {e}].some({y} => ({g}({y}{cb}), false))",
                f"[{e}].every({y} => ({g}({y}{cb}), false))",
                f"[{e}].reduce((a, {y}) => {g}({y}{cb}), null)",
                f"['no', {e}].sort().forEach({y} => {g}({y}{cb}))",
                f"new Map([['a', {e}]]).forEach({y} => {g}({y}{cb}))",
                f"for (const [{x}, {y}] of new Map([['a', {e}]])) {g}({y}{cb})",
                f"for (const [{x}, {y}] of Object.entries({{a: {e}}})) {g}({y}{cb})",
                f"for (const [{x}, {y}] of [{e}].entries()) {g}({y}{cb})",
                f"for (const {x} in {{a: 1}}) {g}({{a: {e}}}[{x}]{cb})",
                f"for (const {x} of new Set([{e}])) {g}({x}{cb})",
                f"const {x} = new Map(); {x}.set('k', {e}); {g}({x}.get('k'){cb})",
                f"const {x} = ['no']; {x}.push({e}); while ({x}.length) {g}({x}.pop(){cb})",
                f"const {x} = ['no']; {x}[0] = {e}; {g}({x}[0]{cb})",
                f"const {x} = [{e}, 'no']; {g}({x}.shift(){cb})",
                f"const {x} = ['no', {e}]; for (let {y} = 0; {y} < {x}.length; {y}++) {g}({x}[{y}]{cb})",
                f"let {x} = 0; {g}(['no', {e}][++{x}]{cb})",
                f"let {x} = 1; {g}(['no', {e}][{x}++]{cb})",
                f"let {x} = ''; {x} += {e}; {g}({x}{cb})",
                f"let {x} = null; {x} ||= {e}; {g}({x}{cb})",
                f"let {x}; {g}(({x} = {e}){cb})",
                f"{g}((1, {e}){cb})",
                f"chance() ? {g}({e}{cb}) : null",
                f"chance() && {g}({e}{cb})",
                f"chance() || {g}({e}{cb})",
                f"chance() ?? {g}('no'{cb}); {g}({e}{cb})",
                f"if (1 < 2 && 'a' in {{a: 1}} && [] instanceof Array && typeof 1 == 'number') {g}({e}{cb})",
                f"if (!(2 <= 1) && ~0 && -1 && +1 && 2 ** 2 && 5 % 2 && 1 << 2 && 6 / 3 && 2 * 3 && 3 - 1) {g}({e}{cb})",
                f"const {x} = {{a: 1}}; delete {x}.a; {g}({e}{cb})",
                f"with ({{{x}: {e}}}) {g}({x}{cb})",
                f"with ({owner}) {attribute}({e}{cb})",
                f"({x} => {x}({e}{cb}))({g})",
                f"(function {x}(n) {{ return n ? {x}(n - 1) : {g}({e}{cb}) }})(2)",
                f"const {x} = n => n ? {x}(n - 1) : {e}; {g}({x}(3){cb})",
                f"function {x}(d) {{ for (const {y} of d) Array.isArray({y}) ? {x}({y}) : {g}({y}{cb}) }} {x}([['no', [{e}]]])",
                f"function {x}(f) {{ return (...a) => f(...a) }} {x}({g})({e}{cb})",
                f"const {x} = f => a => f(a{cb}); {x}({g})({e})",
                f"function {x}() {{ try {{ return {e} }} finally {{ }} }} {g}({x}(){cb})",
                f"function {x}() {{ for (const {y} of ['no', {e}]) if ({y} != 'no') return {y} }} {g}({x}(){cb})",
                f"function* {x}() {{ yield 'no'; yield {e} }} for (const {y} of {x}()) {g}({y}{cb})",
                f"function* {x}() {{ yield* [{e}] }} {g}({x}().next().value{cb})",
                f"const [{x}] = (function* () {{ yield {e} }})(); {g}({x}{cb})",
                f"(async () => {{ {g}(await {e}{cb}) }})()",
                f"(async () => {{ const {x} = await Promise.resolve({e}); {g}({x}{cb}) }})()",
                f"(async () => {{ for await (const {x} of [{e}]) {g}({x}{cb}) }})()",
                f"(async () => {{ for await (const {x} of (async function* () {{ yield {e} }})()) {g}({x}{cb}) }})()",
                f"(async () => {{ const [{x}] = await Promise.all([{e}]); {g}({x}{cb}) }})()",
                f"(async () => {{ try {{ await Promise.reject({e}) }} catch ({x}) {{ {g}({e}{cb}) }} }})()",
                f"(async () => {{ const {x} = await import('fs'); {x}.rmSync({e}) }})()",
                f"(async () => {{ const {{default: {x}}} = await import('fs'); {x}.unlinkSync({e}) }})()",
                f"import('node:fs').then({x} => {x}.rmSync({e}))",
                f"import('fs').then(({{unlinkSync}}) => unlinkSync({e}))",
                f"async function {x}() {{ return {e} }} {x}().then({y} => {g}({y}{cb}))",
                f"Promise.resolve({e}).then({y} => {g}({y}{cb}))",
                f"Promise.resolve({e}).then({y} => {y}).then({z} => {{ {g}({z}{cb}) }}).finally(() => {{}})",
                f"new Promise({x} => {x}({e})).then({y} => {g}({y}{cb}))",
                f"new Promise({x} => setTimeout({x}, 0, {e})).then({y} => {g}({y}{cb}))",
                f"Promise.all([{e}]).then(([{y}]) => {g}({y}{cb}))",
                f"Promise.race([{e}]).then({y} => {g}({y}{cb}))",
                f"setTimeout({y} => {g}({y}{cb}), 0, {e})",
                f"setImmediate({y} => {g}({y}{cb}), {e})",
                f"process.nextTick({y} => {g}({y}{cb}), {e})",
                f"queueMicrotask(() => {g}({e}{cb}))",
                f"const {x} = new events.EventEmitter(); {x}.on('e', {y} => {g}({e}{cb})); {x}.emit('e', 1)",
                f"util.promisify(fs.rm)({e})",
                f"const {x} = new Proxy({{k: {e}}}, {{}}); {g}({x}.k{cb})",
                f"eval({quote(f'{f}({e}{cb})')})",
                f"(0, eval)({quote('globalThis.process.getBuiltinModule === 0')}); {g}({e}{cb})",
                f"new Function('f', 'e', {quote(f'f(e{cb})')})({g}, {e})",
                f"Function('f', {quote(f'return a => f(a{cb})')})({g})({e})",
                f"vm.runInThisContext({quote(f'(f, e) => f(e{cb})')})({g}, {e})",
                f"switch ({e}) {{ case 'no': break; default: {g}({e}{cb}) }}",
                f"const {x} = {e}; switch (1) {{ case 0: {g}('no'{cb}); case 1: case 2: {g}({x}{cb}) }}",
                f"const {x} = ((a, b) => b)`a${{{e}}}b`; {g}({x}{cb})",
                f"/a/.test('a') && {g}({e}{cb}); debugger",
                f"const {x} = 0x1, {y} = 1_0n, {z} = .5e1; {g}(['no', {e}][{x}]{cb})",
                f"var {x} = {e}, {y} = undefined; if ({y} === undefined && void 0 == null) {g}({x}{cb})",
                f"{{ function {x}(w) {{ {g}(w{cb}) }} }} {x}({e})",
                f"if (true) {{ var {x} = {e} }} {g}({x}{cb})",
                f"{g}({e}{cb}) // a comment\n/* another */",
            )
        )
