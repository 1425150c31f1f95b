"""Programs that stand for a tool's server or language: its arguments are read as theirs."""

from toolgate.locality import is_named_production

PYTHON_NAMES = ("python", "python3", "py", "ipython", "python2", "jupyter")
INTERPRETER_ARGV: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(PYTHON_NAMES, ("python3", "-c")),
    **dict.fromkeys(("javascript", "js", "node", "nodejs", "typescript", "ts", "deno", "bun"), ("node", "-e")),
    **dict.fromkeys(("ruby", "rb"), ("ruby", "-e")),
    **dict.fromkeys(("bash", "shell", "sh", "zsh", "shellscript", "terminal"), ("bash", "-c")),
    **dict.fromkeys(("powershell", "pwsh", "ps1"), ("pwsh", "-Command")),
    **dict.fromkeys(("sql", "postgres", "postgresql"), ("psql", "-c")),
    **dict.fromkeys(("octave", "matlab"), ("octave", "--eval")),
    "perl": ("perl", "-e"),
    "php": ("php", "-r"),
    "lua": ("lua", "-e"),
    "julia": ("julia", "-e"),
    "r": ("Rscript", "-e"),
    "applescript": ("osascript", "-e"),
}
CLIENT_OF_SERVER = {
    **dict.fromkeys(("redis", "valkey", "keydb"), "redis-cli"),
    **dict.fromkeys(("postgres", "postgresql", "pg"), "psql"),
    **dict.fromkeys(("mongo", "mongodb"), "mongosh"),
    **dict.fromkeys(("kubernetes", "k8s", "kubectl", "kube"), "kubectl"),
    **dict.fromkeys(("gcp", "gcloud"), "gcloud"),
    **dict.fromkeys(("fly", "flyio"), "flyctl"),
    **dict.fromkeys(("azure", "az"), "az"),
    "github": "gh",
    "gitlab": "glab",
}
"""The client program of a server, if it has another name."""
_CONNECTION_OPTIONS = {"redis-cli": ("-h", "a-host-that-the-server-knows")}  # otherwise it would connect to this machine
MONGO_SHELL = ("mongosh", "mongodb://a-host-that-the-server-knows/db", "--eval")
_SERVERS_NAMED_AFTER_CLIENT = frozenset(
    "git docker podman helm terraform tofu pulumi aws heroku npm gh vercel etcdctl ansible stripe supabase wrangler".split()
)


def find_client(server: str, *names: str) -> str:
    """Returns the program that a server, or one of these names, stands for; empty if there is none."""
    words = (server, *server.split("-"), *names)
    named = (word for word in words if word in CLIENT_OF_SERVER or word in _SERVERS_NAMED_AFTER_CLIENT)
    return next((CLIENT_OF_SERVER.get(word, word) for word in named), "")


def list_client_words(client: str) -> tuple[str, ...]:
    """Returns a client's name and the options with which it connects."""
    return (client, *_CONNECTION_OPTIONS.get(client, ()))


def build_query(server: str, sql: str) -> tuple[str, ...]:
    """Returns the command that runs SQL, in a database of the server's name if that says production."""
    return ("psql", *(("-d", server) if is_named_production(server) else ()), "-c", sql)
