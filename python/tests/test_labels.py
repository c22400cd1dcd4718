"""Labels and their figures against scikit-image, SciPy and OpenCV."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lumagraph as lg

measure = pytest.importorskip("skimage.measure")

PLANE = (
    "label",
    "area",
    "num_pixels",
    "bbox",
    "area_bbox",
    "centroid",
    "equivalent_diameter_area",
    "extent",
    "axis_major_length",
    "axis_minor_length",
    "eccentricity",
    "orientation",
    "perimeter",
    "perimeter_crofton",
    "euler_number",
)
INTENSITY = ("intensity_mean", "intensity_min", "intensity_max", "intensity_std", "centroid_weighted")
VOLUME = (
    "label",
    "area",
    "bbox",
    "area_bbox",
    "centroid",
    "equivalent_diameter_area",
    "extent",
    "axis_major_length",
    "axis_minor_length",
)


def blobs(shape=(90, 110), share=0.45, seed=0):
    ndimage = pytest.importorskip("scipy.ndimage")
    noise = ndimage.gaussian_filter(np.random.default_rng(seed).random(shape), 1)
    return noise > np.quantile(noise, 1 - share)


def assert_same(table, wanted, within=1e-9):
    assert list(table) == list(wanted)
    for name in wanted:
        a, b = np.asarray(table[name]), np.asarray(wanted[name])
        assert a.dtype == b.dtype or name.startswith("intensity"), name
        assert np.allclose(a, b, rtol=within, atol=within, equal_nan=True), name


# ---- label() ----------------------------------------------------------------------------------------


@given(
    st.integers(1, 30),
    st.integers(1, 30),
    st.floats(0, 1),
    st.integers(0, 99),
    st.sampled_from([None, 1, 2]),
)
@settings(max_examples=80, deadline=None)
def test_labels_are_those_of_scikit_image(height, width, share, seed, connectivity):
    mask = np.random.default_rng(seed).random((height, width)) < share
    labels, count = lg.label(mask, connectivity, return_num=True)
    wanted, many = measure.label(mask, connectivity=connectivity, return_num=True)
    assert labels.dtype == np.int32 and count == many
    assert np.array_equal(labels, wanted)


@pytest.mark.parametrize("connectivity", [1, 2, 3, None])
def test_labels_of_volumes(connectivity):
    volume = np.random.default_rng(1).random((7, 20, 31)) < 0.3
    assert np.array_equal(lg.label(volume, connectivity), measure.label(volume, connectivity=connectivity))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "int64", "float32", "float64"])
def test_equal_values_are_connected(dtype):
    array = np.random.default_rng(2).integers(0, 3, (40, 50)).astype(dtype)
    assert np.array_equal(lg.label(array), measure.label(array.astype(int)))


def test_values_that_float32_does_not_hold():
    array = np.random.default_rng(3).integers(0, 3, (40, 50)) * (2**40 + 1)
    array[array == 2 * (2**40 + 1)] = 2**40 + 2
    assert np.array_equal(lg.label(array), measure.label(array))


def test_levels_and_holes():
    ndimage = pytest.importorskip("scipy.ndimage")
    image = np.random.default_rng(4).integers(0, 256, (40, 50)).astype(np.uint8)
    assert np.array_equal(lg.label(image, level=100), measure.label(image > 100))
    mask = blobs()
    filled = ndimage.binary_fill_holes(mask)
    assert np.array_equal(lg.label(mask, fill_holes=True), measure.label(filled))


def test_labels_agree_with_opencv():
    cv2 = pytest.importorskip("cv2")
    mask = blobs()
    labels, count = lg.label(mask, 1, return_num=True)
    many, others, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    assert many == count + 1
    pairs = np.unique(np.stack([labels.ravel(), others.ravel()]), axis=1)
    assert pairs.shape[1] == many  # one to one
    area = lg.regionprops_table(labels, properties=("area",))["area"]
    assert sorted(area) == sorted(stats[1:, 4])


@pytest.mark.parametrize("connectivity", [1, 2])
def test_labels_of_pages(connectivity):
    pages = np.random.default_rng(5).random((4, 20, 31)) < 0.4
    labels, count = lg.label(pages, connectivity, layer_axis=0, return_num=True)
    before = 0
    for page, found in zip(pages, labels):
        wanted = measure.label(page, connectivity=connectivity)
        assert np.array_equal(found, np.where(wanted > 0, wanted + before, 0))
        before += wanted.max()
    assert count == before
    last = lg.label(np.moveaxis(pages, 0, -1), connectivity, layer_axis=-1)
    assert np.array_equal(last, np.moveaxis(labels, 0, -1))
    with pytest.raises(ValueError, match="1 to 2"):
        lg.label(pages, 3, layer_axis=0)
    with pytest.raises(ValueError):
        lg.label(pages[0], layer_axis=0)


@pytest.mark.parametrize("connectivity", [0, 3, "8"])
def test_connectivities_that_are_refused(connectivity):
    with pytest.raises(ValueError, match="connectivity"):
        lg.label(np.ones((3, 3), bool), connectivity)


def test_labels_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="2 or 3 axes"):
        lg.label(np.ones(3, bool))
    with pytest.raises(TypeError):
        lg.label(np.ones((3, 3), complex))


# ---- regionprops_table() ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_that_of_scikit_image(seed):
    labels = lg.label(blobs(seed=seed))
    image = np.random.default_rng(seed).integers(0, 256, labels.shape).astype(np.uint8)
    table = lg.regionprops_table(labels, image, PLANE + INTENSITY)
    wanted = measure.regionprops_table(labels, image, properties=PLANE + INTENSITY)
    # Where both axes are equal there is no direction.
    round_ones = wanted["eccentricity"] < 1e-3
    table["orientation"][round_ones] = wanted["orientation"][round_ones]
    assert_same(table, wanted)
    assert type(table) is lg.Table


@pytest.mark.parametrize("dtype", ["uint16", "float32", "float64"])
def test_intensities_of_other_types(dtype):
    labels = lg.label(blobs())
    image = np.random.default_rng(6).random(labels.shape).astype(np.float32)
    image = (image * 60000).astype(dtype) if dtype == "uint16" else image.astype(dtype)
    # scikit-image adds float32 samples in float32.
    assert_same(
        lg.regionprops_table(labels, image, INTENSITY),
        measure.regionprops_table(labels, image, properties=INTENSITY),
        1e-5 if dtype == "float32" else 1e-9,
    )


def test_intensities_of_channels():
    labels = lg.label(blobs())
    image = np.random.default_rng(7).integers(0, 256, (*labels.shape, 3)).astype(np.uint8)
    properties = ("label", "intensity_mean", "intensity_max")
    assert_same(
        lg.regionprops_table(labels, image, properties, channel_axis=-1),
        measure.regionprops_table(labels, image, properties=properties),
    )


def test_tables_of_volumes():
    volume = lg.label(np.random.default_rng(8).random((12, 25, 30)) < 0.2)
    image = np.random.default_rng(8).integers(0, 256, volume.shape).astype(np.uint8)
    names = VOLUME[:7] + INTENSITY
    assert_same(
        lg.regionprops_table(volume, image, names),
        measure.regionprops_table(volume, image, properties=names),
    )


@pytest.mark.parametrize("spacing", [2, (2, 2), (0.5, 0.5)])
def test_one_spacing(spacing):
    labels = lg.label(blobs())
    sides = spacing if isinstance(spacing, tuple) else (spacing, spacing)
    names = (
        "area",
        "bbox",
        "area_bbox",
        "centroid",
        "equivalent_diameter_area",
        "extent",
        "eccentricity",
        "axis_major_length",
        "axis_minor_length",
        "perimeter",
        "perimeter_crofton",
    )
    assert_same(
        lg.regionprops_table(labels, properties=names, spacing=spacing),
        measure.regionprops_table(labels, properties=names, spacing=sides),
    )


def test_two_spacings():
    labels = lg.label(blobs())
    image = np.random.default_rng(9).integers(1, 256, labels.shape).astype(np.uint8)
    names = (
        "area",
        "bbox",
        "area_bbox",
        "centroid",
        "equivalent_diameter_area",
        "extent",
        "centroid_weighted",
    )
    assert_same(
        lg.regionprops_table(labels, image, names, spacing=(2, 0.5)),
        measure.regionprops_table(labels, image, properties=names, spacing=(2, 0.5)),
    )
    for name in ("perimeter", "eccentricity", "orientation"):
        with pytest.raises(ValueError, match="spacing"):
            lg.regionprops_table(labels, properties=(name,), spacing=(2, 0.5))


@pytest.mark.parametrize(
    "dtype", ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", ">i4"]
)
def test_labels_of_any_integer_type(dtype):
    labels = measure.label(blobs(share=0.2)) % 120
    labels[labels == 7] = 0
    given_labels = labels.astype(dtype)[::-1, ::2]
    names = ("label", "area", "centroid", "bbox")
    assert_same(
        lg.regionprops_table(given_labels, properties=names),
        measure.regionprops_table(labels[::-1, ::2], properties=names),
    )


def test_labels_with_gaps_and_negative_ones():
    labels = np.zeros((9, 9), np.int64)
    labels[1:3, 1:4], labels[5, 5:8], labels[8, :] = 3, 2**31 - 5, -4
    table = lg.regionprops_table(labels, properties=("label", "area"))
    assert list(table["label"]) == [3, 2**31 - 5] and list(table["area"]) == [6, 3]
    labels[5, 5] = 2**33
    with pytest.raises(TypeError, match="no label"):
        lg.regionprops_table(labels, properties=("label",))


def test_no_labels_at_all():
    table = lg.regionprops_table(np.zeros((5, 5), np.int32), properties=("label", "area", "bbox"))
    assert list(table) == ["label", "area", "bbox-0", "bbox-1", "bbox-2", "bbox-3"]
    assert all(len(column) == 0 for column in table.values())


def test_old_names_and_separators():
    labels = lg.label(blobs())
    table = lg.regionprops_table(labels, properties=("major_axis_length", "centroid"), separator="_")
    assert list(table) == ["major_axis_length", "centroid_0", "centroid_1"]


@pytest.mark.parametrize(
    "words, match",
    [
        ({"properties": ("are",)}, "did you mean 'area'"),
        ({"properties": ("intensity_mean",)}, "intensity_image"),
        ({"spacing": (1, 2, 3)}, "spacing"),
        ({"spacing": 0}, "spacing"),
        ({"intensity_image": np.zeros((3, 3), np.uint8)}, "shape"),
    ],
)
def test_tables_that_are_refused(words, match):
    with pytest.raises(ValueError, match=match):
        lg.regionprops_table(lg.label(blobs()), **words)
    with pytest.raises(TypeError, match="label"):
        lg.regionprops_table(np.ones((3, 3), bool))
    with pytest.raises(TypeError, match="no label"):
        lg.regionprops_table(np.ones((3, 3)))


def test_figures_of_planes_have_no_volume():
    for name in ("perimeter", "perimeter_crofton", "eccentricity", "orientation"):
        with pytest.raises(ValueError, match="figure of planes"):
            lg.regionprops_table(lg.label(np.ones((3, 3, 3), bool)), properties=(name,))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9])
def test_euler_numbers_of_volumes(share):
    rng = np.random.default_rng(11)
    labels = (rng.random((9, 14, 15)) < share) * rng.integers(1, 4, (9, 14, 15), dtype=np.uint16)
    if share < 0.6:
        labels = lg.label(labels > 0)
    names = ("label", "area", "euler_number")
    assert_same(
        lg.regionprops_table(labels, properties=names), measure.regionprops_table(labels, properties=names)
    )
    table = lg.regionprops_table(labels[::-1, :, ::2], properties=names, spacing=(3, 1, 1))
    assert_same(
        table, measure.regionprops_table(labels[::-1, :, ::2], properties=names, spacing=(3, 1, 1))
    )


def test_euler_numbers_of_solids():
    cube = np.zeros((7, 7, 7), np.int64)
    cube[1:6, 1:6, 1:6] = 2**31 - 3  # few labels with large numbers
    torus, shell = cube.copy(), cube.copy()
    torus[3, 3, :], shell[3, 3, 3] = 0, 0
    tables = [lg.regionprops_table(v, properties=("euler_number",)) for v in (cube, torus, shell)]
    assert [list(t["euler_number"]) for t in tables] == [[1], [0], [2]]


def test_surfaces_of_volumes():
    rng = np.random.default_rng(12)
    labels = lg.label(rng.random((9, 14, 15)) < 0.3)
    names = ("label", "surface_area", "surface_area_crofton", "sphericity")
    table, cubes = (lg.regionprops_table(labels, properties=names, spacing=s) for s in (None, 2))
    boxes = lg.regionprops_table(labels, properties=names[:2], spacing=(3, 1, 0.5))
    for i, number in enumerate(table["label"]):
        inside = np.pad(labels == number, 1).astype(int)
        faces = [np.abs(np.diff(inside, axis=axis)).sum() for axis in range(3)]
        assert table["surface_area"][i] == sum(faces)
        assert cubes["surface_area"][i] == 4 * sum(faces)
        assert boxes["surface_area"][i] == 0.5 * faces[0] + 1.5 * faces[1] + 3 * faces[2]
    np.testing.assert_allclose(cubes["surface_area_crofton"], 4 * table["surface_area_crofton"])
    np.testing.assert_array_equal(cubes["sphericity"], table["sphericity"])


def test_the_surface_of_a_ball():
    z, y, x = np.ogrid[:30, :30, :30]
    ball = (z - 14.3) ** 2 + (y - 14.6) ** 2 + (x - 14.1) ** 2 < 12**2
    table = lg.regionprops_table(ball.astype(np.uint8), properties=("surface_area_crofton", "sphericity"))
    assert table["surface_area_crofton"][0] == pytest.approx(4 * np.pi * 12**2, rel=0.01)
    assert table["sphericity"][0] == pytest.approx(1, rel=0.01)
    with pytest.raises(ValueError, match="figure of volumes"):
        lg.regionprops_table(ball[15].astype(np.uint8), properties=("sphericity",))
    with pytest.raises(ValueError, match="spacing that differs"):
        lg.regionprops_table(ball.astype(np.uint8), properties=("sphericity",), spacing=(2, 1, 1))


def test_components_that_stay():
    image = blobs()
    labels = measure.label(image)
    table = measure.regionprops_table(labels, properties=("label", "area", "bbox"))
    wanted = np.isin(labels, table["label"][table["area"] >= 8])
    kept, count = lg.label(image, keep="area >= 8", return_num=True)
    assert np.array_equal(kept, measure.label(wanted)) and kept.max() == count
    largest = lg.label(image, largest=3)
    areas = np.bincount(largest.ravel())[1:]
    assert sorted(areas) == sorted(table["area"])[-3:]
    samples = np.random.default_rng(1).integers(0, 256, image.shape).astype(np.uint8)
    means = measure.regionprops_table(labels, samples, properties=("intensity_mean",))["intensity_mean"]
    kept = lg.label(image, keep="mean > 128 && circularity >= 0", intensity_image=samples)
    assert kept.max() <= (means > 128).sum()
    assert lg.label(image, keep="mean > 128", intensity_image=samples).max() == (means > 128).sum()
    with pytest.raises(lg.ArgumentError, match="aera"):
        lg.label(image, keep="aera > 3")
    with pytest.raises(ValueError, match="largest"):
        lg.label(image, largest=0)
    with pytest.raises(lg.ArgumentError):
        lg.label(image, keep="mean > 128")
