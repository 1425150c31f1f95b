"""Requires a person at this terminal, for verbs that open the gate: a terminal of their own, and no agent above."""

import os
import random
import sys

import click

from toolgate.machine import processes
from toolgate.machine.ancestry import describe_agent_above

from . import EXIT_NOT_PERMITTED
from .surroundings import Surroundings


class NotPermitted(click.ClickException):
    """Only a person on their own terminal can do this."""

    exit_code = EXIT_NOT_PERMITTED


def refuse_beneath_agent(surroundings: Surroundings, purpose: str) -> None:
    """Raises NotPermitted if an agent's process is above this one."""
    if above := describe_agent_above(surroundings.environ):
        raise NotPermitted(f"an agent may not {purpose}: {above}; run it in a terminal of your own")


def demand_person(surroundings: Surroundings, purpose: str) -> None:
    """Raises NotPermitted unless a person can be at this terminal."""
    refuse_beneath_agent(surroundings, purpose)
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or (sys.platform == "linux" and not processes.terminal_of(os.getpid())):
        raise NotPermitted(f"to {purpose}, a person has to be at a terminal; run it in one of your own")


def demand_shown_number(purpose: str) -> None:
    """Asks for a number that is shown at the same time, so that no prepared input can contain it. Raises Abort."""
    number = f"{random.SystemRandom().randrange(10_000):04}"
    if click.prompt(f"Type {number} to {purpose}", default="", show_default=False).strip() != number:
        click.echo("that was another number: nothing was changed", err=True)
        raise click.Abort
