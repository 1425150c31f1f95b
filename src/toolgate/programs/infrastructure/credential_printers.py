"""Programs that print tokens and secrets that they store, or fetch from elsewhere.

GROWS: a row is a program and the forms (see `verbs`) with which it prints one. It applies in addition to the program's own row.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from toolgate.flows.command_runs import list_option_values
from toolgate.model.address import all_lead_here
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.subcommands import Form, build_flags, match_forms, parse_forms

_FORGE_TOKENS = "auth token; auth status --show-token|-t; auth git-credential get; config get *token*"
PRINTERS: dict[str, str] = {
    "aws": "secretsmanager get-secret-value|batch-get-secret-value; ssm get-parameter* --with-decryption; eks get-token; configure export-credentials;"
    " configure get *secret*; sts get-session-token|assume-role*|get-federation-token; ecr|ecr-public|codeartifact get-login-password|get-authorization-token;"
    " rds generate-db-auth-token; kms decrypt; iam create-access-key|create-service-specific-credential; sso get-role-credentials; cognito-idp describe-user-pool-client",
    "gcloud": "auth print-access-token|print-identity-token|print-refresh-token; auth application-default print-access-token; secrets versions access;"
    " iam service-accounts keys create; sql generate-login-token; config config-helper; kms decrypt --plaintext-file=-",
    "gsutil": "hmac create",
    "my_print_defaults": "-s|--show **; ** -s|--show",
    "az": "account get-access-token; keyvault secret show|download; storage account keys list; acr login --expose-token; ad sp create-for-rbac;"
    " ad app|sp credential reset; acr credential show; cosmosdb keys list; redis list-keys; webapp config appsettings list; storage account show-connection-string;"
    " webapp deployment list-publishing-profiles|list-publishing-credentials; cosmosdb list-connection-strings; ** admin-key|query-key show|list;"
    " ** keys|key list; ** connection-string show|list; functionapp keys list; servicebus namespace authorization-rule keys list; aks get-credentials --file=-",
    **dict.fromkeys(("gh", "hub"), _FORGE_TOKENS),
    "glab": f"{_FORGE_TOKENS}; variable get|export|list; api *variables*",
    "git": "credential fill; credential-* get; config --get *token*; config --get *password*;"
    " config --get-regexp *token*|*password*|*credential*|*secret*|*extraheader*",
    "heroku": "auth:token; config; config:get; authorizations:create; pg:credentials:url",
    **dict.fromkeys(("fly", "flyctl"), "auth token; tokens create **; ssh issue"),
    **dict.fromkeys(("vault", "bao"), "kv get; read; print token; token create|lookup; unwrap; operator init"),
    "vlt": "secrets get",
    "hcp": "vault-secrets secrets open; auth print-access-token",
    **dict.fromkeys(("pass", "gopass", "passage"), "show|otp|cat"),
    "dcli": "password|note|read|secret",
    "teller": "show|env|export|yaml|sh",
    "berglas": "access",
    "chef": "vault show",
    "knife": "vault show; data bag show --secret|--secret-file",
    **dict.fromkeys(("eyaml", "ejson"), "decrypt"),
    "ibmcloud": "iam oauth-tokens|api-key-create",
    "yc": "iam create-token; iam key|api-key|access-key create",
    "scw": "config dump",
    "atlas": "api-keys create; organizations|projects apiKeys create",
    "turso": "auth token",
    "dokku": "config|config:show|config:export|config:get",
    **dict.fromkeys(("scalingo", "clever"), "env"),
    "eb": "printenv",
    "convex": "env list|get",
    "sst": "secret list",
    "snyk": "config get *api*|*token*",
    "travis": "token",
    "tailscale": "debug prefs",
    "cloudflared": "tunnel token; access token",
    "microk8s": "config",
    "talosctl": "kubeconfig -; gen secrets",
    "oathtool": "--totp|--hotp",
    "bw": "get|export|list; unlock --raw",
    "bws": "secret get|list",
    "rbw": "get|code",
    "lpass": "show|export",
    "keyring": "get",
    "secret-tool": "lookup; search",
    "kwallet-query": "-r",
    "ansible-vault": "view; decrypt --output=-",
    "sops": "--decrypt|-d; decrypt",
    "doppler": "secrets; secrets get|download; configure get token",
    "infisical": "secrets; secrets get; export",
    "chamber": "read|export|env",
    "envchain": "--list -v",
    "akeyless": "get-secret-value",
    "conjur": "variable value|get",
    "keepassxc-cli": "show -s|--show-protected; clip; export",
    "kubeseal": "--recovery-unseal",
    "vercel": "env ls --decrypt; tokens add",
    "netlify": "env:get; env:list; api getCurrentUser",
    "railway": "variables; whoami --token",
    "supabase": "secrets list; projects api-keys",
    "doctl": "auth token; databases connection; kubernetes cluster kubeconfig show; registry docker-config",
    "stripe": "config --list",
    **dict.fromkeys(("npm", "pnpm"), "token create; config get *_authToken*|*_password*|*:_auth"),
    "yarn": "config get npmAuth*|*Token; config --no-redacted",
    "firebase": "login:ci; functions:config:get; functions:secrets:access",
    "eas": "secret:list; env:get",
    "wrangler": "auth token",
    "databricks": "auth token; tokens create; secrets get-secret",
    "snow": "connection generate-jwt",
    **dict.fromkeys(
        ("terraform", "tofu"),
        "state pull; output -raw *password*|*secret*|*token*|*key*; output *password*|*secret*|*token*",
    ),
    "pulumi": "config get; config --show-secrets; stack output --show-secrets",
    "argocd": "account generate-token; admin initial-password; account get-user-info --auth-token",
    "rancher": "token",
    "consul": "acl token read|create; kv get -recurse|--recurse",
    "nomad": "acl token self|create; var get; operator root keyring list",
    "tctl": "auth export|sign; tokens add",
    "step": "ca token; crypto key format",
    "security": "dump-keychain",
    "keyctl": "print|pipe|read",
    "dotenvx": "get; decrypt --stdout",
    "direnv": "export *",
    "chezmoi": "dump; secret; execute-template",
    "wg": "genkey; showconf; show * private-key",
    "certutil": "-K",
    "gpg": "--export-secret-keys|--export-secret-subkeys",
    "launchctl": "getenv *TOKEN*",
    "twilio": "profiles:list --show-secrets",
    "ngrok": "config check --show",
    "cf": "oauth-token; env",
    "pg_dumpall": "--globals-only|-g; --roles-only|-r",
    "rclone": "config show|dump|reveal; reveal",
    "nmcli": "-s **; --show-secrets **",
    "ykman": "oath accounts code",
    "op": "read; item|document get; service-account create",
    "oc": "whoami -t|--show-token",
    "eksctl": "get token",
    "copilot-cli": "secret show",
    **dict.fromkeys(("zenity", "kdialog", "dialog", "whiptail"), "--password|--newpassword|--passwordbox"),
    **dict.fromkeys(("systemd-ask-password", "ssh-askpass"), "**"),  # they ask the user for one
}


def find_printed_credentials(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the secrets that a program of this name prints with this argv."""
    if _selects_metadata(argv) or any(word.text in _NAMES_ONLY for word in argv[1:]):
        return
    special = SPECIAL_PRINTERS.get(name)
    if special is not None and (what := special(argv)) is not None:
        yield Operation("credential.print", context.origin, what)
        return
    if name not in PRINTERS or is_server_local(name, context):
        return
    every, flags = _forms_of_program(name)
    outlined = tuple(known_word(word.outline) if word.head or word.tail else word for word in argv)
    options = flags.parse(outlined)
    if options.has_flag("--help") is True:
        return
    for _, target in match_forms(every, options, len(flags.parse(outlined, stop=True).strange)):
        is_as_typed = bool(target.parts) and "\ufffc" not in target.outline
        yield Operation("credential.print", context.origin, target if is_as_typed else join_words(argv[1:3]))
        return


def _selects_metadata(argv: tuple[Word, ...]) -> bool:
    """Returns whether a JMESPath expression selects no value, but names and the like: `--query '[].name'`."""
    queries = list_option_values(("--query",), argv)
    if len(queries) != 1 or not queries[0].text:
        return False
    names = re.findall(r"\w+", re.sub(r"'[^']*'|`[^`]*`|\w+\s*:", " ", queries[0].text))
    return any(name.isalpha() for name in names) and all(name.lower() in _METADATA or name.isdecimal() for name in names)


_NAMES_ONLY = ("--only-names", "--names-only", "--only-keys", "--keys-only")
_METADATA = frozenset(
    "name names id arn type kind location region tags length sort sort_by keys join enabled state status version versionid"
    " slotsetting createddate lastchangeddate lastaccesseddate lastrotateddate rotationenabled created updated expires".split()
)
"""Names and functions in expressions that select nothing secret."""


_LOCAL_SERVERS = {"vault": "VAULT_ADDR", "bao": "BAO_ADDR"}
"""Variables with the address of a server that developers start for themselves."""


def is_server_local(name: str, context: ExecutionContext) -> bool:
    """Returns whether a variable leads a program of this name to a server on this machine."""
    addresses = context.get_variables(_LOCAL_SERVERS[name]) if name in _LOCAL_SERVERS else ()
    return all_lead_here([address.text or "" for address in addresses])


@lru_cache(64)
def _forms_of_program(name: str) -> tuple[tuple[Form, ...], Flags]:
    every = parse_forms({"credential.print": PRINTERS[name]})
    return every, build_flags(_GLOBAL_OPTIONS.get(name, ""), every)


_GLOBAL_OPTIONS = dict.fromkeys(("terraform", "tofu"), "-chdir=")
"""Options before the subcommand that would be read as short ones."""


_FULL_OUTPUT_FORMATS = ("json", "yaml", "yml", "jsonpath", "go-template", "template", "custom-columns")
_KUBECTL = Flags(
    "-n,--namespace= -o,--output= -l,--selector= --context= --kubeconfig= -A,--all-namespaces --cluster= --user= --as= --template= --raw --field-selector= -w,--watch --sort-by="
)


_ONLY_METADATA = re.compile(
    r"(?:custom-columns=(?:[\w-]+:\.(?:metadata|type|kind|apiVersion)[\w.]*,?)+|(?:jsonpath|go-template)=(?:(?!data)[^.]|\.(?:items|metadata"
    r"|type|kind|name|namespace|creationTimestamp|labels)\b)*)"
)
"""Matches a format that names no data: `custom-columns=NAME:.metadata.name`."""


def _kubectl(argv: tuple[Word, ...]) -> Word | None:
    """A secret in a format that shows its data; the configuration with its keys; a token."""
    options = _KUBECTL.parse(argv)
    texts = [word.text or word.head for word in options.operands]
    verb, noun = [*texts, "", ""][:2]
    if verb == "create" and noun == "token":
        return known_word("create token")
    if verb == "config" and noun == "view" and options.has_flag("--raw") is True:
        return known_word("config view --raw")
    is_secret = any(part.partition("/")[0] in ("secret", "secrets") for part in noun.split(","))
    output = options.value_of("--output")
    if (
        verb == "get"
        and is_secret
        and output is not None
        and (output.text is None or output.text.startswith(_FULL_OUTPUT_FORMATS))
        and not _ONLY_METADATA.fullmatch(output.text or "")
        and not _shows_keys_only(output.text or "")
    ):
        return join_words(options.operands[:3])
    return None


def _shows_keys_only(template: str) -> bool:
    """Returns whether a template goes through the data and shows the names: `{{range $k, $v := .data}}{{$k}}{{end}}`."""
    found = _RANGE_OF_DATA.search(template)
    if found is None:
        return False
    rest = template[: found.start()] + template[found.end() :]
    return ".data" not in rest and not re.search(rf"{re.escape(found[2])}(?!\w)|\{{\{{-?\s*\.\s*-?\}}\}}", rest)


_RANGE_OF_DATA = re.compile(r"\{\{-?\s*range\s+(\$\w+)\s*,\s*(\$\w+)\s*:=\s*\.(?:data|stringData)\s*-?\}\}")


def _sops(argv: tuple[Word, ...]) -> Word | None:
    """`sops exec-file FILE 'cat {}'`: a command that shows the file which it is given in clear text."""
    verb, code = next((word.text for word in argv[1:2]), None), argv[-1].text or ""
    return known_word("exec-file") if verb == "exec-file" and _SHOWN_FILE.search(code) else None


_SHOWN_FILE = re.compile(
    r"(?:^|[;&|]\s*)(?:cat|bat|less|more|head|tail|grep|base64|xxd|od|strings|jq|yq|tac|nl)\b[^|;&>]*\{\}[^|;&>]*(?:$|[;&])"
)


def _docker(argv: tuple[Word, ...]) -> Word | None:
    """`docker inspect --format '{{.Config.Env}}'`; what lets a machine join a swarm; a secret that podman keeps."""
    texts = [word.text or "" for word in argv[1:]]
    lets_in = texts[:1] == ["swarm"] and (texts[1:2] == ["unlock-key"] or {"join-token", "manager"} <= set(texts))
    if lets_in or "--showsecret" in texts:
        return join_words(argv[1:3])
    inspects = any(word.text == "inspect" for word in argv[1:3])
    return known_word("inspect of the environment") if inspects and any(word.contains(".Env") is True for word in argv) else None


def _decrypt(argv: tuple[Word, ...]) -> Word | None:
    """`gpg -d FILE`, `age -d FILE`: what was encrypted, unless it goes to a file."""
    texts = [word.text or "" for word in argv[1:]]
    if {"-d", "--decrypt"}.isdisjoint(texts) or any(text.startswith(("-o", "--output")) for text in texts):
        return None
    return known_word("what was encrypted")


def _package_manager(argv: tuple[Word, ...]) -> Word | None:
    """`composer config github-oauth.github.com`, `poetry config pypi-token.pypi`: a login, unless a value follows, which sets it."""
    operands = [word for word in argv[1:] if word.starts_with("-") is False]
    is_login = len(operands) == 2 and operands[0].text == "config" and _LOGIN_SETTING.match(operands[1].text or "")
    return operands[1] if is_login and "--unset" not in {word.text for word in argv} else None


_LOGIN_SETTING = re.compile(r"(?:[\w-]+-oauth|[\w-]+-token|http-basic|bearer|custom-headers)\.")
_KEY_COMMANDS = ("pkey", "rsa", "ec", "dsa", "pkcs8")
_KEY_IS_LEFT_OUT = frozenset(("-pubout", "-pubin", "-noout", "-out", "-text_pub"))
_KEY_IS_ENCRYPTED = frozenset(("-aes128", "-aes256", "-aes-256-cbc", "-des3", "-topk8", "-cipher"))


def _openssl(argv: tuple[Word, ...]) -> Word | None:
    """`openssl pkcs12 -nodes`: the private key of a bundle, in clear text; `openssl pkey -in FILE`: the key itself."""
    texts = [word.text or "" for word in argv[1:]]
    if texts[:1] and texts[0] in _KEY_COMMANDS and "-in" in texts:
        is_encrypted = "-nocrypt" not in texts and not _KEY_IS_ENCRYPTED.isdisjoint(texts)
        shows_numbers = "-text" in texts and {"-pubin", "-pubout", "-out"}.isdisjoint(texts)
        is_left_out = not _KEY_IS_LEFT_OUT.isdisjoint(texts) and not shows_numbers
        return None if is_encrypted or is_left_out else known_word("a private key")
    if texts[:1] != ["pkcs12"] or {"-nodes", "-noenc"}.isdisjoint(texts):
        return None
    return None if {"-nokeys", "-noout", "-out", "-export"} & set(texts) else known_word("a private key")


_PS_WITH_ENVIRONMENT = re.compile(r"[acfghjlmnrsuvwxHLSTVXZ]*e[acefghjlmnrsuvwxHLSTVXZ]*(?:[koOpqtU]\S*)?|-[a-zA-Z]*E[a-zA-Z]*")
"""procps takes letters until one that has an argument, `-E` is the BSDs': procps refuses it."""


def _process_environment(argv: tuple[Word, ...]) -> Word | None:
    """`ps eww`: processes with their environment. In procps a dash makes `-e` another option."""
    letters = next((word.text or "" for word in argv[1:2]), "")
    return known_word("the environment of processes") if _PS_WITH_ENVIRONMENT.fullmatch(letters) else None


def _unit_environment(argv: tuple[Word, ...]) -> Word | None:
    """`systemctl show -p Environment UNIT`, `systemctl show-environment` of the machine."""
    if not any(word.text == "show" for word in argv[1:3]):
        return None
    return next((word for word in argv[2:] if "Environment" in re.split("[=,]", word.text or "")), None)


def _browser_cookies(argv: tuple[Word, ...]) -> Word | None:
    """`yt-dlp --cookies-from-browser chrome --cookies FILE`: the sessions of all sites, written to a file."""
    names = {word.partition("=")[0].text for word in argv[1:]}
    return known_word("the browser's cookies") if {"--cookies-from-browser", "--cookies"} <= names else None


SPECIAL_PRINTERS: dict[str, Callable[[tuple[Word, ...]], Word | None]] = {
    **dict.fromkeys(("kubectl", "oc", "k", "kubecolor"), _kubectl),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _docker),
    **dict.fromkeys(("age", "rage", "gpg"), _decrypt),
    "openssl": _openssl,
    "sops": _sops,
    **dict.fromkeys(("composer", "poetry"), _package_manager),
    **dict.fromkeys(("yt-dlp", "youtube-dl", "gallery-dl"), _browser_cookies),
    "ps": _process_environment,
    "systemctl": _unit_environment,
}
