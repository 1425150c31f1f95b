"""Which calls of a language run something, delete, write or read: patterns that end where the first argument begins."""

import re
from dataclasses import dataclass

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
    its beginning. `moves`, `copies`: a path, and where it goes. `evaluates`: runs text as code of the same language. `quoted`:
    shell text between marks of its own."""

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


_BACKQUOTES = re.compile(r"`([^`]*)`|(?:\bqx|%x)\s*(?:\{([^}]*)\}|\(([^)]*)\)|\[([^\]]*)\]|/([^/]*)/|\|([^|]*)\||!([^!]*)!)")
_EVAL = r"eval\s*\(?(?!\s*[\"'{(]|\s*\w+\s*=>)(?=\s*[\w$@])"


_FILE, _NAMED = r"(?:\bnew\s+)?(?:\bjava\.io\.)?\bFile\s*\(\s*", r"[\"'][^\"']*[\"']\s*\)"

_TERM = r'(?:"(?:\\.|[^"\\])*"|\([^()]*\)|[^\s"()]+)\s+'
_WRITES_OF_EMACS = re.compile(
    r"\((?:with-temp-file|write-file|set-visited-file-name"
    rf"|(?:write-region|append-to-file)\s+{_TERM}{_TERM}|(?:copy-file|rename-file)\s+{_TERM})\s*(?=[\"(\w$~/])"
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
        names("system", "popen", "execlp?", "std::system"),
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
    ),
    "tcl": Calls(
        NEVER,
        deletes_all=re.compile(r"\bfile\s+delete(?:\s+-force)?(?:\s+--)?\s*(?=[\"{$\w/~])"),
        evaluates=words(r"eval\s+[\[$]"),
        quoted=re.compile(r"\bexec\s+([^\n;\]\"]+)"),
    ),
    "applescript": Calls(names(r"do shell script"), names(r"delete POSIX file", r"delete file")),
    "lisp": Calls(
        names(
            *("shell-command(?:-to-string|-on-region)?", "async-shell-command", "call-process", "start-process", "process-file"),
            *(
                "system",
                "system\\*",
                "uiop:run-program",
                "run-program",
                "sb-ext:run-program",
                "run-shell-command",
                r"(?:clojure\.java\.)?shell/sh",
                "sh",
            ),
        ),
        names("delete-file", "uiop:delete-file-if-exists"),
        names("delete-directory", "delete-directory/files", "uiop:delete-directory-tree"),
        _WRITES_OF_EMACS,
        names("insert-file-contents", "find-file"),
    ),
    "r": Calls(names("system", "system2", "shell"), names(r"file\.remove"), names("unlink"), names("write", "writeLines")),
    "julia": Calls(NEVER, deletes_all=names("rm"), quoted=re.compile(r"`([^`]*)`")),
    "beam": Calls(
        names(r"System\.cmd", r"System\.shell", r":?os[.:]cmd", r"Port\.open"),
        names(r"File\.rm!?", r"file:delete"),
        names(r"File\.rm_rf!?", r"file:del_dir_r"),
        names(r"File\.write!?"),
        names(r"File\.read!?"),
    ),
    "ocaml": Calls(
        names(r"Sys\.command", r"Unix\.system", r"Unix\.open_process\w*"), names(r"Sys\.remove", r"Sys\.rmdir", r"Unix\.unlink")
    ),
    "octave": Calls(names("system", "unix", "shell_cmd", "popen"), names("delete", "unlink"), names("rmdir")),
    "gnuplot": Calls(names("system"), quoted=re.compile(r"^\s*!\s*(.+)$|`([^`]+)`", re.MULTILINE)),
    "raku": Calls(
        names("shell", "run", "QX"),
        names("unlink", "rmdir"),
        names("rmtree", r"File::Directory::Tree::rmtree"),
        names("spurt"),
        names("slurp"),
        quoted=re.compile(r"\bqx?x\s*(?:\{([^}]*)\}|/([^/]*)/)"),
    ),
    "swift": Calls(
        NEVER,
        deletes_all=re.compile(
            r"\bremoveItem\s*\(\s*at(?:Path)?:\s*(?:(?:Foundation\.)?URL\s*\(\s*(?:fileURLWithPath|filePath):\s*)?"
        ),
    ),
    "jvm": Calls(
        re.compile(
            names(
                *(r"Runtime\.getRuntime\(\)\.exec", r"new (?:java\.lang\.)?ProcessBuilder", r"ProcessBuilder"),
                *(r"Process\(", r"sys\.process\.Process", "commandLine"),
            ).pattern
            + r"|(?=\[\s*[\"'][^\]]*\]\s*\.\s*execute\b)"
        ),
        re.compile(
            rf"{_FILE}(?={_NAMED}\s*\.\s*delete\b)|\bFiles\.delete(?:IfExists)?\s*\(\s*[\w.]*\bPaths?\.(?:get|of)\s*\(\s*"
        ),
        re.compile(
            rf"{_FILE}(?={_NAMED}\s*\.\s*(?:deleteDir|deleteRecursively)\b)"
            rf"|\bFileUtils\.(?:deleteDirectory|forceDelete|cleanDirectory|deleteQuietly)\s*\(\s*(?:{_FILE})?"
        ),
        quoted=re.compile(r"[\"']([^\"'\n]+)[\"']\s*\.\s*(?:execute\s*\(|!)"),
    ),
}
