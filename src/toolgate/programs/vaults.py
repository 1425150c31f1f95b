"""Stores of passwords, keys, certificates and accounts: what they print of the secrets they keep, and what they throw away."""

from .program import Program
from .verbs import tool


def keeps(secrets: str, deletes: str = "") -> Program:
    return tool({"credential.print": secrets, "cloud.delete": deletes}, "-r,--recursive -f,--force -p,--permanent")


def loses(forms: str, options: str = "", dry: str = "--dry-run=?") -> Program:
    return tool({"cloud.delete": forms}, options, dry=dry)


ROWS: dict[str, Program] = {
    "certbot": loses(
        "revoke|delete|unregister|rollback", "--cert-name= --cert-path= -d,--domains= --reason= -n,--non-interactive"
    ),
    "acme.sh": loses(
        "--remove|--revoke|--deactivate|--uninstall", "--remove --revoke --deactivate --uninstall -d,--domain= --ecc"
    ),
    "lego": loses("revoke", "-d,--domains= -m,--email= --path= -s,--server="),
    "step": loses("ca revoke; ca provisioner|admin|policy remove", "--cert= --key= --reason="),
    "tctl": loses("rm; users|nodes|tokens|bots|apps rm; lock", "-c,--config= -f,--force --auth-server="),
    **dict.fromkeys(
        ("kcadm.sh", "kcadm"), loses("delete; remove-roles", "-r,--target-realm= --server= --realm= --user= --config=")
    ),
    "realm": tool({"account.change": "leave|deny|permit"}, "-v --remove -U,--user="),
    "ipa": tool({"account.change": "*-del|*-disable|*-remove*"}, "-n,--no-prompt --continue --preserve"),
    "vlt": keeps("secrets get", "secrets delete; apps delete"),
    **dict.fromkeys(("pass", "gopass"), keeps("show|otp", "rm|remove|delete")),
    "bw": keeps("get|export", "delete **"),
    "lpass": keeps("show|export", "rm|rmdir"),
    "keyring": keeps("get", "del"),
    "ansible-vault": keeps("view"),
}
