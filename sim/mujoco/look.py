# SPDX-License-Identifier: Apache-2.0
"""How a scene looks: materials, procedural textures, floor, sky, lights and cameras. Nothing here touches physics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from robo_orch.catalogue import rgba
from robo_orch.sim.scenes.scene import Camera, Light

#: Height of the floor under the table's top, m.
FLOOR = -0.72
#: Colour of the floor, plain: a texture on so large a plane costs more than it gives.
FLOOR_SHADE = (0.56, 0.58, 0.59, 1.0)
#: Off-screen image limits and shadow map size (chosen: larger maps dominate the cost of a picture).
MAX_WIDTH, MAX_HEIGHT, SHADOW_MAP = 1920, 1080, 2048

_GLOSS = {"steel": (0.9, 0.8), "porcelain": (0.6, 0.7), "glaze": (0.6, 0.7), "lacquer": (0.3, 0.5), "sage": (0.3, 0.5)}


def dress(spec: mujoco.MjSpec, cameras: Mapping[str, Camera], lights: Sequence[Light]) -> None:
    """Give a spec its materials, room, lights and cameras. Call before objects are added: they look materials up."""
    _quality(spec)
    _materials(spec)
    _room(spec)
    for i, light in enumerate(lights):
        _add_light(spec, f"light_{i}", light)
    for name, camera in cameras.items():
        _add_camera(spec, name, camera)


def _quality(spec: mujoco.MjSpec) -> None:
    spec.visual.global_.offwidth, spec.visual.global_.offheight = MAX_WIDTH, MAX_HEIGHT
    spec.visual.quality.shadowsize = SHADOW_MAP
    spec.visual.quality.offsamples = 4
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 24, 12
    spec.visual.headlight.ambient = [0.40, 0.40, 0.42]
    spec.visual.headlight.diffuse = [0.16, 0.16, 0.16]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 30.0
    # Shadows are drawn within shadowclip * extent (m) around the centre: tight, so that the map's texels are small.
    spec.stat.center, spec.stat.extent = [0.35, 0.0, 0.1], 1.0
    spec.visual.map.shadowclip = 1.1


def _materials(spec: mujoco.MjSpec) -> None:
    for name in ("wood", "wood_dark"):
        _texture(spec, f"{name}_grain", _grain(rgba(name)[:3]))
        material = spec.add_material(name=name, specular=0.15, shininess=0.3)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = f"{name}_grain"
    for name, (specular, shininess) in _GLOSS.items():
        spec.add_material(name=name, rgba=rgba(name), specular=specular, shininess=shininess)
    shades: dict[tuple[float, ...], str] = {}
    for geom in spec.geoms:
        shade = tuple(geom.rgba)
        if shade not in shades:
            shades[shade] = f"robot_{len(shades)}"
            spec.add_material(name=shades[shade], rgba=geom.rgba, specular=0.45, shininess=0.6)
        geom.material = shades[shade]


def _room(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.90, 0.92, 0.93],
        rgb2=[0.62, 0.67, 0.70],
        width=256,
        height=1536,
    )
    spec.add_material(name="floor", rgba=FLOOR_SHADE, specular=0.05, shininess=0.1)
    spec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[12, 12, 12],
        pos=[0, 0, FLOOR],
        material="floor",
        contype=1,
        conaffinity=1,
    )


def _texture(spec: mujoco.MjSpec, name: str, image: np.ndarray) -> None:
    height, width, _ = image.shape
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3)
    texture.colorspace = mujoco.mjtColorSpace.mjCOLORSPACE_LINEAR
    texture.data = (255 * np.clip(image, 0, 1)).astype(np.uint8).tobytes()


@cache
def _grain(colour: tuple[float, float, float], size: int = 512) -> np.ndarray:
    """Wood with its grain along y: streaks from noise that is smooth one way, ``(size, size, 3)``."""
    rng = np.random.default_rng(7)
    streaks = _smooth(rng.normal(size=(size, size)), (60.0, 1.2))
    broad = _smooth(rng.normal(size=(size, size)), (120.0, 14.0))
    value = streaks / streaks.std() * 0.035 + broad / broad.std() * 0.045
    return np.asarray(colour)[None, None] * (1.0 + value[..., None])


def _smooth(image: np.ndarray, sigma: tuple[float, float]) -> np.ndarray:
    """A picture ``(h, w)`` blurred by a Gaussian of ``sigma`` pixels down and across, its borders joined."""
    down, across = np.fft.fftfreq(image.shape[0])[:, None], np.fft.rfftfreq(image.shape[1])[None]
    kernel = np.exp(-2.0 * np.pi**2 * ((sigma[0] * down) ** 2 + (sigma[1] * across) ** 2))
    return np.fft.irfft2(np.fft.rfft2(image) * kernel, s=image.shape)


def _add_light(spec: mujoco.MjSpec, name: str, light: Light) -> None:
    direction = np.subtract(light.target, light.position)
    element = spec.worldbody.add_light(name=name, pos=light.position, dir=direction / np.linalg.norm(direction))
    element.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    element.diffuse, element.specular = light.diffuse, light.specular
    element.ambient = [0.0, 0.0, 0.0]
    element.castshadow = light.shadow


def _add_camera(spec: mujoco.MjSpec, name: str, camera: Camera) -> None:
    body = spec.body(camera.mount) if camera.mount else spec.worldbody
    back = np.subtract(camera.position, camera.target)
    back = back / np.linalg.norm(back)
    right = np.cross(camera.up, back)
    right = right / np.linalg.norm(right)
    turned = Rotation.from_matrix(np.column_stack([right, np.cross(back, right), back]))
    body.add_camera(name=name, pos=camera.position, quat=turned.as_quat(scalar_first=True), fovy=camera.fovy)
