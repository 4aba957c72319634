# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from robo_orch.errors import ModelError
from robo_orch.kernels import images as reference
from robo_orch.kernels.images import Filter, Fit, Layout, Preparation, taps

IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}


@pytest.fixture
def prepare(place):
    """The function under test, from array to array."""
    if place == "numpy":
        return reference.prepare
    import torch

    from robo_orch.kernels import triton_images

    return lambda images, how: triton_images.prepare(torch.from_numpy(images).to(place), how).cpu().numpy()


def pictures(n=2, height=12, width=20, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n, height, width, 3), np.uint8)


def raw(size, **more):
    """Pixel values as they are, channels last."""
    return Preparation(size, layout=Layout.NHWC, scale=1.0, **more)


@pytest.mark.parametrize("how", list(Filter))
@pytest.mark.parametrize("fit", list(Fit))
def test_the_right_size_is_left_as_it_is(prepare, how, fit):
    images = pictures()
    assert np.array_equal(prepare(images, raw((12, 20), filter=how, fit=fit)), images)


@pytest.mark.parametrize("how", list(Filter))
@pytest.mark.parametrize("size", [(5, 3), (4, 7), (10, 11), (1, 1)])
def test_a_plain_colour_stays_that_colour(prepare, how, size):
    images = np.full((1, 4, 6, 3), (10, 100, 250), np.uint8)
    result = prepare(images, raw(size, filter=how))
    assert result.shape == (1, *size, 3)
    assert np.allclose(result, (10, 100, 250), atol=1e-3)


def test_area_is_the_mean_of_the_pixels_covered(prepare):
    images = pictures()
    expected = images.reshape(2, 4, 3, 5, 4, 3).astype(np.float64).mean(axis=(2, 4))
    assert np.allclose(prepare(images, raw((4, 5))), expected, atol=1e-3)


def test_area_counts_parts_of_pixels(prepare):
    ramp = np.repeat(np.array([[[[0], [30], [60]]]], np.uint8), 3, axis=3)
    assert np.allclose(prepare(ramp, raw((1, 2)))[0, 0, :, 0], [10, 50], atol=1e-4)


def test_area_keeps_the_mean_brightness(prepare):
    images = pictures(height=13, width=17)
    assert np.allclose(prepare(images, raw((5, 7))).mean(axis=(1, 2)), images.mean(axis=(1, 2)), atol=0.01)


def test_bilinear_has_its_pixel_centres_at_half_numbers(prepare):
    ramp = np.repeat(np.array([[[[0], [100]]]], np.uint8), 3, axis=3)
    result = prepare(ramp, raw((1, 4), filter=Filter.BILINEAR))
    assert np.allclose(result[0, 0, :, 0], [0, 25, 75, 100], atol=1e-3)


def test_bilinear_is_what_onnx_calls_half_pixel_linear(prepare):
    torch = pytest.importorskip("torch")
    images = pictures()
    nchw = torch.from_numpy(images).permute(0, 3, 1, 2).float()
    expected = torch.nn.functional.interpolate(nchw, size=(7, 31), mode="bilinear", align_corners=False)
    result = prepare(images, Preparation((7, 31), filter=Filter.BILINEAR, scale=1.0))
    assert np.allclose(result, expected.numpy(), atol=1e-3)


def test_a_crop_keeps_the_centre_and_the_aspect(prepare):
    images = pictures(height=12, width=20)
    assert np.array_equal(prepare(images, raw((12, 12), fit=Fit.CROP)), images[:, :, 4:16])
    tall = pictures(height=20, width=12)
    assert np.array_equal(prepare(tall, raw((12, 12), fit=Fit.CROP)), tall[:, 4:16])


def test_a_letterbox_keeps_everything_and_pads_the_rest(prepare):
    images = pictures(height=6, width=12)
    result = prepare(images, raw((12, 12), fit=Fit.LETTERBOX, pad=114.0))
    assert np.array_equal(result[:, 3:9], images)
    assert (result[:, :3] == 114).all() and (result[:, 9:] == 114).all()


def test_channels_are_scaled_then_normalised(prepare):
    images = pictures()
    result = prepare(images, Preparation((12, 20), **IMAGENET))
    expected = (images / 255.0 - IMAGENET["mean"]) / IMAGENET["std"]
    assert result.dtype == np.float32 and result.flags.c_contiguous
    assert np.allclose(result, expected.transpose(0, 3, 1, 2), atol=1e-5)


@pytest.mark.parametrize("fit", list(Fit))
@pytest.mark.parametrize("how", list(Filter))
def test_every_way_agrees_with_the_reference(prepare, fit, how):
    for size, seed in (((9, 5), 1), ((16, 40), 2)):
        how_all = Preparation(size, fit=fit, filter=how, pad=20.0, **IMAGENET)
        images = pictures(3, 14, 19, seed)
        assert np.allclose(prepare(images, how_all), reference.prepare(images, how_all), atol=1e-5)


def test_a_slice_of_a_larger_batch_is_read_rightly(prepare):
    images = pictures(4)[::2, :, ::2]
    how = Preparation((5, 5))
    assert np.allclose(prepare(images, how), reference.prepare(np.ascontiguousarray(images), how), atol=1e-6)


@pytest.mark.parametrize("bad", [pictures()[0], pictures().astype(np.float32), pictures()[..., :1], pictures()[:0]])
def test_what_are_no_pictures_is_refused(prepare, bad):
    with pytest.raises(ModelError, match="uint8"):
        prepare(bad, Preparation((4, 4)))


@pytest.mark.parametrize("bad", [{"size": (0, 4)}, {"size": (4, 4), "std": (1.0, 0.0, 1.0)}])
def test_a_preparation_that_cannot_be_is_refused(bad):
    with pytest.raises(ModelError):
        Preparation(**bad)


@pytest.mark.parametrize("how", list(Filter))
def test_taps_never_leave_the_picture_and_sum_to_one(how):
    for height in (1, 2, 3, 7, 64, 97, 480):
        for out in (1, 2, 3, 8, 63, 96, 100):
            (rows, _) = taps(Preparation((out, out), filter=how), height, 50)
            assert rows.first.min() >= 0 and (rows.first + rows.weights.shape[1]).max() <= height
            assert np.allclose(rows.weights.sum(axis=1), 1.0, atol=1e-5)
