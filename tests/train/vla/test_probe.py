# SPDX-License-Identifier: Apache-2.0
"""Errands of an evaluation are held out, repeat, and are counted by kind and look-alike."""

from itertools import islice

import pytest

from robo_orch.sim.scenes import load_scene
from robo_orch.train.vla.physics import Result
from robo_orch.train.vla.probe import Probe, alike, asked

pytest.importorskip("torch", reason="torch is not installed: pip install 'robo_orch[train]'")

from robo_orch.train.vla.run import shares


def went(kind, success, near, picked=True):
    result = Result(success, success, 5.0)
    return Probe(40000, "pick_place", f"red_{kind}", "tray", kind, near, 0.5, picked, result)


def test_errands_are_of_the_stratum_asked_for_and_repeat():
    scene = load_scene("kitchen")
    seeds = scene.sets.seeds("validation", "pairs")
    first = [(layout.seed, errand) for layout, errand in islice(asked(scene, seeds, 0, 0, 3), 3)]
    again = [(layout.seed, errand) for layout, errand in islice(asked(scene, seeds, 0, 1, 3), 2)]
    assert all(seed in seeds for seed, _ in first)
    assert again == first[1:]


def test_shares_are_told_by_kind_and_look_alike():
    split = shares([went("cube", True, False), went("cube", False, True), went("can", True, True)])
    assert split["all"] == {"n": 3, "success": 0.667, "done": 0.667, "picked": 1.0}
    assert split["cube"]["success"] == 0.5 and split["can"]["n"] == 1
    assert split["unlike"]["success"] == 1.0


def test_look_alikes_are_other_free_things_of_the_colour():
    scene = load_scene("kitchen")
    layout, errand = next(iter(asked(scene, scene.sets.seeds("test", "pairs"), 1, 0, 1)))
    colour = layout.inventory[errand.object].colour
    others = [o for o in layout.inventory.values() if o.name != errand.object and o.colour == colour]
    free = [o for o in others if not o.fixed and o.joint is None]
    assert alike(layout.inventory, errand.object) is bool(free)
