# SPDX-License-Identifier: Apache-2.0
"""Foreign policy classes behind our contract: their own batch in, their actions out, in their order."""

from __future__ import annotations

import numpy as np
import pytest

from robo_orch.errors import CardError
from robo_orch.policies.loaders import load_policy
from robo_orch.policies.wrap import Wrapped
from tests.policies.learned import GOAL, STILL, card, context, observation


class Tensor:
    """As far as it matters here, what frameworks have: on a device, with a gradient."""

    def __init__(self, values):
        self.values, self.steps = values, []

    def __getattr__(self, name):
        if name not in ("detach", "cpu", "float"):
            raise AttributeError(name)
        self.steps.append(name)
        return lambda: self

    def numpy(self):
        assert self.steps == ["detach", "cpu", "float"]
        return self.values


class Selecting:
    """One action a call, from a queue that is filled three at a time."""

    def __init__(self):
        self.queue, self.batches, self.resets = [], [], 0

    def reset(self):
        self.queue, self.resets = [], self.resets + 1

    def select_action(self, batch):
        self.batches.append(batch)
        if not self.queue:
            self.queue = [Tensor(np.full((1, 7), len(self.batches) + i / 10)) for i in range(3)]
        return self.queue.pop(0)


class Chunking:
    """A chunk a call; no reset."""

    calls = 0

    def predict_action_chunk(self, batch):
        self.calls += 1
        return (self.calls + np.arange(4) / 10)[None, :, None] * np.ones((1, 4, 7))


class Both(Selecting, Chunking):
    pass


class Misshapen:
    def predict_action_chunk(self, batch):
        return np.zeros((4, 7))


class Mine(Wrapped):
    theirs: type = Selecting

    def make(self, context):
        return self.theirs()


class OfChunks(Mine):
    theirs = Chunking


class OfBoth(Mine):
    theirs = Both


class OfMisshapen(Mine):
    theirs = Misshapen


class OfNothing(Mine):
    theirs = dict


class Listed(Mine):
    convert = staticmethod(lambda array: array.tolist())


FOUR = {"chunk": {"length": 4, "execute": 3}}


def policy(tmp_path, kind, **changes):
    made = load_policy(context(card(tmp_path, STILL, loader=f"python:{__name__}:{kind.__name__}", **changes)))
    made.reset(GOAL, observation(), 0)
    return made


def firsts(made, n):
    return [round(float(row[0]), 3) for _ in range(n) for row in made.act(observation()).values]


def test_select_action_gives_one_action_a_look_in_the_order_of_its_own_queue(tmp_path):
    made = policy(tmp_path, Mine)
    assert firsts(made, 5) == [1.0, 1.1, 1.2, 4.0, 4.1]
    assert all(len(made.act(observation()).values) == 1 for _ in range(2))


def test_a_chunk_is_given_out_from_its_beginning_and_the_rest_is_dropped(tmp_path):
    assert firsts(policy(tmp_path, OfChunks, **FOUR), 2) == [1.0, 1.1, 1.2, 2.0, 2.1, 2.2]


def test_a_new_subgoal_clears_its_queue_and_keeps_its_weights(tmp_path):
    made = policy(tmp_path, Mine)
    model = made.model
    firsts(made, 1)
    made.reset(GOAL, observation(), 0)
    assert (made.model, model.resets, model.queue) == (model, 2, [])
    policy(tmp_path, OfChunks, **FOUR).reset(GOAL, observation(), 0)


def test_the_length_of_a_chunk_decides_which_method_is_called(tmp_path):
    assert firsts(policy(tmp_path, OfBoth), 2) == [1.0, 1.1]
    assert len(policy(tmp_path, OfBoth, **FOUR).act(observation()).values) == 3


def test_the_batch_has_the_cards_names_one_row_and_what_the_class_wants(tmp_path):
    told = STILL["observation"] | {"task": {"kind": "text", "encoder": "none"}}
    made = policy(tmp_path, Mine, observation=told)
    made.act(observation())
    (batch,) = made.model.batches
    assert batch.keys() == {"state", "task"}
    assert batch["task"] == [GOAL.text]
    assert batch["state"].shape == (1, 5) and batch["state"].dtype == np.float32
    listed = policy(tmp_path, Listed)
    listed.act(observation())
    assert isinstance(listed.model.batches[0]["state"], list)


def test_real_tensors_go_in_and_out(tmp_path):
    torch = pytest.importorskip("torch")

    class Net:
        def select_action(self, batch):
            return (batch["state"] @ torch.ones(5, 7)).requires_grad_().to(torch.bfloat16)

    made = policy(tmp_path, Mine)
    made.convert, made._call = torch.from_numpy, Net().select_action
    assert made.act(observation()).values.shape == (1, 7)


@pytest.mark.parametrize(
    ("kind", "changes", "named"),
    [
        (Mine, FOUR, "set chunk: {length: 1}"),
        (OfNothing, {}, "select_action or predict_action_chunk"),
        (OfNothing, FOUR, "since chunk.length is 4"),
    ],
)
def test_a_class_that_cannot_give_what_the_card_says_is_refused_as_it_is_loaded(tmp_path, kind, changes, named):
    with pytest.raises(CardError) as error:
        policy(tmp_path, kind, **changes)
    assert named in str(error.value)


@pytest.mark.parametrize(("kind", "changes"), [(OfMisshapen, FOUR), (OfChunks, {"chunk": {"length": 3}})])
def test_actions_of_another_shape_are_refused_and_never_bent(tmp_path, kind, changes):
    with pytest.raises(CardError, match="were expected, as chunk and action say"):
        policy(tmp_path, kind, **changes).act(observation())


def test_a_golden_vector_is_refused_where_nobody_would_compare_it(tmp_path):
    with pytest.raises(CardError, match="whose model is not seen"):
        policy(tmp_path, Mine, golden="golden.npz")
