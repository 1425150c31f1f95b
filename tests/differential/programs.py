"""Generates random programs of harmless markers from everything that the reader of shell text claims to understand.

A marker (`m1` ... `m9`) is a stub that records its name, its directory and its arguments, and prints a predictable text. Every
loop counts in its condition and every function calls only older ones, so programs end. They write only files of their own in the
folder they run in, which is temporary.
"""

import random
import shlex
from collections.abc import Callable

from differential.builtins import texts

# What the folder of every program holds before it runs. `link` leads to `sub`.
FILES = {
    "a.txt": "a b\nc d\n",
    "b.txt": "one\n",
    "c.md": "'q r' s\\t\n",
    "d.e.txt": "",
    "list": "p/q\nr  s\n t u \n",
    "s.sh": 'm1 script "$@"\nx=sourced\n',
    "sub/f.txt": "deep\n",
    "sub/deep/g.txt": "",
    "other/h.md": "",
    "home/q/i": "",
}
LINKS = {"link": "sub"}

# What a marker prints, and whether it succeeds.
MARKERS = {
    "m1": "",
    "m2": "",
    "m3": "",
    "m4": "",
    "m5": "echo p5",
    "m6": 'echo "$@"',
    "m7": "exit 1",
    "m8": "echo p8; exit 1",
    "m9": "echo 'k  l'; echo n",
}
NAMES = ("x", "y", "z")
MAYBE_FAILING_BUILTINS = ("printf %d a", "alias nosuch", "command export 1x", "printf %s a", "pwd", "echo")
EVALUATED = texts("bash")
LINES = ("echo a; echo ' b '", "cat list")
QUOTED_X = '"$x"'
QUOTED_Y = '"$y")'
FOLDERS = ("sub", "sub/deep", "other", "..", ".", "link", "nowhere", "../sub", '"$PWD"', "home")


class Programs:
    """Programs for one kind of shell; the same for the same seed. `bash`: uses more than POSIX defines."""

    def __init__(self, seed: int, *, bash: bool = True) -> None:
        self.random = random.Random(seed)
        self.bash = bash
        self._count = 0
        self._functions = 0
        self._callable: list[int] = []
        self._files: list[str] = []

    def program(self) -> list[str]:
        """Returns a program as its lines, each a complete command."""
        self._functions = 0
        self._callable = []
        self._files = []
        lines = [self.statement(2) for _ in range(self.random.randint(2, 6))]
        return [*lines, self.marker(1)]

    # ---- choosing

    def choose(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def choose_form(self, portable: list[Callable[[], str]], bash: list[Callable[[], str]]) -> str:
        return self.random.choice(portable + bash if self.bash else portable)()

    def new_name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    # ---- words

    def literal(self) -> str:
        plain = (
            "a",
            "'b c'",
            '"d"',
            "\\e",
            "f\\ g",
            '""',
            "-n",
            "k=v",
            "h.i",
            "'*'",
            '"a b"c',
            "u/v",
            "l'm'\"n\"",
            "'$x'",
            "\\$x",
            "_",
        )
        more = ("$'t\\tu'", "$'\\x41'", "$'q\\'r'")
        return self.choose(*plain, *more) if self.bash else self.choose(*plain)

    def plain_text(self) -> str:
        """Returns a text without anything that a shell would change."""
        return self.choose("a", "b", "ab", "abcab", "a.b.c", "u/v/w", "1", "Mix", "a_b")

    def glob(self) -> str:
        return self.choose(
            "*.txt", "?.txt", "[ab].txt", "[!a].txt", "sub/*", "*.none", "*", "s*/f*", "./*.md", "sub/../*.md", "'a'*"
        )

    def braces(self) -> str:
        return self.choose(
            "{p,q}",
            "{1..3}",
            "a{b,c}d",
            "{a,b}{c,d}",
            "a{b,c{d,e}}f",
            "{c..a}",
            "{a}",
            "{}",
            "{1..7..3}",
            "{,x}y",
            "{a,'b c'}",
            "{01..03}",
        )

    def tilde(self) -> str:
        return (
            self.choose("~", "~/q", "~/*", "'~'", "a~", "~/'b c'", "k=~/q")
            if self.bash
            else self.choose("~", "~/q", "~/*", "'~'", "a~")
        )

    def name(self) -> str:
        return self.choose(*NAMES)

    def parameter(self) -> str:
        name, word = self.name(), self.choose("d", "'e f'", "g h", "$y", "", '"$z"', "*.md", "i")
        pattern = self.choose("a", "a*", "*b", "?", "*/", "*.", "[ab]", ".*", "'*'")
        portable = [
            f"${name}",
            f"${name}",
            f"${{{name}}}",
            f"${{{name}:-{word}}}",
            f"${{{name}-{word}}}",
            f"${{{name}:={self.plain_text()}}}",
            f"${{{name}:+{word}}}",
            f"${{{name}+{word}}}",
            f"${{{name}#{pattern}}}",
            f"${{{name}##{pattern}}}",
            f"${{{name}%{pattern}}}",
            f"${{{name}%%{pattern}}}",
            f"${{#{name}}}",
            "$1",
            "$2",
            "$@",
            "$*",
            "$#",
            "${3:-w}",
        ]
        more = [
            f"${{{name}/{pattern}/z}}",
            f"${{{name}//b/q r}}",
            f"${{{name}/#a/w}}",
            f"${{{name}/%b}}",
            f"${{{name}^^}}",
            f"${{{name}^}}",
            f"${{{name},,}}",
            f"${{{name}:1}}",
            f"${{{name}:1:2}}",
            f"${{{name}: -2}}",
            f"${{{name}:0:-1}}",
            "${a[@]}",
            "${a[*]}",
            "${a[0]}",
            "${a[1]}",
            "$a",
            "${#a[@]}",
            "${a[@]:1}",
            "${a[@]#a}",
            "${@:2}",
            "${@:1:1}",
            "${a[-1]}",
            "${!a[@]}",
            f"${{{name}@U}}",
            "${a[@]/b/Z}",
            "${*%b}",
            "${b[k]}",
            "${a:-v}",
        ]
        return self.choose(*portable, *more) if self.bash else self.choose(*portable)

    def substitution(self, depth: int) -> str:
        inner = self.choose(
            f"echo {self.word(0)}",
            f"printf '%s\\n' {self.word(0)} {self.word(0)}",
            f"printf '%s' {self.word(0)}",
            self.marker(0),
            "cat list",
            "cat a.txt b.txt",
            "pwd",
            f"cd {self.choose(*FOLDERS)} && m6 {self.word(0)}",
            "x=7; echo $x",
            f"echo {self.word(0)} | cat",
            f"basename {self.choose('u/v.w', '$x')}",
            "echo 'a  b'; echo c",
            f'[ -n "${self.name()}" ] && echo yes || echo no',
        )
        if depth > 0 and self.chance(0.3):
            inner = self.statement(0)
            if "<<" in inner or "'" in inner:
                inner += "\n"
        return f"$({inner})"

    def word(self, depth: int) -> str:
        """Returns one word of an argument list."""
        chance = self.random.random()
        if chance < 0.3:
            return self.literal()
        if chance < 0.62:
            text = self.parameter()
            return self.choose(
                text, f'"{text}"', f'"{text}"', f'a"{text}"b', f"{text}{self.plain_text()}", f'"u {text} v"', f"a{text}"
            )
        if chance < 0.7:
            return self.glob()
        if chance < 0.76:
            return self.braces() if self.bash else self.tilde()
        if chance < 0.8:
            return self.tilde()
        if chance < 0.84:
            return self.choose("$((1+2))", "$((2*3-1))", f'"$(({self.choose("1", "4")}))"')
        if depth > 0 and chance < 0.95:
            text = self.substitution(depth - 1)
            return self.choose(text, f'"{text}"', f"a{text}b")
        if depth > 0 and self.bash and chance < 0.97:
            return f"<(echo {self.plain_text()})"
        return self.literal() + self.choose(self.plain_text(), self.literal())

    def words(self, depth: int, least: int = 0, most: int = 3) -> str:
        return " ".join(self.word(depth) for _ in range(self.random.randint(least, most)))

    def marker(self, depth: int) -> str:
        """Returns a marker with its arguments; sometimes its name is the result of an expansion."""
        name = self.choose(*MARKERS)
        name = self.choose(name, name, name, name, name, f"'{name}'", f"\\{name}", f'm"{name[1:]}"')
        before = ""
        if self.chance(0.08):
            before = self.choose("x=pre ", "y=1 z=2 ", "IFS=: ")
        after = self.choose(*[""] * 12, " 2>&1", " </dev/null", " >/dev/null")
        return f"{before}{name} {self.words(depth)}{after}"

    # ---- statements

    def statement(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.25):
            return self.choose_form(
                [lambda: self.marker(depth), self.assignment, self.assignment, self.directory, self.arguments],
                [lambda: self.marker(1), self.declaration, self.array],
            )
        inner = depth - 1
        return self.choose_form(
            [
                self.assignment,
                self.directory,
                self.arguments,
                lambda: self.chain(inner),
                lambda: self.chain(inner),
                lambda: self.condition(inner),
                lambda: self.condition(inner),
                lambda: self.case(inner),
                lambda: self.loop(inner),
                lambda: self.loop(inner),
                lambda: self.loop(inner),
                lambda: self.function(inner),
                lambda: self.function(inner),
                lambda: self.call(inner),
                lambda: self.group(inner),
                lambda: self.carrier(inner),
                lambda: self.carrier(inner),
                lambda: self.nested_shell(inner),
                lambda: self.nested_shell(inner),
                lambda: self.read_loop(inner),
                lambda: self.sourced_file(inner),
                lambda: self.here_document(inner),
                lambda: self.pipeline(inner),
                lambda: self.trap(inner),
                self.separators,
                self.arithmetic,
                self.unset,
                self.strictness,
                lambda: self.failing_command(inner),
                self.temporary_assignment,
            ],
            [
                self.declaration,
                self.array,
                self.array,
                self.printf_variable,
                self.alias,
                lambda: self.directory_stack(inner),
                lambda: self.bracket_test(inner),
                self.evaluating_builtin,
            ],
        )

    def body(self, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    def value(self) -> str:
        """Returns the right side of an assignment."""
        text = self.parameter()
        return self.choose(
            self.plain_text(),
            self.plain_text(),
            self.plain_text(),
            "'v w'",
            "' lead  trail '",
            "''",
            "'a:b::c'",
            "'*.txt'",
            "~/q",
            f'"{text}"',
            text,
            f"{text}b",
            f'"$x {self.plain_text()}"',
            "$(echo sub  st)",
            '"$(cat a.txt)"',
            "$((3+4))",
            "$y$z",
            "y",
            "x",
            "'1,2'",
        )

    def assignment(self) -> str:
        name = self.name()
        if self.bash and self.chance(0.2):
            return f"{name}+={self.value()}"
        return self.choose(
            f"{name}={self.value()}",
            f"{name}={self.value()}",
            f"{name}={self.value()} {self.name()}={self.value()}",
            f"export {name}={self.plain_text()}",
            f": ${{{name}:={self.plain_text()}}}",
        )

    def declaration(self) -> str:
        name = self.name()
        return self.choose(
            f"declare {name}={self.value()}",
            f"declare -x {name}={self.plain_text()}",
            f"declare -i {name}=1+1",
            f"declare -u {name}=mixed; {name}=other",
            f"declare -n ref={name}; ref={self.plain_text()}; unset -n ref",
            f"typeset {name}={self.plain_text()}",
            f"let {name}=2+3",
            f"(({self.choose('x', 'y')}=4))",
            f"(({self.choose('x', 'y')}++)) || true",
            f"declare -l {name}=ABC",
        )

    def array(self) -> str:
        return self.choose(
            f"a=({self.words(0)})",
            f"a=({self.words(0, 1)})",
            f"a+=({self.words(0, 1, 2)})",
            f"a[0]={self.plain_text()}",
            f"a[1]={self.plain_text()}",
            f"a[${{#a[@]}}]={self.plain_text()}",
            f"declare -A b=([k]={self.plain_text()})",
            f"declare -A b; b[k]={self.value()}",
            "unset 'a[0]'",
            "mapfile -t a < list",
            "mapfile -t a <<< $'v w\\nx'",
            "read -ra a <<< 'l m  n'",
            'a=(*.txt); m1 "${a[@]}"',
            f"a=([2]={self.plain_text()} {self.plain_text()})",
            'for i in "${!a[@]}"; do m2 "${a[i]}"; done',
            'a=("$@")',
        )

    def directory(self) -> str:
        folder = self.choose(*FOLDERS)
        return self.choose(
            f"cd {folder}",
            f"cd {folder}",
            f"cd {folder}",
            f"cd -- {folder}",
            f"cd {folder} && m3",
            "cd",
            "cd -",
            f"cd {folder} || m4 {self.word(0)}",
            "cd $x",
            f"(cd {folder}; m1 .)",
            f"cd -P {folder}",
            'OLDPWD=$PWD; cd sub; cd "$OLDPWD"',
        )

    def arguments(self) -> str:
        return self.choose(
            f"set -- {self.words(0)}",
            f"set -- {self.words(0, 1)}",
            "shift",
            "shift 2",
            f'set -- "$@" {self.plain_text()}',
            "[ $# -gt 1 ] && shift",
            f"set {self.plain_text()} {self.plain_text()}",
        )

    def chain(self, depth: int) -> str:
        parts = [self.statement(depth if self.chance(0.5) else 0).rstrip("\n") for _ in range(self.random.randint(2, 3))]
        if any("<<" in part for part in parts):
            return "\n".join(parts)
        text = parts[0]
        for part in parts[1:]:
            text += self.choose(" && ", " || ", "; ", " && ", "\n") + part
        return self.choose(text, text, text, f"! {text}", f"false && {text}", f"true && {text}", f"true || {text}")

    def test(self) -> str:
        return self.choose(
            f'[ -n "${self.name()}" ]',
            f'[ "${self.name()}" = a ]',
            "true",
            "false",
            "m7",
            "m1",
            "[ -d sub ]",
            "[ $# -gt 0 ]",
            "cd sub",
            "cd nowhere",
            "! cd other",
            "x=t",
            ": ${y:=c}",
        )

    def condition(self, depth: int) -> str:
        text = f"if {self.test()}; then {self.body(depth)}\n"
        if self.chance(0.3):
            text += f"elif {self.test()}; then {self.body(depth)}\n"
        if self.chance(0.5):
            text += f"else {self.body(depth)}\n"
        return text + "fi"

    def case(self, depth: int) -> str:
        end = self.choose(";;", ";;", ";;", ";&", ";;&") if self.bash else ";;"
        last = self.choose("*)", "(*)", "z)")
        arms = (self.choose("a|b*)", "a)"), self.choose("ab)", "[uv]*)", QUOTED_Y))
        text = f"case {self.choose('$x', 'a', '$1')} in {arms[0]} {self.body(depth)}\n{end} {arms[1]} {self.body(depth)}"
        return f"{text}\n;; {last} {self.body(depth)}\n;; esac"

    def loop(self, depth: int) -> str:
        counter, limit = self.new_name("n"), self.random.randint(1, 4)
        leave = self.choose(
            "",
            "",
            "",
            f"[ ${counter} = 2 ] && break\n",
            "continue\n",
            f"[ ${counter} = 1 ] && continue\n",
            "if m1 in; then x=left; break; fi\n",
        )
        body = f"{self.body(depth)}\n{leave}{self.choose('', self.assignment(), self.directory())}\n{self.marker(0)}"
        name = self.choose(*NAMES, "i", "i")
        forms = [
            f"for {name} in {self.words(1, 1)}; do {body}\ndone",
            f"for {name} in {self.words(0, 1)}; do m1 ${name}\ndone",
            f"for {name} do {body}\ndone",
            f"while {counter}=$((${counter}+1)); [ ${counter} -le {limit} ]; do {body}\ndone",
            f"until {counter}=$((${counter}+1)); [ ${counter} -gt {limit} ]; do {body}\ndone",
            f"while {name}={self.plain_text()}; {counter}=$((${counter}+1)); [ ${counter} -le {limit} ]; do {body}\ndone",
        ]
        if self.bash:
            forms.append(f"for (({counter}=0; {counter}<{limit}; {counter}++)); do {body}\nm2 ${counter}\ndone")
        return f"{counter}=0\n{self.choose(*forms)}"

    def function(self, depth: int) -> str:
        self._functions += 1
        number = self._functions
        inside = self.choose(
            self.body(depth),
            f'm1 "$@"\n{self.body(depth)}',
            f"local x=inner; {self.body(depth)}\nm2 $x $y",
            f"local x y=2\n{self.body(depth)}",
            f"{self.body(depth)}\nreturn\nm3 never",
            f'm1 $#; [ $# -gt 0 ] || return\nshift\nx=$x.{number}; f{number} "$@"\n{self.body(0)}',
            "if m1; then y=ret; return; fi\ny=other",
            f"cd sub\n{self.body(depth)}",
            'set -- in side; m1 "$@"',
        )
        self._callable = sorted((*self._callable, number))  # not before: what its own body calls is older
        form = (
            self.choose(f"f{number}() {{ {inside}\n}}", f"f{number}() ( {inside}\n)")
            if not self.bash
            else self.choose(f"f{number}() {{ {inside}\n}}", f"function f{number} {{ {inside}\n}}", f"f{number}() ( {inside}\n)")
        )
        return f"{form}\n{self.function_call(number)}"

    def function_call(self, number: int) -> str:
        call = f"f{number} {self.words(0)}"
        return self.choose(
            call, call, f"{call}\nm4 $x $y", f"x=$({call})", f"{call} | cat", f"x=env {call}", f"{call} && m2", f"({call})"
        )

    def call(self, depth: int) -> str:
        if not self._callable:
            return self.function(depth)
        return self.function_call(self.random.choice(self._callable))

    def group(self, depth: int) -> str:
        body = self.body(depth)
        forms = [
            f"( {body}\n)",
            f"{{ {body}\n}}",
            f"{{ {body}\n}} 2>&1",
            f"{{ {body}\n}} &\nwait",
            f"( {body}\n) | cat",
            f"! {{ {body}\n}}",
        ]
        if self.bash:
            forms += [f"time {{ {body}\n}}", f"coproc {{ {body}\n}} >/dev/null\nwait"]
        return self.choose(*forms)

    def carrier(self, depth: int) -> str:
        marker = self.choose("m1", "m2", "m3")
        words = self.words(0, 1)
        portable = [
            f"env {marker} {words}",
            f"env x=e {marker} {words}",
            f"env -i {marker} {words}",
            f"command {marker} {words}",
            f"( exec {marker} {words} )",
            f"echo {words} | xargs {marker} z",
            f"printf '%s\\n' {words} | xargs -n1 {marker}",
            f"printf '%s\\n' {words} | xargs -I% {marker} %.x",
            f"xargs {marker} < a.txt",
            f"xargs -n 2 {marker} < list",
            f"printf 'a\\0b c\\0' | xargs -0 {marker}",
            f"xargs {marker} < c.md",
            f"find . -name '*.txt' -exec {marker} {{}} \\;",
            f"find sub -exec {marker} {{}} +",
            f"find . -type f -exec {marker} {{}} k \\;",
            f"find sub -execdir {marker} {{}} \\;",
            f"find . -name '*.md' | xargs {marker}",
            f"nice {marker} {words}",
            f"timeout 5 {marker} {words}",
            f"env -C sub {marker} .",
            f"nohup {marker} {words} >/dev/null",
            f"env -u HOME -- {marker} {words}",
            "find sub other -maxdepth 1 -name 'f*' -exec sh -c 'm4 \"$@\"' _ {} +",
            f"xargs -L1 {marker} < a.txt",
        ]
        more = [
            f"builtin eval {shlex.quote(self.marker(0))}",
            f"command -p true; {marker} {words}",
            f"find . -name '*.txt' -print0 | xargs -0 -n1 {marker}",
        ]
        return self.choose(*portable, *more) if self.bash else self.choose(*portable)

    def make_portable(self, make: Callable[[], str]) -> str:
        """Returns a text that `sh` understands, whatever shell this is for."""
        before, self.bash = self.bash, False
        text = make()
        self.bash = before
        return text

    def nested_shell(self, depth: int) -> str:
        body = self.make_portable(lambda: self.body(depth))
        quoted = shlex.quote(body)
        marker, words = self.make_portable(lambda: self.marker(0)), self.words(0)
        if not self.bash or self.chance(0.6):
            return self.choose(
                f"eval {quoted}",
                f"sh -c {quoted}",
                f"sh -c {quoted} sh {words}",
                f'sh -c \'m1 "$0" "$@"\' a {words}',
                f'eval "m2 {self.parameter()}"',
                f"eval m1 \\$x {self.literal()}",
                'y=x; eval "m1 \\$$y"',
                'y=x; m1 ${!y} "${!y}"' if self.bash else "m1 indirect",
                f"sh -ec {quoted}",
                f"printf '%s\\n' {shlex.quote(marker)} | sh",
                f"env x=5 sh -c {quoted}",
                f"export x; sh -c {quoted}",
                f"printf '%s\\n' {quoted} | sh -s {words}",
                'sh -c "m1 $x"',
                f"x={self.plain_text()} eval 'm1 $x'",
            )
        quoted = shlex.quote(self.body(depth))
        return self.choose(
            f"eval {quoted}",
            f"bash -c {quoted}",
            f'bash -c \'bash -c "m1 \\$0 \\$1" "$@"\' _ {words}',
            f"bash <<< {quoted}",
            f"bash -c {quoted} 0 {words}",
            f"source <(printf '%s\\n' {shlex.quote(marker)})",
        )

    def read_loop(self, depth: int) -> str:
        portable = [
            f'while read x y; do {self.body(depth)}\nm1 "$x" "$y"\ndone < {self.choose("a.txt", "list", "c.md")}\nm2 "$x"',
            f'echo {self.literal()} | {{ read x; m1 "$x"; }}',
            'printf \'a:b c\\nd\\n\' | while IFS=: read -r x y; do m1 "$x" "$y"; done',
            'read x y < list; m1 "$x" "$y"',
            f'{{ read x; read y; }} < {self.choose("b.txt", "a.txt")}; m1 "$x" "$y"',
            'read -r z < c.md; m1 "$z" $z',
            'cat list | while read -r x; do m3 "$x" $x; done',
            'while read x; do [ -n "$x" ] && break; done < list; m2 $x',
            "if read x < nowhere; then m1 $x; else m2 $x; fi",
        ]
        more = [
            f'read x y <<< {self.choose("$x", QUOTED_X, self.literal(), self.parameter())}; m1 "$x" "$y"',
            f'while IFS= read -r x; do m1 "$x"; done <<< "$({self.choose(*LINES)})"',
            "read -d '' x < list; m1 \"$x\"",
            f"while read -r x; do m1 \"$x\"; done < <(printf '%s\\n' {self.words(0)})",
            "read -r -p x -n 2 y <<< abc; m1 $y",
            "IFS=, read -ra a <<< 'p,q r,'; m1 \"${a[@]}\"",
            'while read -r x; do y=$x; done <<< $\'e\\nf\'; m1 "$x" "$y"',
        ]
        return self.choose(*portable, *more) if self.bash else self.choose(*portable)

    def sourced_file(self, depth: int) -> str:
        file, shell, words = self.new_name("w") + ".sh", self.choose("sh", "bash") if self.bash else "sh", self.words(0)
        body = self.body(depth) if shell == "bash" else self.make_portable(lambda: self.body(depth))
        marker = self.make_portable(lambda: self.marker(0))
        forms = [
            f"printf '%s\\n' {shlex.quote(body)} > {file}",
            f"echo 'm1 first' > {file}\nprintf '%s\\n' {shlex.quote(marker)} >> {file}",
        ]
        if "EOF" not in body:
            forms.append(f"cat > {file} <<'EOF'\n{body}\nEOF")
        use = [f". ./{file}", f"{shell} {file} {words}", ". ./s.sh", f"sh s.sh {words}", f"{shell} < {file}"]
        if self.bash:
            use += [f"source ./{file} {words}", f"bash {file} {words}", f". ./s.sh {words}"]
        return f"{self.choose(*forms)}\n{self.choose(*use)}\nm4 $x"

    def here_document(self, depth: int) -> str:
        marker = self.make_portable(lambda: self.marker(0))
        return self.choose(
            f"sh <<E\nm1 $x\n{marker}\nE",
            f"sh <<'E'\n{marker}\nm2 $x\nE",
            'cat <<E | while read -r x; do m1 "$x"; done\nline $x\n two\nE',
            "x=$(cat <<E\n$y  t\nE\n)",
            f"xargs m1 <<E\n{self.plain_text()} $x\nE",
            'sh -s a b <<\\E\nm1 "$@"\nE',
            "sh <<-E\n\tm1 tab\n\tE",
        )

    def pipeline(self, depth: int) -> str:
        body, marker = self.body(0), self.make_portable(lambda: self.marker(0))
        return self.choose(
            f"echo {self.word(0)} | m1 - {self.word(0)}",
            f"m5 | {{ {body}\n}}",
            f'm6 {self.words(0)} | while read -r x; do m1 "$x"; done',
            "m9 | xargs m1",
            "echo q | x=piped; m1 $x",
            "true | { cd sub; m2; }; m3",
            "m9 | (cat; m1)",
            f"printf '%s\\n' {shlex.quote(marker)} | cat | sh",
            "for x in 1 2; do echo m1 $x; done | sh",
        )

    def trap(self, depth: int) -> str:
        body = shlex.quote(self.choose("m1 trap $x", 'm2 "$x" "$@"', self.make_portable(lambda: self.marker(0))))
        forms = [
            f"trap {body} EXIT",
            f"(trap {body} EXIT; x=sub; {self.marker(0)})",
            f"trap {body} EXIT; x=1; m7 || exit",
            f"sh -c {shlex.quote(f'trap {body} EXIT; x=in; exit')}",
            "trap '' EXIT",
            "trap - EXIT",
            f"trap {body} 0",
        ]
        if self.bash:
            forms += [
                f"trap {body} ERR; false; x=2; m7",
                f"(trap {body} DEBUG; x=1; x=2)",
                f"f9() {{ trap {body} RETURN; x=r; }}; f9; trap - RETURN",
            ]
        return self.choose(*forms)

    def separators(self) -> str:
        return self.choose(
            "IFS=:",
            "IFS=,",
            "IFS=' :'",
            "IFS=",
            "unset IFS",
            "IFS=a",
            "IFS=: m1 $x",
            'IFS=-; m1 "$*" $*; unset IFS' if self.bash else "unset IFS",
            "IFS=:; set -- $x; unset IFS",
            "IFS=$(printf ' \\t\\n')",
        )

    def arithmetic(self) -> str:
        return self.choose("x=$((x+1)); m1 $x", ": $((y=6))", "y=$((4>3))", "z=2; z=$((z*z)); m1 $z", "i=3; m2 $((i-1))")

    def unset(self) -> str:
        return self.choose(
            f"unset {self.name()}",
            f"unset {self.name()} {self.name()}",
            "set -f; m1 *; set +f",
            f"readonly ro{self.new_name('')}=1",
            "unset -f f1",
            'x=; m1 $x "$x"',
            "exit",
            "HOME=/u; m1 ~ ~/q",
        )

    def strictness(self) -> str:
        return self.choose(
            "set -e",
            "set +e",
            "set -u; x=${x-}; y=${y-}; z=${z-}; set +u",
            "set -e; cd nowhere || true",
            "set -o nounset; set +u",
            f"if ! cd nowhere; then {self.marker(0)}; fi",
        )

    def failing_command(self, depth: int) -> str:
        """Returns a command that does not run although it is in the text, or that continues where it seems to leave."""
        file = self.choose("< nosuch", "> no/such", "2>&7", "> out", "< a.txt", ">/dev/null")
        name, folder = self.name(), self.choose(*FOLDERS)
        forms = [
            f"cd {folder} {file}",
            f"{{ {self.body(depth)}\n}} {file}",
            f"{name}={self.plain_text()} {file}",
            f"command export {name}={self.plain_text()} {file}",
            f"read {name} {file}",
            f"{self.function_call(self._callable[-1])} {file}" if self._callable else f"eval {name}={self.plain_text()} {file}",
            f"cd nowhere || {self.choose('return', 'break', 'continue', 'exec 3< a.txt', 'exit 1 > no/such')}",
            f"{self.choose(*MAYBE_FAILING_BUILTINS)} && cd {folder} || m4",
            f"chdir {folder}",
        ]
        if self.bash:
            forms += [
                f"local {name}={self.plain_text()}",
                f"enable -n cd; cd {folder}; enable cd",
                f"export -f nosuch && cd {folder}",
            ]
        return f"{self.choose(*forms)}\nm5 ${name}"

    def temporary_assignment(self) -> str:
        """Returns assignments for one command, and what its expansions leave behind."""
        name, other = self.name(), self.name()
        return (
            self.choose(
                f"{name}={self.plain_text()} {other}=${name} sh -c 'm1 ${name} ${other}'",
                f"{name}=${{{other}:={self.plain_text()}}} {self.choose('m1', 'command m2', 'echo')} ${other}",
                f"m2 > ${{{name}:={self.plain_text()}}}",
                f"m3 <<E\n${{{name}:={self.plain_text()}}}\nE",
                f"HOME=$PWD/{self.choose('sub', 'other', 'nowhere')} cd",
                "CDPATH=sub cd deep",
                f"PWD={self.plain_text()}; m1 $PWD",
                f"{name}={self.plain_text()} . ./s.sh",
                f'm6 "$(cd -)" ${name}',
                f"xargs -I% {self.choose('m1', 'm2')} ${name}% < c.md",
            )
            + f"\nm4 ${name} ${other}"
        )

    def printf_variable(self) -> str:
        return self.choose(
            f"printf -v x '%s-%s' {self.plain_text()} {self.plain_text()}",
            f"printf -v x %s {self.word(0)}",
            "printf -v y '%03d' 7",
            f"printf -v z '%q' {self.literal()}",
        )

    def alias(self) -> str:
        return self.choose(
            "shopt -s expand_aliases\nalias q='m1 al'\nq 1",
            "shopt -s expand_aliases\nalias q='m2; m3'\nq b",
            "alias m4='m1 off'\nm4",
            "shopt -s nullglob\nm1 *.none z\nshopt -u nullglob",
        )

    def directory_stack(self, depth: int) -> str:
        folder = self.choose("sub", "other", "link", "nowhere")
        return self.choose(
            f"pushd {folder}; {self.marker(0)}; popd",
            f"pushd {folder} && m1",
            "popd",
            f"pushd {folder}; pushd /; m1; popd; m2; popd; m3",
            f"pushd {folder} >/dev/null; cd deep; popd; m1",
        )

    def evaluating_builtin(self) -> str:
        """Returns a builtin that runs an argument or evaluates it again."""
        text = self.choose(*EVALUATED)
        return text if text.startswith("shopt") or "\n" in text else self.choose(text, f"({text})", f"{text}; m5")

    def bracket_test(self, depth: int) -> str:
        return self.choose(
            f"[[ -n $x && $y == a* ]] && {self.marker(0)}",
            '[[ $x =~ ^a(.*)$ ]] && m1 "${BASH_REMATCH[1]}"',
            f"if [[ ! -e nowhere ]]; then {self.body(depth)}\nfi",
            "((x > 1)) && m1 || m2",
        )
