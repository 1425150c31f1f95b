"""`toolgate completion`: prints the script that completes toolgate's verbs and options in a shell."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes toolgate's verbs and options in SHELL.

    \b
    Examples:
      eval "$(toolgate completion bash)"                      # in ~/.bashrc
      toolgate completion fish > ~/.config/fish/completions/toolgate.fish
    """
    from . import toolgate

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for {shell}")
    click.echo(found(toolgate, {}, "toolgate", "_TOOLGATE_COMPLETE").source())
