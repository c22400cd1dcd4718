"""Arrays on a GPU that CUDA, torch and CuPy see, too."""
from . import _core
from ._context import cuda_core

_TYPES = {"u8": ("uint8", "|u1"), "u16": ("uint16", "<u2"), "f16": ("float16", "<f2"),
          "f32": ("float32", "<f4")}
_ON_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


class DeviceArray:
    """An array in memory of a GPU that Vulkan has made and CUDA has imported: `torch.from_dlpack` and
    `cupy.from_dlpack` use it without a copy, and so do the functions of this package, which also
    return such arrays for such arrays.

    shape, dtype, device. stream: the CUDA stream whose work a call of this package with this array
    waits for, as a handle; 1, the legacy default stream, is what torch and CuPy use until told
    otherwise. None: nothing is waited for. A tensor made of the array needs no stream here: it tells
    its own.
    """

    __slots__ = ("_image", "stream", "__weakref__")

    def __init__(self, image, stream=1):
        self._image, self.stream = image, stream

    @property
    def shape(self):
        return self._image.shape

    @property
    def ndim(self):
        return len(self._image.shape)

    @property
    def dtype(self):
        """The name of the type of samples, such as "uint8"."""
        return "bool" if self._image.flags[3] else _TYPES[self._image.type][0]

    @property
    def device(self):
        return f"cuda:{self._image.__dlpack_device__()[1]}"

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self._image.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device,
                                      copy=copy)

    def __dlpack_device__(self):
        return self._image.__dlpack_device__()

    @property
    def __cuda_array_interface__(self):
        address, strides = self._image.memory
        waits = _core.cuda_signal(self._image, 1)
        kind = "|b1" if self._image.flags[3] else _TYPES[self._image.type][1]
        return {"shape": self.shape, "typestr": kind, "data": (address, False), "strides": strides,
                "stream": 1 if waits else None, "version": 3}

    def numpy(self):
        """A copy in the memory of the host: a NumPy array."""
        import numpy as np
        from ._run import run
        shape = self.shape
        rgb = self._image.size[3] != self._image.size[4]
        out = np.empty((*shape[:-1], 4) if rgb else shape, self.dtype)
        out = out[..., :3] if rgb else out
        return run("", self, layer_axis=0 if self._image.flags[0] else None,
                   channel_axis=-1 if self._image.flags[1] else None, out=out)

    def __array__(self, dtype=None, copy=None):
        raise TypeError(f"the array is on {self.device}: numpy() copies it to the memory of the host")

    def __repr__(self):
        return f"<lumagraph.DeviceArray {self.device}: {self.shape} {self.dtype}>"


def empty(shape, dtype="uint8", *, channel_axis=None, layer_axis=None, device="cuda:0", context=None):
    """An array on a GPU of CUDA, its samples undefined: a DeviceArray.

    shape: (rows, columns); with layer_axis=0 layers stand in front, with channel_axis=-1 channels
    behind. dtype: uint8, uint16, float16, float32 or bool, of NumPy or torch. Rows begin at multiples
    of 16 bytes, and three channels have the memory of four, so strides may be larger than the shape.
    context: one on that device, by default that of the thread.
    """
    from ._run import type_number
    shape = tuple(int(n) for n in shape)
    ndim = 2 + (channel_axis is not None) + (layer_axis is not None)
    if len(shape) != ndim or layer_axis not in (None, 0, -ndim) or channel_axis not in (None, -1, ndim - 1):
        raise ValueError(f"shape {shape}: on a GPU an array has rows and columns, with layer_axis=0 layers "
                         "in front, with channel_axis=-1 channels behind")
    number = type_number(dtype)
    if number < 0:
        raise TypeError("dtype is None; it is one of uint8, uint16, float16, float32 and bool")
    layers = shape[0] if layer_axis is not None else 1
    channels = shape[-1] if channel_axis is not None else 1
    rows, columns = shape[layer_axis is not None:][:2]
    kind, _, index = device.partition(":")
    if kind != "cuda" or not (index or "0").isdecimal():
        raise ValueError(f"device '{device}' is not 'cuda:NUMBER'")
    is_bool = str(getattr(dtype, "__name__", dtype)).rsplit(".", 1)[-1] in ("bool", "bool_")
    return DeviceArray(_core.cuda_empty(cuda_core(int(index or 0), context), columns, rows, layers, channels,
                                        number, layer_axis is not None, channel_axis is not None, is_bool))


def cuda_number(array):
    """The number of the GPU that has an array; None for one in the memory of the host."""
    kind = type(array)
    if kind.__module__ == "numpy" or not hasattr(kind, "__dlpack_device__"):
        return None
    device = array.__dlpack_device__()
    return int(device[1]) if int(device[0]) in _ON_CUDA else None


def in_place(array, channel_axis, layer_axis, context):
    """The image over memory of ours, for a submission."""
    if type(array) is DeviceArray:
        return array._image
    number = cuda_number(array)
    if number is None:
        raise ValueError("what is submitted is on a GPU; make it with lumagraph.empty()")
    return image_of(array, number, channel_axis, layer_axis, False, context, False)


def image_of(array, number, channel_axis, layer_axis, copy, context, host_waits=True):
    """The image over an array on a GPU, behind the stream of its caller."""
    if type(array) is DeviceArray:
        if array.stream is not None:
            _core.cuda_order(array._image, array.stream, host_waits)
        return array._image
    return _core.Image(array, channel_axis, layer_axis, False, copy, cuda_core(number, context), host_waits)


