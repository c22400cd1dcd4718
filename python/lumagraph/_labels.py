"""Connected components: label(), and regionprops_table() of labels."""
from . import _core
from ._arrays import as_image, numpy, restore_axes
from ._context import core_of
from ._cuda import cuda_number
from ._tables import Table

_NEIGHBOURS = {2: {1: 4, 2: 8}, 3: {1: 6, 2: 18, 3: 26}}
_RULES = {"nonzero": 0, "above": 1, "values": 2}

# Names of scikit-image, and the column of the library behind each. Tuples are one for each axis, in
# the order of x, y and z.
_COLUMNS = {
    "label": "label",
    "area": "area",
    "num_pixels": "area",
    "centroid": ("cx", "cy", "cz"),
    "equivalent_diameter_area": "equivalent_diameter",
    "extent": "extent",
    "axis_major_length": "major_axis",
    "axis_minor_length": "minor_axis",
    "eccentricity": "eccentricity",
    "orientation": "orientation",
    "perimeter": "perimeter",
    "perimeter_crofton": "crofton_perimeter",
    "euler_number": "euler_number",
    "intensity_mean": "mean",
    "intensity_min": "min",
    "intensity_max": "max",
    "intensity_std": "stddev",
    "intensity_sum": "sum",
    "intensity_variance": "variance",
    "centroid_weighted": ("mx", "my", "mz"),
    "circularity": "circularity",
    "surface_area": "surface_area",
    "surface_area_crofton": "crofton_surface_area",
    "sphericity": "sphericity",
    "touches_edge": "edge",
}
_BOX = (("x", "width"), ("y", "height"), ("z", "depth"))
_FACES = ("faces_x", "faces_y", "faces_z")
_OLD_NAMES = {"equivalent_diameter": "equivalent_diameter_area", "major_axis_length":
              "axis_major_length", "minor_axis_length": "axis_minor_length", "bbox_area":
              "area_bbox", "mean_intensity": "intensity_mean", "min_intensity": "intensity_min",
              "max_intensity": "intensity_max", "weighted_centroid": "centroid_weighted"}
_OF_INTENSITY = {name for name in _COLUMNS if name.startswith("intensity") or "weighted" in name}
_PLANE = {"eccentricity", "orientation", "perimeter", "perimeter_crofton", "circularity"}
_SOLID = {"surface_area", "surface_area_crofton", "sphericity"}
_WHOLE = {"label", "euler_number", "touches_edge", "num_pixels"}
# With a spacing: the power of it that a figure has, when it is the same along all axes.
_POWER = {"axis_major_length": 1, "axis_minor_length": 1, "perimeter": 1, "perimeter_crofton": 1,
          "surface_area_crofton": 2}
_ANY_SPACING = {"label", "num_pixels", "extent", "intensity_mean", "intensity_min", "intensity_max",
                "intensity_std", "intensity_sum", "intensity_variance", "touches_edge", "bbox",
                "area", "area_bbox", "centroid", "centroid_weighted", "equivalent_diameter_area",
                "euler_number", "surface_area"}


def _connectivity(connectivity, ndim):
    known = _NEIGHBOURS.get(ndim)
    if known is None:
        raise ValueError(f"labels have 2 or 3 axes, not {ndim}")
    connectivity = ndim if connectivity is None else connectivity
    if connectivity not in known:
        raise ValueError(f"connectivity is {connectivity!r}; for {ndim} axes it is 1 to {ndim}")
    return known[connectivity]


def _shape_of(array):
    shape = getattr(array, "shape", None)
    return numpy().asarray(array).shape if shape is None else shape


def label(image, connectivity=None, *, return_num=False, level=None, fill_holes=False, keep=None,
          largest=None, intensity_image=None, layer_axis=None, context=None):
    """Labels of connected components, as skimage.measure.label: an array of int32.

    Samples other than 0 are foreground, and equal ones are connected: 4 neighbours with
    connectivity=1, 8 with 2 (the default); three axes are a volume, with 6, 18 or 26 neighbours for
    1, 2 and 3. Labels are 1, 2, 3 ... in the order of the first pixels. level: samples above it are
    foreground instead. fill_holes: holes belong to what surrounds them; all foreground is then
    equal. layer_axis: that axis is one of pages, which are labelled one by one; numbers go on from
    page to page.

    keep: an expression over figures, such as "area >= 50 && circularity > 0.8"; other components become
    background, and the rest is numbered anew. Figures have the names of the command line (docs/cli.md);
    those of samples are of intensity_image. largest: so many of the largest components stay.
    return_num: returns the labels and how many there are. Where int32 does not hold
    the labels they are uint32.

    The rows of the result begin at multiples of 64 bytes, so it may not be in one piece.
    """
    ndim = len(_shape_of(image))
    neighbours = _connectivity(connectivity, ndim if layer_axis is None else 2)
    image = _labelled_image(image, 0 if layer_axis is None and ndim == 3 else layer_axis, level,
                            context)
    rule = "above" if level is not None else "nonzero" if fill_holes or image.flags[3] else "values"
    if largest is not None and largest < 1:
        raise ValueError(f"largest is {largest}; it is the number of components that stay, 1 or more")
    samples = None if intensity_image is None else as_image(
        intensity_image, None, 0 if layer_axis is None and ndim == 3 else layer_axis,
        context=context)
    labels = _core.label(core_of(context, image, samples), image, neighbours, _RULES[rule],
                         0.0 if level is None else float(level), fill_holes, samples, keep,
                         largest or 0)
    array = restore_axes(numpy().asarray(labels), None, layer_axis)
    return (array, labels.count) if return_num else array


def _labelled_image(image, layer_axis, level, context):
    try:
        return as_image(image, None, layer_axis, context=context)
    except TypeError:
        if level is not None or cuda_number(image) is not None:
            raise
    # Only which values are equal matters: numbers that float32 does not hold get other ones.
    np = numpy()
    array = np.asarray(image)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"samples of {array.dtype} cannot be labelled")
    values, places = np.unique(array, return_inverse=True)
    places = places.reshape(array.shape) + 1
    places[array == 0] = 0
    if len(values) >= 1 << 24:
        raise TypeError(f"{len(values)} different values are too many to be labelled; 16777215 are "
                        "allowed where float32 does not hold them")
    return as_image(places.astype(np.float32), None, layer_axis)


# ---- figures of labels ---------------------------------------------------------------------------


def _spacing_of(spacing, ndim):
    if spacing is None:
        return (1.0,) * ndim
    sides = (float(spacing),) * ndim if not hasattr(spacing, "__len__") else tuple(map(float, spacing))
    if len(sides) != ndim or not all(s > 0 for s in sides):
        raise ValueError(f"spacing is {spacing!r}; it is a positive number, or one for each of the "
                         f"{ndim} axes")
    return sides


def _check_properties(properties, sides, has_intensity):
    known = [*_COLUMNS, "bbox", "area_bbox"]
    for name in properties:
        if name not in known:
            import difflib
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}"
            raise ValueError(f"there is no property '{name}'{hint}")
        if name in _OF_INTENSITY and not has_intensity:
            raise ValueError(f"'{name}' needs an intensity_image")
        if len(set(sides)) > 1 and name not in _ANY_SPACING:
            raise ValueError(f"'{name}' with a spacing that differs from axis to axis, {sides}, is "
                             "not known; with the same spacing it is")
        if len(sides) == 3 and name in _PLANE:
            raise ValueError(f"'{name}' is a figure of planes, as in scikit-image; these labels are a "
                             "volume")
        if len(sides) == 2 and name in _SOLID:
            raise ValueError(f"'{name}' is a figure of volumes; these labels are a plane")


def _columns_for(properties, ndim):
    """The columns of the library that some properties need."""
    columns = ["area"]
    for name in properties:
        if name in ("bbox", "area_bbox"):
            for pair in _BOX[:ndim]:
                columns += pair
        elif isinstance(_COLUMNS[name], tuple):
            columns += _COLUMNS[name][:ndim]
        elif name == "surface_area":
            columns += _FACES
        else:
            columns.append(_COLUMNS[name])
    return tuple(dict.fromkeys(columns))


def _measure(label_image, intensity, ndim, columns, context):
    """Columns of the labels that occur, by name, and the labels themselves."""
    np = numpy()
    core = core_of(context)
    # The library has Euler numbers of planes; those of volumes come behind its columns.
    euler = ndim == 3 and "euler_number" in columns
    columns = tuple(c for c in columns if c != "euler_number") if euler else columns
    arguments = 26 if ndim == 3 else 8, intensity, columns, euler
    labels = label_image if hasattr(label_image, "__array_interface__") else np.asarray(label_image)
    if getattr(labels, "dtype", None) == bool:
        raise TypeError("a mask of bool has no labels; label(mask) makes them")
    found, values = _core.measure_labels(core, labels, *arguments), None
    if found is None:  # few labels with large numbers
        values, places = np.unique(labels, return_inverse=True)
        values = values[values > 0]
        places = np.searchsorted(values, np.asarray(labels)).astype(np.int64) + 1
        places[np.asarray(labels) <= 0] = 0
        found = _core.measure_labels(core, places, *arguments)
    names = (*columns, "euler_number") if euler else columns
    table = {name: np.frombuffer(data) for name, data in zip(names, found)}
    occurs = table["area"] > 0
    numbers = np.flatnonzero(occurs) + 1
    if not occurs.all():
        table = {name: column[occurs] for name, column in table.items()}
    return table, numbers if values is None else values[numbers - 1].astype(np.int64)


def _diameter(area, ndim):
    np = numpy()
    return np.sqrt(4 * area / np.pi) if ndim == 2 else np.cbrt(6 * area / np.pi)


def _one_property(name, table, numbers, sides):
    """A property as pairs of a suffix and a column."""
    np = numpy()
    ndim, cell = len(sides), float(np.prod(sides))
    if name == "label":
        return [("", numbers)]
    if name == "bbox":
        first = [table[x].astype(np.int64) for x, _ in _BOX[:ndim]][::-1]
        length = [table[w].astype(np.int64) for _, w in _BOX[:ndim]][::-1]
        both = first + [f + n for f, n in zip(first, length)]
        return [(f"-{i}", column) for i, column in enumerate(both)]
    if name == "area_bbox":
        return [("", np.prod([table[w] for _, w in _BOX[:ndim]], 0) * cell)]
    if name == "surface_area":
        return [("", sum(table[f] * (cell / side) for f, side in zip(_FACES, sides[::-1])))]
    column = _COLUMNS[name]
    if isinstance(column, tuple):
        return [(f"-{i}", table[c] * sides[i] if sides[i] != 1 else table[c])
                for i, c in enumerate(column[:ndim][::-1])]
    values = table[column]
    if name in _WHOLE:
        return [("", values.astype(np.int64))]
    if cell != 1:
        if name == "area":
            values = values * cell
        elif name == "equivalent_diameter_area":
            values = _diameter(table["area"] * cell, ndim)
        elif name in _POWER:
            values = values * sides[0] ** _POWER[name]
    return [("", values)]


def regionprops_table(label_image, intensity_image=None, properties=("label", "bbox"), *,
                      spacing=None, channel_axis=None, cast=False, separator="-", context=None):
    """Figures of every label, as skimage.measure.regionprops_table: a Table of columns.

    label_image: whole numbers, 0 is background; two axes, or three for a volume.
    intensity_image: of the same shape, or with channel_axis for channels, whose figures have the
    channel as the last part of their names. spacing: the sides of a pixel; where they differ, axes,
    eccentricity, orientation, perimeters and what is of cubes are refused, as the last three of
    planes are for volumes.

    The names and values are those of scikit-image. Also known: intensity_sum, intensity_variance,
    circularity and touches_edge, and of volumes surface_area, surface_area_crofton and sphericity.
    """
    if isinstance(properties, str):
        properties = (properties,)
    asked = [_OLD_NAMES.get(name, name) for name in properties]
    shape = tuple(_shape_of(label_image))
    ndim = len(shape)
    if ndim not in (2, 3):
        raise ValueError(f"labels have 2 or 3 axes, not {ndim}")
    sides = _spacing_of(spacing, ndim)
    _check_properties(asked, sides, intensity_image is not None)
    images = _intensities(intensity_image, shape, channel_axis, cast)
    plain = [name for name in asked if name not in _OF_INTENSITY]
    columns = _columns_for(asked if images and channel_axis is None else plain, ndim)
    table, numbers = _measure(label_image, images[0] if images and channel_axis is None else None,
                              ndim, columns, context)
    by_channel = []
    if channel_axis is not None:
        of_intensity = _columns_for([n for n in asked if n in _OF_INTENSITY], ndim)
        by_channel = [_measure(label_image, i, ndim, of_intensity, context)[0] for i in images]
    result = Table()
    for name, written in zip(asked, properties):
        if name in _OF_INTENSITY and by_channel:
            for channel, one in enumerate(by_channel):
                for suffix, column in _one_property(name, one, numbers, sides):
                    result[_name(written + suffix + f"-{channel}", separator)] = column
        else:
            for suffix, column in _one_property(name, table, numbers, sides):
                result[_name(written + suffix, separator)] = column
    return result


def _name(name, separator):
    return name if separator == "-" else name.replace("-", separator)


def _intensities(image, shape, channel_axis, cast):
    if image is None:
        return []
    layer_axis = 0 if len(shape) == 3 else None
    if channel_axis is None:
        found = tuple(_shape_of(image))
        if found != shape:
            raise ValueError(f"intensity_image has the shape {found}, the labels have {shape}; "
                             "channel_axis names an axis of channels")
        return [as_image(image, None, layer_axis, cast)]
    np = numpy()
    planes = np.moveaxis(np.asarray(image), channel_axis, 0)
    if planes.shape[1:] != shape:
        raise ValueError(f"a channel of intensity_image has the shape {planes.shape[1:]}, the labels "
                         f"have {shape}")
    return [as_image(plane, None, layer_axis, cast) for plane in planes]
