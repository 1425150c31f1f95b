"""Values that look like secrets, composed here so that no scanner of repositories takes them for leaked ones."""

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
    """Returns pairs of ten kinds: the line that contains a value, and the value that must not be shown."""
    dice = random.Random(7)

    def random_text(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
        return "".join(dice.choices(alphabet, k=count)) + str(dice.randint(10, 99))

    rows: list[tuple[str, str]] = []
    while len(rows) < PLANTED:
        upper = random_text(14, "ABCDEFGHJKLMNPQRSTUVWXYZ234567")
        values = (
            ("token {}", "gh" + "p_" + random_text(34)),
            ("id {}", "AK" + "IA" + upper),
            ("mail {} now", random_text(8, string.ascii_lowercase) + "@" + "corp.io"),
            ("postgres://app:{}@db.internal/x", random_text(12)),
            ("DB_PASSWORD={}", random_text(14)),
            ('"apiKey": "{}",', random_text(24)),
            ("Authorization: Bearer {}", random_text(30)),
            (
                "chat {}",
                "xo" + "xb-" + random_text(10, string.digits) + "-" + random_text(10, string.digits) + "-" + random_text(22),
            ),
            ("pay {}", "sk" + "_live_" + random_text(24)),
            ("jwt {}", "ey" + "J" + random_text(18) + ".ey" + "J" + random_text(20) + "." + random_text(30)),
        )
        rows += [(line.format(value), value) for line, value in values]
    dice.shuffle(rows)
    return rows[:PLANTED]
