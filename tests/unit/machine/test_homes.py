"""Tests the home folders of this machine's accounts."""

import os
import pwd

from toolgate.machine.home_folders import home_of_account


def test_home_of_this_account() -> None:
    assert home_of_account(os.getuid()) == pwd.getpwuid(os.getuid()).pw_dir


def test_an_account_that_is_not_there_has_no_home() -> None:
    taken = {account.pw_uid for account in pwd.getpwall()}
    free = next(uid for uid in range(60_000, 65_000) if uid not in taken)
    assert home_of_account(free) == ""
