# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal

import pytest

from robo_orch.runs.interrupt import Interrupts


@pytest.fixture
def said():
    return []


def test_before_the_run_an_interrupt_comes_at_once(said):
    with Interrupts(said.append), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_in_a_run_it_waits_for_the_tick_to_end(said):
    with Interrupts(said.append) as interrupts:
        interrupts.defer()
        signal.raise_signal(signal.SIGINT)
        assert len(said) == 1
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()
        interrupts.check()


def test_the_second_one_comes_at_once(said):
    with Interrupts(said.append) as interrupts:
        interrupts.defer()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_nothing_breaks_into_a_shield(said):
    with Interrupts(said.append) as interrupts:
        with interrupts.shield():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()


def test_nohup_is_respected_but_sigint_is_always_heard(said):
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGHUP, signal.SIGINT)}
    try:
        with Interrupts(said.append):
            signal.raise_signal(signal.SIGHUP)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_the_old_handler_is_put_back(said):
    before = signal.getsignal(signal.SIGINT)
    with Interrupts(said.append):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
