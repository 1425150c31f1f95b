"""Home folders of this machine's accounts."""


def home_of_account(uid: int) -> str:
    """Returns the home folder of an account, as shells find it without HOME; empty if there is no such account."""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_dir
    except (ImportError, KeyError):  # Windows has no such accounts
        return ""
