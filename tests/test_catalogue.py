# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch import catalogue
from robo_orch.errors import SceneError

THING = "mass: 0.1\ngeoms: [{shape: box, size: [0.1, 0.1, 0.1], material: red}]\n"
GRASP = "grasps: [{name: top, position: [0, 0, 0], approach: [0, 0, -1], fingers: [0, 1, 0], width: 0.1}]\n"


@pytest.mark.parametrize("kind", catalogue.kinds())
def test_every_kind_can_be_made_in_every_colour_and_at_both_ends_of_its_scales(kind):
    model = catalogue.kind(kind)
    for colour in model.colours or ("",):
        for scale in model.scales:
            obj = catalogue.make_object(kind, "thing", colour, scale)
            assert (obj.name, obj.kind, obj.colour) == ("thing", kind, colour)
            assert all(catalogue.rgba(g.material) for g in obj.geoms)


def test_cubes_are_4_to_5_cm_in_at_least_six_colours():
    model = catalogue.kind("cube")
    sizes = [2 * catalogue.make_object("cube", "c", "red", s).geoms[0].size[0] for s in model.scales]
    np.testing.assert_allclose(sizes, (0.04, 0.05), atol=1e-4)
    assert len(model.colours) >= 6


def test_scale_multiplies_lengths_and_cubes_mass():
    one, larger = (catalogue.make_object("cube", "c", "red", s) for s in (1.0, 1.1))
    assert larger.mass == pytest.approx(1.1**3 * one.mass)
    assert larger.grasps[0].width == pytest.approx(1.1 * one.grasps[0].width)
    np.testing.assert_allclose(larger.surfaces[0].centre, 1.1 * one.surfaces[0].centre)


def test_a_cube_is_grasped_from_above_at_four_yaws():
    grasps = catalogue.make_object("cube", "c", "red").grasps
    matrices = [g.pose.rotation.as_matrix() for g in grasps]
    assert len({tuple(np.round(m[:, 1], 6)) for m in matrices}) == 4
    for matrix in matrices:
        np.testing.assert_allclose(matrix[:, 2], (0, 0, -1), atol=1e-12)
        assert np.linalg.det(matrix) == pytest.approx(1.0)


def test_a_surface_is_where_the_geometry_ends():
    for kind in ("cube", "plate"):
        obj = catalogue.make_object(kind, "thing", (catalogue.kind(kind).colours or ("",))[0])
        solid = max(g.pose.position[2] + g.half_extents[2] for g in obj.geoms if g.collides)
        assert obj.surfaces[0].centre[2] == pytest.approx(solid)


def test_a_finger_and_a_palm_have_room_at_the_drawers_handle():
    """Palm 38 mm above the tool point; a finger is 24 mm thick and is opened by 20 mm at least."""
    cabinet, drawer, _ = catalogue.furniture("cabinet")
    handle = drawer.grasps[0].pose.position
    front = max(g.pose.position[0] - g.half_extents[0] for g in drawer.geoms if g.material == "sage")
    assert front - handle[0] - 0.020 - 0.024 > 0.005
    top = cabinet.surfaces[0].centre[2]
    assert handle[2] + 0.038 - top > 0.01


def test_the_drawer_is_shut_at_0_and_its_hollow_is_inside_its_walls():
    cabinet, drawer, _ = catalogue.furniture("cabinet")
    assert drawer.joint.parent == cabinet.name and drawer.joint.limits == (0, 0.2)
    low, high = drawer.bounds()
    assert (drawer.interior.centre - drawer.interior.half > low).all()
    assert (drawer.interior.centre + drawer.interior.half < high).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: catalogue.make_object("cub", "c"), ("'cub'", "did you mean cube?")),
        (lambda: catalogue.make_object("cube", "c", "gren"), ("'gren'", "did you mean", "green")),
        (lambda: catalogue.make_object("cube", "c", "red", 3.0), ("a scale of cube", "3")),
        (lambda: catalogue.furniture("sofa"), ("cabinet", "table", "'sofa'")),
        (lambda: catalogue.rgba("plaid"), ("a colour or material", "'plaid'")),
        (lambda: catalogue.parse_kind(THING + "wheels: 4\n", "cart"), ("wheels", "mend cart.yaml")),
        (lambda: catalogue.parse_kind(THING.replace("0.1, 0.1, 0.1", "0.1"), "cart"), ("3 positive half sizes",)),
        (lambda: catalogue.parse_kind(THING.replace("red", "plaid"), "cart"), ("plaid", "materials.yaml")),
        (lambda: catalogue.parse_kind("geoms: [", "cart"), ("a description of cart",)),
        (lambda: catalogue.parse_kind(THING.replace("0.1]", ".nan]"), "cart"), ("geoms.0.size.2", "finite")),
        (lambda: catalogue.parse_kind(THING + "friction: .inf\n", "cart"), ("friction", "finite")),
        (lambda: catalogue.parse_kind(THING + "scales: [0, 1]\n", "cart"), ("scales", "greater than 0")),
        (lambda: catalogue.parse_kind(THING + "scales: [2, 1]\n", "cart"), ("scales from small to large",)),
        (
            lambda: catalogue.parse_kind(THING + GRASP.replace("0, 0, -1", "0, 0, 0"), "cart"),
            ("approach is a direction",),
        ),
        (lambda: catalogue.parse_kind(THING + GRASP.replace("0, 1, 0", "0, 0, 1"), "cart"), ("right angles",)),
        (lambda: catalogue.parse_kind(THING + "mass: 1\n", "cart"), ("'mass' is there twice",)),
        (lambda: catalogue.parse_kind("just words", "cart"), ("a description of cart",)),
    ],
)
def test_mistakes_are_told_with_the_remedy(call, words):
    with pytest.raises(SceneError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_new_kind_is_only_a_new_description():
    model = catalogue.parse_kind(THING + "words: [brick]\n", "crate")
    assert (model.kind, model.words) == ("crate", ("brick",))
