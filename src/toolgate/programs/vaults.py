"""Stores of passwords, keys, certificates and accounts: commands that delete from them."""

from .program import Program
from .verbs import tool


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
    "vlt": loses("secrets delete; apps delete"),
    **dict.fromkeys(("pass", "gopass"), loses("rm|remove|delete", "-r,--recursive -f,--force")),
    "bw": loses("delete **", "-p,--permanent"),
    "lpass": loses("rm|rmdir"),
    "keyring": loses("del"),
    "ansible-vault": loses(""),
}
