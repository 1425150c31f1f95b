"""Stores of passwords, keys, certificates and accounts: commands that delete from them."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program
from toolgate.programs.argv.subcommands import program_of_forms

from .credential_printers import is_server_local


def vault_program(forms: str, options: str = "", dry: str = "--dry-run=?") -> Program:
    return program_of_forms({"cloud.delete": forms}, options, dry=dry)


_VAULT = program_of_forms(
    {
        "infrastructure.destroy": "secrets|auth disable; delete; kv delete; kv destroy; kv metadata delete; namespace delete;"
        " operator seal|step-down; plugin deregister; lease revoke -prefix; token|lease revoke; policy delete; audit disable",
    },
    "-address= -namespace= -mount= -format= -field= -versions= -prefix -force",
    dry="--dry-run=? --dryrun",
)


def vault(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Vault and OpenBao. What a server of this machine keeps was put there for development."""
    is_local = is_server_local(argv[0].file_name, context)
    return (each for each in _VAULT.effects_of_call(argv, context) if not (is_local and isinstance(each, Operation)))


_ANSIBLE = Flags("--output= --vault-password-file= --vault-id= --ask-vault-pass -J -v -h,--help")


def ansible_vault(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`ansible-vault decrypt FILE` leaves the file in clear text."""
    options = _ANSIBLE.parse(argv)
    if options.operands and options.operands[0].text == "decrypt" and options.value_of("--output") is None:
        yield Operation("credential.print", context.origin, known_word("what was encrypted"))
        for file in options.operands[1:]:
            yield Write(context.resolve_place(file), context.unknown_output("ansible-vault"), False, context.origin)
        yield PrintedOutput(EMPTY)


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
    **dict.fromkeys(("vault", "bao"), Program(does=vault)),
    "ansible-vault": Program(does=ansible_vault),
}
