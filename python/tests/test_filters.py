"""lumagraph.filters against the catalogue, and every function against the text of a pipeline."""

import inspect
import keyword

import numpy as np
import pytest

import lumagraph as lg
from lumagraph import _core

CATALOGUE = {f["name"]: f for f in _core.filters()}
OPTIONS = ["channel_axis", "layer_axis", "out", "dtype", "cast", "context"]
LOOKS = 64  # LG_FILTER_LOOK


def shown(f):
    return [p for p in f["params"] if p["kind"] != "alias" and (p["kind"] != "table" or p["unit"])]


def picture(seed=1, shape=(24, 32, 3)):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def table_of(f):
    """What a second image has to be, where it is not any picture."""
    if f["name"] in ("lookup", "amatorka", "miss_etikate", "tone_curve"):
        return lg.run("lookup_identity", np.zeros((512, 512, 3), np.uint8), channel_axis=-1)
    if f["name"] == "draw_lines":
        return lg.run("hough_lines", picture(), channel_axis=-1, dtype=np.float32)
    return picture(2)


def test_every_filter_is_a_function():
    assert lg.filters.__all__ == sorted(CATALOGUE)
    assert all(inspect.isfunction(getattr(lg.filters, name)) for name in CATALOGUE)


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_signature(name):
    f = CATALOGUE[name]
    parameters = inspect.signature(getattr(lg.filters, name)).parameters
    names = [p["name"] + "_" * keyword.iskeyword(p["name"]) for p in shown(f)]
    aliases = [p["name"] for p in f["params"] if p["kind"] == "alias"]
    second = ["over"] if f["inputs"] == 2 or f["flags"] & LOOKS else []
    given = [n for n in parameters if n not in OPTIONS]
    assert given[: 1 + len(second) + len(names)] == ["image", *second, *names]
    assert sorted(given[1 + len(second) + len(names) :]) == sorted(aliases)
    for p, key in zip(shown(f), names):
        value = parameters[key].default
        if p["kind"] in ("number", "integer"):
            assert np.float32(value) == np.float32(p["value"][0])
        elif p["kind"] == "choice":
            assert value == p["choices"].split("|")[int(p["value"][0])]
        elif p["kind"] == "flag":
            assert value is (p["value"][0] != 0)
        elif p["kind"] in ("point", "color", "matrix"):
            assert np.array_equal(np.float32(value), np.float32(p["value"]))


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_documented(name):
    f, text = CATALOGUE[name], " ".join(getattr(lg.filters, name).__doc__.split())
    assert " ".join(f["formula"].split()) in text
    assert " ".join(f["source"].split()) in text
    for p in shown(f):
        assert " ".join(p["help"].split()) in text


def other_value(f, p):
    """A value that is not the default: for the function, and for a text."""
    v, low, high = p["value"], p["min"], p["max"]
    if p["kind"] == "choice":
        choices = p["choices"].split("|")
        return choices[(int(v[0]) + 1) % len(choices)], None
    if p["kind"] == "flag":
        return v[0] == 0, "no" if v[0] else "yes"
    if p["kind"] == "integer":
        one = v[0] + 1 if v[0] + 1 <= high else v[0] - 1
        return int(one), None
    if p["kind"] == "number":
        one = (v[0] + min(high, v[0] + 1)) / 2
        one = one if one != v[0] else (v[0] + max(low, v[0] - 1)) / 2
        return float(one), repr(float(one))
    if p["kind"] in ("point", "color"):
        numbers = tuple(0.25 + i / 8 for i in range(len(v)))
        return numbers, ",".join(map(str, numbers))
    return None


def changes():
    for name, f in sorted(CATALOGUE.items()):
        yield name, None
        for p in shown(f):
            if other_value(f, p) is not None:
                yield name, p["name"]


def outcome(call):
    try:
        return call()
    except lg.Error as error:
        return str(error).split(": ", 1)[-1]


@pytest.mark.parametrize("name, changed", list(changes()))
def test_function_is_the_text(name, changed):
    f, image = CATALOGUE[name], picture()
    given, text = {}, name
    if changed:
        p = next(p for p in shown(f) if p["name"] == changed)
        value, written = other_value(f, p)
        given[changed + "_" * keyword.iskeyword(changed)] = value
        text += f":{changed}={written or value}"
    inputs = {}
    if f["inputs"] == 2:
        given["over"] = inputs["second"] = table_of(f)
        text += ":over=#second"
    mine = outcome(lambda: getattr(lg.filters, name)(image, channel_axis=-1, **given))
    wanted = outcome(lambda: lg.run(text, image, channel_axis=-1, inputs=inputs))
    assert type(mine) is type(wanted), (mine, wanted)
    if isinstance(mine, str):
        assert mine == wanted
    else:
        assert mine.dtype == wanted.dtype and np.array_equal(mine, wanted, equal_nan=mine.dtype.kind == "f")


def test_aliases():
    image = picture()
    for name, f in CATALOGUE.items():
        for alias in (p for p in f["params"] if p["kind"] == "alias"):
            p = next(p for p in f["params"] if p["name"] == alias["unit"])
            value = other_value(f, p)
            if f["inputs"] == 1 and value is not None:
                function = getattr(lg.filters, name)
                one = outcome(lambda: function(image, channel_axis=-1, **{alias["name"]: value[0]}))
                two = outcome(lambda: function(image, channel_axis=-1, **{p["name"]: value[0]}))
                assert np.array_equal(one, two), (name, alias["name"])
    with pytest.raises(lg.ArgumentError, match="sigma is given twice"):
        lg.filters.gaussian_blur(image, sigma=3, blur_radius=4, channel_axis=-1)


def test_values_of_all_kinds():
    text = str
    assert text(lg.filters.crop(box=(3, 4, 10, 12))) == "crop:box=10x12+3+4"
    assert text(lg.filters.crop(centered=True)) == "crop:centered=yes"
    assert text(lg.filters.label(connectivity=4)) == "label:connectivity=4"
    assert text(lg.filters.gaussian_blur(sigma=2)) == "gaussian_blur", "the default is left out"
    assert text(lg.filters.gaussian_blur(sigma=np.float32(0.5))) == "gaussian_blur:sigma=0.5"
    assert text(lg.filters.gaussian_blur(radius=np.int64(3))) == "gaussian_blur:radius=3"
    assert text(lg.filters.threshold(level="@otsu")) == "threshold:level=@otsu"
    assert text(lg.filters.draw_points(points=[(0.25, 0.5), (1, 0)])) == "draw_points:points=0.25,0.5;1,0"
    kernel = np.arange(9.0).reshape(3, 3)
    assert text(lg.filters.convolution_3x3(kernel=kernel)) == (
        "convolution_3x3:kernel=" + ",".join(f"{v:.1f}" for v in kernel.flat)
    )
    assert (
        text(lg.filters.linear_filter(kernel=kernel.astype(int)))
        == "linear_filter:kernel=0,1,2;3,4,5;6,7,8"
    )


def test_table_in_place_of_a_filter():
    image = picture()
    lookup = lg.run("lookup_identity | amatorka", np.zeros((512, 512, 3), np.uint8), channel_axis=-1)
    named = lg.run("soft_elegance:first=#t", image, channel_axis=-1, inputs={"t": lookup})
    assert np.array_equal(lg.filters.soft_elegance(image, first=lookup, channel_axis=-1), named)
    look = lg.filters.amatorka(image, lookup, channel_axis=-1)
    assert np.array_equal(look, lg.run("lookup:over=#t", image, channel_axis=-1, inputs={"t": lookup}))


def test_misuse_names_what_is_wrong():
    image = picture()
    with pytest.raises(TypeError, match="sigmaa"):
        lg.filters.gaussian_blur(image, sigmaa=2, channel_axis=-1)
    with pytest.raises(ValueError, match="sigma"):
        lg.filters.gaussian_blur(image, sigma=-1, channel_axis=-1)
    with pytest.raises(ValueError, match="no spaces, colons or bars"):
        lg.filters.gaussian_blur(rule="exact | median")
    with pytest.raises(TypeError, match="without an image"):
        lg.filters.gaussian_blur(sigma=3, out=image)
    with pytest.raises(TypeError, match="default, 2.0"):
        lg.filters.gaussian_blur(image, sigma=None)


# ---- pipelines ----------------------------------------------------------------------------------


def test_pipelines_are_joined():
    blur, grey = lg.filters.gaussian_blur(sigma=3), lg.filters.grayscale()
    for joined in (blur | grey, blur | "grayscale", "gaussian_blur:sigma=3" | grey):
        assert str(joined).replace("3.0", "3") == "gaussian_blur:sigma=3 | grayscale"
        assert isinstance(joined, lg.Pipeline)
    assert str(lg.Pipeline() | grey) == "grayscale" == str(grey | "")
    assert blur | grey == blur | grey != grey | blur
    assert len({blur | grey, blur | grey, grey | blur}) == 2
    image = picture()
    wanted = lg.run("gaussian_blur:sigma=3 | grayscale", image, channel_axis=-1)
    assert np.array_equal((blur | grey)(image, channel_axis=-1), wanted)
    assert np.array_equal(lg.run(blur | grey, image, channel_axis=-1), wanted)
    plan = lg.Plan(blur | grey, image, channel_axis=-1)
    assert np.array_equal(plan(image), wanted)
    for wrong in (3, None, [grey]):
        with pytest.raises(TypeError):
            blur | wrong


def test_arrays_stand_in_pipelines():
    image, a, b = picture(1), picture(2), picture(3)
    steps = (
        lg.filters.add_blend(over=a) | lg.filters.multiply_blend(over=b) | lg.filters.screen_blend(over=a)
    )
    text = "add_blend:over=#array1 | multiply_blend:over=#array2 | screen_blend:over=#array1"
    assert str(steps) == text
    wanted = lg.run(text, image, channel_axis=-1, inputs={"array1": a, "array2": b})
    assert np.array_equal(steps(image, channel_axis=-1), wanted)
    plan = lg.Plan(steps, image, channel_axis=-1)
    assert np.array_equal(plan(image), wanted)
    # A name that is taken is not taken twice.
    mixed = lg.filters.add_blend(over="#array1") | lg.filters.multiply_blend(over=b)
    wanted = lg.run(
        "add_blend:over=#array1 | multiply_blend:over=#b",
        image,
        channel_axis=-1,
        inputs={"array1": a, "b": b},
    )
    assert np.array_equal(mixed(image, channel_axis=-1, inputs={"array1": a}), wanted)


def test_named_images():
    image = picture()
    steps = (
        lg.filters.gaussian_blur(sigma=4).named("soft")
        | "#image"
        | lg.filters.difference_blend(over="#soft")
    )
    wanted = lg.run(
        "gaussian_blur:sigma=4 #soft | #image | difference_blend:over=#soft", image, channel_axis=-1
    )
    assert np.array_equal(steps(image, channel_axis=-1), wanted)
    with pytest.raises(ValueError, match="empty"):
        lg.Pipeline().named("x")


def test_a_pipeline_is_no_array():
    with pytest.raises(TypeError, match="has not been applied"):
        np.asarray(lg.filters.grayscale())
