"""Tables and images in the libraries that people have around them."""

import subprocess
import sys

import numpy as np
import pytest

import lumagraph as lg


def table():
    image = np.random.default_rng(1).integers(0, 256, (40, 50), dtype=np.uint8)
    return lg.regionprops_table(
        lg.label(image > 200), image, ("label", "area", "centroid", "intensity_mean")
    )


def test_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    wanted = table()
    frame = pandas.DataFrame(wanted)
    assert list(frame.columns) == list(wanted) and len(frame) == len(wanted["label"])
    for name, column in wanted.items():
        assert np.array_equal(frame[name].to_numpy(), column)
    assert list(pandas.DataFrame(lg.stats(np.zeros((2, 3), np.uint8)).table())["count"]) == [6]


def test_polars():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    wanted = table()
    frame = polars.DataFrame(wanted)
    assert frame.columns == list(wanted)
    for name, column in wanted.items():
        assert np.array_equal(frame[name].to_numpy(), column)


def test_pyarrow():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    wanted = table()
    assert pyarrow.table(wanted)["area"].to_pylist() == wanted["area"].tolist()


def test_xarray():
    """The example of docs/python.md."""
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pixels = np.random.default_rng(1).random((5, 30, 40), dtype=np.float32)
    image = xarray.DataArray(pixels, dims=("z", "y", "x"), coords={"z": np.arange(5) * 2.0})

    def blurred(image, sigma):
        return xarray.apply_ufunc(
            lambda a: lg.filters.gaussian_blur(a, sigma=sigma, layer_axis=0),
            image,
            input_core_dims=[["z", "y", "x"]],
            output_core_dims=[["z", "y", "x"]],
        )

    result = blurred(image, 2)
    assert result.dims == image.dims and np.array_equal(result.z, image.z)
    assert np.array_equal(result.to_numpy(), lg.filters.gaussian_blur(pixels, sigma=2, layer_axis=0))
    assert lg.stats(image, layer_axis=0, stack=True).mean == lg.stats(pixels, layer_axis=0, stack=True).mean


def test_pillow():
    pil = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    pixels = np.random.default_rng(1).integers(0, 256, (7, 9, 3), dtype=np.uint8)
    assert (
        lg.stats(pil.fromarray(pixels), channel_axis=-1).exact_sum.tolist() == pixels.sum((0, 1)).tolist()
    )


def test_missing_dask_is_a_sentence():
    code = (
        "import sys; sys.modules['dask'] = None; import lumagraph\n"
        "try: lumagraph.dask\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "lumagraph.dask needs Dask: pip install 'dask[array]'\n"


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys, lumagraph\n"
        "print([m for m in ('numpy', 'dask', 'lumagraph.filters', 'lumagraph._display') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_wheel_for_every_python():
    """What the extension takes from Python is the limited API, as abi3audit sees it."""
    pytest.importorskip("abi3audit", reason="abi3audit is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "abi3audit", "--strict", "--assume-minimum-abi3", "3.11", lg._core.__file__],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
