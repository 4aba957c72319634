# SPDX-License-Identifier: Apache-2.0
"""docs/policies.md is true: its examples are the files that are tested, and it names every key there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from robo_orch.policies.card import ActionSpec, Chunk, Leases, PolicyCard, PosesSpec, StartSet, load_card
from robo_orch.policies.loaders import LOADERS, load_policy, version
from robo_orch.policies.observation import Features, Finish, Image, Outputs, Prefix, Text
from robo_orch.robots.features import COLUMNS, OWN
from robo_orch.skills import skill
from tests.policies.learned import GOAL, context, observation

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "policies.md").read_text()
PARTS = (ActionSpec, Chunk, Features, Finish, Image, Leases, Outputs, PosesSpec, Prefix, StartSet, Text)
EXAMPLES = sorted([*DOCS.glob("examples/*/*.card.yaml"), DOCS / "examples/wrap/mine.py"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_what_the_page_shows_is_what_is_tested(path):
    shown = "".join(line for line in path.read_text().splitlines(keepends=True) if "SPDX" not in line)
    assert f"\n{shown}```" in PAGE


def test_every_key_and_name_is_explained():
    fields = {f.alias or name for name, f in PolicyCard.model_fields.items() if not f.exclude}
    words = fields | {name for part in PARTS for name in part.model_fields} | {*COLUMNS, *OWN, "toward", *LOADERS}
    assert not {word for word in words if f"`{word}" not in PAGE and f"{word}:" not in PAGE}


def test_a_class_of_another_framework_is_used_as_the_page_says():
    card = load_card(DOCS / "examples/wrap/reach.card.yaml")
    policy = load_policy(context(card))
    seen = observation()
    policy.reset(skill("pick_place").subgoal("red_cube", "plate"), seen, 0)
    rows = [policy.act(seen).values for _ in range(4)]
    assert [row.shape for row in rows] == [(1, 7)] * 4
    assert rows[0][0].tolist() == pytest.approx([0.02, 0.02, -0.02, 0, 0, 0, 0.08])
    assert len(policy.model.queue) == 2
    policy.reset(GOAL, seen, 0)
    assert policy.model.queue == []
    assert len(version(card)) == 12
