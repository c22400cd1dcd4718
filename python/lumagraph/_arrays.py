"""Arrays in and out. NumPy is imported when the first result is made."""
from os import PathLike

from . import _core
from ._cuda import DeviceArray, cuda_number, image_of

Image = _core.Image
_numpy = None


def numpy():
    """The module NumPy, imported at first use."""
    global _numpy
    if _numpy is None:
        import numpy as module
        _numpy = module
    return _numpy


def as_image(array, channel_axis=None, layer_axis=None, cast=False, copy=True, context=None):
    """An image over an array's own memory where its layout allows, else over a copy. context: the
    caller's, which arrays on a GPU are copied with."""
    if type(array) is Image:
        return array
    number = cuda_number(array)
    if number is not None:
        return image_of(array, number, channel_axis, layer_axis, copy, context)
    return Image(_plain(array), channel_axis, layer_axis, cast, copy)


def _plain(array):
    """Lists, numbers and what becomes an array by itself (of xarray, Pillow, Dask) do so; whatever has
    a buffer or DLPack stays as it is."""
    if isinstance(array, (str, PathLike)):
        raise TypeError(f"{array!r} is no image, but a text: another library opens files (Pillow, "
                        "imageio, tifffile), and a pipeline stands in front of the image, as in "
                        "run('median', image)")
    if isinstance(array, (list, tuple)) or (not hasattr(array, "__dlpack__") and (
            hasattr(array, "__array__") or hasattr(array, "__array_interface__"))):
        return numpy().asarray(array)
    return array


def as_mask(mask, context=None):
    """A mask of one channel of bytes: zero leaves a pixel out."""
    if mask is None or type(mask) is Image:
        return mask
    shape = getattr(mask, "shape", None)
    axis = 0 if shape is not None and len(shape) == 3 else None
    image = as_image(mask, None, axis, context=context)
    if image.home is not None:  # the library reads masks in the memory of the host
        mask = DeviceArray(image, None).numpy()
        image = as_image(mask, None, axis)
    if image.type == "u8":
        return image
    np = numpy()
    return as_image(np.asarray(mask) != 0, None, axis)


def as_array(image):
    """The array over an image's memory, without a copy: of NumPy, or on the GPU."""
    return numpy().asarray(image) if image.home is None else DeviceArray(image, None)


def restore_axes(array, channel_axis, layer_axis):
    """A result has layers first and channels last; the caller's axes may be elsewhere."""
    if (channel_axis is None and layer_axis is None) or type(array) is DeviceArray:
        return array
    ndim = 2 + (channel_axis is not None) + (layer_axis is not None)
    channel = None if channel_axis is None else channel_axis % ndim
    layer = None if layer_axis is None else layer_axis % ndim
    if channel is not None and array.ndim < ndim:  # the result is grey
        layer = layer if layer is None or layer < channel else layer - 1
        channel = None
    moves = [] if layer is None else [(0, layer)]
    if channel is not None:
        moves.append((array.ndim - 1, channel))
    if all(a == b for a, b in moves):
        return array
    return numpy().moveaxis(array, [a for a, _ in moves], [b for _, b in moves])


def channel_count(array, channel_axis):
    """The length of the axis of channels; 0 where that is not known before."""
    shape = getattr(array, "shape", None)
    if shape is None or not -len(shape) <= channel_axis < len(shape):
        return 0
    return shape[channel_axis]


def planes_of(array, channel_axis, layer_axis):
    """The channels one by one, and the axis of layers in each."""
    np = numpy()
    array = np.asarray(array)
    if array.ndim != 3 + (layer_axis is not None):
        Image(array, channel_axis, layer_axis, False, False)  # which says what is wrong with the whole array
    axis = channel_axis % array.ndim
    if layer_axis is not None:
        layer_axis %= array.ndim
        layer_axis -= layer_axis > axis
    return list(np.moveaxis(array, axis, 0)), layer_axis
