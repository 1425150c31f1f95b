"""Values that look real and are none, put together here so that no scanner of repositories takes them for leaked ones."""

GITHUB = "gh" + "p_" + "a8Kq2mZ7" * 4 + "Wx9P"
AWS = "AK" + "IA" + "Q4RT7YHGJ2K5L7MN"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4f"
PEM = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9Oi\n-----END RSA PRIVATE" + " KEY-----"
EMAIL = "bob.lee" + "@" + "corp.io"
URL = "postgres://app:" + "s3cr3tPw9" + "@db.internal/app"
SURE = (GITHUB, AWS, JWT, PEM)
