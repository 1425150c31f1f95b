"""Secrets on command lines: `mysql -pSECRET`, `docker login -p SECRET`, `curl -u user:SECRET`, `echo SECRET | docker login
--password-stdin`.

`ROWS` alone defines which options and operands of a program are secrets, for free text and for the commands of a call alike:
redaction is below `programs` in the layers, and reads a command without loading any of its families.
"""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from toolgate.redaction.expression import Expression
from toolgate.redaction.safe_values import PASSWORD_WORDS, REFERENCE

from .forms import Hit

KIND = "password"
_REGISTRY = "login -p,--password=; login --password-stdin <"

ROWS: Mapping[str, str] = {
    "mysql mysqladmin mysqldump mysqlimport mysqlshow mysqlslap mysqlcheck mysqlbinlog mysqlsh mycli": "-p,--password=?",
    "mariadb mariadb-admin mariadb-dump": "-p,--password=?",
    "redis-cli valkey-cli keydb-cli": "-a,--pass=",
    "mongo mongosh mongodump mongorestore mongoexport mongoimport": "-p,--password=",
    "sqlcmd bcp": "-P=",
    "sqlplus sqlldr expdp impdp": "@/",
    "cqlsh cypher-shell rabbitmqadmin": "-p,--password=",
    "clickhouse-client clickhouse svn liquibase": "--password=",
    "rabbitmqctl": "add_user|change_password|authenticate_user * @",
    "influx": "-password,--password= -t,--token=",
    "docker podman nerdctl buildah": f"{_REGISTRY}; --creds=:",
    "skopeo": f"{_REGISTRY}; --creds,--src-creds,--dest-creds=: --src-password,--dest-password=",
    "crane gcrane regctl oras helm": f"{_REGISTRY}; --password=",
    "kubectl oc": "create secret --from-literal==; --docker-password,--token,--password=; login -p=",
    "argocd": "--password,--auth-token,--current-password,--new-password=",
    "vault bao": "login @; unwrap @; operator unseal @; kv|write @=",
    "consul nomad": "-token=",
    "curl": "-u,--user=: -U,--proxy-user=: --pass,--proxy-pass,--tlspassword,--oauth2-bearer=",
    "wget": "--password,--http-password,--ftp-password,--proxy-password=",
    "http https xh xhs curlie": "-a,--auth=:",
    "sshpass": "-p=",
    "lftp": "-u,--user=,",
    "smbclient rpcclient": "-U,--user=% --password=",
    "ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami": "-w=",
    "mosquitto_pub mosquitto_sub": "-P,--pw=",
    "ipmitool": "-P=",
    "xfreerdp xfreerdp3 wlfreerdp": "/p:=?",
    "openssl": "-pass,-passin,-passout=pass: -k,-K=",
    "gpg gpg2": "--passphrase=",
    "zip unzip": "-P=",
    "7z 7za 7zr 7zz rar unrar": "-p=?",
    "keytool jarsigner": "-storepass,-keypass,-srcstorepass,-deststorepass,-srckeypass,-destkeypass,-new=",
    "apksigner": "--ks-pass,--key-pass=pass:",
    "security": "add-generic-password|add-internet-password -w=; unlock-keychain|create-keychain -p=; import -P=",
    "htpasswd": "-b **@",
    "chpasswd": "<:",
    "passwd": "--stdin <",
    "useradd usermod": "-p,--password=",
    "sudo": "-S,--stdin <",
    "wpa_passphrase": "* @",
    "nmcli": "password|wifi-sec.psk|802-11-wireless-security.psk @",
    "az": "login -p,--password=; --account-key,--sas-token,--admin-password,--client-secret,--password=",
    "aws": "configure set *secret*|*token* @; --master-user-password,--secret-string=",
    "gh": "secret set -b,--body=; auth login --with-token <",
    "glab": "auth login -t,--token=",
    "gitlab-runner": "register -r,--registration-token,-t,--token=",
    "rclone": "obscure @",
    "cargo": "login @; --token=",
    "poetry": "config pypi-token.* @; config http-basic.* * @; publish -p,--password=",
    "twine": "-p,--password=",
    "nuget dotnet": "push -k,--api-key,-ApiKey=; setapikey @",
    "bw": "login * @; unlock @",
    "heroku": "config:set @=",
    "fly flyctl": "secrets set @=; -t,--access-token=",
    "doppler": "-t,--token=; secrets set @=",
    "stripe": "--api-key=",
    "ngrok": "add-authtoken|authtoken @; --authtoken=; --basic-auth=:",
    "tailscale": "--authkey,--auth-key=",
    "cloudflared": "--token=; service install @",
    "ansible-vault": "encrypt_string @",
}
"""Programs -> the forms in which one of their words is a secret, separated by semicolons; each is a list of

`login`, `add|change`, `pypi-token.*`, `*`   consecutive operands: alternatives, globs
`@`                        the operand after them is a secret; `**@`: the last operand; `@=`: each one of the form NAME=value
`-p,--password=`           an option whose value is one; `=?`: only if it is attached (`-pSECRET`)
`-b`                       an option that must be given
`<`                        standard input is one, if `echo` or a here-string writes it

The text after `@`, `=` or `<` selects a part of the word: `:`, `%`, `,` and `=` the part after the first of these, `/` the
part between it and `@`, `pass:` the part after this prefix.
"""

VARIABLES = (
    "PGPASSWORD=",
    "MYSQL_PWD=",
    "REDISCLI_AUTH=",
    "SSHPASS=",
    "RESTIC_PASSWORD=",
    "BORG_PASSPHRASE=",
    "ANSIBLE_VAULT_PASSWORD=",
)
"""Variables from which programs take their password, whatever it looks like."""
WORDS = tuple(variable.lower() for variable in VARIABLES)
NAMES = tuple(name if row.startswith("<") else f"{name} " for names, row in ROWS.items() for name in names.split())
"""Names of programs; one that takes words is followed by a blank."""

_MAX_COMMAND_LENGTH = 4_000  # characters of a command
_MAX_WORDS = 200  # words of a command
_COMMAND_ENDS = frozenset("\n;|&()")
_HARMLESS_VALUE = Expression(
    r"(?s)\$.*|<.*|\{.*|\[.*|%.*|-.*|\*+|\.{2,}|(?i:x+|token|secret|change(?:it|me)|pass(?:word)?|pwd|test)|.*\$\{.*|.*\{\{.*|.*\$\(.*|.*REDACTED.*"
)
_VALUE = Expression(r"(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"'`;|&()]+))")


class _Span(NamedTuple):
    begin: int
    end: int


class _CommandForm(NamedTuple):
    """`operands`: alternatives for each. `secret`: the part of the operand after them. `last`: of the last operand instead.

    `options`: the names of each and the part of its value. `required_options`: for each one, its names.
    """

    operands: tuple[tuple[str, ...], ...]
    options: Mapping[str, str]
    required_options: tuple[tuple[str, ...], ...]
    secret: str | None = None
    last: bool = False
    standard_input: str | None = None

    @property
    def hints(self) -> Iterable[str]:
        """Returns texts of which every command of this form contains one."""
        if self.options:
            return (" -" if part == ":" else name for name, part in self.options.items())  # `-u` may be in a cluster
        return ("",) if not self.operands or any("*" in each for each in self.operands[0]) else self.operands[0]


class _ProgramRow(NamedTuple):
    forms: tuple[_CommandForm, ...]
    hints: tuple[str, ...]


def probe_variable(text: str, start: int, end: int) -> Hit | None:
    """Returns the value of a variable that programs take a password from."""
    found = _VALUE.match(text, end)
    if found is None or (start and (text[start - 1].isalnum() or text[start - 1] == "_")):
        return None
    group = found.lastindex or 0
    return Hit(*found.span(group), KIND) if _is_secret_value(found[group]) else None


_KEYWORD = r"[\w.-]{0,60}(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key)"
_SECRET_NAME = Expression(rf"(?i)(?<![\w-])(?:--?{_KEYWORD}(?:=|[ \t]+)|{_KEYWORD}=)")
"""An option or a variable with the name of a secret."""


def find_named_values(command: str) -> Iterator[Hit]:
    """Yields the values of options and variables with a secret's name, however they look: in a command, not in other text."""
    for name in _SECRET_NAME.finditer(command):
        found = _VALUE.match(command, name.end())
        if found is not None and _is_secret_value(found[found.lastindex or 0]):
            yield Hit(*found.span(found.lastindex or 0), KIND)


def find_secrets(text: str, start: int, end: int) -> Iterator[Hit]:
    """Yields the secrets of the command whose program's name, or its name and a blank, is in the text from start to end."""
    if start and (text[start - 1].isalnum() or text[start - 1] in "_-.@:=$"):
        return
    row = _parse_rows().get(text[start:end].rstrip())
    if row is None or (text[end - 1] != " " and text[end : end + 1].isalnum()):
        return
    limit = _end_of_command(text, end)
    rest = text[end - 1 : limit]
    if not any(hint in rest for hint in row.hints):
        return
    line = text.rfind("\n", max(0, start - _MAX_COMMAND_LENGTH), start) + 1
    words = list(_iter_words(text, end, limit, _enclosing_quote(text[line:start])))
    for form in row.forms:
        for span in _secrets_of_form(form, text, words, _Span(line, start)):
            if _is_secret_value(text[span.begin : span.end]):
                yield Hit(span.begin, span.end, KIND)


def _is_secret_value(value: str) -> bool:
    is_harmless = value.lower() in PASSWORD_WORDS or any(each.fullmatch(value) for each in (_HARMLESS_VALUE, REFERENCE))
    return len(value) > 2 and not is_harmless


@lru_cache(1)
def _parse_rows() -> dict[str, _ProgramRow]:
    found: dict[str, _ProgramRow] = {}
    for names, text in ROWS.items():
        forms = tuple(map(_parse_form, text.split(";")))
        hints = tuple(dict.fromkeys(hint for form in forms for hint in form.hints))
        found.update(dict.fromkeys(names.split(), _ProgramRow(forms, ("",) if "" in hints else hints)))
    return found


def _parse_form(text: str) -> _CommandForm:
    operands: list[tuple[str, ...]] = []
    options: dict[str, str] = {}
    required: list[tuple[str, ...]] = []
    secret = standard_input = None
    last = False
    for token in text.split():
        if token[0] in "-/":
            names, equals, part = token.partition("=")
            if equals:
                options.update(dict.fromkeys(names.split(","), part))
            else:
                required.append(tuple(names.split(",")))
        elif token[0] == "<":
            standard_input = token[1:]
        elif token.startswith(("@", "**@")):
            secret, last = token.partition("@")[2], token.startswith("*")
        else:
            operands.append(tuple(token.split("|")))
    return _CommandForm(tuple(operands), options, tuple(required), secret, last, standard_input)


# ---- the words of a command


def _enclosing_quote(before: str) -> str:
    """Returns the quote that encloses the command on its line, if any: the command ends there."""
    opened = [quote for quote in "\"'`" if before.count(quote) % 2]
    return max(opened, key=before.rfind, default="")


def _end_of_command(text: str, at: int) -> int:
    """Returns the end of the command's lines: it continues after a backslash, and if the next line begins with an option."""
    limit = min(len(text), at + _MAX_COMMAND_LENGTH)
    while True:
        line_end = text.find("\n", at, limit)
        if line_end < 0:
            return limit
        at = line_end + 1
        if text[line_end - 1] != "\\" and not (
            text[at : at + 1] in (" ", "\t") and text[at : at + 80].lstrip(" \t").startswith("-")
        ):
            return line_end


def _iter_words(text: str, at: int, limit: int, quote: str) -> Iterator[_Span]:
    for _ in range(_MAX_WORDS):
        while at < limit and (text[at] in " \t\n" or text.startswith("\\\n", at)):
            at += 2 if text[at] == "\\" else 1
        if at >= limit or text[at] in _COMMAND_ENDS or text[at] in ("#", quote):
            return
        end = _word_end(text, at, limit, quote)
        yield _Span(at, end)
        at = end


def _word_end(text: str, at: int, limit: int, quote: str) -> int:
    while at < limit and text[at] not in " \t" and text[at] not in _COMMAND_ENDS and text[at] != quote:
        if text[at] == "\\":
            if text.startswith("\\\n", at):
                return at
            at += 2
        elif text[at] in "\"'":
            line_end = text.find("\n", at + 1, limit)
            other = text.find(text[at], at + 1, limit if line_end < 0 else line_end)
            at = other + 1 if other >= 0 else at + 1
        else:
            at += 1
    return min(at, limit)


def _strip_quotes(text: str, span: _Span) -> _Span:
    """Returns the word without the quotes around it, escaped ones included."""
    begin, end = span
    for quote in ('\\"', "\\'", '"', "'"):
        if text.startswith(quote, begin):
            begin += len(quote)
            if text[begin:end].endswith(quote):
                end -= len(quote)
            break
    return _Span(begin, max(begin, end))


# ---- a form and the words


def _secrets_of_form(form: _CommandForm, text: str, words: list[_Span], before: _Span) -> Iterator[_Span]:
    texts = [text[word.begin : word.end] for word in words]
    places = [n for n, word in enumerate(texts) if not word.startswith("-") and word not in ("<<<", "<")]
    behind = _matched_operand_count(form.operands, [texts[n] for n in places])
    if behind is None or not all(any(_is_given(name, texts) for name in names) for names in form.required_options):
        return
    if form.options:
        for n, word in enumerate(texts):
            yield from _secrets_of_option(form.options, n, word, text, words)
    if form.secret is not None:
        chosen = places[-1:] if form.last else places[behind:] if form.secret == "=" else places[behind : behind + 1]
        for n in chosen:
            if not texts[n].rstrip(",.:;!?)").isalpha() or _PROMPT.search(text[before.begin : before.end]):  # else: prose
                yield from _part_of_word(form.secret, text, _strip_quotes(text, words[n]))
    if form.standard_input is not None:
        yield from _secrets_of_stdin(form.standard_input, text, words, texts, before)


def _matched_operand_count(form: tuple[tuple[str, ...], ...], operands: list[str]) -> int | None:
    """Returns how many operands there are up to the last one that the form requires, or None."""
    if not form:
        return 0
    for start in range(len(operands) - len(form) + 1):
        here = operands[start : start + len(form)]
        if all(any(fnmatchcase(operand, each) for each in some) for operand, some in zip(here, form, strict=True)):
            return start + len(form)
    return None


def _is_given(name: str, texts: list[str]) -> bool:
    if name in texts:
        return True
    return len(name) == 2 and any(len(word) > 1 and word[0] == "-" and word[1] != "-" and name[1] in word for word in texts)


def _secrets_of_option(options: Mapping[str, str], n: int, word: str, text: str, words: list[_Span]) -> Iterator[_Span]:
    begin, end = words[n]
    for name, part in options.items():
        if not word.startswith(name):
            if part == ":" and (cluster := _value_in_cluster(name, word)):
                yield from _part_of_word(part, text, _strip_quotes(text, _Span(begin + cluster, end)))
            continue
        shape = part.removeprefix("?")
        if word == name:
            if part == shape and n + 1 < len(words):
                yield from _part_of_word(shape, text, _strip_quotes(text, words[n + 1]))
            return
        attached = begin + len(name)
        if text[attached] == "=" and not name.endswith(":"):
            attached += 1
        elif name.startswith("--") or (len(name) > 2 and not name.endswith(":")) or _has_long_names(options):
            continue  # a prefix of another option's name
        yield from _part_of_word(shape, text, _strip_quotes(text, _Span(attached, end)))
        return


def _has_long_names(options: Mapping[str, str]) -> bool:
    """Returns whether a program's long options begin with one hyphen, so that none has its value attached: openssl's `-keyout`."""
    return any(len(name) > 2 and name[1] != "-" and name[0] == "-" and name[2] != "=" for name in options)


def _value_in_cluster(name: str, word: str) -> int:
    """Returns where the value of an option begins that follows others in a cluster: `-sSubob:secret`."""
    at = word.find(name[1], 1) if len(name) == 2 and word[:1] == "-" else 0
    return at + 1 if at > 1 and word[1:at].isalpha() else 0


def _part_of_word(shape: str, text: str, span: _Span) -> Iterator[_Span]:
    begin, end = span
    if shape == "":
        yield span
    elif shape == "/":
        slash, at = text.find("/", begin, end), text.rfind("@", begin, end)
        if slash > begin and not text.startswith("//", slash):
            yield _Span(slash + 1, at if at > slash else end)
    elif len(shape) > 1:
        if text.startswith(shape, begin):
            yield _Span(begin + len(shape), end)
    elif (found := text.find(shape, begin, end)) >= 0:
        yield _strip_quotes(text, _Span(found + 1, end))


_PROMPT = Expression(r"(?:^|[$+#>;|&(\"'`=:/])[ \t]*\Z")
"""What may precede a program's name in a command, or in the output of a terminal."""
_WRITING_PROGRAM = Expression(r"(?:echo|printf|print)[ \t]")


def _secrets_of_stdin(shape: str, text: str, words: list[_Span], texts: list[str], before: _Span) -> Iterator[_Span]:
    """Yields the secrets that `echo SECRET |` or `<<< SECRET` writes to the program's standard input."""
    for n, word in enumerate(texts):
        if word.startswith("<<<"):
            given = _Span(words[n].begin + 3, words[n].end) if len(word) > 3 else words[n + 1] if n + 1 < len(words) else None
            if given is not None:
                yield from _part_of_word(shape, text, _strip_quotes(text, given))
    line = text[before.begin : before.end].rstrip()
    if not line.endswith("|"):
        return
    writers = list(_WRITING_PROGRAM.finditer(text, before.begin, before.begin + len(line) - 1))
    if writers:
        given_words = list(_iter_words(text, writers[-1].end(), before.end, ""))
        operands = [each for each in given_words if not text.startswith("-", each.begin)]
        if operands and text[operands[-1].end : before.begin + len(line) - 1].strip() == "":
            yield from _part_of_word(shape, text, _strip_quotes(text, operands[-1]))
