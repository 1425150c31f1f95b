"""Whether a command shows nothing secret of a credential file: a count, the profiles, the contexts and addresses."""

import re

from toolgate.model.effect import Effects, Read, Run

from .login_lines import shows_no_password
from .name_listings import is_limited, prints_counts, prints_names_or_counts, split_options


def shows_no_secret(read_effect: Read, effects: Effects) -> bool:
    """Returns whether nothing of the secrets in a file is shown: `wc -l`, `grep '^\\['`, `jq '.auths | keys'`."""
    path = read_effect.place.path or ""
    has_settings = path.endswith((*_WITH_SETTINGS, ".json"))

    def is_harmless(run: Run, reads_file: bool) -> bool:
        if path.endswith(_WITH_SECTIONS):
            return prints_names_or_counts(run, reads_file) or _prints_sections(run)
        return prints_counts(run, reads_file) or (has_settings and _prints_settings(run)) or shows_no_password(run, path)

    return is_limited(read_effect.origin.command, effects, is_harmless, reads_file=True)


_WITH_SECTIONS = ("/.aws/credentials", "/.aws/config", "/.oci/config", "/.pypirc", "/.s3cfg", "/.databrickscfg", "/rclone.conf")
"""Files of sections in brackets, with assignments."""
_WITH_SETTINGS = ("/.kube/config", "/.docker/config.json")


def _prints_sections(run: Run) -> bool:
    """Returns whether a search prints only the lines that begin with a bracket, or what stands in it."""
    options, operands = split_options([word.outline for word in run.argv[1:]])
    joined = "".join(options)
    match run.argv[0].file_name:
        case "grep" | "egrep" | "rg":
            return set(joined) <= set("-nEhoP") and bool(operands) and _SECTION_PATTERN(operands[0]) is not None
        case "sed" | "gsed":
            return set(joined) <= set("-nEr") and "n" in joined and bool(operands) and _SECTION_SCRIPT(operands[0]) is not None
        case "awk" | "gawk" | "mawk":
            return all(each.startswith("-F") for each in options) and bool(operands) and _SECTION_PROGRAM(operands[0]) is not None
        case _:
            return False


_SECTION = r"\^\\\[(?!\\?[*?+{])[^/;{}|]*"
"""The beginning of a line with a bracket: neither an alternative nor a repetition lets other lines match."""
_SECTION_PATTERN = re.compile(rf"{_SECTION}|\^\[\[\](?![*?+{{\\])[^/;{{}}|]*").fullmatch
_SECTION_SCRIPT = re.compile(
    rf"/{_SECTION}/p|s/{_SECTION}/[^/&;]*/p|/{_SECTION}/ *\{{? *s/[^/;{{}}]*/[^/&;]*/g?p *\}}?"
).fullmatch
_SECTION_PROGRAM = re.compile(rf" */{_SECTION}/ *(?:\{{ *(?:gsub\([^(){{}}]*\) *; *)?print *(?:\$[0-9])? *;? *\}})? *").fullmatch


def _prints_settings(run: Run) -> bool:
    """Returns whether a search or a filter prints only fields whose names say that they are no secrets."""
    options, operands = split_options([word.outline for word in run.argv[1:]])
    joined = "".join(options)
    match run.argv[0].file_name:
        case "grep" | "egrep" | "rg":
            found = _SEARCHED_FIELD(operands[0]) if operands else None
            return set(joined) <= set("-nEhow") and found is not None
        case "jq" | "gojq" | "jaq" | "yq":
            is_filter = bool(operands) and operands[0] not in ("e", "eval")
            filters = [each.strip() for each in re.split(r"[|,]", operands[0])] if is_filter else []
            return set(joined) <= set("-rceMCS") and bool(filters) and all(map(_FIELD_FILTER, filters))
        case _:
            return False


_FIELD = (
    r"(?:current-context|server|namespace|name|cluster|context|kind|apiVersion|credsStore|credHelpers|currentContext|type|client_email"
    r"|project_id|quota_project_id|client_id|auth_uri|token_uri|universe_domain|account|account_id|region|expiry|expires_at|expiresAt"
    r"|token_expiry|tenantId|tenant_id|subscriptionId|clientId|startUrl)"
)
_SEARCHED_FIELD = re.compile(rf"\^? *\\?s?\*?(?:(?:{_FIELD}): *|current-context)").fullmatch
_FIELD_FILTER = re.compile(rf"(?:\.\"?[\w-]+\"?(?:\[\d*\])?)*\.(?:{_FIELD}|\[?\"{_FIELD}\"\]?)|sort|unique|length").fullmatch
