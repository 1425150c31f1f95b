"""Finds statements that grant rights: to everybody, of a superuser, or by disabling row security."""

import re

from .statements import Statement

_SUPERUSER_RIGHTS = frozenset(("SUPERUSER", "BYPASSRLS", "CREATEROLE", "REPLICATION"))
_EVERYBODY = frozenset(("PUBLIC", "ANON", "ANONYMOUS"))
"""SQL's own role of all users, and those of Supabase and PostgREST for requests without a login."""
_EVERYONE_OF_CLOUD = re.compile(r"(?is)\bto\b.*['\"`:](allUsers|allAuthenticatedUsers|account users|all users)['\"`]")
"""Matches the names under which BigQuery and Databricks know everybody."""
_STRONG_ROLES = frozenset(
    "RDS_SUPERUSER CLOUDSQLSUPERUSER PG_EXECUTE_SERVER_PROGRAM PG_READ_SERVER_FILES PG_WRITE_SERVER_FILES SYSADMIN DB_OWNER "
    "SECURITYADMIN ACCOUNTADMIN DBA".split()
)


def find_grant(statement: Statement) -> str | None:
    """Returns what this statement grants, for people; None if nothing of the kind."""
    words = statement.words
    if not words:
        return None
    if statement.starts_with("GRANT"):
        after = words[words.index("TO") + 1 :] if "TO" in words else []
        if everybody := next((role for role in after if role in _EVERYBODY), None):
            return f"rights to {everybody}"
        if (everyone := _EVERYONE_OF_CLOUD.search(statement.text)) is not None:
            return f"rights to {everyone[1]}"
        if not _STRONG_ROLES.isdisjoint(words):
            return "a role above others"
        marks = [token.text for token in statement.tokens]
        everything = any(marks[n : n + 3] == ["*", ".", "*"] for n in range(len(marks)))
        return "all rights on every database" if words[1:2] == ["ALL"] and everything else None
    if statement.starts_with("ALTER", "CREATE") and words[1:2] in (["ROLE"], ["USER"]):
        return "a role above all others" if not _SUPERUSER_RIGHTS.isdisjoint(words) and words[1] != "FUNCTION" else None
    if words[:2] == ["ALTER", "SHARE"] and {"ADD", "ACCOUNTS"} <= set(words):
        return "the data of a share to another account"
    if statement.starts_with("ALTER") and "SECURITY" in words and "ROW" in words and ("DISABLE" in words or "NO" in words):
        return "rows that nobody guards"
    return None


_PROMOTION = re.compile(
    r"(?i)\bset\b.*?\b(?:(?:is_?)?(?:admin|superuser|super_admin|staff|root|owner)\w*\s*=\s*(?:true|1|'t'|'1'|'true')"
    r"|(?:role|user_?type|access_?level)\w*\s*=\s*'(?:admin\w*|owner|superuser|super_admin|root)')"
)
_NEW_ADMINISTRATOR = re.compile(
    r"(?i)\binsert\s+into\b.*?'(?:admin|administrator|superuser|super_admin|a:1:\{s:13:.administrator)\b", re.DOTALL
)
_OPENS_REGISTRATION = re.compile(r"(?i)\busers_can_register\b|\bdefault_role\b|\ballow_?(?:sign_?up|registration)s?\b").search
_MAX_PROMOTION = 2_000


def find_promotion(statement: Statement) -> str | None:
    """Returns what makes an account of an application an administrator; None if nothing does."""
    text = statement.text[:_MAX_PROMOTION]
    if statement.starts_with("UPDATE") and (found := _PROMOTION.search(text)) is not None:
        return f"an administrator of an application, {found[0].split()[-1]}"
    if statement.starts_with("UPDATE") and _OPENS_REGISTRATION(text) is not None:
        return "an application that anybody may register with"
    if statement.starts_with("INSERT") and _NEW_ADMINISTRATOR.search(text) is not None:
        return "an administrator of an application"
    return None
