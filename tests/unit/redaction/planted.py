"""Values that look real and are none, put together here so that no scanner of repositories takes them for leaked ones."""

import random
import string

GITHUB = "gh" + "p_" + "a8Kq2mZ7" * 4 + "Wx9P"
AWS = "AK" + "IA" + "Q4RT7YHGJ2K5L7MN"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4f"
PEM = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9Oi\n-----END RSA PRIVATE" + " KEY-----"
EMAIL = "bob.lee" + "@" + "corp.io"
URL = "postgres://app:" + "s3cr3tPw9" + "@db.internal/app"
SURE = (GITHUB, AWS, JWT, PEM)
PLANTED = 200


def plant_values() -> list[tuple[str, str]]:
    """Returns (the line that contains it, the value that must not be seen), of ten kinds."""
    dice = random.Random(7)

    def some(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
        return "".join(dice.choices(alphabet, k=count)) + str(dice.randint(10, 99))

    rows: list[tuple[str, str]] = []
    while len(rows) < PLANTED:
        upper = some(14, "ABCDEFGHJKLMNPQRSTUVWXYZ234567")
        values = (
            ("token {}", "gh" + "p_" + some(34)),
            ("id {}", "AK" + "IA" + upper),
            ("mail {} now", some(8, string.ascii_lowercase) + "@" + "corp.io"),
            ("postgres://app:{}@db.internal/x", some(12)),
            ("DB_PASSWORD={}", some(14)),
            ('"apiKey": "{}",', some(24)),
            ("Authorization: Bearer {}", some(30)),
            ("chat {}", "xo" + "xb-" + some(10, string.digits) + "-" + some(10, string.digits) + "-" + some(22)),
            ("pay {}", "sk" + "_live_" + some(24)),
            ("jwt {}", "ey" + "J" + some(18) + ".ey" + "J" + some(20) + "." + some(30)),
        )
        rows += [(line.format(value), value) for line, value in values]
    dice.shuffle(rows)
    return rows[:PLANTED]
