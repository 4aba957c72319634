# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from robo_orch.planners.grounding import ground, mentions
from robo_orch.planners.vocabulary import Vocabulary
from tests.scenes import house, house_facts

TEMPLATES = yaml.safe_load(Path(__file__).with_name("paraphrases.yaml").read_text(encoding="utf-8"))
CASES = [(text, template["facts"]) for template in TEMPLATES for text in template["texts"]]
THINGS = ("red_cube", "blue_cube", "red_can", "green_can", "white_mug", "red_mug", "brown_box", "green_bottle")
HOUSE = house(*THINGS, blue_cube=1.11, red_cube=0.89)
SEEN = house_facts(HOUSE)


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_paraphrases_mean_the_same(text, wanted):
    assert sorted(map(str, ground(text, HOUSE, SEEN).predicates)) == sorted(wanted)


@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_what_a_paraphrase_mentions_can_be_laid_out(text):
    assert all(kind for kind, _ in mentions(text, Vocabulary.of_catalogue()))


def test_sixty_paraphrases_of_eight_templates_are_covered():
    assert len(CASES) >= 60
    assert len(TEMPLATES) >= 8
    assert min(len(template["texts"]) for template in TEMPLATES) >= 5
