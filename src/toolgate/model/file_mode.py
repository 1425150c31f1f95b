"""The meaning of a mode as chmod takes it: octal digits or clauses."""


def is_world_writable(mode: str) -> bool:
    if mode.isdigit():
        return len(mode) >= 3 and int(mode[-1]) & 2 != 0 and (len(mode) < 4 or int(mode[-4]) & 1 == 0)
    return any(_grants_write_to_others(clause) for clause in mode.split(","))


def _grants_write_to_others(clause: str) -> bool:
    """Returns whether a clause grants writing to others: `o+w`, `a=rw`, but not `+w`, which the umask limits."""
    who, _, what = clause.replace("=", "+", 1).partition("+")
    return "w" in what and any(each in who for each in "oa")


_ROOT_CAPABILITIES = (
    *("cap_setuid", "cap_setgid", "cap_sys_admin", "cap_dac_override", "cap_dac_read_search", "cap_sys_ptrace", "cap_sys_module"),
    *("cap_chown", "cap_fowner", "cap_setfcap", "cap_sys_rawio"),
)
"""Capabilities from which every other one can be gained (capabilities(7))."""


def sets_user_id(mode: str) -> bool:
    """Returns whether a mode sets the user or group id, `4755`, `u+s`, `g=xs`, `+s`, or a capability that is equivalent to
    root (`cap_setuid+ep`)."""
    if mode.isdigit():
        return len(mode) == 4 and int(mode[0]) & 6 != 0
    if "cap_" in mode or mode.startswith(("all", "=")):
        return any(name in mode for name in _ROOT_CAPABILITIES) or mode.startswith(("all=", "all+", "="))
    return any("s" in clause.replace("=", "+", 1).partition("+")[2] for clause in mode.split(","))
