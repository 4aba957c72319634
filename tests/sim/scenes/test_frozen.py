# SPDX-License-Identifier: Apache-2.0
"""The shipped scene is frozen: policies are trained on it, and stored figures refer to it.

Where this fails, a change altered the scene, its layouts, the low-level path or the accuracy of perception. If it was
meant to, raise the scene's version, write the new digests into ``frozen.yaml``, and say that policies and figures made
on the old one are void.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import yaml

from robo_orch.sim.scenes import lay_out, load_scene

FROZEN = yaml.safe_load(Path(__file__).with_name("frozen.yaml").read_text())


def fingerprint(layout):
    """Where everything is, to a hundredth of a millimetre, whatever machine reckoned it."""
    rows = {n: np.round([*p.position, *p.quaternion], 5) + 0.0 for n, p in sorted(layout.poses.items())}
    return hashlib.sha256("\n".join(f"{n} {row.tolist()}" for n, row in rows.items()).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", FROZEN)
def test_a_frozen_scene_is_as_it_was(name):
    scene = load_scene(name)
    assert {"version": scene.version, "digest": scene.digest()} == {k: FROZEN[name][k] for k in ("version", "digest")}


@pytest.mark.parametrize("name", FROZEN)
def test_its_layouts_are_as_they_were(name):
    scene = load_scene(name)
    assert {seed: fingerprint(lay_out(scene, seed)) for seed in FROZEN[name]["layouts"]} == FROZEN[name]["layouts"]
