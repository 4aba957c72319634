# SPDX-License-Identifier: Apache-2.0
"""Scenes: what stands where, generated from a seed."""

from robo_orch.sim.scenes.layout import Layout, lay_out
from robo_orch.sim.scenes.scene import Camera, Light, SceneSpec, load_scene, scene_names
from robo_orch.sim.scenes.sets import Membership, Sets

__all__ = ["Camera", "Layout", "Light", "Membership", "SceneSpec", "Sets", "lay_out", "load_scene", "scene_names"]
