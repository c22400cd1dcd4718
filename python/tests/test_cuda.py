"""Arrays on a GPU that CUDA sees, too: with the driver of tests/cuda_driver, on the memory of lavapipe."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import lumagraph as lg

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "tests/cuda_driver/driver.c"
OTHER = "0123456789abcdef0123456789abcdef"


def picture(shape=(57, 333), dtype=np.uint8, seed=0):
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return generator.random(shape, np.float32).astype(dtype)
    return generator.integers(0, np.iinfo(dtype).max + 1, shape, dtype)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """The driver, with two devices of which the second is that of Vulkan."""
    compiler = shutil.which("cc")
    if compiler is None or not SOURCE.exists():
        pytest.skip("the driver of the tests is compiled with cc")
    device = next((d for d in lg.devices() if d["kind"] == "vulkan" and "lavapipe" in d["driver"].lower()
                   or "llvmpipe" in d["name"]), None)
    if device is None:
        pytest.skip("the driver of the tests imports memory of lavapipe, which this build does not have")
    library = tmp_path_factory.mktemp("cuda") / "libcuda.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", "-D_GNU_SOURCE", "-Wl,-soname,libcuda.so.1", "-o", library,
                    SOURCE], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.fake_cuda_alloc.restype = ctypes.c_void_p
    loaded.fake_cuda_fill.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    os.environ["FAKE_CUDA_UUIDS"] = OTHER + "," + device["uuid"].hex()
    yield loaded
    del os.environ["FAKE_CUDA_UUIDS"]


class Tensor(ctypes.Structure):
    """DLPack's managed tensor, before versions."""

    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("index", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64), ("priv", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Foreign:
    """A tensor of another library on a GPU. All of them are kept: who takes one may hold it for long."""

    all = []

    def __init__(self, driver, array, device=1, memory=None, strides=None):
        self.array, self.device, self.streams = array, device, []
        self.memory = memory or driver.fake_cuda_alloc(array.nbytes, device)
        ctypes.memmove(self.memory, array.ctypes.data, array.nbytes)
        ndim = array.ndim
        self.sides = (ctypes.c_int64 * (2 * ndim))(*array.shape, *(strides or (
            s // array.itemsize for s in array.strides)))
        code = {"u": 1, "i": 0, "f": 2, "b": 6}[array.dtype.kind]
        at = ctypes.addressof(self.sides)
        self.all.append(self)
        self.tensor = Tensor(self.memory, 2, device, ndim, code, 8 * array.itemsize, 1, at, at + 8 * ndim)

    @property
    def shape(self):
        return self.array.shape

    def __dlpack_device__(self):
        return 2, self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


def write(array, pixels):
    """As a kernel that has ended."""
    address, strides = array._image.memory
    for y, row in enumerate(pixels):
        ctypes.memmove(address + y * strides[0], row.ctypes.data, row.nbytes)


def equal(a, b):
    names = ("count", "min", "max", "sum", "variance")
    return all(np.array_equal(getattr(a, n), getattr(b, n)) for n in names)


@pytest.fixture(scope="module")
def cpu():
    return lg.Context("cpu", threads=1)


# ---- without CUDA ------------------------------------------------------------------------------------


def test_without_cuda():
    try:
        ctypes.CDLL("libcuda.so.1")
        pytest.skip("this machine has CUDA")
    except OSError:
        pass
    code = ("import lumagraph as lg\n"
            "for call in (lambda: lg.empty((4, 5)), lambda: lg.Context('cuda:0')):\n"
            "    try: call()\n"
            "    except lg.UnsupportedError as error: assert 'there is no CUDA here' in str(error), error\n"
            "    else: raise SystemExit('no error')\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_empty_takes():
    for shape, more, text in (((4, 5, 3), {}, "rows and columns"), ((4,), {}, "rows and columns"),
                              ((4, 5, 3), {"channel_axis": 0}, "channels behind"),
                              ((4, 5, 3), {"layer_axis": 2}, "layers"),
                              ((4, 5), {"device": "gpu"}, "cuda:NUMBER"),
                              ((4, 5), {"device": "cuda:x"}, "cuda:NUMBER")):
        with pytest.raises(ValueError, match=text):
            lg.empty(shape, **more)
    with pytest.raises(TypeError, match="int32"):
        lg.empty((4, 5), np.int32)
    with pytest.raises(ValueError, match="no index"):
        lg.Context("cuda:x")


# ---- arrays of ours ----------------------------------------------------------------------------------


def test_an_array(driver, cpu):
    array, pixels = lg.empty((57, 333), device="cuda:1"), picture()
    write(array, pixels)
    assert array.shape == (57, 333) and array.dtype == "uint8" and array.ndim == 2
    assert array.device == "cuda:1"
    assert "cuda:1" in repr(array) and array.__dlpack_device__() == (2, 1)
    interface = array.__cuda_array_interface__
    assert interface["strides"] == (336, 1) and interface["typestr"] == "|u1" and interface["stream"] is None
    with lg.Context("cuda:1") as context:
        assert equal(lg.stats(array), lg.stats(pixels, context=cpu))
        assert context.report()["pixels"] == ""
    assert array._image.home.report()["pixels"] == "in place"
    assert np.array_equal(array.numpy(), pixels)
    assert lg.threshold_otsu(array) == lg.threshold_otsu(pixels, context=cpu)
    mask = picture(seed=3) > 99
    assert equal(lg.stats(array, mask=mask), lg.stats(pixels, mask=mask, context=cpu))
    with pytest.raises(BufferError, match=r"numpy\(\)"):
        memoryview(array._image)
    with pytest.raises(TypeError, match=r"numpy\(\)"):
        np.asarray(array)
    with pytest.raises(lg.ArgumentError, match="another context"):
        lg.stats(array, context=cpu)
    with pytest.raises(BufferError):
        array.__dlpack__(copy=True)
    with pytest.raises(BufferError):
        array.__dlpack__(dl_device=(1, 0))


def test_results_stay_there(driver, cpu):
    array, pixels = lg.empty((57, 333), device="cuda:1"), picture()
    write(array, pixels)
    result = lg.run("color_invert", array)
    assert type(result) is lg.DeviceArray and np.array_equal(result.numpy(), 255 - pixels)
    out = lg.empty((57, 333), device="cuda:1")
    assert lg.run("color_invert", result, out=out) is out and np.array_equal(out.numpy(), pixels)
    if not any(d["kind"] == "vulkan" and d["compiler"] for d in lg.devices()):
        return  # the CPU runs filters, and what is submitted has nowhere to go
    plan = lg.Plan("color_invert", like=array, figures=["@mean"])
    figures = lg.empty((1, 4), "float32", device="cuda:1")
    plan.submit(array, out=out, figures=figures, stream=1)
    assert np.array_equal(out.numpy(), 255 - pixels)
    assert out.__cuda_array_interface__["stream"] == 1
    plan(array)
    assert figures.numpy()[0, 0] == np.float32(plan.figures["mean"])
    with pytest.raises(ValueError, match="on a GPU"):
        plan.submit(pixels)


def test_the_stream_is_waited_for(driver, cpu):
    """The driver does the work of a stream when somebody waits: a call that does not reads old pixels."""
    array, pixels = lg.empty((57, 336), device="cuda:1"), picture((57, 336))
    write(array, np.zeros_like(pixels))
    address = array._image.memory[0]
    driver.fake_cuda_fill(address, pixels.ctypes.data, pixels.nbytes, None)
    array.stream = None
    assert lg.stats(array).max == 0
    array.stream = 1
    assert equal(lg.stats(array), lg.stats(pixels, context=cpu))
    # A tensor of another library over the same memory tells its stream by DLPack.
    tensor = Foreign(driver, pixels[::-1].copy(), memory=address)
    assert equal(lg.stats(tensor), lg.stats(pixels, context=cpu)) and tensor.streams[-1] > 2
    assert array._image.home.report()["pixels"] == "in place"


# ---- tensors of others -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32", "bool"])
def test_foreign_tensors(driver, cpu, dtype):
    for shape, axes in (((57, 333), {}), ((20, 33, 4), {"channel_axis": -1}),
                        ((3, 20, 31), {"layer_axis": 0})):
        pixels = picture(shape) > 99 if dtype == "bool" else picture(shape, dtype)
        tensor = Foreign(driver, pixels)
        assert equal(lg.stats(tensor, **axes), lg.stats(pixels, context=cpu, **axes))
        from lumagraph._context import _own
        assert _own.cuda[1].report()["pixels"] == "copied"


def test_what_is_refused(driver):
    pixels = picture((20, 32))
    for array, error, text in ((pixels.astype(np.int32), TypeError, "not converted"),
                               (pixels.astype(np.float64), TypeError, "not converted")):
        with pytest.raises(error, match=text):
            lg.stats(Foreign(driver, array))
    for strides in ((1, 20), (64, 2), (-32, 1)):
        with pytest.raises(ValueError, match="contiguous"):
            lg.stats(Foreign(driver, pixels, strides=strides))
    with pytest.raises(ValueError, match="contiguous"):
        lg.stats(Foreign(driver, picture((3, 20, 32))), channel_axis=0)
    with pytest.raises(ValueError, match="contiguous"):
        lg.stats(Foreign(driver, picture((20, 32, 3))), channel_axis=-1)
    with pytest.raises(ValueError, match="first axis"):
        lg.stats(Foreign(driver, picture((20, 3, 32))), layer_axis=1)
    with pytest.raises(lg.DeviceError, match="none of the usable Vulkan devices"):
        lg.stats(Foreign(driver, pixels, device=0))
    with pytest.raises(lg.ArgumentError, match="cuda:7"):
        lg.stats(Foreign(driver, pixels, device=7))
    with lg.Context("cuda:1") as context, pytest.raises(lg.ArgumentError, match="memory of cuda:0"):
        lg.stats(Foreign(driver, pixels, device=0), context=context)
    with pytest.raises(lg.UnsupportedError, match="on the CPU"):
        lg.stats(Foreign(driver, pixels), context=lg.Context("cpu"))
    with pytest.raises(ValueError, match=r"empty\(\)"):
        lg.run("color_invert", Foreign(driver, pixels), out=Foreign(driver, pixels))


def test_memory_is_given_back(driver):
    context = lg.Context("cuda:1")
    arrays = [lg.empty((20, 30), context=context, device="cuda:1") for _ in range(3)]
    before = driver.fake_cuda_live()
    capsule = arrays[0].__dlpack__()
    for side in range(20, 30):
        lg.stats(Foreign(driver, picture((side, 30))), context=context)
    del arrays
    kept = driver.fake_cuda_live()
    del capsule
    context.close()
    del context
    assert kept - before <= 8 and driver.fake_cuda_live() < before - 6
