"""Home folders of this machine's accounts."""


def home_of(uid: int) -> str:
    """The home folder of an account, as shells find it where HOME is not set; empty where there is no such account."""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_dir
    except (ImportError, KeyError):  # Windows has no such accounts
        return ""
