"""Texts below 64 kB that cost as much as their length allows: one construct each, repeated or nested as often as it fits."""

from collections.abc import Callable, Iterator

SIZE = 60_000


def _repeat(piece: str, size: int = SIZE) -> str:
    """Repeats `piece` as often as it fits; `{n}` is the number of the round."""
    lines: list[str] = []
    length = n = 0
    while length < size:
        lines.append(piece.replace("{n}", str(n)))
        length += len(lines[-1])
        n += 1
    return "".join(lines)


def _nest(before: str, core: str, after: str, depth: int) -> str:
    return before * depth + core + after * depth


def _chain(count: int, calls: int) -> str:
    """Returns functions each of which calls the next one several times."""
    bodies = [f"f{n}() {{ " + f'f{n + 1} "$1" a{n}; ' * calls + "}\n" for n in range(count)]
    return "".join(bodies) + f'f{count}() {{ rm "$2"; }}\nf0 x\n'


SHELL: dict[str, Callable[[], str]] = {
    "plain commands": lambda: _repeat("cp a{n} b{n}\n"),
    "one command with many arguments": lambda: "rm " + _repeat("f{n} "),
    "one command with many arguments, into a file": lambda: "cp " + _repeat("f{n} ") + "target > log",
    "redirects": lambda: "echo x " + _repeat("> f{n} "),
    "a long pipeline": lambda: "cat x" + _repeat(" | grep {n}"),
    "pipelines into files": lambda: _repeat("cat a{n} | tee b{n} | sort > c{n}\n"),
    "and, or": lambda: "true" + _repeat(" && a{n} || b{n}"),
    "substitutions": lambda: _repeat('x=$(cmd{n} "$x")\n'),
    "nested substitutions": lambda: _nest("echo $(", "x", ")", 7_000),
    "nested substitutions within the bound": lambda: _repeat(_nest("echo $(", "x{n}", ")", 20) + "\n"),
    "substitutions in one word": lambda: "echo " + _repeat("$(a{n})"),
    "backquotes": lambda: _repeat("x=`a \\`b {n}\\``\n"),
    "here-documents": lambda: _repeat("cat <<E > f{n}\n$x `y` $(z{n})\nE\n"),
    "one long here-document": lambda: "cat <<E > f\n" + _repeat("line {n} of $x\n") + "E\n",
    "a script in a here-document": lambda: "bash <<'E'\n" + _repeat("rm a{n}\n") + "E\n",
    "assignments": lambda: _repeat("v{n}=$w{n}\n"),
    "assignments to one variable": lambda: _repeat('x="$x y{n}"\n') + 'echo "$x"',
    "assignments on branches": lambda: _repeat("a && x=y{n}\n") + "rm $x",
    "assignments before a command": lambda: _repeat("a{n}=$b ") + "cmd",
    "exports": lambda: _repeat("export v{n}=$x; cmd\n"),
    "arithmetic": lambda: _repeat("x=$((x + {n} * (y - 1)))\n"),
    "nested arithmetic": lambda: "echo $((" + _nest("(", "1", ")", 15_000) + "))",
    "one sum": lambda: "echo $((" + _repeat("x{n}+") + "1))",
    "braces": lambda: _repeat("echo {a,b,c}{1..3}{n}\n"),
    "a product of braces": lambda: "echo " + "{a,b}" * 12_000,
    "a large range": lambda: _repeat("rm f{1..99999}\n"),
    "case arms": lambda: "case $x in\n" + _repeat("a{n}) y=b{n} ;;\n") + "esac\nrm $y",
    "case arms that fall through": lambda: "case $x in\n" + _repeat("a{n}) y=b{n} ;;&\n") + "esac\nrm $y",
    "nested case": lambda: _nest("case $x in a) y=1; ", "rm $y", ";; esac", 2_500),
    "ifs": lambda: _repeat("if a{n}; then x=b{n}; fi\n") + "rm $x",
    "elifs": lambda: "if a; then x=1\n" + _repeat("elif b{n}; then x=$x{n}\n") + "fi\nrm $x",
    "nested ifs": lambda: _nest("if a; then ", "x=1", "; else y=2; fi", 2_000),
    "loops": lambda: _repeat("for i in a b c; do rm $i{n}; done\n"),
    "loops in loops": lambda: _nest("while a; do x=$x$y; ", "y=b$x", "; done", 1_500),
    "for in for": lambda: _nest("for i in 1 2 $x; do j=$j$i; ", "rm $j", "; done", 1_200),
    "loops that change each other": lambda: _repeat("while a{n}; do x{n}=$y{n}$x{n}; y{n}=$x{n}/b; cd $x{n}; done\n"),
    "functions": lambda: _repeat("f{n}() { rm $1; }; f{n} a{n}\n"),
    "functions that call the next twice": lambda: _chain(20, 2),
    "functions that call the next ten times": lambda: _chain(12, 10),
    "one function, many calls": lambda: 'f() { if [ -n "$1" ]; then rm "$1"; else cp a b; fi; }\n' + _repeat("f a{n}\n"),
    "one function with a loop, many calls": lambda: 'f() { for i in "$@"; do rm "$i"; done; }\n' + _repeat("f a{n} $x b{n}\n"),
    "mutual recursion": lambda: _repeat('f{n}() { g{n} "$@"; f{n} "$1"; }; g{n}() { f{n} "$@" x; }; f{n} y\n'),
    "eval": lambda: _repeat('eval "x=\\$y{n}; rm \\$x"\n'),
    "nested eval": lambda: _repeat("eval eval eval rm a{n}\n"),
    "sh -c": lambda: _repeat("sh -c 'rm a{n}; b'\n"),
    "xargs": lambda: _repeat("find . -name 'a{n}' | xargs rm\n"),
    "find": lambda: "find . " + _repeat("-name '*{n}' -o ") + "-delete",
    "arrays": lambda: _repeat("a[{n}]=$b; b=${a[{n}]}\n"),
    "one array": lambda: "a=(" + _repeat("x{n} ") + ')\nfor i in "${a[@]}"; do rm "$i"; done',
    "expansions": lambda: _repeat("x=${x%%/*}${y##*/}${z/a/b{n}}\n"),
    "nested expansions": lambda: "echo " + _nest("${x:-", "y", "}", 8_000),
    "globs": lambda: _repeat("rm *a{n}*/b?[c-d]*\n"),
    "one glob of many stars": lambda: "rm " + "*a" * 20_000,
    "quotes": lambda: _repeat("echo 'a'\"b\"$'c\\x41'{n}\n"),
    "a word of many quotes": lambda: "echo " + "''\"\"a" * 12_000,
    "subshells": lambda: _repeat("(cd a{n} && rm b)\n"),
    "nested subshells": lambda: _nest("(", "rm a", ")", 20_000),
    "background": lambda: _repeat("a{n} & "),
    "traps": lambda: _repeat("trap 'rm a{n}' EXIT\n"),
    "cd": lambda: _repeat("cd a{n} && rm b; cd ..\n"),
    "cd that may fail": lambda: _repeat("cd a{n}; rm b\n"),
    "links": lambda: _repeat("ln -s a{n} b{n}; rm -r b{n}/c\n"),
    "moves": lambda: _repeat("mv a{n} b{n}; rm -rf b{n}\n"),
    "trees that are copied": lambda: _repeat("cp -r a{n} a{n}b; mv a{n}b c\n"),
    "files that are written and run": lambda: _repeat("echo rm x{n} > s{n}.sh; sh s{n}.sh\n"),
    "one file that grows and runs": lambda: _repeat("echo rm x{n} >> s.sh\n") + "sh s.sh\n",
    "git": lambda: _repeat('git add a{n}; git commit -m "b{n}"\n'),
    "downloads": lambda: _repeat("curl https://example.com/{n} -o f{n}; sh f{n}\n"),
    "connections": lambda: _repeat("curl -d @a{n} https://example.com/{n}\n"),
    "aliases": lambda: _repeat("alias a{n}='rm b{n}'; a{n}\n"),
    "process substitutions": lambda: _repeat("diff <(a{n}) <(b{n})\n"),
    "conditions": lambda: _repeat("[[ $a == b* && -f c{n} ]] && rm d\n"),
    "heads of loops": lambda: "while a; do " * 1_000 + "b" + "; done" * 1_000,
    "unclosed brackets": lambda: "echo " + "$(" * 30_000,
    "unclosed quotes": lambda: "echo " + '"$(' * 20_000,
    "unclosed arrays": lambda: "a=(" * 15_000,
    "a path of many names": lambda: "rm -rf " + "a/" * 30_000,
    "parents of parents": lambda: "rm -rf " + "../" * 20_000,
    "base64": lambda: "echo " + "QUJD" * 15_000 + " | base64 -d | sh",
    "sed": lambda: "sed '" + _repeat("s/a{n}/b/;") + "' f",
}
CODE: dict[str, tuple[str, Callable[[], str]]] = {
    "python, plain calls": ("x.py", lambda: "import os\n" + _repeat("os.remove('a{n}')\n")),
    "python, branches": ("x.py", lambda: "import os\n" + _repeat("if a{n}:\n    x = 'b{n}'\n") + "os.remove(x)\n"),
    "python, loops in loops": (
        "x.py",
        lambda: "import os\n" + "".join(" " * n + f"for i{n} in range(9):\n" for n in range(90)) + " " * 90 + "os.remove(i1)\n",
    ),
    "python, functions that call the next twice": (
        "x.py",
        lambda: "import os\n" + "".join(f"def f{n}(a):\n    f{n + 1}(a)\n    f{n + 1}(a)\n" for n in range(900)) + "f0('x')\n",
    ),
    "python, one sum": ("x.py", lambda: "x = " + _repeat("a{n} + ") + "1\n"),
    "python, one list": ("x.py", lambda: "import os\nx = [" + _repeat("'a{n}', ") + "]\nfor i in x:\n    os.remove(i)\n"),
    "python, nested brackets": ("x.py", lambda: "x = " + _nest("[", "", "]", 20_000)),
    "python, classes": ("x.py", lambda: "import os\n" + _repeat("class A{n}:\n    def f(self): os.remove(self.x)\n")),
    "javascript, plain calls": ("x.js", lambda: "const fs = require('fs');\n" + _repeat("fs.rmSync('a{n}');\n")),
    "javascript, closures": ("x.js", lambda: _nest("(() => { const x = y; ", "f(x)", "})();", 1_500)),
    "javascript, promises": ("x.js", lambda: "p" + _repeat(".then(x => f(x, {n}))")),
    "javascript, one object": ("x.js", lambda: "const a = {" + _repeat("k{n}: 'v{n}', ") + "};\n"),
    "perl, plain calls": ("x.pl", lambda: _repeat("unlink 'a{n}';\n")),
    "perl, branches": ("x.pl", lambda: _repeat("if ($a{n}) { $x = 'b{n}'; }\n") + "unlink $x;\n"),
    "awk, plain rules": ("x.awk", lambda: _repeat('/a{n}/ { print > "b{n}" }\n')),
    "awk, sums": ("x.awk", lambda: "BEGIN { x = " + _repeat("a{n} + ") + "1; system(x) }\n"),
    "ruby, plain calls": ("x.rb", lambda: _repeat("File.delete('a{n}')\n")),
    "php, plain calls": ("x.php", lambda: "<?php\n" + _repeat("unlink('a{n}');\n")),
    "lua, plain calls": ("x.lua", lambda: _repeat("os.remove('a{n}')\n")),
    "make": ("Makefile", lambda: "all: t0\n" + _repeat("t{n}: t{n}x\n\trm a{n}\n")),
    "a shell script": ("x.sh", SHELL["one function with a loop, many calls"]),
}
RUN = {
    ".py": "python3 x.py",
    ".js": "node x.js",
    ".pl": "perl x.pl",
    ".awk": "awk -f x.awk data",
    ".rb": "ruby x.rb",
    ".php": "php x.php",
    ".lua": "lua x.lua",
    ".sh": "bash x.sh",
    "Makefile": "make",
}


def every_input() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yields a name, the command, and the files that it follows."""
    for name, text in SHELL.items():
        yield name, text(), {}
    for name, (file, content) in CODE.items():
        yield name, RUN[file if file in RUN else f".{file.rpartition('.')[2]}"], {file: content()}
