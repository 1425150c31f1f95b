"""Compares the parser with real bash: what it accepts, what it runs, and what its words become."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from differential.markers import Markers, commands, find_missed, is_harmless, name, run
from toolgate.shell.syntax import tree as syntax
from toolgate.shell.syntax.parser import parse

BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(not BASH and os.environ.get("REQUIRE_SHELLS") != "1", reason="there is no bash here")

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "400"))
BATCH = 50


def accepted_by_bash(text: str) -> bool:
    """Returns whether bash accepts a text with `extglob` set, which it needs for patterns such as `@(a|b)` and which a profile
    may set."""
    command = [BASH, "--norc", "--noprofile", "-O", "extglob", "-n", "-c", text]
    answer = subprocess.run(command, capture_output=True, env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"}, check=False)
    # A mistake within `[[ ]]` is reported, and the line is not run, but the status is that of success.
    return answer.returncode == 0 and b"expected" not in answer.stderr and b"syntax error" not in answer.stderr


# What agents write, with every construct of the language somewhere. Bash takes all of it.
VALID = [
    "ls -la",
    "rm -rf build && npm run build 2>&1 | tail -5",
    'git commit -m "fix: remove rm -rf / from docs"',
    "cd /tmp && mkdir -p a/b/c && touch a/b/c/{d,e}.txt",
    "find . -name '*.py' -not -path './.venv/*' -exec grep -l TODO {} +",
    "find . -name '*.tmp' -exec rm {} \\;",
    "find . -name '*.pyc' -print0 | xargs -0 rm -f",
    'for f in *.py; do echo "$f"; done',
    "for i in {1..3}; do curl -sf http://localhost:8080/health && break || sleep 1; done",
    'while read -r line; do echo "${line%%:*}"; done < /etc/passwd',
    'git log --oneline -5 | while read -r sha msg; do echo "$sha"; done',
    "if [ -f package.json ]; then npm ci; else echo none; fi",
    "if ! command -v jq >/dev/null 2>&1; then echo missing >&2; exit 1; fi",
    "[[ -d .git ]] && git status --short || echo 'not a repository'",
    "[[ $x == a* && ! -e b || ( -n $y && $z -gt 3 ) ]]",
    '[[ $name =~ ^([a-z]+)-([0-9]+)$ ]] && echo "${BASH_REMATCH[1]}"',
    "[[ a < b ]] && [[ a > b ]]",
    "[[ -n $a\n&& -n $b\n]]",
    "[[ $a != @(x|y) ]]",
    "[[ x ]]",
    "[[(a)]] && m1",
    'test -n "$A" -a -n "$B"',
    '[ "$a" = "$b" ]',
    "((i++)) || true",
    "((m1) ; m2)",
    "(( a > 1 ? b : c ))",
    "echo $((1 + 2 * (3 - x)))",
    "echo $((16#ff)) $[1+1] $(( a[1] << 2 ))",
    "echo $((a) )",
    "echo $( (a) )",
    "echo $((m1) | (m2))",
    "for ((i = 0; i < 10; i++)); do echo $i; done",
    "for ((;;)) { break; }",
    "for x; do echo $x; done",
    "for x\nin a b\ndo echo $x\ndone",
    "for x in; do m1; done",
    "for x in a b; { echo $x; }",
    "select x in a b; do break; done",
    "until curl -s localhost; do sleep 1; done",
    "case $1 in start) m1 ;; stop|halt) m2 ;& (*) m3 ;;& esac",
    "case x in esac",
    "case x\nin\na) ;;\nb)\nesac",
    'case "$x" in *.tar.gz) tar xzf "$x";; [Yy]*) yes;; ?) one;; esac',
    "case x in if) m1;; (esac) m2;; esac",
    "{ m1; m2; } > log 2>&1",
    "{ m1\n}",
    "(cd sub && make) & wait",
    "(m1; (m2))",
    "f() { echo hi; }; f",
    "f ( ) ( echo hi )",
    "function f { echo hi; }",
    "function f() { echo hi; } > log",
    "function f\n{ m1; }",
    "f() if m1; then m2; fi",
    "my-func.sh() { m1; }",
    "coproc m1",
    "coproc X { m1; }",
    "coproc { m1; } 2>&1",
    "time make",
    "time -p -- make -j4",
    "time { m1; m2; }",
    "time",
    "m1 | time m2",
    "! grep -q x file",
    "! ! m1",
    "! time m1",
    "!",
    "! ; m1",
    "if ! m1; then m2; fi",
    "a=1 b=2 env",
    "a=1",
    "a= b=",
    "a+=x",
    "a[1]=x a[i+1]+=y",
    "a[x y]=1",
    "a=(1 2 3)",
    'a=([0]=x [k]="$y" [z]+=1)',
    "a=(\n  x # comment\n  'y z'\n)",
    "a+=(x y)",
    "declare -a a=(1 2)",
    "declare -A m=([a]=1 [b]=2)",
    "local x=$(m1) y",
    'export PATH="$HOME/bin:$PATH"',
    "readonly X=1",
    "eval a=(1 2)",
    "alias ll='ls -l'",
    "cat <<EOF\nhello $USER\nEOF",
    "cat <<'EOF' > out.py\nprint('$x')\nEOF",
    "cat <<-EOF\n\tindented\n\tEOF",
    "cat <<A <<B\na\nA\nb\nB",
    "cat <<EOF | grep x && m1\nx\nEOF",
    'cat <<"a b"\nx\na b',
    "cat <<EOF\nnever ended",
    "cat <<EOF",
    "git commit -m \"$(cat <<'EOF'\nfix: it's done\n\n- (a) b\nEOF\n)\"",
    'gh pr create --body "$(cat <<\'EOF\'\n## Summary\n`code` and "quotes"\nEOF\n)"',
    "python3 - <<'PY'\nimport os\nPY",
    "python - <<'PY'\nx = {'a': \"$b\"}\nPY\nm1",
    "m1 $(cat <<E\nhi\nE)",
    'm1 <<< "$x"',
    "m1 <<<$(m2)",
    "cat <<E\n$(m1 <<F\nx\nF\n)\nE",
    "m1 <<E $(m2\nm3)\nbody\nE\nm4",
    "echo a > b",
    "echo a >> b 2>/dev/null",
    "m1 &> log",
    "m1 &>> log",
    "m1 >| log",
    "m1 <> file",
    "m1 2>&1 >&2 <&- >&-",
    "m1 3>&1 1>&2 2>&3",
    "m1 {fd}>log",
    "exec {fd}<file",
    "exec 3<>/dev/tcp/host/80",
    "> empty",
    "2>&1 m1",
    "m1 |& m2",
    "m1 | m2 | m3 |\nm4",
    "m1 &&\n\nm2 ||\nm3",
    "m1 & m2 &",
    "m1; m2;",
    "m1 \\\n  --flag \\\n  x",
    "m\\\n1 a\\\nb &\\\n& m2",
    "i\\\nf m1; then m2; fi",
    "echo 'a'\"b\"c\\ d$'e\\n'$\"f\"",
    "echo $'it\\'s' $'\\x41\\u00e9\\101\\cA'",
    'echo "a \\"b\\" \\$c \\` $d ${e}"',
    "echo ${a:-b} ${a:=b} ${a:?b} ${a:+b} ${a-b} ${a=b} ${a?b} ${a+b}",
    "echo ${a#b} ${a##b} ${a%b} ${a%%b} ${a/b/c} ${a//b/c} ${a/#b/c} ${a/%b/c}",
    "echo ${a^} ${a^^} ${a,} ${a,,} ${a^^[a-z]} ${a:1} ${a:1:2} ${a: -1} ${a:(-1)}",
    "echo ${#a} ${#a[@]} ${#} ${##} ${#@} ${#*} ${#?} ${#-x} ${#:-x}",
    "echo ${!a} ${!a@} ${!a*} ${!a[@]} ${!1} ${!#} ${!a:-b} ${!}",
    "echo ${a[0]} ${a[@]} ${a[*]} ${a[$i]} ${a[@]:1:2} ${a[i+1]%x}",
    "echo ${a@Q} ${a@U} ${a[@]@A} ${@@Q}",
    "echo $1 ${10} $@ $* $# $? $- $$ $! $_",
    'echo "${a:-"$(m1 "x")"}"',
    "echo \"${a:-'$(m1)'}\"",
    "echo ${a:-$(m1 ${b:-`m2`})}",
    "echo ${a#'}'}",
    'echo "${a#\'$(x)\'}" "${a%\\}}"',
    'echo "$(m1 "$(m2 "$(m3)")")"',
    'echo `m1 \\`m2\\`` "`m3 \\"x\\"`"',
    "echo $(m1 # comment )\n)",
    "echo $(case x in a) m1;; esac)",
    "echo $(<file)",
    "echo $()",
    "diff <(m1) <(m2 | sort)",
    "m1 > >(tee log) 2> >(m2)",
    "m1 a<(m2) 2<(m3)",
    "ls *.txt ?(a) [a-z]* !(b) @(c|d) +(e) *(f)",
    "shopt -s extglob; rm -rf !(keep)",
    "echo {a,b}{1..3} ~/x ~user",
    "echo a#b # comment",
    "# only a comment",
    "",
    "\n\n",
    "m1 # c\nm2",
    'echo $ $; echo "$"',
    "m1\r\nm2\r",
    "m1\x0bm2 a\u00a0b",
    "echo if then else fi do done",
    "echo { } ! [[ ]]",
    "sed -e 's/a/b/g' -i.bak file",
    "awk '{ print $1 }' file | sort -u",
    "ssh host 'cd /srv && ./deploy.sh'",
    "docker run --rm -v \"$PWD\":/src -w /src image sh -c 'make test'",
    "curl -fsSL https://x.y/z.sh | bash -s -- --yes",
    "kubectl get pods -o jsonpath='{.items[*].metadata.name}'",
    "jq '.a[] | select(.b == \"c\")' file.json",
    "echo \"multi\nline\" 'quoted\ntext'",
    'a=$(m1) && b=${a%/*} && [[ -n "$b" ]]',
    "trap 'rm -f \"$tmp\"' EXIT INT",
    "set -euo pipefail; IFS=$'\\n\\t'",
    "printf '%s\\n' \"${arr[@]}\" | paste -sd,",
    "while :; do m1; break; done < <(m2)",
    "if m1; then\n  m2\nelif m3; then\n  m4\nelse\n  m5\nfi > log",
    "\\rm -rf x; 'rm' y; r\\m z",
    "PS1=x bash --norc",
    "m1 \\",
    "if(m1) then m2;fi",
    "while(m1)do m2;break;done",
]

INVALID = [
    "m1 &&",
    "m1 |",
    "| m1",
    "&& m1",
    ";",
    "m1 ;; m2",
    "m1 & ; m2",
    "m1 ; ; m2",
    "(",
    ")",
    "( )",
    "{ }",
    "{ m1; } m2",
    "{ m1; } > f m2",
    "}",
    "fi",
    "then m1",
    "done",
    "esac",
    "else",
    "do m1; done",
    "if m1; then m2",
    "if m1; then fi",
    "if ; then m1; fi",
    "if m1; m2; fi",
    "while m1; done",
    "for; do m1; done",
    "for x in a; m1; done",
    "for x in a b do m1; done",
    "for ((i=0; i<1)); do m1; done",
    "for ((i=0; i<1; i++; j)); do m1; done",
    "case x in a m1;; esac",
    "case x a) m1;; esac",
    "case x in esac) m1;; esac",
    "echo 'open",
    'echo "open',
    "echo $'open",
    "echo `open",
    "echo $(open",
    "echo ${open",
    "echo $((open",
    "echo $((open)",
    'echo "${a:-\'x}"',
    "echo a(b)",
    "echo (a)",
    "m1 a=(x)",
    "m1 >",
    "m1 > > f",
    "m1 >(",
    "m1 <<<",
    "m1 <<",
    "m1 >& | m2",
    "m1 | ! m2",
    "f() m1",
    "f( m1",
    "f() { m1",
    "a=1() { m1; }",
    "function { m1; }",
    "coproc ! m1",
    "{ coproc m1 } }",
    "[[ a",
    "[[ -n ]]",
    "[[ a b ]]",
    "[[ a == ]]",
    "[[ a == b c ]]",
    "[[ -n a -n b ]]",
    "[[ ( a ]]",
    "[[ a; ]]",
    "[[ a\n== b ]]",
    "echo $(fi)",
    "echo $(m1;;)",
    "<(m1",
    "a=(x",
    "a=(x;y)",
    "a[1=x",
    "m1 @(a",
    "m1 @(a|b",
    "m1 ]] ; [[",
    "time | m1",
    "((m1 )\n)",
    # zsh takes these, and runs more than bash would
    "repeat 2; { m1 }",
    "foreach x (a b); m1; end",
    "{ m1 } always { m2 }",
    "m1 *.c(e:'m2':)",
    "m1 &| m2",
    "if (m1) { m2 }",
    "for x in a; m1",
    "() { m1; }",
]

# (text, bash takes it, why the two differ)
DIVERGENT = [
    ("m1 $=v", True, "zsh splits the value of v here"),
    ("m1 *(e:m2:)", True, "zsh runs m2 for every file"),
    ("m1 =(m2)", False, "zsh runs m2 and puts its output in a file"),
    ("m1 >! f", True, "zsh writes to f, not to `!`"),
    ("echo ${(e)a}", True, "zsh evaluates the value of a"),
    ("echo ${a::=b}", True, "zsh assigns to a"),
    ("echo ${ m1; }", True, "bash 5.3 runs m1, 5.2 finds out that the substitution is bad when it runs"),
    ("echo ${a b}", True, "bash finds out that the substitution is bad when it runs"),
    ("echo ${}", True, "bash finds out that the substitution is bad when it runs"),
    ("for a-b in x; do m1; done", True, "bash finds out that the name is bad when it runs"),
    ("'f'() { m1; }", True, "bash finds out that the name is bad when it runs"),
    ("echo `;;`", True, "bash finds out what is between backquotes when it runs"),
    ("cat <<E\n$(fi)\nE", True, "bash finds out what is in a document when it runs"),
    ("m1 $(m2 <<E)\nhi\nE", True, "older shells run the lines of such a document"),
    ("m1 $(m2 <<E\nhi\nE foo)", True, "bash 5.2 runs foo, others take it as part of the document"),
    ("cat <<$(m1)\nx\n$(m1)", True, "the end of the document would be the text `$(m1)`"),
    ("echo \"${a:-'}'}\"", True, "in bash the quotes hide the brace, in dash and zsh they do not"),
    ("v=(a)2", True, "the value would be the text `(a)2`"),
    ("shopt -s extglob; !(m1)", True, "a pattern with extglob, a negated subshell without"),
    ("((m1 # $(m2\n)\n) )", True, "bash reads this twice, and the comment differently"),
    ("((m1 <<'E'\n$(m2)\nE\n) )", True, "bash reads this twice, and finds no document the second time"),
    ("m1 $(time { m2; })", False, "bash 5.2 knows no `time` there when it reads this, others do"),
    ("m1 $(v=([\\$\\(m2\\)]=x))", True, "bash 5.2 loses the backslashes, and runs m2"),
    ("m1 $(2>&1 ! m2)", True, "bash 5.2 runs m2 here, with the redirect behind it"),
    ("v=([<(m1)]=x)", True, "bash runs m1 here, though in no other subscript"),
    ("[[ ]]", True, "bash says nothing, yet runs neither this line nor any after it"),
]


@pytest.mark.parametrize("text", VALID)
def test_what_bash_takes_is_read(text: str) -> None:
    assert accepted_by_bash(text)
    assert parse(text).trouble is None


@pytest.mark.parametrize("text", INVALID)
def test_what_bash_refuses_is_trouble(text: str) -> None:
    assert not accepted_by_bash(text)
    assert parse(text).trouble is not None


@pytest.mark.parametrize(("text", "takes", "why"), DIVERGENT)
def test_where_the_parser_differs_it_is_for_a_reason(text: str, takes: bool, why: str) -> None:
    assert accepted_by_bash(text) is takes, "bash has changed"
    assert (parse(text).trouble is None) is not takes, f"no longer so: {why}"


# What the generator makes on purpose and the parser refuses on purpose.
DELIBERATE = (
    "shells disagree about the quotes in this expansion",
    "shells disagree about the end of this expansion",
    "shells disagree about the end of this here-document",
    "this may be arithmetic or commands",
    "a backslash is in an array within a substitution",
    "a reserved word follows a redirect within a substitution",
    "zsh would run code to expand this pattern",
)


# Bash reads what is in these when it comes to run it, and finds mistakes no sooner.
READ_WHEN_RUN = ("`", "<<", "$((")


def test_generated_programs_are_accepted_as_by_bash() -> None:
    for seed in range(SEED, SEED + COUNT // 8):
        # Bash 5.2 does not know `time` at the beginning of a substitution when it reads it, but does when it runs it.
        text = Markers(seed, tame=True).program(2).replace("$(time", "$(! time")
        trouble = parse(text).trouble
        if trouble is None or not (trouble.why in DELIBERATE or any(sign in text for sign in READ_WHEN_RUN)):
            assert accepted_by_bash(text) == (trouble is None), f"FUZZ_SEED={seed} {trouble} {text!r}"


def test_what_bash_runs_is_in_the_tree(tmp_path: Path) -> None:
    """Every marker that ran is a command of the tree, or the parser has reported that it could not read the text."""
    ran_at_all = 0
    for first in range(SEED, SEED + COUNT, BATCH):
        texts = [mutated_program(seed) for seed in range(first, min(first + BATCH, SEED + COUNT))]
        for number, ran in enumerate(run(texts, BASH, tmp_path)):
            program = parse(texts[number])
            ran_at_all += len(ran)
            if program.trouble is None:
                assert not find_missed(ran, program, texts[number]), f"FUZZ_SEED={first + number} {texts[number]!r}"
    assert ran_at_all >= COUNT // 4, "the generator makes nothing that runs"


def mutated_program(seed: int) -> str:
    markers = Markers(seed)
    text = markers.mutate(markers.program(markers.random.choice((1, 2, 2, 3))))
    return text if is_harmless(text) else ":"


def test_what_was_read_before_the_trouble_is_what_bash_runs_before_the_error(tmp_path: Path) -> None:
    """Bash runs the complete lines before an error, and the tree must contain them."""
    texts = ["m1; m2\nm3 | )\nm4", "m1 <<E\n$(m2)\nE\nm3; fi", "if m1\nthen m2\nfi\nm3 'open", "m1 &\n\nm2 &&\n;;", "m1; ;;"]
    for text, ran in zip(texts, run(texts, BASH, tmp_path), strict=True):
        program = parse(text)
        assert program.trouble is not None
        assert {name(command) for command in commands(program.body)} == ran


FRAGMENTS = (
    *(
        "a",
        "B7",
        "-x",
        "é",
        "=",
        "+",
        "%",
        "@",
        ":",
        ",",
        ".",
        "/",
        "^",
        "{",
        "}",
        "[",
        "]",
        "*",
        "?",
        "!",
        "\u00a0",
        "\r",
        "\x0b",
    ),
    *(
        "''",
        '""',
        "'a b'",
        '"a b"',
        "'\"'",
        '"\'"',
        "'\\'",
        '"\\\\"',
        '"\\""',
        '"\\$a"',
        '"\\a"',
        '"a\\\nb"',
        "'a\\\nb'",
        "'a\nb'",
    ),
    *("\\ ", "\\'", '\\"', "\\\\", "\\$", "\\a", "\\;", "\\\n", "$", '"$"', '"$ "', '"a\nb"', "'#'", "'é'"),
    *("$'a'", "$'\\n\\t\\\\'", "$'\\''", "$'\\x41\\102'", "$'\\u00e9'", "$'\\xc3\\xa9'", "$'\\xff'", "$'\\cA\\e'", "$'\\q\\\n'"),
    *("$'\\0x'", "$'a\\\"b'", '$"a b"', "$'\\x'", "$'\\u'", "$'\\400'", "$'\\c?'", "$'\\U1f600'", "$'\\ud800'", "$'\\cé'"),
)


def test_literal_words_are_what_bash_makes_of_them(tmp_path: Path) -> None:
    """Compares `argv` as a command receives it, for words with quotes of every kind and no expansions."""
    chance = random.Random(SEED)
    lines: list[str] = []
    while len(lines) < COUNT:
        words = ["".join(chance.choices(FRAGMENTS, k=chance.randint(1, 5))) for _ in range(chance.randint(1, 3))]
        line = "m1 " + " ".join(words)
        # A `$` that comes to stand before a quote or a bracket begins something else: such lines are no literals.
        if texts(line):
            lines.append(line)
    script = "set -f +B; m1() { printf '%s\\0' \"$@\"; printf '\\001\\0'; }; for line do eval -- \"$line\"; done"
    command = [BASH, "--norc", "--noprofile", "-c", script, "literals", *lines]
    environment = {"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"}
    answer = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=True)
    seen = [part.split("\0")[:-1] for part in answer.stdout.decode("utf-8", "surrogateescape").split("\001\0")[:-1]]
    for line, bash in zip(lines, seen, strict=True):
        assert texts(line) == bash, f"FUZZ_SEED={SEED} {line!r}"


def texts(line: str) -> list[str]:
    """Returns the arguments of a line's only command, if all of them are literal."""
    found = []
    match parse(line):
        case syntax.Program(syntax.Sequence((syntax.Simple(_, (_, *words)),)), None):
            for word in words:
                pieces = word.pieces if isinstance(word, syntax.ShellWord) else ()
                if not all(isinstance(piece, syntax.Text) for piece in pieces):
                    return []
                found.append("".join(piece.value for piece in pieces if isinstance(piece, syntax.Text)))
        case _:
            return []
    return found
