"""Generates further random programs of harmless markers: functions within functions, traps, documents within substitutions,
aliases, loops over braces, cases that fall through, arrays, coprocesses, and every builtin that puts a value or a command
somewhere. They grow from the inside out: a marker is wrapped repeatedly, so that the command that finally runs is deeply
nested.
"""

import random

_VALUES = ("a", "b c", "d", "", "*.txt", "m1 x", "-n", "k=v")


class Turns:
    """Programs for one kind of shell; the same for the same seed."""

    def __init__(self, seed: int, *, bash: bool = True) -> None:
        self.random = random.Random(seed)
        self.bash = bash
        self._count = 0

    def program(self) -> list[str]:
        self._count = 0
        lines = [self.set_up() for _ in range(self.random.randint(0, 3))]
        lines += [self.wrap_call(self.random.randint(1, 3)) for _ in range(self.random.randint(1, 3))]
        return [*lines, self.call()]

    def choose(self, *choices: str) -> str:
        return self.random.choice(choices)

    def new_name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    # ---- at the leaves

    def call(self) -> str:
        """Returns a marker with an argument that shows the state of the shell."""
        return f"{self.choose('m1', 'm2', 'm3', 'm5', 'm6')} {self.word()}"

    def word(self) -> str:
        portable = (
            *("a", '"$x"', "$x", '"${y:-d}"', "${z:=e}", '"$@"', "$#", '"$*"', "${x#a}", '"${x%c}"', "$(m6 r)", '"`m6 s`"'),
            *("${w:-$(m6 t)}", '"${v:=$(m6 u)}"', "~", "'$x'", "$((1 + 1))", '"${x:+$(m6 w)}"', "u${x}v", '"$1"'),
        )
        more = ("${a[1]}", '"${a[@]}"', "${x/a/b}", "${x^^}", "{p,q}", "$'\\x61'", "${!r}", "${#a[@]}", '"${a[*]}"', "${x:1:1}")
        return self.choose(*portable, *more) if self.bash else self.choose(*portable)

    def value(self) -> str:
        return "'" + self.random.choice(_VALUES) + "'"

    # ---- lines that leave something behind

    def set_up(self) -> str:
        name, value = self.choose("x", "y", "z", "w"), self.value()
        portable = [
            f"{name}={value}",
            f"set -- {value} {self.value()}",
            f"{name}=$(m6 {value})",
            f"{name}=`m6 {value}`",
            f"export {name}={value}",
            f"read -r {name} <<E\n{value}\nE",
            f": ${{{name}:={self.choose('a', '$(m6 q)', 'b')}}}",
            f'eval "{name}="{value}',
            f"eval {name}='$x'",
            f"unset {name}",
            f"shift {self.choose('', '1', '2')} 2>/dev/null",
            f"while getopts ab: o -a -b {value}; do {name}=$o$OPTARG; done",
            f"for {name} in {value} {self.value()}; do :; done",
            f"case {value} in a*) {name}=1 ;; *) {name}=2 ;; esac",
            f"readonly ro{self.new_name('_')}={value}",
            "cd sub",
            "cd sub && cd - >/dev/null",
        ]
        more = [
            f"printf -v {name} %s {value}",
            f"printf -v {name} '%s-%s' a {value}",
            f"read -r {name} <<< {value}",
            f"read -ra a <<< {value}",
            f"a=({value} {self.value()})",
            f"a[1]={value}",
            f"a+=({value})",
            f"declare {name}={value}",
            f"declare -n r={name}",
            f"declare -u {name}={value}",
            f"mapfile -t a <<< {value}",
            f"IFS=' ' read -r {name} y <<< 'k l m'",
            f"r={name}",
            f"(( {name} = 1 + 1 ))",
            f"let {name}=2",
            f"declare -A h=([k]={value}); {name}=${{h[k]}}",
            f"{name}+={value}",
            f"pushd sub >/dev/null; {name}=$PWD; popd >/dev/null",
            "shopt -s expand_aliases",
            "set -k",
            "set +B",
            "shopt -s cdable_vars; y=sub; cd y",
            "shopt -s nocaseglob",
            f"shopt -s nocasematch; {name}=ABC; {name}=${{{name}/b/d}}",
            f"declare -n s='a[1]'; s={value}",
            f"a=({value} e); unset a[0]",
            f"{name}=k:~",
            f"OLDPWD=sub; cd - >/dev/null; {name}=$PWD",
            f"exec {{{name}}}< list; read -r {name} <&${name}",
        ]
        return self.random.choice(portable + more if self.bash else portable)

    # ---- layers

    def wrap_call(self, depth: int) -> str:
        text = self.call()
        for _ in range(depth):
            text = self.layer(text)
        return text

    def layer(self, inner: str) -> str:
        f, quoted = self.new_name("f"), "'" + inner.replace("'", "'\\''") + "'"
        sh = "bash" if self.bash else "sh"  # what is written for bash means something else to sh
        portable = [
            f"{f}() {{\n{inner}\n}}\n{f} {self.value()}",
            f"{f}() (\n{inner}\n)\n{f}",
            f"{f}() {{\n{f}i() {{\n{inner}\n}}\n{f}i k\n}}\n{f}; {f}i l",
            f"{f}() {{\nlocal x=l\n{inner}\n}}\n{f} n",
            f"( {inner}\n)",
            f"{{ {inner}\n}}",
            f"eval {quoted}",
            f'eval ""{quoted}',
            f't{f}={quoted}; eval "$t{f}"',
            f"{sh} -c {quoted} sh0 p q",
            f"trap {quoted} EXIT",
            f"( trap {quoted} EXIT; x=k )",
            f"if m7; then :; else\n{inner}\nfi",
            f"for x in 1 '2 3'; do\n{inner}\ndone",
            f"n{f}=0; while [ $n{f} -lt 2 ]; do n{f}=$((n{f} + 1))\n{inner}\ndone",
            f"case a in\n(a|b)\n{inner}\n;;\n*) m4 no ;; esac",
            f"m5 | {{ read -r x\n{inner}\n}}",
            f"{inner}\nm1 $?",
            f"x=$(\n{inner}\n)",
            f'm1 "$(cat <<E\n$(\n{inner}\n)\nE\n)"',
            f"cat <<E >/dev/null\n$(\n{inner}\n)\nE",
            f"cat <<E | {sh}\n{inner}\nE",
            f"{sh} <<'E'\n{inner}\nE",
            f"printf '%s\\n' {quoted} > s{f}; . ./s{f} g h",
            f"printf '%s\\n' {quoted} > s{f}; {sh} s{f} g h",
            f"m7 || {{\n{inner}\n}}",
            f"true && {{\n{inner}\n}} && m2 then",
            f'x=$(m6 o) y=k m3 "$(\n{inner}\n)"',
            f"alias l{f}={quoted}",
            f"command eval {quoted}",
            f'set -- {quoted}; eval "$1"',
            f"until\n{inner}\ndo break; done",
            f": ${{q{f}:=$(\n{inner}\n)}}",
            f"exec 3>&1; {{\n{inner}\n}} >&3; exec 3>&-",
            f"( cd sub &&\n{inner}\n)",
            f"x=own {sh} -c {quoted}",
        ]
        more = [
            f"shopt -s expand_aliases\nalias al{f}={quoted}\nal{f}",
            f"case a in\na)\n{inner}\n;&\nb) m1 fell ;;&\n*) m2 rest ;; esac",
            f"coproc {{\n{inner}\n}}; wait",
            f"select x in a b; do\n{inner}\nbreak; done <<< 1 2>/dev/null",
            f"cb{f}() {{\n{inner}\n}}; mapfile -t -C cb{f} -c 1 a <<< 'one'",
            f"( trap {quoted} ERR; m7; : )",
            f"( trap {quoted} DEBUG; : )",
            f"{f}() {{ trap {quoted} RETURN; :; }}; ( {f} )",
            f"function {f} {{\nlocal -n o=x\no=changed\n{inner}\n}}; {f}",
            f"{f}() {{ local IFS=,\n{inner}\n}}; {f} a,b",
            f"for ((i = 0; i < 2; i++)); do\n{inner}\ndone",
            f"for x in {{1..2}} {{a,b}}; do\n{inner}\ndone",
            f"while read -r x; do\n{inner}\ndone < <(m9)",
            f"while read -r x <&3; do\n{inner}\ndone 3< list",
            f"( trap 'cd sub; x=h' USR1; kill -USR1 $BASHPID\n{inner}\n)",
            f"( trap '{f}() {{ m2 \"$@\"; }}' ERR; m7; {f} k\n{inner}\n)",
            f"{{\n{inner}\n}} <> n{f} | cat",
            f'coproc bash; echo {quoted} >&${{COPROC[1]}}; eval "exec ${{COPROC[1]}}>&-"; wait',
            f"bash +O extglob -c {quoted} b0",
            f"[[ -n $(\n{inner}\n) ]] || m1 empty",
            f'a=(k $(\n{inner}\n)); m1 "${{a[@]}}"',
            f'printf -v c{f} %s {quoted}; eval "$c{f}"',
            f"read -r -d '' c{f} <<'E'\n{inner}\nE\neval \"$c{f}\"",
            f"source <(cat <<'E'\n{inner}\nE\n)",
            f"bash -c {quoted} b0 p",
            f"bash <<< {quoted}",
            f"(( $( {{\n{inner}\n}} >/dev/null; echo 1) )) && m2 num",
            f"m1 >(cat >/dev/null) <( {{\n{inner}\n}} >/dev/null)",
            f"declare -f nothing || {{\n{inner}\n}}",
            f'k{f}=({quoted}); eval "${{k{f}[0]}}"',
            f'PROMPT_COMMAND={quoted}; bash -c "$PROMPT_COMMAND"',
        ]
        return self.random.choice(portable + more if self.bash else portable)
