"""The names of shells."""

POSIX_SHELLS = ("sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash")
"""Shells whose text the gate reads as shell text."""
SHELLS = frozenset(
    (
        *POSIX_SHELLS,
        *("fish", "csh", "tcsh", "nu", "xonsh", "elvish"),
        *("pwsh", "pwsh.exe", "powershell", "powershell.exe", "cmd", "cmd.exe"),
    )
)
"""Every program that takes commands as text."""
