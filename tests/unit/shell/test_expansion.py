"""Tests what the words of shell text become. Every line was checked against bash; where paths differ, each is listed."""

import shlex

import pytest

from unit.shell.reading_text import list_markers, places, read, unread

ONE = {
    # quoting and splitting
    "x='a b'; m1 $x": [["m1", "a", "b"]],
    "x='a b'; m1 \"$x\"": [["m1", "a b"]],
    "x=' a '; m1 $x\"$x\"b": [["m1", "a", " a b"]],
    "x=; m1 $x": [["m1"]],
    'x=; m1 "$x"': [["m1", ""]],
    "x='a b'; m1 p${x}q": [["m1", "pa", "bq"]],
    "x=m1; $x a": [["m1", "a"]],
    "x='m1 a'; $x b": [["m1", "a", "b"]],
    "x=; $x m1 a": [["m1", "a"]],
    "x=y y=z; m1 $x $y": [["m1", "y", "z"]],
    "x=a y=$x; m1 $y": [["m1", "a"]],
    # IFS
    "IFS=:; x=a::b; m1 $x": [["m1", "a", "", "b"]],
    "IFS=:; x=:a:; m1 $x": [["m1", "", "a"]],
    "IFS=': '; x='a : b  c'; m1 $x": [["m1", "a", "b", "c"]],
    "IFS=; x='a b'; m1 $x": [["m1", "a b"]],
    'IFS=-; set -- a b; m1 "$*"': [["m1", "a-b"]],
    "IFS=:; m1 a:b": [["m1", "a:b"]],
    # parameters
    "m1 ${x:-a b}": [["m1", "a", "b"]],
    'x=; m1 ${x:-a b} "${x:-a b}"': [["m1", "a", "b", "a b"]],
    "x=; m1 ${x:-'a b'}": [["m1", "a b"]],
    'x=; m1 "${x-d}"': [["m1", ""], ["m1", "d"]],
    "x=v; m1 ${x+s} ${x:+t}": [["m1", "s", "t"]],
    "x=; : ${x:=new}; m1 $x": [["m1", "new"]],
    "x=a.b.c; m1 ${x#*.} ${x##*.} ${x%.*} ${x%%.*}": [["m1", "b.c", "c", "a.b", "a"]],
    "x='*a'; m1 \"${x#'*'}\"": [["m1", "a"]],
    "x=']b'; m1 ${x#[]a]}": [["m1", "b"]],
    "x='q]b'; m1 ${x#q[]a]}": [["m1", "b"]],
    "x='[b'; m1 ${x#[[a]}": [["m1", "b"]],
    "x='!b'; m1 ${x#[!a]}": [["m1", "b"]],
    "x='a*b'; m1 ${x#a[*]}": [["m1", "b"]],
    "x='a\nb'; m1 \"${x##a*}\"": [["m1", ""]],
    "for f in [0-9]*; do m1 ${f##*/}; done": [["m1", "[0-9]*..."]],
    'for f in /proc/[0-9]*; do m1 "${f#/proc/}" "${f##*/}"; done': [["m1", "[0-9]*", "[0-9]*"]],
    "x=abcab; m1 ${x/b/Z} ${x//b/Z} ${x/#a/Z} ${x/%b/Z} ${x//b}": [["m1", "aZcab", "aZcaZ", "Zbcab", "abcaZ", "aca"]],
    "x=abc; m1 ${x^} ${x^^} ${x:1} ${x:1:1} ${x: -2} ${x:0:-1}": [["m1", "Abc", "ABC", "bc", "b", "bc", "ab"]],
    "x=ab; m1 ${x#?} ${x/%/Z} ${x/#/Z}": [["m1", "b", "abZ", "Zab"]],
    "x=ABC; m1 ${x,} ${x,,}": [["m1", "aBC", "abc"]],
    "x=abc; m1 ${x@Q}": [["m1", "**..."]],
    "declare -r x=Ab; m1 $x": [["m1", "Ab"]],
    "readonly x=Ab; x=Cd; m1 $x": [["m1", "Ab"], ["m1", "Cd"]],
    "declare -u x=Ab; m1 $x": [["m1", "AB"], ["m1", "Ab"]],
    "y=x; x=v; m1 ${!y}": [["m1", "v"]],
    # arrays
    "a=('p q' r); m1 \"${a[@]}\" ${a[0]}": [["m1", "p q", "r", "p", "q"]],
    "a=('p q' r); m1 $a": [["m1", "p", "q"], ["m1", "p", "q", "r"]],
    'a=(p q r); m1 "${a[1]}" "${a[@]:1}" "${a[*]}"': [["m1", "q", "q", "r", "p q r"]],
    'a=(p q); a[0]=z; a+=(r); m1 "${a[@]}"': [["m1", "z", "q", "r"]],
    'a=(p q); a=z; m1 "${a[@]}"': [["m1", "z", "q"]],
    'a=(pa qa); m1 "${a[@]%a}"': [["m1", "p", "q"]],
    'a=([2]=x [0]=y); m1 "${a[@]}"': [["m1", "y", "x"]],
    "declare -n r=x; r=5; m1 $x": [["m1", "5"]],
    # arguments
    'set -- a \'b c\'; m1 "$@" $# "x$@y"': [["m1", "a", "b c", "?*...", "xa", "b cy"]],
    'set -- a b c; shift; m1 $1 "${@:2}"': [["m1", "b", "c"]],
    "set -- a; shift 2; m1 $1": [["m1", "a"]],
    "f() { m1 \"$@\"; }; f a 'b c'": [["m1", "a", "b c"]],
    "f() { local x=in; m1 $x; }; x=out; f; m2 $x": [["m1", "in"], ["m2", "out"]],
    'f() { local x=in; }; f; m1 "${x-d}"': [["m1", "d"]],
    "f() { m0 && local x=in; }; x=out; f; m1 $x": [["m0"], ["m1", "in"], ["m1", "out"]],
    "f() { m1 $x; }; x=out; x=env f; m2 $x": [["m1", "env"], ["m2", "out"]],
    "sh -c 'm1 $0 $1' a b": [["m1", "a", "b"]],
    "eval m1 '$x'; x=1": [["m1", "**..."]],
    # braces, tilde, globs
    "m1 {a,b}{1..3} {a} {} a{,x}": [["m1", "a1", "a2", "a3", "b1", "b2", "b3", "{a}", "{}", "a", "ax"]],
    "m1 {a..bc} {ab..c} {1..b}": [["m1", "{a..bc}", "{ab..c}", "{1..b}"]],
    "m1 {a..a} x{1..1}{b..b}": [["m1", "a", "x1b"]],
    "m1 {01..3}": [["m1", "01", "02", "03"]],
    "m1 {01..03} {c..a} {1..7..3}": [["m1", "01", "02", "03", "c", "b", "a", "1", "4", "7"]],
    "m2 {1..03} {-1..01}": [["m2", "01", "02", "03", "-1", "00", "01"]],
    'm1 a"b"c{1,2}': [["m1", "abc1", "abc2"]],
    "m1 {~/x,y}": [["m1", "/home/u/x", "y"]],
    "m1 ~ ~/x '~' a~": [["m1", "/home/u", "/home/u/x", "~", "a~"]],
    "m1 k=~/x": [["m1", "k=/home/u/x"], ["m1", "k=~/x"]],
    "HOME=/h; m1 ~ ~/x": [["m1", "/h", "/h/x"]],
    "m1 *.txt a'*' \"?\"": [["m1", "*.txt", "a*", "?"]],
    "x='*'; m1 $x \"$x\"": [["m1", "*", "*"]],
    "x=c; m1 /et[$x]": [["m1", "/et?"], ["m1", "/et[c]"]],
    # substitutions
    'm1 $(echo a b) "$(echo a  b)" `echo c`': [["m1", "a", "b", "a b", "c"]],
    "m1 \"$(printf 'a\\n\\n')\"": [["m1", "a"]],
    "m1 $(cat list)": [["m1", "a", "b", "c"]],
    'm1 "$(test -f a && echo yes || echo no)"': [["m1", "yes"], ["m1", "no"]],
    'm1 "$(test -n a && echo yes || echo no)"': [["m1", "yes"]],
    'm1 "$([ "" = a ] && echo yes || echo no)"': [["m1", "no"]],
    'x=a; if [ "$x" != a ]; then m1 then; elif [[ $x == a ]]; then m1 elif; else m1 else; fi': [["m1", "elif"]],
    'x=ab; case "$x" in a) m1 a;; a*) m1 ab;; *) m1 other;; esac': [["m1", "ab"]],
    'x=ab; case "$x" in a[b]) m1 a;; *) m1 other;; esac': [["m1", "a"], ["m1", "other"]],
    'case "$x" in a) m1 a;; *) m1 other;; esac': [["m1", "a"], ["m1", "other"]],
    "for x in a b; do case $x in b) m1 b;; esac; done": [["m1", "b"]],
    'case "$1" in a) m1 a;; esac': [["m1", "a"]],  # a shell that lives on may have arguments
    "while getopts x o; do m1 a; done": [["m1", "a"]],
    "while (( $# )); do m1 a; done": [["m1", "a"]],
    'f() { case "$1" in a) m1 a;; b) m1 b;; esac; }; f b': [["m1", "b"]],
    "case ab in a*) m1 1;;& *b) m1 2;; c) m1 3;; esac": [["m1", "1"], ["m1", "2"]],
    "printf -v x '%s-%s' a b; m1 $x": [["m1", "a-b"]],
    "x=1; ((x++)); m1 $x": [["m1", "*..."]],
    # read
    'read x y < list; m1 "$x" "$y"': [["m1", "a", "b"]],
    '{ read x; read y; } < list; m1 "$x" "$y"': [["m1", "a b", "c"]],
    'IFS=: read -r x y <<< \'p:q r:s\'; m1 "$x" "$y"': [["m1", "p", "q r:s"]],
    'while read x; do m1 "$x"; done < list; m2 "$x"': [["m1", "a b"], ["m1", "c"], ["m2", ""]],
    'mapfile -t a < list; m1 "${a[@]}"': [["m1", "a b", "c"]],
    # text read again
    "x='m1 a'; eval \"$x b\"": [["m1", "a", "b"]],
    "source ./s.sh arg; m2 $x": [["m1", "script", "arg"], ["m2", "sourced"]],
    "trap 'm1 $x' EXIT; x=end": [["m1", "end"]],
    "(trap 'm1 $x' EXIT; x=in); x=out": [["m1", "in"]],
    'y=; for x in a b; do y=$y$x; done; m1 "$y"': [["m1", "ab"]],
}


@pytest.mark.parametrize("text", ONE)
def test_words(text: str) -> None:
    assert sorted(list_markers(text)) == sorted(ONE[text])


def test_an_element_without_braces_is_one_of_the_readings() -> None:
    assert ["m1", "q"] in list_markers("a=(p q); m1 $a[2]")
    assert ["m1", "q"] in list_markers("a=(p q); m1 $a[-1]")
    assert ["m1", "q"] in list_markers("typeset -A a; a=(p q); m1 $a[p]")


PATHS = {
    # relief must have happened
    "x=/; false && x=/tmp/a; m1 $x": [["m1", "/tmp/a"], ["m1", "/"]],
    "x=/; m0 && x=/tmp/a; m1 $x": [["m0"], ["m1", "/tmp/a"], ["m1", "/"]],
    "x=/; if m0; then x=/tmp/a; fi; m1 $x": [["m0"], ["m1", "/tmp/a"], ["m1", "/"]],
    "if m0; then x=a; else x=b; fi; m1 $x": [["m0"], ["m1", "a"], ["m1", "b"]],
    "x=/; for i in $u; do x=a; done; m1 $x": [["m1", "/"], ["m1", "a"]],
    "x=/; (x=/tmp); m1 $x": [["m1", "/"]],
    "x=/; echo | x=/tmp; m1 $x": [["m1", "/"], ["m1", "/tmp"]],
    "x=/; x=/tmp & m1 $x": [["m1", "/"]],
    "readonly x=/; x=/tmp; m1 $x": [["m1", "/tmp"], ["m1", "/"]],
    'm0 && set -- /tmp; m1 "$@"': [["m0"], ["m1", "/tmp"], ["m1"]],
    'set -- /; m0 && shift; m1 "$1"': [["m0"], ["m1", ""], ["m1", "/"]],
    "m0() { :; }; m0 a": [],
    "false && m1() { :; }; m1 a": [["m1", "a"]],
    "alias m1=:; m1 a": [["m1", "a"]],
    # ways out
    "for i in 1; do x=5; if m0; then break; fi; x=2; done; m1 $x": [["m0"], ["m1", "2"], ["m1", "5"]],
    "f() { x=5; m0 && return; x=2; }; f; m1 $x": [["m0"], ["m1", "2"], ["m1", "5"]],
    "x=/; m0 || exit; x=a; m1 $x": [["m0"], ["m1", "a"]],
    "case $u in a) x=1 ;& b) m1 $x ;; esac": [["m1", "1"], ["m1", "**..."]],
    "while x=5; m0; do x=1; done; m1 $x": [["m0"], ["m1", "5"]],
    'a=s; while m0; do a=(x $a); done; m1 "${a[@]}"': [["m0"], ["m1", "s"], ["m1", "x", "s"], ["m1", "**..."]],
    'a=(x); while m0; do a+=(y); done; m1 "${a[@]}"': [["m0"], ["m1", "x"], ["m1", "x", "y"], ["m1", "**..."]],
    "x=a; while m0; do x=$x; x=/; done; m1 $x": [["m0"], ["m1", "a"], ["m1", "/"]],
    # a shell of its own sees what was exported
    'x=1; export y=2; sh -c \'m1 "$x" "$y"\'': [["m1", "**", "2"]],
}


@pytest.mark.parametrize("text", PATHS)
def test_paths(text: str) -> None:
    assert sorted(list_markers(text)) == sorted(PATHS[text])


DIRECTORIES = {
    "cd sub; m1": ["/w/sub"],
    "cd nowhere; m1": ["/w/nowhere", "/w"],
    "cd nowhere && m1": ["/w/nowhere"],
    "cd nowhere || m1": ["/w"],
    "cd nowhere || exit; m1": ["/w/nowhere"],
    "set -e; cd nowhere; m1": ["/w/nowhere"],
    "set -e; cd nowhere || true; m1": ["/w/nowhere", "/w"],
    "f() { cd nowhere; m1; }; set -e; f || true": ["/w/nowhere", "/w"],
    "if cd nowhere; then m1; fi": ["/w/nowhere"],
    "if ! cd nowhere; then m1; fi": ["/w"],
    "(cd sub); m1": ["/w"],
    "cd sub/..; m1": ["/w"],
    "cd sub; cd -; m1": ["/w"],
    "pushd sub; popd; m1": ["/w"],
    "cd; m1": ["/home/u"],
    "false && cd /tmp; m1": ["/tmp", "/w"],
    "cd sub & m1": ["/w"],
    "env -C sub m1": ["/w/sub"],
    "cd sub; sh -c 'cd deep; m1'": ["/w/sub/deep"],
    "while m0; do cd ..; done; m1": ["/w", "/"],
    "cd *; m1": ["/w/*", "/w"],
    "cd */; cd ..; m1": ["/w", "/"],
}


@pytest.mark.parametrize("text", DIRECTORIES)
def test_directories(text: str) -> None:
    assert set(places(text)) == set(DIRECTORIES[text])


def nest_shells(depth: int) -> str:
    text = "m1"
    for _ in range(depth):
        text = f"bash -c {shlex.quote(text)}"
    return text


LIMITS = {
    "doubled": ("A=aaaaaaaaaa; " + "A=$A$A; " * 22 + "m1 $A", 40),
    "doubled in a loop": ("A=a; while m1; do A=$A$A; done; m1 $A", 60),
    "braces": ("m1 " + "{a,b}" * 14, 5),
    "open braces": ("m1 " + "{" * 100_000, 5),
    "open lists": ("m1 " + "{a," * 20_000, 5),
    "for in for": ("".join(f"for i{n} in 1 2 3; do x{n}=$x{n}$i{n}; " for n in range(8)) + "m1 $i0; " + "done; " * 8, 2_000),
    "while in while": ("".join(f"while m{n}; do x{n}=$x{n}a; cd ..; " for n in range(12)) + "m1 $x0; " + "done; " * 12, 1_000),
    "unclosed": ("m1 " + "$(" * 40, 5),
    "shells in shells": (nest_shells(9), 40),
    "a chain": ("m1" + " && true" * 10_000, 10),
    "a chain of markers": ("m1" + " && m2" * 3_000, 6_100),
    "padding": ("m1 " + "a" * 1_000_000, 5),
    "many lines": ("\n".join(f"x{n}=a{n}; m1 $x{n} | cat && m2 > f{n}" for n in range(500)), 4_000),
    "functions": ("f() { g; g; }; g() { h; h; }; h() { f; f; m1; }; f", 400),
    "eight functions": ("".join(f"f{n}() {{ " + "".join(f"f{k}; " for k in range(8)) + "}; " for n in range(8)) + "f0", 10),
    "alternatives": ("".join(f"m0 && x{n}=a; " for n in range(40)) + "m1 " + " ".join(f"$x{n}" for n in range(40)), 80),
    "handlers": ("".join(f"trap 'm1 $x{n}' DEBUG; x{n}=1; " for n in range(100)), 400),
    "patterns": ("x=" + "a" * 1_900 + "; m1 ${x//*a*a*b/c} ${x##*a*a*b}", 5),
    "an array that doubles": ("a=(" + "x " * 5_000 + '); for i in 1 2 3 4 5 6; do a+=("${a[@]}"); done; m1 "${a[@]}"', 20),
    "a file that sources itself": ("echo '. ./f' > f; . ./f", 60),
    "a script that runs itself": ("echo 'sh f; sh f' > f; sh f", 400),
}


@pytest.mark.parametrize("name", LIMITS)
def test_any_text_ends_within_its_budget(name: str) -> None:
    """Counted in effects, whose number grows with the work."""
    text, most = LIMITS[name]
    assert 0 < len(read(text).all) <= most


@pytest.mark.parametrize("name", ["doubled", "unclosed", "a chain", "eight functions", "a file that sources itself"])
def test_reaching_a_limit_is_told(name: str) -> None:
    assert unread(LIMITS[name][0])


def nested_list(depth: int) -> str:
    return "{a," * depth + "b" + "}" * depth


def test_brace_lists_are_expanded_up_to_a_limit() -> None:
    assert list_markers(f"m1 {nested_list(16)}") == [["m1", *"a" * 16, "b"]]
    assert list_markers(f"m1 {nested_list(17)}") == [["m1", "**..."]]
    assert list_markers(f"m1 {'{a..a}' * 16}") == [["m1", "a" * 16]]
    assert list_markers(f"m1 {'{a..a}' * 17}") == [["m1", "**..."]]
