"""Programs that stand for a tool's server or language: its arguments are read as theirs."""

from collections.abc import Mapping

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
INTERPRETERS = frozenset(argv[0] for argv in INTERPRETER_ARGV.values())
LANGUAGE_OF_SERVER = {
    **dict.fromkeys(("laravel", "tinker", "symfony", "drupal"), "php"),
    **dict.fromkeys(("rails", "irb", "pry"), "ruby"),
    **dict.fromkeys(("roblox", "luau", "neovim"), "lua"),
    **dict.fromkeys(("databricks", "spark", "pyspark", "blender", "django", "colab", "freecad", "qgis"), "python"),
}
"""The language of what a server runs, by a word in its name or the tool's."""
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


def find_speaking_client(words: list[str]) -> str:
    """Returns the client to which these words belong, as no program has the first one's name: `FLUSHALL ASYNC`."""
    return "redis-cli" if words[0].upper() in _REDIS_COMMANDS and words[0].isupper() else ""


_REDIS_COMMANDS = frozenset(("FLUSHALL", "FLUSHDB", "UNLINK", "HDEL", "DEL", "CONFIG", "SHUTDOWN", "EVAL"))


def name_database(server: str, entries: Mapping[str, object], argv: tuple[str, ...]) -> tuple[str, ...]:
    """Returns a database client's words with the name of the server, of a project or of an environment among the arguments as its
    database, if one of them says production, or with a host of the provider that the server is named after."""
    if argv[:1] and argv[0] in QUERY_CLIENTS:
        names = (value for value in entries.values() if isinstance(value, str) and len(value) < _MAX_NAME and " " not in value)
        if database := next(filter(is_named_production, (server, *names)), ""):
            return (argv[0], "-d", database, *argv[1:])
        if provider := next((word for word in server.split("-") if word in _PROVIDERS), ""):
            return (argv[0], "-h", f"db.{provider}.example", *argv[1:])
    return argv


QUERY_CLIENTS = ("psql", "mysql")
_PROVIDERS = frozenset("supabase neon planetscale cockroach aiven heroku".split())
"""Providers of databases: what their servers serve is on another machine."""
_MAX_NAME = 80  # characters
