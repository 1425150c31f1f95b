"""Every builtin that the manuals of bash, dash and zsh list, and what it runs of its arguments.

A builtin is in `RUNNING` with texts in which it runs a marker from its arguments, or in `SILENT`: it runs none of them. `NUMBER`
stands for data that is used as a number or as a variable's name, `COMMAND` for a command.
"""

COMMAND = "m3 deep"
NUMBER = "'a[$(m3 deep)]'"

_BASH: dict[str, tuple[str, ...]] = {
    ".": ("echo 'COMMAND' > w.sh; . ./w.sh", ". /dev/stdin <<< 'COMMAND'"),
    "[": ("[ -v NUMBER ]", "[ ! -v NUMBER ]", "[ x -a -v NUMBER ]"),
    "alias": ("shopt -s expand_aliases\nalias q='COMMAND'\nq",),
    "builtin": ("builtin eval COMMAND", "builtin -- eval COMMAND"),
    "command": ("command COMMAND", "command -p env COMMAND", "command -- COMMAND", "command eval -- 'COMMAND'"),
    "compgen": (
        "compgen -C 'COMMAND;:' x",
        "compgen -W '$(COMMAND)' x",
        "compgen -W '`COMMAND`' -- x",
        "f() { COMMAND; }; compgen -F f x",
    ),
    "declare": (
        "declare -i n=NUMBER",
        "declare -i n; n=NUMBER",
        "declare NUMBER=1",
        "declare -a 'n=($(COMMAND))'",
        "declare -A 'n=([$(COMMAND)]=1)'",
        "declare -n r=NUMBER; echo $r",
        "declare -n r; r=NUMBER; echo $r",
        "declare -i n; n+=NUMBER",
        "declare -ai n; n[0]=NUMBER",
        "declare -ai n; n+=(NUMBER)",
        "declare -i n; for n in NUMBER; do :; done",
        "declare -i n; : ${n:=NUMBER}",
        "n=NUMBER; declare -i o=n",
        "declare BASH_CMDS[m4]=$(command -v m3); m4 deep",
    ),
    "eval": ("eval 'COMMAND'", "eval -- COMMAND"),
    "exec": (
        "exec COMMAND",
        "exec -a x COMMAND",
        "exec -la x COMMAND",
        "exec -ca x COMMAND",
        "exec -ax COMMAND",
        "exec -cl env PATH=$PATH COMMAND",
    ),
    "export": ("declare -i n; export n=NUMBER",),
    "fc": ("set -o history; history -s x; fc -e 'COMMAND;:'",),
    "hash": ("hash -p $(command -v m3) m4; m4 deep", "hash -lp $(command -v m3) m4; m4 deep"),
    "jobs": ("jobs -x COMMAND",),
    "let": ("let NUMBER=1", "n=NUMBER; let n+=1", "n=NUMBER; o=n; let o"),
    "local": ("f() { local -i n=NUMBER; }; f", "f() { local -n n=NUMBER; echo $n; }; f"),
    "mapfile": ("mapfile -C 'COMMAND;:' -c 1 a < a.txt", "declare -ai n; mapfile -t n <<< NUMBER"),
    "printf": (
        "printf -v NUMBER x",
        "printf -vNUMBER x",
        "declare -i n; printf -v n %s NUMBER",
        "printf -v 'BASH_CMDS[m4]' $(command -v m3); m4 deep",
    ),
    "read": ("read NUMBER <<< x", "declare -i n; read n <<< NUMBER", "read 'BASH_CMDS[m4]' <<< $(command -v m3); m4 deep"),
    "readarray": ("readarray -c1 -C'COMMAND;:' a < a.txt",),
    "readonly": ("declare -i n; readonly n=NUMBER",),
    "set": ("PS4='$(COMMAND)'; set -x; :",),
    "source": ("source <(echo COMMAND)", "exec {fd}<<< 'COMMAND'; source /dev/fd/$fd", "exec 5<<< 'COMMAND'; . /dev/fd/5"),
    "test": ("test -v NUMBER", "test ! -v NUMBER"),
    "trap": ("trap 'COMMAND' EXIT", "trap -- 'COMMAND' 0", "trap 'COMMAND' ERR; false", "trap 'COMMAND' DEBUG; :"),
    "typeset": ("typeset -i n=NUMBER",),
    "unset": ("a=(1 2); unset NUMBER", "b=(1 2); n=NUMBER; unset 'b[n]'"),
    "wait": ("m1 & wait -p NUMBER $!",),
    "": (
        "[[ NUMBER -eq 0 ]]",
        "[[ 0 -lt NUMBER ]]",
        "n=NUMBER; [[ n -eq 0 ]]",
        "[[ -v NUMBER ]]",
        "n=NUMBER; ((n))",
        "n=NUMBER; echo $((n+1))",
        "n=NUMBER; echo $[n]",
        "n=NUMBER; echo ${b[n]}",
        "n=NUMBER; b[n]=1",
        "n=NUMBER; b=([n]=1)",
        "x=abc; n=NUMBER; echo ${x:n}",
        "x=abc; n=NUMBER; echo ${x:0:n}",
        "n=NUMBER; for ((i=n;i<1;i++)); do break; done",
        "n=NUMBER; echo ${!n}",
        "n='$(COMMAND)'; echo ${n@P}",
        'n=\'$(COMMAND)\'; b=(x "$n"); echo "${b[@]@P}"',
        "RANDOM=NUMBER",
        "OPTIND=NUMBER",
        "BASH_CMDS[m4]=$(command -v m3); m4 deep",
        "shopt -s expand_aliases\nBASH_ALIASES[q]='COMMAND'\nq",
        "env 'BASH_FUNC_q%%=() { COMMAND; }' bash -c q",
        "coproc COMMAND; wait",
        "coproc { COMMAND; }; wait",
        "cat > /dev/stdout <<< 'COMMAND' | bash",
        "echo 'COMMAND' > /dev/fd/1 | bash",
        "echo 'COMMAND' 2>&1 > /dev/stderr | bash",
        "{ echo 'COMMAND' > /dev/fd/3; } 3>&1 | bash",
        "exec {fd}<<< 'COMMAND'; bash /dev/fd/$fd",
        "exec 5<<< 'COMMAND'; bash /proc/self/fd/5",
        "exec 5<<< 'COMMAND'; bash /proc/$$/fd/5",
        "exec 5<<< 'COMMAND'; bash < /dev/fd/5",
        "$(((COMMAND) ) )",
        "echo $(((COMMAND); (true)) )",
        "command_not_found_handle() { COMMAND; }; nosuch",
    ),
}
_DASH: dict[str, tuple[str, ...]] = {
    ".": ("echo 'COMMAND' > w.sh; . ./w.sh",),
    "alias": ("alias q='COMMAND'\nq",),
    "command": ("command COMMAND", "command -p env COMMAND", "command -- COMMAND"),
    "eval": ("eval 'COMMAND'",),
    "exec": ("exec COMMAND",),
    "trap": ("trap 'COMMAND' EXIT", "trap 'COMMAND' 0"),
    "": ("for i in {,}; do COMMAND; done", "echo 'COMMAND' > /dev/stdout | sh", "((COMMAND) )"),
}
_ZSH: dict[str, tuple[str, ...]] = {
    "-": (),
    ".": ("echo 'COMMAND' > w.sh; . ./w.sh", ". =(echo COMMAND)"),
    "[": ("a=(1); [ -t NUMBER ]",),
    "alias": ("alias q='COMMAND'; eval q", "alias -g Q='; COMMAND'; eval 'echo Q'", "alias -s txt='COMMAND;:'; eval a.txt"),
    "autoload": ("mkdir f; echo COMMAND > f/foo; fpath=($PWD/f); autoload foo; foo",),
    "break": ("a=(1); for i in 1 2; do break NUMBER; done",),
    "builtin": ("builtin eval COMMAND",),
    "command": ("command COMMAND", "command -p env COMMAND"),
    "continue": ("a=(1); for i in 1; do continue NUMBER; done",),
    "emulate": ("emulate sh -c 'COMMAND'", "emulate -R sh -c 'COMMAND'"),
    "eval": ("eval 'COMMAND'", "eval -- COMMAND", "eval - COMMAND"),
    "exec": ("exec COMMAND", "exec -la x COMMAND", "exec -ca x COMMAND"),
    "exit": ("a=(1); exit NUMBER",),
    "float": ("a=(1); float n=NUMBER",),
    "functions": ("f() { COMMAND; }; functions -M f 0 1; echo $((f(1)))",),
    "getopts": ("a=(1); getopts x NUMBER -x",),
    "hash": ("hash m4=$(command -v m3); m4 deep",),
    "integer": ("a=(1); integer n=NUMBER",),
    "let": ("a=(1); let NUMBER",),
    "print": ("setopt promptsubst; print -P '$(COMMAND)'", "print -v NUMBER x", "a=(1); print -f %d NUMBER"),
    "printf": ("printf -v NUMBER x", "a=(1); printf %d NUMBER"),
    "read": ("read NUMBER <<< x", "a=(1); read -t NUMBER x"),
    "return": ("a=(1); f() { return NUMBER; }; f",),
    "set": ("set -A NUMBER x",),
    "shift": ("a=(1); shift NUMBER",),
    "source": ("source <(echo COMMAND)",),
    "test": ("a=(1); test -t NUMBER",),
    "trap": ("trap 'COMMAND' EXIT", "trap 'COMMAND' ZERR; false"),
    "typeset": ("a=(1); typeset -i n=NUMBER", "typeset -Z NUMBER x=1"),
    "unset": ("a=(1); unset NUMBER",),
    "zstyle": ("zstyle -e ':x' y 'COMMAND'; zstyle -s ':x' y z",),
    "": (
        "for i in {,}; do COMMAND; done",
        "set -- {,}; for i; do COMMAND; done",
        "a=(1); n=NUMBER; ((n))",
        "a=(1); [[ NUMBER -eq 0 ]]",
        "a=(1); SECONDS=NUMBER",
        "a=(1); n=NUMBER; x=abc; echo $x[n]",
        "a=(1); n=NUMBER; echo ${(l:n:)x}",
        "x='$(COMMAND)'; echo ${(e)x}",
        "f() { COMMAND; }; zshexit_functions=(f)",
        "zshexit() { COMMAND; }",
        "TRAPEXIT() { COMMAND; }",
        "repeat 1 COMMAND",
        "zmodload zsh/parameter; functions[q]='COMMAND'; q",
        "() { COMMAND }",
        "cat > /dev/stdout <<< 'COMMAND' | bash",
    ),
}
RUNNING = {"bash": _BASH, "dash": _DASH, "zsh": _ZSH}

SILENT = {
    "bash": frozenset(
        (
            ": bg bind break caller cd complete compopt continue dirs disown echo enable exit false fg getopts "
            "help history kill logout popd pushd pwd return shift shopt suspend times true type ulimit umask "
            "unalias "
        ).split()
    ),
    "dash": frozenset(
        (
            ": [ bg break cd chdir continue echo exit export false fg getopts hash jobs kill local printf pwd "
            "read readonly return set shift test times true type ulimit umask unalias unset wait "
        ).split()
    ),
    "zsh": frozenset(
        (
            ": bg bindkey bye cd chdir compadd comparguments compcall compctl compdescribe compfiles compgroups "
            "compquote compset comptags comptry compvalues declare dirs disable disown echo echotc echoti enable "
            "export false fc fg getln history jobs kill limit local log logout popd private pushd pushln pwd r "
            "readonly rehash sched suspend times trap true ttyctl type ulimit umask unalias unfunction unhash "
            "unlimit unsetopt setopt vared wait whence where which zcompile zf_chgrp zformat zle zmodload "
            "zparseopts zregexparse noglob zpty stat zstat "
        ).split()
    ),
}
"""What runs nothing of its arguments in a shell that is not interactive. `bind`, `complete`, `sched` and what belongs to editors
and completion run commands only where somebody types; the gate reads those all the same."""


def texts(shell: str) -> list[str]:
    """Returns every text of the table for a shell."""
    return [text.replace("NUMBER", NUMBER).replace("COMMAND", COMMAND) for each in RUNNING[shell].values() for text in each]
