"""Stores of passwords, keys, certificates and accounts: commands that delete from them."""

from toolgate.programs.argv.program import Program
from toolgate.programs.argv.subcommands import program_of_forms


def vault_program(forms: str, options: str = "", dry: str = "--dry-run=?") -> Program:
    return program_of_forms({"cloud.delete": forms}, options, dry=dry)


ROWS: dict[str, Program] = {
    "certbot": vault_program(
        "revoke|delete|unregister|rollback", "--cert-name= --cert-path= -d,--domains= --reason= -n,--non-interactive"
    ),
    "acme.sh": vault_program(
        "--remove|--revoke|--deactivate|--uninstall", "--remove --revoke --deactivate --uninstall -d,--domain= --ecc"
    ),
    "lego": vault_program("revoke", "-d,--domains= -m,--email= --path= -s,--server="),
    "step": vault_program("ca revoke; ca provisioner|admin|policy remove", "--cert= --key= --reason="),
    "tctl": vault_program("rm; users|nodes|tokens|bots|apps rm; lock", "-c,--config= -f,--force --auth-server="),
    **dict.fromkeys(
        ("kcadm.sh", "kcadm"), vault_program("delete; remove-roles", "-r,--target-realm= --server= --realm= --user= --config=")
    ),
    "realm": program_of_forms({"account.change": "leave|deny|permit"}, "-v --remove -U,--user="),
    "ipa": program_of_forms({"account.change": "*-del|*-disable|*-remove*"}, "-n,--no-prompt --continue --preserve"),
    "vlt": vault_program("secrets delete; apps delete"),
    **dict.fromkeys(("pass", "gopass"), vault_program("rm|remove|delete", "-r,--recursive -f,--force")),
    "bw": vault_program("delete **", "-p,--permanent"),
    "lpass": vault_program("rm|rmdir"),
    "keyring": vault_program("del"),
    "ansible-vault": vault_program(""),
}
