"""Compares the reading of shell text with real shells: every command that ran must be among those that were read."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from differential.execution import Ran, Scratch, compare_programs, find_missed, is_unread, read_log, run
from differential.option_scripts import OptionScripts
from differential.programs import Programs
from differential.turns import Turns

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "0"))
COUNTS = {"bash": COUNT or 1200, "dash": COUNT or 400, "zsh": COUNT or 400}  # 2,400 programs in all, if nothing is said
SHELLS = ("bash", "dash", "zsh")
GIVEN = (("bash", True), ("dash", False), ("dash", True), ("zsh", False))  # programs with more in them than POSIX asks for?
REQUIRED = os.environ.get("REQUIRE_SHELLS") == "1"


def find_shell(shell: str) -> str:
    path = shutil.which(shell)
    if path is None and not REQUIRED:
        pytest.skip(f"there is no {shell} here")
    assert path, f"{shell} was promised"
    return path


def looked_at(shell: str, lines: list[str], scratch: Scratch) -> list[Ran]:
    """Returns the commands of one program that ran and were not read."""
    text = "\n".join(lines)
    folder = scratch.folder()
    effects = scratch.read_text(text, folder)
    (ran,) = run(shell, [(text, folder)], scratch)
    return [] if ran is None or is_unread(effects) else find_missed(ran, effects)


def shrunk(shell: str, lines: list[str], scratch: Scratch) -> list[str]:
    """Returns the lines that are needed for a command to be missed."""
    at = 0
    while at < len(lines):
        fewer = lines[:at] + lines[at + 1 :]
        if looked_at(shell, fewer, scratch):
            lines, at = fewer, 0
        else:
            at += 1
    return lines


@pytest.mark.parametrize("made", [Programs, Turns, OptionScripts])
@pytest.mark.parametrize(("shell", "of_bash"), GIVEN)
def test_whatever_ran_was_read(shell: str, of_bash: bool, made: type[Programs | Turns | OptionScripts], tmp_path: Path) -> None:
    path = find_shell(shell)
    scratch = Scratch(tmp_path)
    source = made(SEED, bash=of_bash)
    count = COUNTS[shell] // (1 if made is Programs else 2)
    found = compare_programs(path, source, count, scratch)
    print(
        f"{shell}: seed {SEED}, {found.ended} programs, {found.commands} commands ran;"
        f" {len(found.misses)} missed, {found.unread} could not be read"
    )
    for lines in found.misses[:5]:
        smaller = shrunk(path, lines, scratch)
        print("----", *smaller, f"missed: {looked_at(path, smaller, scratch)}", sep="\n")
    assert not found.misses, f"FUZZ_SEED={SEED}"
    assert found.ended > count * 0.9
    assert found.unread < found.ended * 0.25


STATE = {
    "what is given to a file alone": "x=a; printf 'm2 $x; x=c\\n' > w.sh; x=b . ./w.sh; m1 $x",
    "set with a dash alone leaves the arguments": 'set a b; set -; m2 "$@"; set --; m3 "$@"',
    "cd reads what is given to it alone": "m1; HOME=$PWD/sub cd; m2; CDPATH=../sub cd deep; m3",
    "what may be a function may be a builtin": "m7 && cd() { :; }; cd sub; m1",
    "a way out whose file does not open is none": "m1; cd nowhere || exit 1 > no/such; m2",
    "nor one with too many words, in zsh": "m3; f() { cd nowhere || return 1 2; m1; }; f; m2",
    "above a folder that nobody knows": "m1; cd -; cd .. && m3",
    "PWD may be given a value like any other": 'PWD=/etc; m1 "$PWD"; for PWD in /usr; do m2 $PWD; done; cd sub; m3 "$PWD"',
    "return leaves a function or a file, and nothing else": "m2; cd nowhere || return; m1",
    "break leaves a loop": "m2; cd nowhere || break; m1; for i in 1; do cd nowhere || break; m3; done; m4",
    "exec leaves where it has a command": "cd nowhere || exec 3< a.txt; m1",
    "not every shell knows chdir": "chdir sub; m1",
    "nor what zsh puts before a command": "noglob cd sub; m1; - cd other; m2",
    "set -e ends at a substitution, in bash": 'm4; set -e; x=$(cd nowhere; m1); m2; echo "$(cd nowhere; m3)"; m2',
    "a loop may climb to the root": "n=0; while n=$(($n+1)); [ $n -lt 19 ]; do cd .. && m3; done",
    "what is declared local may be empty, though it stands before the call": 'f() { local x; cd $x; m1 "<$x>"; }; x=sub f; m5 $x',
    "what a last separator ends is an argument more, in some shells": "y=a.b.; IFS=.; m5 $y; IFS='. '; y='a . b . '; m1 $y",
    "where a file does not open, a cd did not run": "cd sub < nosuch; m5; cd other > no/such || m6; cd sub >&7 && m7; m8",
    "nor did a group of commands": "x=a; { x=b; cd sub; } < nosuch; m5 $x",
    "nor a function": 'f() { cd sub; x=b; }; x=a; f > no/such; m5 "$x"',
    "nor an assignment, in some shells": "x=a; x=b < nosuch; m5 $x",
    "nor what unsets": 'x=a; m1; command unset x > no/such; m5 "$x"',
    "a number is printed, or it is none": "printf %d a && cd sub || m4; m5",
    "a format is none": "printf '%z' a && cd sub || m4; m5",
    "what is readonly is not exported anew": "readonly r; command export r=1 && cd sub || m4; m5",
    "a name of the shell's own may be a function's": "f() { echo a && cd sub || m4; }; echo() { return 1; }; f",
    "an alias that nobody made": "alias nosuch && cd sub || m4; m5",
    "what stands before a function may stay, what it holds then may too": "f() { x=in; }; x=1; x=env f; m1 $x",
    "or what it held when it was called": "f() { local x=y; }; x=1; x=env f; m1 $x",
    "the end is taken off all that is joined, in some shells": 'set -- a_b b; m4 "${*%b}"',
    "what failed in a file that one of two folders holds": "m7 || cd ../sub; printf 'cd sub\\ncd other\\n' > w.sh; . ./w.sh; m4",
    "a handler at the end stands where a cd did not lead": "trap 'm8 a' EXIT; cd nowhere",
    "or leads away": "( trap 'm8 a' EXIT; cd sub )",
    "cd prints where it goes back to": 'cd sub; cd ../other; m1 "$(cd -)"; m2 "$(cd nowhere; cd - >&2)"',
    "as zsh has it, too": 'HOME=$PWD; cd sub/deep; cd ../../other; m1 "$(cd -)"; cd; cd -; m2 "$(cd -)"',
    "and what it found elsewhere": 'CDPATH=sub; m1 "$(cd deep)"',
    "what a started program's files assign may be lost": 'm5 > ${x:=M}; m7 "<$x>"',
    "so may what its text assigns": 'cat <<E\n${x:=M}\nE\nm7 "<$x>"',
    "and what one of several commands assigns": 'm7 || y=:; y=m5; ${z-command} $y 2> "${x=M}"; m7 "<$x>"',
    "and what stands before it": 'y=${x:=M} m5; m7 "<$x>"',
    "a function's files assign": 'f() { m5; }; f > ${x:=M}; m7 "<$x>"',
    "what stands before a command sees what stands before it": "x=a; x=b y=$x z=$(echo $y) sh -c 'm5 $y $z'; m6 $x $y",
    "or what a name gives to itself": 'x=${x:=M} echo; m7 "<$x>"',
    "and none of it outlives the command": "x=b y=${x:=M} sh -c 'm5 $y'; m7 \"<$x>\"",
    "and sees what the command's words assign": "x=; y=$x sh -c 'm5 \"<$y>\"' ${x:=M}",
    "a loop that reads lines of a partly unknown text ends with an empty value": (
        'm3; f() ( while read -r x; do m1; done < w.sh; m2 $x ); echo "u $(m6) v" > w.sh; f'
    ),
    "a handler at the end may run within the function that set it": (
        """m3; f() { trap 'm2 "$@"' EXIT; return; }; f 'b c' b | cat"""
    ),
    "what may be in a file is there before what is added": "m7 no || echo 'm1 first' > w.sh; echo m2 >> w.sh; . ./w.sh",
    "what may be between words is there each way": 'set -- x y; if m7; then IFS=:; fi; m1 "$*"',
    "what is something keeps the line end before it": """m9 $(printf '%s\\n' u/v "${#a[@]}")""",
    "what a function exports of what stood before its call stays": "f() { export x=M; }; x=1; x=env f; m4 $x",
    "where a text began it may be, however many folders it names": "while false; do cd no; cd $x; done; . ./s.sh; m4 $x",
    "a function may define itself anew, and call that": "f() { f() { m2; }; f | m3; }; f",
    "what stands before words that expand to nothing stays": ('x=1; e=; x=5 $e; m1 $x; set --; x=7 "$@"; m3 $x; x=8 $(:); m5 $x'),
    "as it does in an alias": "x=1; shopt -s expand_aliases\nalias a='x=5'\na\nm6 $x",
    "a name that another variable holds may be given its default": "m1; D=; x=D; : ${!x:=c}; m6 $D",
    "a handler may assign at any time": "D=b; trap 'D=c' DEBUG; :; m6 $D; D=d; m1 $D; trap 'D=e' ERR; false; m2 $D",
    "a default is assigned as the variable is declared": "m1; declare -u z=''; m2 ${z:=e} $z",
    "dash has no builtin": "D=b; builtin eval D=c; m6 $D; builtin declare D=d; m6 $D",
    "dash goes on behind an error in eval that command runs": "x=a; command eval 'm3 ${x:1:1}\nx=b'\nm1 $x",
    "a callback may fill the array of mapfile, too": "m1\nf() { a=(k p5); }; mapfile -t -C f -c 1 a <<< 'one'\nm2 ${a[1]}",
    "unknown parts of two texts are two values": (
        """cat <<E | bash\nf() { m5 "$(m6)"; }; mapfile -t -C f -c 1 a <<< 'one'\neval "f \\$RANDOM"\nE"""
    ),
    "dash goes on behind text of eval that it cannot read": (
        """command eval 'function f {\nlocal -n o=x\no=changed\nm2\n}; f'\nm5 "$x\""""
    ),
    "what only may be exported may be unset for a child": "false && export z=M; z=q; sh -c ': ${z:=b}; m3 \"$z\"'",
    "an assignment before a function is taken back when it returns": "f() { m1; }; x=1; x=env f; sh -c 'm2 \"${x-unset}\"'",
    "a prompt of the trace is expanded in a subshell, too": "PS4='$(m3 deep)'; set -x; (cd sub; m1 a)",
    "a command that a shell lacks may be passed over": "true || let y=2 && m1 a",
    "what a loop goes through may be no more than what stands around it": 'set -- *.txt; for i in "$@"u; do m1 $i; done',
    "words of a glob stay several within quotes": "sh -c 'm1 \"u $@ v\"' sh *.txt",
    "an empty word of $* is kept where IFS is no blank": "set -- '' 1 '' 4; IFS=-; m1 $*",
    "dash gives a file that it reads no arguments": "set -- own; . ./s.sh given",
    "a program just put before others": "mkdir b; printf '#!/bin/sh\\nm3 x\\n' > b/m1; chmod +x b/m1; PATH=$PWD/b:$PATH; m1",
    "or for one command": "mkdir b; printf 'm3 new\\n' > b/m1; chmod +x b/m1; PATH=$PWD/b:$PATH sh -c m1",
    "the prompt of a trace is expanded": "PS4='$(m3 traced)'; set -x; m1",
    "xargs takes quotes away line by line, too": "printf '%s\\n' \"'a b' c\" 'x\\ y\\\\z ' '  ' '\"\"' d | xargs -I{} m3 -{}-",
    "a line that ends in a blank goes on for it": "printf '%s\\n' 'a b ' c d | xargs -L1 m3",
    "a folder of CDPATH is known by its name": "CDPATH=other:sub cd deep; m1; cd .. && m3",
    "an option that cd does not know is no folder": "for x in -n u/v; do cd $x; m5; done; cd -x sub; m1; cd -q sub; m2",
    "cd - stays where nothing was left before, in dash": "m2; set -e; cd -; . ./s.sh",
    "a folder that is lost stays lost": "for i in '*' a$(m6 _); do cd $x; done; n=0\n"
    'until n=$(($n+1)); [ $n -gt 4 ]; do OLDPWD=$PWD; cd sub; cd "$OLDPWD"; cd .. && m3; done',
    "and above one of many is one of many": "HOME=$PWD/no cd\n"
    "for i in a $(cat list) b; do if m5; then m9; else cd sub/deep; fi; cd -P ..; done",
    "echo has no -e in dash": """m1 a$(echo -n\\e)b "$(echo -e 'a\\tb')" "$(echo -n -e c)\"""",
    "what dash takes off all the arguments it takes off the last": 'set -- a_b b a_b; m1 ${@%b}a "${@%b}" "${@%%b*}z" "${@#a}"',
    "an option that export does not have ends dash": "m1; trap 'm2 $x' EXIT; export -f nosuch && cd home; x=ab",
    "so does a file that is not there to be sourced": "m1; trap 'm2 $x' EXIT; x=a; . ./nosuch; x=b; cd sub",
    "what is readonly ends any shell": "m1; trap 'm2 $x' EXIT; x=a; readonly r=1; r=2; x=b",
    "so does a name that has to be set": "m1; trap 'm2 $x' EXIT; x=a; : ${y:?}; x=b; cd sub",
    "and a sum that is none": "m1; trap 'm2 $x' EXIT; x=a; y=$((1+)); x=b",
    "what was unset is given to nobody any more": "export x=a; unset x; x=b; sh -c 'm2 $x'",
    "what a loop gives to itself is there, and nothing": 'n=0; while n=$(($n+1)); [ $n -lt 3 ]; do y="$y"; done; m9 "${y-d}"',
    "dash takes what separates two arguments with what the second begins with": "IFS=a; set -- a_b abcab; m4 a$* z; m5 $@",
    "nothing is given": "env -i PATH=$PATH sh -c 'm1 ~ ~/x $HOME/x; cd; m2'; env -u HOME sh -c 'm1 ~ ~/x'",
    "a script that may be empty may print": """m7 || m3 "$(echo 'm6 x' > w; chmod +x w; ./w)" z""",
    "a number is a word of its own": 'echo -n a"$x"b ${#x} | xargs m2 z; m1 "$(echo a $(m5) $?)"; set -- $# a; m3 "$*"',
    "a name that is not known is put together": 'm7 || x=y; y=x; eval "m1 \\$$z"; eval "m2 a\\$$x \\"\\$$y\\""',
    "what is local is given to nobody, in zsh": "f() { local x=in; sh -c 'm1 $x'; }; export x=1; f; x=2 f; sh -c 'm2 $x'",
    "what is left is what PWD says": 'PWD=u; m1; OLDPWD=$PWD; cd sub; cd "$OLDPWD"; m2',
    "a function that calls itself may climb after it": 'f() { [ $# -gt 0 ] || return; shift; f "$@"; cd ..; m5; }; f a b c d',
    "what is set in there stays": "set -- own; echo 'set -- new x' > w.sh; . ./w.sh given; m1 \"$@\"",
    "one handler stands in the place of another": "trap 'for x in 1 2; do m6 a; done' EXIT; trap 'm6 ${x#a}' EXIT",
    "xargs runs what it has read when a quote is not closed": 'echo a b "c\'d e" | xargs m3 z',
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("text", STATE.values(), ids=STATE.keys())
def test_state_is_followed(text: str, shell: str, tmp_path: Path) -> None:
    path = find_shell(shell)
    scratch = Scratch(tmp_path)
    for tool in ("mkdir", "chmod"):
        (scratch.bin / tool).symlink_to(f"/bin/{tool}")
    folder = scratch.folder()
    effects = scratch.read_text(text, folder)
    (ran,) = run(path, [(text, folder)], scratch)
    assert ran
    assert not is_unread(effects)
    assert not find_missed(ran, effects)


OF_BASH = {
    "what is written to may print": 'm6 "$(m1 > >(m5))"; m2 $(m6 x 2> >(m5))',
    "a descriptor may go by a name": 'exec {fd}<<E\nm6 q\nE\nm1 "$(bash <&$fd)"',
    "a sum that is none assigns nothing": "x=1-u/v; ((x++)); m1 $x; z=/; ((z=5)); m2 $z",
    "and it may print later": 'm2 "$(echo a >(m5))"',
    "nothing stands in the place of what is not set": 'unset y; m8 "${y/*//z}" ${y/#/a}; y=; m1 "${y/*//z}"',
    "a builtin may be switched off": "enable -n cd; cd sub; m2",
    "pushd -n only notes it": "dirs -c; pushd -n sub; m2; popd; m3",
    "a function's name may be that of a way out": "return() { :; }; f() { cd nowhere || return; m1; }; f; m2",
    "what is local where there is no function is as it was": "x=a; local x=b; m1 $x",
    "a folder may be named by its place on the stack": "pushd sub; pushd deep; m1 ~1 ~+1 ~-0",
    "a local one needs a function": "local x=1 && cd sub || m4; m5",
    "an export of what is no function": "export -f nosuch && cd sub || m4; m5",
    "pushd and popd print the folders": 'm1 "$(pushd sub)"; pushd sub; m2 "$(popd)"',
    "a name may stand for another, or for itself": "r=own; x=other; false && declare -n r=x; m1 $r",
    "what is given to it may go to either": "x=a; true && declare -n r=x; r=b; m1 $x; unset -n r; m2 $x",
    "it may stand for one of two": "if m7; then declare -n r=x; else declare -n r=y; fi; r=b; m1 $y $x; y=c; m2 $r",
    "the first value says what it stands for": "declare -n r; r=x; r=b; m1 $x",
    "a local one ends with its function": "f() { local -n o=$1; o=b; }; f x; o=c; m1 $x $o",
    "a callback is given the number and the line": "f() { m1 \"$@\"; }; mapfile -t -C 'f k' -c 1 a <<< 'one two'",
    "an element in a gap comes before others": 'a=([2]=x y); a[1]=z; m1 "${a[@]}"',
    "an alias is among the arguments of whoever uses it": "set -- g h\nshopt -s expand_aliases\nalias f='m1 \"$@\"'\nf x",
    "a callback sees the array while it fills": 'a=(old); f() { m1 "${a[@]}"; }; mapfile -t -C f -c 1 a <<< one',
    "a callback's output is heard": 'f() { m6 $#; }; m1 "$(mapfile -t -C f -c 1 a <<< one)"',
    "an element beyond a gap is given anew": 'a[1]=x; a[1]=y; m1 "${a[@]}"',
    "a chain of them": "declare -n a=b; declare -n b=c; a=d; m1 $c; c=e; m2 $a",
}


@pytest.mark.parametrize("text", OF_BASH.values(), ids=OF_BASH.keys())
def test_state_of_bash_is_followed(text: str, tmp_path: Path) -> None:
    test_state_is_followed(text, "bash", tmp_path)


OF_ZSH = {
    "NULLCMD=m1; > new": ("m1", ()),
    "READNULLCMD=m2; < a.txt": ("m2", ()),
    "READNULLCMD=sh; < s.sh": ("m1", ("script",)),
    "NULLCMD=sh; <<< 'm3 x'": ("m3", ("x",)),
    "PATH=$PATH; < s.sh | sh": ("m1", ("script",)),
    "alias -s zzt='m1 k'; eval q.zzt": ("m1", ("k", "q.zzt")),
}


@pytest.mark.parametrize(("text", "ran"), OF_ZSH.items())
def test_what_zsh_alone_runs_is_read(text: str, ran: tuple[str, tuple[str, ...]], tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    for reader in ("more", "pager"):
        (scratch.bin / reader).symlink_to(scratch.bin / "cat")
    folder = scratch.folder()
    program = f"{find_shell('zsh')} -f -c {shlex.quote(text)} 9>>{folder}.log"
    subprocess.run(["sh", "-c", program], env=scratch.environ(), cwd=folder, check=False)
    assert (ran[0], str(folder), ran[1]) in read_log(Path(f"{folder}.log"))
    assert not find_missed([(ran[0], str(folder), ran[1])], scratch.read_text(text, folder))


NO_ARITHMETIC = {
    "m2 $(( m1 RAN $(case k in k) ;; esac) ))": "bash",
    "m2 $(( m1 RAN $(case k in (k) ;; esac) ))": "bash",
    'm2 "$(( m1 RAN $(echo ${x#)}) ))"': "bash",
    "cat <<E\n$(( m1 RAN `case k in k) ;; esac` ))\nE": "bash",
    'm2 $(( m1 RAN "(" ))': "zsh",
    "m2 $(( m1 RAN `echo ')'` ))": "zsh",
    "(( m1 RAN 'a)' ))": "zsh",
}


@pytest.mark.parametrize(("text", "shell"), NO_ARITHMETIC.items())
def test_what_a_shell_counts_otherwise_is_not_taken_for_arithmetic(text: str, shell: str, tmp_path: Path) -> None:
    path = find_shell(shell)
    scratch = Scratch(tmp_path)
    folder = scratch.folder()
    (ran,) = run(path, [(text, folder)], scratch)
    assert ran
    assert ran[0][2][0] == "RAN"
    assert is_unread(scratch.read_text(text, folder, SHELL=f"/bin/{shell}"))


UNSPLIT = {
    "x='a b'; m1 $x": ("m1", ("a b",)),
    "x='m1 a'; $x || m2 $x": ("m2", ("m1 a",)),
    "set -- 'c d'; for i in $1; do m1 $i; done": ("m1", ("c d",)),
    "x=b/m1; $x:t a.$x:t:u": ("m1", ("a.M1",)),
    "m1 {p,$(echo a b)}$'q'": ("m1", ("{p,a", "b}q")),
    'x=b/c.d; m1 "$x:h" $x:r:t $x:e:z $x:latest': ("m1", ("b", "c", "d:z", "b/c.datest")),
}


@pytest.mark.parametrize(("text", "ran"), UNSPLIT.items())
def test_what_zsh_does_not_split_is_read_whole(text: str, ran: tuple[str, tuple[str, ...]], tmp_path: Path) -> None:
    """The login shell is zsh here; a shell that zsh starts splits words again."""
    scratch = Scratch(tmp_path)
    folder = scratch.folder()
    program = f"{find_shell('zsh')} -f -c {shlex.quote(text)} 9>>{folder}.log"
    subprocess.run(["sh", "-c", program], env=scratch.environ(), cwd=folder, check=False)
    assert (ran[0], str(folder), ran[1]) in read_log(Path(f"{folder}.log"))
    assert not find_missed([(ran[0], str(folder), ran[1])], scratch.read_text(text, folder, SHELL="/bin/zsh"))
    assert find_missed([(ran[0], str(folder), ran[1])], scratch.read_text(f"sh -c {shlex.quote(text)}", folder, SHELL="/bin/zsh"))
