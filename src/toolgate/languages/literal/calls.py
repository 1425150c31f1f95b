"""Which calls of a language run something, delete, write or read: patterns that end where the first argument begins."""

import re
from dataclasses import dataclass, replace

FOLDED_LANGUAGES = frozenset("go c rust jvm gradle swift beam ocaml r julia nim zig dart d v haskell dotnet lisp".split())
"""Languages whose constants, joins and loops are written out before their calls are read."""
PROGRAM_LANGUAGES = frozenset("jvm rust dotnet r swift dart".split())
"""Languages of programs whose branches are decided by their arguments: in braces, or arguments of a call."""
NEVER = re.compile(r"(?!)")


def names(*found: str) -> re.Pattern[str]:
    return (
        re.compile(r"(?<![\w$@])(?:" + "|".join(found) + r")(?:(?<=\w)(?!\w)|(?<!\w))\s*\(?(?=\s*[\"'`\[\w$@/~{:<])")
        if found
        else NEVER
    )


def words(*found: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(found) + ")") if found else NEVER


@dataclass(frozen=True, slots=True)
class Calls:
    """`opens`: a file, to read or to write as the next argument says; where `mode_first`, the mode stands before the name, or at
    its beginning. `moves`, `copies`: a path, and where it goes. `walks`: goes through a folder. `describes`: a
    property that names the program of a process. `evaluates`: runs text as code of
    the same language. `quoted`: shell text between marks of its own."""

    runs: re.Pattern[str]
    deletes: re.Pattern[str] = NEVER
    deletes_all: re.Pattern[str] = NEVER
    writes: re.Pattern[str] = NEVER
    reads: re.Pattern[str] = NEVER
    evaluates: re.Pattern[str] = NEVER
    quoted: re.Pattern[str] = NEVER
    opens: re.Pattern[str] = NEVER
    mode_first: bool = False
    moves: re.Pattern[str] = NEVER
    copies: re.Pattern[str] = NEVER
    walks: re.Pattern[str] = NEVER
    describes: re.Pattern[str] = NEVER


def methods(*found: str) -> re.Pattern[str]:
    """Returns a pattern of methods of a literal path, which ends before the path."""
    return re.compile(rf"(?={_QUOTED_TEXT}\s*\.\s*(?:{'|'.join(found)})\b)")


def either(*patterns: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile("|".join(pattern.pattern for pattern in patterns))


_QUOTED_TEXT = r"(?:\"[^\"\n]*\"|'[^'\n]*')"
_BACKQUOTES = re.compile(r"`([^`]*)`|(?:\bqx|%x)\s*(?:\{([^}]*)\}|\(([^)]*)\)|\[([^\]]*)\]|/([^/]*)/|\|([^|]*)\||!([^!]*)!)")
_EVAL = r"eval\s*\(?(?!\s*[\"'{(]|\s*\w+\s*=>)(?=\s*[\w$@])"


_TERM = r'(?:"(?:\\.|[^"\\])*"|\([^()]*\)|[^\s"()]+)\s+'
_WRITES_OF_EMACS = re.compile(
    r"\((?:with-temp-file|write-file|set-visited-file-name"
    rf"|(?:write-region|append-to-file)\s+{_TERM}{_TERM}|(?:copy-file|rename-file)\s+{_TERM})\s*(?=[\"(\w$~/])"
)

_JVM = Calls(
    re.compile(
        names(
            *(r"Runtime\.getRuntime\(\)\.exec", r"new (?:java\.lang\.)?ProcessBuilder", r"ProcessBuilder"),
            *(r"Process\(", r"sys\.process\.Process", r"os\.(?:proc|call)", "commandLine"),
        ).pattern
        + r"|(?=\[\s*[\"'][^\]]*\]\s*\.?\s*(?:\.execute\b|!{1,2}(?![=\w])|\b(?:lazyLines|lineStream|run)\b))"
    ),
    either(methods("delete(?:IfExists|OnExit)?"), re.compile(r"\bFiles\.delete(?:IfExists)?\s*\(\s*(?=[\"'])")),
    either(
        methods("deleteDir", "deleteRecursively"),
        re.compile(
            r"\b(?:FileUtils\.(?:deleteDirectory|forceDelete|cleanDirectory|deleteQuietly)|IO\.delete|os\.remove(?:\.all)?"
            r"|FileSystemUtils\.deleteRecursively|MoreFiles\.deleteRecursively)\s*\(\s*"
            r"|\bdelete\s*\(\s*(?:dir|file)\s*:\s*(?=[\"'])"
        ),
    ),
    evaluates=re.compile(r"\b(?:evaluate|Eval\.me|parseClass|engine\.eval|URLClassLoader)\s*+\(?+(?!\s*[\"'])(?=\s*[\w$({\[])"),
    quoted=re.compile(r"[\"']([^\"'\n]+)[\"']\s*(?:\.\s*execute\s*\(|(?:\.\s*|\s)!(?![=\w]))"),
    walks=either(
        re.compile(r"\bFiles\.(?:walk|walkFileTree|list|find|newDirectoryStream)\s*\(\s*(?=[\"'])"),
        methods("listFiles", "list", "walk", "walkTopDown", "walkBottomUp", r"each(?:File|Dir)\w*", "traverse"),
    ),
)

CALLS: dict[str, Calls] = {
    "perl": Calls(
        names("system", "exec", "popen"),
        names("unlink", "rmdir"),
        names("rmtree", "remove_tree"),
        evaluates=words(_EVAL),
        quoted=_BACKQUOTES,
        opens=re.compile(r"\b(?:sys)?open\s*\(?\s*(?:(?:my|our|local)\s+)?[\w$*:\\{}]+\s*,(?=\s*[\"'`])"),
        mode_first=True,
        writes=re.compile(r"\bLocal\s*=>\s*(?=[\"'])"),
        moves=names("rename", "move"),
        copies=names("copy", "dircopy", "fcopy", "rcopy"),
    ),
    "go": Calls(
        re.compile(r"\bexec\.Command(?:Context\s*\(\s*[\w.()]+\s*,|\s*\()|\bsyscall\.Exec\s*\("),
        names(r"os\.Remove", r"syscall\.Unlink"),
        names(r"os\.RemoveAll"),
        names(r"os\.WriteFile", r"ioutil\.WriteFile", r"os\.Create", r"os\.Truncate"),
        names(r"os\.ReadFile", r"ioutil\.ReadFile", r"os\.Open"),
    ),
    "c": Calls(
        names("system", "popen", "exec[lv]p?e?", "posix_spawnp?", "std::system"),
        names("unlink", "remove", "rmdir", r"(?:std::)?(?:filesystem|fs)::remove"),
        names(r"(?:std::)?(?:filesystem|fs)::remove_all"),
        opens=names("fopen", "freopen"),
    ),
    "rust": Calls(
        names(r"(?:std::process::)?Command::new"),
        names(r"(?:std::)?fs::remove_file", r"(?:std::)?fs::remove_dir"),
        names(r"(?:std::)?fs::remove_dir_all"),
        names(r"(?:std::)?fs::write", r"(?:std::fs::)?File::create"),
        names(r"(?:std::)?fs::read(?:_to_string)?", r"(?:std::fs::)?File::open"),
        walks=names(r"(?:std::)?fs::read_dir", r"(?:walkdir::)?WalkDir::new"),
    ),
    "tcl": Calls(
        NEVER,
        deletes_all=re.compile(r"\bfile\s+delete(?:\s+-force)?(?:\s+--)?\s*(?=[\"{$\w/~])"),
        evaluates=words(r"eval\s+[\[$]"),
        quoted=re.compile(
            r"\bexec\s+(?:(?:-ignorestderr|-keepnewline|--)\s+)*((?:\"(?:[^\"\\\n]|\\.)*\"|[^\n;\]\"])+)|\bopen\s+\"\|([^\"\n]*)\""
        ),
        opens=names("open"),
        reads=names("source"),
        moves=re.compile(r"\bfile\s+rename(?:\s+-force)?(?:\s+--)?\s*(?=\")"),
        copies=re.compile(r"\bfile\s+copy(?:\s+-force)?(?:\s+--)?\s*(?=\")"),
    ),
    "applescript": Calls(
        either(names(r"do shell script"), re.compile(r"\.doShellScript\s*\(\s*")), names(r"delete POSIX file", r"delete file")
    ),
    "lisp": Calls(
        names(
            *("shell-command(?:-to-string|-on-region)?", "async-shell-command", "call-process", "process-file", "process-lines"),
            *(
                "system",
                "system\\*",
                "uiop:run-program",
                "run-program",
                "sb-ext:run-program",
                "run-shell-command",
                r"(?:clojure\.java\.)?shell/sh",
                r"(?:babashka\.)?(?:process|p)/(?:shell|process|sh|exec)",
                "sh",
                r"start-(?:file-)?process(?:-shell-command)?\s+\"[^\"]*\"\s+(?:nil|\"[^\"]*\")",
                r":command\s+'?\((?:list)?",
            ),
        ),
        names("delete-file", "uiop:delete-file-if-exists"),
        names(
            "delete-directory/files",
            "delete-directory",
            "delete-(?:tree|dir)",
            r"(?:[\w.]+\.)?FileUtils/(?:deleteDirectory|forceDelete|deleteQuietly)",
            "uiop:delete-directory-tree",
        ),
        _WRITES_OF_EMACS,
        names("insert-file-contents", "find-file"),
    ),
    "r": Calls(names("system", "system2", "shell"), names(r"file\.remove"), names("unlink"), names("write", "writeLines")),
    "julia": Calls(
        names("Cmd"),
        deletes_all=names("rm"),
        writes=names("write"),
        opens=names("open"),
        quoted=re.compile(r"`([^`]*)`"),
        walks=names("readdir", "walkdir"),
    ),
    "beam": Calls(
        names(r"System\.cmd", r"System\.shell", r":?os[.:]cmd", r"Port\.open"),
        names(r"File\.rm!?", r"file:delete"),
        names(r"File\.rm_rf!?", r"file:del_dir_r"),
        names(r"File\.write!?"),
        names(r"File\.read!?"),
        evaluates=re.compile(r"\b(?:Code\.(?:eval|compile)_(?:string|quoted)|:?erl_eval[.:]\w+)\b\s*+\(?+(?!\s*[\"'~])"),
        quoted=re.compile(r"\"cmd\s+([^\"\n]+)\""),
        walks=names(r"File\.ls!?", r"Path\.wildcard"),
    ),
    "ocaml": Calls(
        names(r"Sys\.command", r"Filename\.quote_command", r"Unix\.(?:system|open_process\w*|execvp?e?|create_process(?:_env)?)"),
        names(r"Sys\.remove", r"Sys\.rmdir", r"Unix\.unlink"),
    ),
    "octave": Calls(names("system", "unix", "shell_cmd", "popen"), names("delete", "unlink"), names("rmdir")),
    "gnuplot": Calls(
        names("system"), quoted=re.compile(r"^\s*!\s*(.+)$|`([^`]+)`|[\"']\s*[<|]\s*([^\"'\n]+)[\"']", re.MULTILINE)
    ),
    "raku": Calls(
        either(names("shell", "QX"), re.compile(r"(?<![\w$@-])run(?![\w-])\s*\(?(?=\s*[\"'$@\w])")),
        names("unlink", "rmdir"),
        names("rmtree", r"File::Directory::Tree::rmtree"),
        names("spurt"),
        names("slurp"),
        quoted=re.compile(r"\bqx?x\s*(?:\{([^}]*)\}|/([^/]*)/)|\brun\s*\(?\s*<([^<>\n]+)>"),
    ),
    "swift": Calls(
        NEVER,
        describes=re.compile(r"\b(?:executableURL|launchPath|executablePath)\s*=\s*(?=\")"),
        deletes_all=re.compile(
            r"\bremoveItem\s*\(\s*at(?:Path)?:\s*(?:(?:Foundation\.)?URL\s*\(\s*(?:fileURLWithPath|filePath):\s*)?"
        ),
        walks=re.compile(
            r"\b(?:enumerator|contentsOfDirectory)\s*\(\s*at(?:Path)?:\s*"
            r"(?:(?:Foundation\.)?URL\s*\(\s*(?:fileURLWithPath|filePath):\s*)?"
        ),
    ),
    "jvm": _JVM,
    "gradle": replace(
        _JVM,
        runs=either(_JVM.runs, re.compile(r"\bcommandLine\s*=\s*(?:listOf\s*\()?(?=\s*[\"'\[])")),
        deletes_all=either(
            _JVM.deletes_all,
            re.compile(r"(?<![\w.$@])(?:(?:project|ant|fs)\.)?delete\s*(?:\(\s*)?(?:(?:dir|file)\s*[:=]\s*)?(?=[\"'])"),
        ),
        writes=re.compile(r"(?<![\w.$@])into\s*\(?\s*(?=[\"'])"),
    ),
    "nim": Calls(
        names("execShellCmd", "execCmd(?:Ex)?", "execProcess", "startProcess", "exec", "selfExec", "gorgeEx?", "staticExec"),
        either(names("removeFile", "tryRemoveFile", "rmFile"), methods("removeFile")),
        either(names("removeDir", "rmDir"), methods("removeDir", "rmDir")),
        names("writeFile"),
        names("readFile"),
        moves=names("moveFile", "moveDir", "mvFile", "mvDir"),
        copies=names("copyFile", "copyDir", "cpFile", "cpDir"),
        walks=names("walkDirRec", "walkDir", "walkFiles", "walkPattern"),
    ),
    "zig": Calls(
        re.compile(
            r"(?:\bChild\.init\s*\(\s*|\.argv\s*=\s*|\bexecve?\s*\([^,\n]*,\s*)&?\.?(?:\[_\]\[\]const u8\s*)?\{(?=\s*\")"
            r"|\bsystem\s*\(\s*(?=\")"
        ),
        re.compile(r"\bdelete(?:File|Dir)(?:Absolute)?Z?\s*\(\s*(?=\")"),
        re.compile(r"\bdeleteTree(?:Absolute)?\s*\(\s*(?=\")"),
        re.compile(r"\bcreateFile(?:Absolute)?\s*\(\s*(?=\")"),
        re.compile(r"\bopenFile(?:Absolute)?\s*\(\s*(?=\")"),
        walks=re.compile(r"\bopen(?:Iterable)?Dir(?:Absolute)?\s*\(\s*(?=\")"),
    ),
    "dart": Calls(
        names(r"Process\.(?:run|runSync|start)"),
        deletes_all=methods("delete(?:Sync)?"),
        walks=methods("list(?:Sync)?"),
    ),
    "d": Calls(
        names("executeShell", "spawnShell", "execute", "spawnProcess"),
        names(r"(?:std\.file\.)?remove", r"(?:std\.file\.)?rmdir"),
        names(r"(?:std\.file\.)?rmdirRecurse"),
        walks=names("dirEntries"),
    ),
    "v": Calls(
        names(r"os\.(?:execute|system|execvp|execute_or_exit|execute_or_panic)"),
        names(r"os\.rm", r"os\.rmdir"),
        names(r"os\.rmdir_all"),
        names(r"os\.write_file"),
        walks=names(r"os\.(?:ls|walk|walk_ext|glob)"),
    ),
    "haskell": Calls(
        names(
            *(
                "callCommand",
                "callProcess",
                "spawnCommand",
                "spawnProcess",
                "readProcess",
                "rawSystem",
                "system",
                "shell",
                "proc",
            ),
            r"c(?:md|ommand)_?(?:\s+(?:Shell\b|\([^()\n]*\)|\[[^\[\]\n]*\]))*",
        ),
        names("removeFile", "removeDirectory"),
        names("removeDirectoryRecursive", "removePathForcibly"),
        names("writeFile"),
        names("readFile"),
        walks=names("listDirectory", "getDirectoryContents"),
    ),
    "dotnet": Calls(
        names(r"Process\.Start", r"(?:new\s+)?ProcessStartInfo"),
        names(r"(?:System\.IO\.)?File\.Delete"),
        names(r"(?:System\.IO\.)?Directory\.Delete"),
        names(r"(?:System\.IO\.)?File\.(?:WriteAllText|WriteAllBytes|WriteAllLines|Create|OpenWrite)"),
        names(r"(?:System\.IO\.)?File\.(?:ReadAllText|ReadAllBytes|ReadAllLines|OpenRead)"),
        describes=re.compile(r"\bFileName\s*=\s*(?=\")"),
        walks=either(
            names(r"(?:System\.IO\.)?Directory\.(?:Get|Enumerate)(?:Files|Directories|FileSystemEntries)"),
            methods("(?:Get|Enumerate)(?:Files|Directories|FileSystemInfos)"),
        ),
    ),
}
