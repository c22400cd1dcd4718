"""What OpenCV has of the catalogue: our pipeline, the pixels, and how to make OpenCV's calls.

A colour image of 8 bits has four channels here, of which the fourth is opaque, and three there.
"""
import collections

import cv2
import numpy as np

# name, our pipeline, type, channels, {OpenCV's variant: how to make its call from an image}
Task = collections.namedtuple("Task", "name pipeline type channels variants")

CHAIN = [("contrast", 1.2), ("contrast", 0.9), ("contrast", 1.1), ("contrast", 1.3)]
AFFINE = "brightness:brightness=0.1 | contrast:contrast=1.5 | color_invert | exposure:exposure=0.3"
CURVES = "gamma:gamma=0.8 | brightness:brightness=0.05 | levels:min=0.1:gamma=1.2:max=0.9 | color_invert"
MIXED = "brightness:brightness=0.1 | contrast:contrast=1.5 | saturation:saturation=1.4 | color_invert"
CANNY = {"sigma": 2, "low": 0.1, "high": 0.4}
REPLICATE = dict(borderType=cv2.BORDER_REPLICATE)
KERNEL = np.array([[0.1, 0.2, -0.3], [0.4, 0.5, 0.6], [-0.7, 0.8, -0.9]], np.float32)
SEPIA = np.array([[0.272, 0.534, 0.131], [0.349, 0.686, 0.168], [0.393, 0.769, 0.189]], np.float32)


def into(call):
    """A call with a buffer for its result: call(source, out)."""
    def make(image):
        out = np.empty_like(image)
        return lambda source, _: call(source, out)
    return make


def convert_chain(image):
    """One convertTo per filter: c' = (c - 127.5) k + 127.5."""
    out = [np.empty_like(image) for _ in range(2)]

    def run(source, _):
        for i, (_, k) in enumerate(CHAIN):
            source = cv2.convertScaleAbs(source, out[i % 2], k, 127.5 * (1 - k))
        return source
    return run


def lut_chain(image):
    """One LUT per filter, tables made beforehand."""
    out = [np.empty_like(image) for _ in range(2)]
    steps = [np.clip(np.rint((np.arange(256) - 127.5) * k + 127.5), 0, 255).astype(np.uint8)
             for _, k in CHAIN]

    def run(source, _):
        for i, table in enumerate(steps):
            source = cv2.LUT(source, table, out[i % 2])
        return source
    return run


def lut_once(image):
    """What a careful user writes: one LUT for all four."""
    out = np.empty_like(image)
    values = np.arange(256.0)
    for _, k in CHAIN:
        values = (values - 127.5) * k + 127.5
    table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return lambda source, _: cv2.LUT(source, table, out)


def sobel(image):
    """Both derivatives of 16 bits, and their magnitude as bytes."""
    def run(source, _):
        x, y = cv2.spatialGradient(source)
        return cv2.convertScaleAbs(cv2.magnitude(x.astype(np.float32), y.astype(np.float32)))
    return run


def sobel_of_sums(image):
    """|dx| + |dy| in place of the magnitude."""
    def run(source, _):
        x, y = (cv2.convertScaleAbs(cv2.Sobel(source, cv2.CV_16S, k, 1 - k)) for k in (1, 0))
        return cv2.add(x, y)
    return run


def canny(blurred):
    # Sobel's sums of bytes: 4 * 255 is what we call 1.
    low, high = (4 * 255 * CANNY[k] for k in ("low", "high"))

    def make(image):
        smooth, out = np.empty_like(image), np.empty_like(image)

        def run(source, _):
            if blurred:
                cv2.GaussianBlur(source, (0, 0), CANNY["sigma"], smooth, **REPLICATE)
                source = smooth
            return cv2.Canny(source, low, high, out, 3, True)
        return run
    return make


def sauvola(image):
    """From the means of values and of squares, as floats."""
    def run(source, _):
        mean = cv2.boxFilter(source, cv2.CV_32F, (31, 31), **REPLICATE)
        squares = cv2.sqrBoxFilter(source, cv2.CV_32F, (31, 31), **REPLICATE)
        deviation = cv2.sqrt(cv2.max(squares - mean * mean, 0))
        return cv2.compare(source.astype(np.float32), mean * (1 + 0.2 * (deviation / 128 - 1)), cv2.CMP_GE)
    return run


def rotate(image):
    out = np.empty_like(image)
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 30, 1)
    return lambda source, _: cv2.warpAffine(source, turn, (width, height), out, cv2.INTER_LINEAR,
                                            cv2.BORDER_REPLICATE)


def remap(image):
    """With coordinates of floats, made beforehand: a swirl."""
    out = np.empty_like(image)
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    dx, dy = x - width / 2, y - height / 2
    angle = np.clip(1 - np.hypot(dx, dy) / height * 2, 0, 1) ** 2 * 8
    sine, cosine = np.sin(angle), np.cos(angle)
    px, py = (dx * cosine - dy * sine + width / 2), (dx * sine + dy * cosine + height / 2)
    px, py = px.astype(np.float32), py.astype(np.float32)
    return lambda source, _: cv2.remap(source, px, py, cv2.INTER_LINEAR, out, cv2.BORDER_REPLICATE)


def resize(factor, way):
    def make(image):
        size = int(image.shape[1] * factor), int(image.shape[0] * factor)
        out = np.empty(size[::-1] + image.shape[2:], image.dtype)
        return lambda source, _: cv2.resize(source, size, out, 0, 0, way)
    return make


PERSPECTIVE = np.array([[0.9, -0.2, 200], [0.15, 1.1, -90], [3e-5, 2e-5, 1]])


def perspective(image):
    out = np.empty_like(image)
    size = image.shape[1::-1]
    return lambda source, _: cv2.warpPerspective(source, PERSPECTIVE, size, out, cv2.INTER_LINEAR,
                                                 cv2.BORDER_CONSTANT)


def affine(image):
    out = np.empty_like(image)
    size = image.shape[1::-1]
    return lambda source, _: cv2.warpAffine(source, TURN, size, out, cv2.INTER_LINEAR, cv2.BORDER_CONSTANT)


TURN = np.array([[0.9, -0.4, 700], [0.4, 0.9, -500]])


def matrix_text(m):
    """With pixel centres at halves."""
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    whole = half @ np.vstack([m, [0, 0, 1]])[:3] @ np.linalg.inv(half)
    return ",".join(f"{v:.9g}" for v in whole.ravel())


def unsharp(image):
    soft, out = np.empty_like(image), np.empty_like(image)

    def run(source, _):
        cv2.GaussianBlur(source, (0, 0), 4, soft, **REPLICATE)
        return cv2.addWeighted(source, 1.5, soft, -0.5, 0, out)
    return run


def guided(scale):
    """Guided by colours, of a mask that they make."""
    def make(image):
        guide = image.astype(np.float32)
        mask = (guide[:, :, 1] > 128).astype(np.float32)
        return lambda _, __: cv2.ximgproc.guidedFilter(guide, mask, 4 * scale, 6.5, None, -1, 1 / scale)
    return make


def harris(image):
    """The measure over 7 x 7 pixels, and its largest of 3 x 3 above a threshold."""
    def run(source, _):
        measure = cv2.cornerHarris(source, 7, 3, 0.04, **REPLICATE)
        most = cv2.dilate(measure, None, **REPLICATE)
        return cv2.bitwise_and(cv2.compare(measure, most, cv2.CMP_GE), cv2.compare(measure, 1e-4, cv2.CMP_GT))
    return run


def window(radius):
    return np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)


def gaussian(sigma, size=0):
    return into(lambda a, out: cv2.GaussianBlur(a, (size, size), sigma, out, **REPLICATE))


def box(radius):
    side = 2 * radius + 1
    return into(lambda a, out: cv2.blur(a, (side, side), out, **REPLICATE))


def dilate(radius):
    return into(lambda a, out: cv2.dilate(a, window(radius), out, **REPLICATE))


BILATERAL = {"bilateralFilter": into(lambda a, out: cv2.bilateralFilter(a, 11, 25.5, 3, out, **REPLICATE))}
MEDIAN = {"medianBlur 3": into(lambda a, out: cv2.medianBlur(a, 3, out))}
FILTER = {"filter2D": into(lambda a, out: cv2.filter2D(a, -1, KERNEL, out, **REPLICATE))}
CONVOLUTION = "convolution_3x3:kernel=" + ",".join(f"{v:g}" for v in KERNEL.ravel())
LUT = {"1 x LUT": lut_once}
FAST = cv2.FastFeatureDetector_create(25)

TASKS = [
    Task("four contrasts", " | ".join(f"{name}:{name}={k}" for name, k in CHAIN), "u8", 4,
         {"4 x convertScaleAbs": convert_chain, "4 x LUT": lut_chain, "1 x LUT": lut_once}),
    Task("four affine filters", AFFINE, "u8", 4, LUT),
    Task("four curves", CURVES, "u8", 4, LUT),
    Task("four, one mixes channels", MIXED, "u8", 4, {
        "convertTo + transform + convertTo": into(
            lambda a, out: cv2.convertScaleAbs(cv2.transform(cv2.convertScaleAbs(a, None, 1.5, 3), SEPIA),
                                               out, -1, 255))}),
    Task("sepia", "sepia", "u8", 4, {"transform": into(lambda a, out: cv2.transform(a, SEPIA, out))}),
    Task("grayscale, as RGB", "grayscale", "u8", 4, {"cvtColor twice": into(
        lambda a, out: cv2.cvtColor(cv2.cvtColor(a, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB, out))}),
    Task("look of a table, amatorka", "amatorka", "u8", 4, LUT),
    Task("equalization grey", "histogram_equalization", "u8", 1, {
        "equalizeHist": into(cv2.equalizeHist)}),
    Task("equalization RGB", "histogram_equalization", "u8", 4, {
        "equalizeHist of planes": lambda _: lambda a, _: cv2.merge(
            [cv2.equalizeHist(p) for p in cv2.split(a)])}),
    Task("median 3 x 3 grey", "median", "u8", 1, MEDIAN),
    Task("median 3 x 3 RGB", "median", "u8", 4, MEDIAN),
    Task("convolution 3 x 3 grey", CONVOLUTION, "u8", 1, FILTER),
    Task("convolution 3 x 3 RGB", CONVOLUTION, "u8", 4, FILTER),
    Task("Sobel magnitude grey", "sobel_edge_detection", "u8", 1,
         {"spatialGradient, magnitude": sobel, "|dx| + |dy|": sobel_of_sums}),
    Task("box 9 x 9 grey", "box_blur:radius=4", "u8", 1, {"blur": box(4)}),
    Task("box 31 x 31 grey", "box_blur:radius=15", "u8", 1, {"blur": box(15)}),
    Task("box 31 x 31 RGB", "box_blur:radius=15", "u8", 4, {"blur": box(15)}),
    Task("box 31 x 31 f32", "box_blur:radius=15", "f32", 1, {"blur": box(15)}),
    Task("Gaussian 2 grey", "gaussian_blur:sigma=2", "u8", 1, {"GaussianBlur": gaussian(2)}),
    Task("Gaussian 2 RGB", "gaussian_blur:sigma=2", "u8", 4, {"GaussianBlur": gaussian(2)}),
    Task("Gaussian 2 f32", "gaussian_blur:sigma=2", "f32", 1, {"GaussianBlur": gaussian(2)}),
    Task("Gaussian 10 grey", "gaussian_blur:sigma=10", "u8", 1,
         {"GaussianBlur": gaussian(10), "GaussianBlur, 61 taps": gaussian(10, 61)}),
    Task("Gaussian 10 RGB", "gaussian_blur:sigma=10", "u8", 4, {"GaussianBlur": gaussian(10)}),
    Task("dilation 7 x 7 grey", "dilation:radius=3", "u8", 1, {"dilate": dilate(3)}),
    Task("dilation 31 x 31 grey", "dilation:radius=15", "u8", 1, {"dilate": dilate(15)}),
    Task("dilation 31 x 31 RGB", "rgb_dilation:radius=15", "u8", 4, {"dilate": dilate(15)}),
    Task("opening 15 x 15 grey", "opening:radius=7", "u8", 1, {"morphologyEx": into(
        lambda a, out: cv2.morphologyEx(a, cv2.MORPH_OPEN, window(7), out, **REPLICATE))}),
    Task("bilateral 11 grey", "bilateral:radius=5:sigma_space=3:sigma_color=0.1", "u8", 1, BILATERAL),
    Task("bilateral 11 RGB", "bilateral:radius=5:sigma_space=3:sigma_color=0.1", "u8", 4, BILATERAL),
    Task("Canny, sigma 2", "canny_edge_detection", "u8", 1, {"GaussianBlur + Canny": canny(True)}),
    Task("Canny, no blur", "canny_edge_detection:sigma=0", "u8", 1, {"Canny": canny(False)}),
    Task("FAST", "fast_corner_detection", "u8", 1,
         {"FastFeatureDetector": lambda _: lambda a, _: FAST.detect(a)}),
    Task("Sauvola 31 x 31", "sauvola:radius=15", "u8", 1, {"two box filters": sauvola}),
    Task("resize 1/2 bilinear grey", "resize:scale=0.5:method=bilinear:antialias=no", "u8", 1,
         {"resize INTER_LINEAR": resize(0.5, cv2.INTER_LINEAR)}),
    Task("resize 1/2 bilinear RGB", "resize:scale=0.5:method=bilinear:antialias=no", "u8", 4,
         {"resize INTER_LINEAR": resize(0.5, cv2.INTER_LINEAR)}),
    Task("resize 1/2 area RGB", "resize:scale=0.5:method=area", "u8", 4,
         {"resize INTER_AREA": resize(0.5, cv2.INTER_AREA)}),
    Task("resize 2 bilinear grey", "resize:scale=2:method=bilinear", "u8", 1,
         {"resize INTER_LINEAR": resize(2, cv2.INTER_LINEAR)}),
    Task("resize 2 bilinear RGB", "resize:scale=2:method=bilinear", "u8", 4,
         {"resize INTER_LINEAR": resize(2, cv2.INTER_LINEAR)}),
    Task("transform affine grey", "transform:matrix=" + matrix_text(TURN), "u8", 1, {"warpAffine": affine}),
    Task("transform affine RGB", "transform:matrix=" + matrix_text(TURN), "u8", 4, {"warpAffine": affine}),
    Task("transform perspective grey", "transform:matrix=" + matrix_text(PERSPECTIVE), "u8", 1,
         {"warpPerspective": perspective}),
    Task("transform perspective RGB", "transform:matrix=" + matrix_text(PERSPECTIVE), "u8", 4,
         {"warpPerspective": perspective}),
    Task("median 21 x 21 grey", "median:radius=10", "u8", 1,
         {"medianBlur 21": into(lambda a, out: cv2.medianBlur(a, 21, out))}),
    Task("median 21 x 21 RGB", "median:radius=10", "u8", 4,
         {"medianBlur 21": into(lambda a, out: cv2.medianBlur(a, 21, out))}),
    Task("unsharp mask 4 grey", "unsharp_mask", "u8", 1, {"GaussianBlur, addWeighted": unsharp}),
    Task("unsharp mask 4 RGB", "unsharp_mask", "u8", 4, {"GaussianBlur, addWeighted": unsharp}),
    Task("Harris with suppression", "harris_corner_detection", "u8", 1,
         {"cornerHarris, dilate, compare": harris}),
    *([Task(f"guided filter, every {n}", f"alpha_combine:over=#in | guided_filter:scale={n}", "u8", 4,
            {"ximgproc.guidedFilter": guided(n)}) for n in (8, 1)] if hasattr(cv2, "ximgproc") else []),
    Task("swirl grey", "swirl", "u8", 1, {"warpAffine": rotate, "remap": remap}),
    Task("swirl RGB", "swirl", "u8", 4, {"warpAffine": rotate, "remap": remap}),
]
