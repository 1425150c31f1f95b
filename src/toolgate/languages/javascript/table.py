"""What functions of Node's modules, Deno, Bun and well-known libraries do: names without `Sync`, as `values.module` has them."""

_LIBRARIES = ("http", "https", "axios", "got", "request", "superagent", "needle", "ky", "axios.create()", "bent")
_REQUESTS = ("get", "post", "put", "patch", "delete", "head", "request", "stream")
_NAMES = {
    "delete": """
        fs.{unlink rmdir rm delete remove emptyDir emptydir} Deno.remove del.{delete deleteAsync} deleteAsync del
        trash trash.trash rimraf rimraf.{rimraf native manual windows moveRemove posix}
    """,
    "write": """
        fs.{writeFile appendFile createWriteStream truncate mkdir outputFile outputJson outputJSON writeJson writeJSON ensureFile}
        fs.{createFile ensureDir mkdirp mkdirs} Deno.{writeTextFile writeFile truncate mkdir create} Bun.write
    """,
    "read": "fs.{readFile createReadStream readJson readJSON openAsBlob} Deno.{readTextFile readFile} Bun.file",
    "open": "fs.open Deno.open",
    "move": "fs.{rename move} Deno.rename",
    "copy": "fs.{copyFile cp copy} Deno.{copyFile copy} cpy",
    "link": "fs.{symlink link ensureSymlink ensureLink createSymlink} Deno.{symlink link}",
    "permission": "fs.{chmod chown lchown lchmod} Deno.{chmod chown}",
    "shell": "child_process.exec execa.{execaCommand command} execaCommand shelljs.exec shell.exec",
    "run": """
        child_process.{spawn execFile fork} execa execa.{execa execaNode} Bun.spawn Deno.{run Command} node-pty.spawn pty.spawn
        process.binding().spawn process.execve
    """,
    "evaluate": """
        eval Function AsyncFunction module._compile vm.{runInThisContext runInNewContext runInContext Script compileFunction}
        vm.SourceTextModule worker_threads.Worker repl.start().eval
    """,
    "timed": "setTimeout setInterval setImmediate",
    "load": "require import module.require process.mainModule.require module.createRequire()",
    "kill": "process.kill Deno.kill",
    "send": """
        fetch axios got request superagent needle ky axios.create() Bun.fetch undici.{request fetch stream} http2.connect
        EventSource navigator.sendBeacon
    """,
    "connect": """
        net.{connect createConnection} net.Socket().connect tls.connect Deno.{connect connectTls} Bun.connect WebSocket ws
        ws.WebSocket dgram.createSocket().connect
    """,
}


def _spelled(names: str) -> list[str]:
    """`fs.{rm cp}` is fs.rm and fs.cp."""
    found: list[str] = []
    prefix = ""
    for token in names.split():
        before, opens, name = token.rpartition("{")
        prefix = before if opens else prefix
        found.append(prefix + name.rstrip("}"))
        if token.endswith("}"):
            prefix = ""
    return found


ACTS: dict[str, str] = {
    **{name: does for does, names in _NAMES.items() for name in _spelled(names)},
    **{f"{library}.{verb}": "send" for library in _LIBRARIES for verb in _REQUESTS},
}
"""The name of a function -> the method of `acts.Acts` that says what it does."""

WHOLE_FOLDERS = frozenset(name for name in ACTS if ACTS[name] == "delete" and not name.startswith("Deno.")) - frozenset(
    _spelled("fs.{unlink rmdir rm delete}")
)
"""Delete a folder with all that is in it, without being told."""

SOCKETS = frozenset(_spelled("net.{connect createConnection} net.Socket().connect tls.connect Deno.connect Bun.connect"))
MODULES = frozenset(("fs", "child_process", "process", "Deno", "Bun", "vm", "execa", "shelljs", "module"))
"""Where a function whose name is computed may be any of those above."""

SHELLJS = frozenset(("rm", "mv", "cp", "mkdir", "chmod", "ln", "cat", "sed", "touch", "cd", "find", "grep", "ls"))
"""Functions of shelljs that are named like the program whose arguments they take."""

BY_VERB = {name.partition(".")[2]: name for name in ACTS if name.startswith(("fs.", "child_process."))} | {
    "rimraf": "rimraf",
    "execaCommand": "execa.execaCommand",
}
UNMISTAKABLE = frozenset(
    [
        *("unlink", "rmdir", "writeFile", "appendFile", "readFile", "execFile", "rimraf", "execaCommand", "copyFile"),
        *("createWriteStream", "mkdirp"),
    ]
)
"""Methods that nothing else has: they count wherever they are found; so does whatever ends in `Sync`."""
