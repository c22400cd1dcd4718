"""The images that filters are tried on, and the two file formats they travel in."""
import pathlib
import struct
import zlib

import numpy as np

IMAGES = pathlib.Path(__file__).resolve().parents[2] / 'images'
MAX = {'uint8': 255, 'uint16': 65535}


def read_png(path, rows):
    """The first rows of an 8-bit grey or RGB picture without interlace: H x W x C."""
    data = path.read_bytes()
    place, packed, head = 8, b'', None
    while place < len(data):
        size, kind = struct.unpack('>I4s', data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        head = body if kind == b'IHDR' else head
        packed += body if kind == b'IDAT' else b''
        place += 12 + size
    width, height, bits, color, _, _, interlace = struct.unpack('>IIBBBBB', head)
    channels = {0: 1, 2: 3}[color]
    assert bits == 8 and not interlace
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((rows, width * channels), np.uint8)
    above = np.zeros(width * channels, np.uint8)
    for y, line in enumerate(lines[:rows]):
        out[y] = above = undo(int(line[0]), line[1:].astype(int), above.astype(int), channels)
    return out.reshape(rows, width, channels)


def undo(kind, line, above, step):
    if kind == 0:
        return line.astype(np.uint8)
    if kind == 2:
        return (line + above).astype(np.uint8)
    out = [0] * (len(line) + step)  # `step` zeros stand left of the row
    for i, value in enumerate(line):
        left, up, corner = out[i], int(above[i]), int(above[i - step]) if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + up) // 2
        else:
            sides = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
            guess = (left, up, corner)[sides.index(min(sides))]
        out[i + step] = (int(value) + guess) & 255
    return np.array(out[step:], np.uint8)


def read(path):
    """NPY, or binary PGM and PPM of 8 bits."""
    data = path.read_bytes()
    if data[:2] not in (b'P5', b'P6'):
        return np.load(path)
    fields = data.split(None, 4)
    width, height, most = (int(v) for v in fields[1:4])
    assert most == 255
    shape = (height, width, 3) if data[:2] == b'P6' else (height, width)
    return np.frombuffer(data[-int(np.prod(shape)):], np.uint8).reshape(shape)


def write(path, image):
    if path.suffix == '.npy':
        np.save(path, image)
    else:
        kind = b'P6' if image.ndim == 3 else b'P5'
        path.write_bytes(kind + b'\n%d %d\n255\n' % image.shape[1::-1] + image.tobytes())


def to_color(image):
    """Samples of a file as H x W x 4 straight colours."""
    x = image.astype(float) / MAX.get(image.dtype.name, 1)
    if x.ndim == 2:
        x = x[..., None]
    channels = x.shape[2]
    one = np.ones(x.shape[:2] + (1,))
    if channels <= 2:
        return np.concatenate([x[..., :1]] * 3 + [x[..., 1:2] if channels == 2 else one], axis=2)
    return x if channels == 4 else np.concatenate([x, one], axis=2)


def make():
    """Name -> array as it stands in the file. Names with `wild` hold values outside 0..1."""
    random = np.random.default_rng(20)
    photo = read_png(IMAGES / 'astronaut.png', 150)
    cat = read_png(IMAGES / 'chelsea.png', 130)

    def noise(*shape):
        return random.integers(0, 256, shape).astype(np.uint8)

    corners = np.array([0, 1, 127, 128, 254, 255], np.uint8)
    grid = np.stack(np.meshgrid(corners, corners, corners, corners, indexing='ij'), -1)
    floats = random.random((17, 33, 4)).astype(np.float32)
    floats[random.random((17, 33)) < 0.2, 3] = 0
    floats[random.random((17, 33)) < 0.2, 3] = 1
    ends = np.array([0, 1e-6, 0.5, 1 - 1e-6, 1], np.float32)
    wild = (random.random((9, 31, 4)) * 6 - 2).astype(np.float32)
    wild[..., 3] = random.choice(ends, (9, 31))
    square = photo[92:128, 196:232]
    return {
        'photo.ppm': np.ascontiguousarray(photo[80:143, 180:307]),
        'photo_float.npy': (cat[90:123, 130:197] / 255).astype(np.float32),
        'noise.npy': noise(33, 17, 4),
        'grey.npy': noise(1, 7),
        'grey_alpha.npy': noise(5, 3, 2),
        'one.npy': noise(1, 1, 3),
        'long.npy': noise(3, 643, 4),
        'corners.npy': grid.reshape(36, 36, 4),
        'sixteen.npy': random.integers(0, 65536, (7, 19, 3)).astype(np.uint16),
        'float.npy': floats,
        'ends.npy': random.choice(ends, (11, 37, 4)),
        'wild.npy': wild,
        # As large as `corners`: they go through a blend together.
        'square_photo.npy': np.ascontiguousarray(square),
        'square_grey.npy': np.ascontiguousarray(square[..., 1]),
        'square_float.npy': random.random((36, 36, 4)).astype(np.float32),
        'square_ends.npy': random.choice(ends, (36, 36, 4)),
    }


def overlay(image, seed):
    """The second image of a blend: as large, with every kind of alpha."""
    random = np.random.default_rng(seed)
    shape = image.shape[:2]
    if image.dtype == np.float32:
        return image[::-1, ::-1]
    over = random.integers(0, 256, shape + (4,)).astype(np.uint8)
    special = random.choice(np.array([0, 1, 127, 128, 254, 255], np.uint8), shape + (4,))
    return np.where(random.random(shape + (1,)) < 0.5, over, special)


def marker_picture():
    """Labels of single pixels and pairs, as large as `corners`."""
    random = np.random.default_rng(4)
    labels = np.zeros((36, 36), np.uint16)
    labels[random.integers(0, 36, 25), random.integers(0, 36, 25)] = random.integers(1, 12, 25)
    return labels


def lookup_picture():
    """512 x 512 look-up picture of a smooth made-up mapping."""
    b, g, r = np.meshgrid(*[np.arange(64) / 63] * 3, indexing='ij')
    mapped = np.stack([0.8 * r + 0.2 * b * b, np.sqrt(g) * (1 - 0.3 * r), 0.1 + 0.9 * b * g], -1)
    tiles = np.floor(mapped * 255 + 0.5).astype(np.uint8).reshape(8, 8, 64, 64, 3)
    return tiles.transpose(0, 2, 1, 3, 4).reshape(512, 512, 3)


def line_list():
    """cos t, sin t, distance and votes of lines; the last one has no votes."""
    lines = [(0, 10), (np.pi / 2, 3.25), (0.4, 20), (2.7, -9), (1.1, 6)]
    return np.array([[[np.cos(t), np.sin(t), d, n != 4] for n, (t, d) in enumerate(lines)]], np.float32)
