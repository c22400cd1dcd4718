#!/usr/bin/env python3
"""Planes to RGB and back by the tool, against ffmpeg's libswscale.

usage: against_swscale.py TOOL
With the same rule, bilinear chroma at the same places, both are within one step of 8 bits. libswscale has
other rules where it is not told this one: by default it takes chroma to lie between the columns, and
interpolates it by a cubic of four taps; and to packed RGB of the same height it interpolates bilinear chroma
by whole and half rows. These rules are computed here, and are many steps from the tool's.
Prints what is wrong, and ends with `swscale: N passed, N failed`; exit status 1 when one failed.
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = sys.argv[1]
WIDTH, HEIGHT = 40, 24
WEIGHTS = {'bt709': (.2126, .0722), 'bt601': (.299, .114), 'bt2020': (.2627, .0593)}
# y4m tag: format of ffmpeg, bits, chroma across and down, its place in 256ths of a column and row of luma
KINDS = {'C420jpeg': ('yuv420p', 8, 2, 2, 128, 128), 'C420mpeg2': ('yuv420p', 8, 2, 2, 0, 128),
         'C420paldv': ('yuv420p', 8, 2, 2, 0, 0), 'C422': ('yuv422p', 8, 2, 1, 0, 0),
         'C411': ('yuv411p', 8, 4, 1, 0, 0), 'C444': ('yuv444p', 8, 1, 1, 0, 0),
         'C420p10': ('yuv420p10le', 10, 2, 2, 0, 128), 'C422p12': ('yuv422p12le', 12, 2, 1, 0, 0)}
EXACT = 'accurate_rnd+full_chroma_int+full_chroma_inp+bitexact'
passed = failed = 0


def judge(what, worst, most):
    global passed, failed
    good = worst <= most
    passed, failed = passed + good, failed + (not good)
    if not good:
        print(f'FAILED: {what}: {worst:.3f} steps of 8 bits apart, allowed are {most}')


def call(*words, data=None):
    return subprocess.run([str(w) for w in words], input=data, check=True, capture_output=True).stdout


def sizes(tag):
    across, down = KINDS[tag][2:4]
    return [(WIDTH, HEIGHT)] + [(-(-WIDTH // across), -(-HEIGHT // down))] * 2


def edges(width, height, low, high):
    """Rectangles of one code each."""
    rows = [[(low + high) // 2] * width for _ in range(height)]
    for _ in range(8):
        x, y, code = random.randrange(width), random.randrange(height), random.randint(low, high)
        for row in rows[y:y + random.randint(1, height)]:
            row[x:x + 8] = [code] * len(row[x:x + 8])
    return rows


def frame(tag, full):
    """Codes that colours have: libswscale's sums overflow far outside of these."""
    unit = 2 ** (KINDS[tag][1] - 8)
    return [edges(*size, *((0, 256 * unit - 1) if full else (16 * unit, (235 if i == 0 else 240) * unit)))
            for i, size in enumerate(sizes(tag))]


def pack(planes, bits):
    return b''.join(v.to_bytes(1 if bits == 8 else 2, 'little') for p in planes for row in p for v in row)


def chunks(values, length):
    return [values[i:i + length] for i in range(0, len(values), length)]


def samples(body, wide, planar=False):
    """Of RGB, in steps of 8 bits."""
    values = [(body[i] * 256 + body[i + 1]) / 257 for i in range(0, len(body), 2)] if wide else list(body)
    if planar:
        green, blue, red = chunks(values, WIDTH * HEIGHT)
        return chunks(list(zip(red, green, blue)), WIDTH)
    return chunks(chunks(values, 3), WIDTH)


def apart(a, b, margin=0):
    rows = range(margin, len(a) - margin)
    return max(abs(p - q) for y in rows for x in range(margin, len(a[y]) - margin)
               for p, q in zip(a[y][x], b[y][x]))


def by_ffmpeg(data, name, scale, out):
    return call('ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt', name, '-s', f'{WIDTH}x{HEIGHT}',
                '-i', '-', '-vf', f'{scale},format={out}', '-f', 'rawvideo', '-', data=data)


def by_swscale(tag, data, matrix, full, how, places, packed=False):
    name, bits = KINDS[tag][:2]
    out = 'rgb24' if packed else 'gbrp' if bits == 8 else 'gbrp16be'
    scale = (f'scale=in_color_matrix={matrix}:in_range={"full" if full else "limited"}:out_range=full:'
             f'flags={how}+{EXACT}:in_h_chr_pos={places[0]}:in_v_chr_pos={places[1]}')
    return samples(by_ffmpeg(data, name, scale, out), bits > 8, not packed)


def by_tool(folder, tag, data, matrix, full):
    head = f'YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 {tag}\nFRAME\n'.encode()
    (folder / 'in.y4m').write_bytes(head + data)
    call(TOOL, 'run', '-q', '--video-colors', f'{matrix}:{"full" if full else "limited"}', 'copy',
         folder / 'in.y4m', '-o', folder / 'out.ppm')
    wide = KINDS[tag][1] > 8
    return samples((folder / 'out.ppm').read_bytes()[-WIDTH * HEIGHT * 3 * (1 + wide):], wide)


def cubic(d):
    d = abs(d)
    return 1.4 * d**3 - 2.4 * d**2 + 1 if d < 1 else -.6 * d**3 + 3 * d**2 - 4.8 * d + 2.4 if d < 2 else 0


def linear(d):
    return max(1 - abs(d), 0)


def interpolate(rows, at, weight):
    """Between the rows at each place; the edges are not looked at."""
    out = []
    for place in at:
        near = [(weight(place - i), rows[min(max(i, 0), len(rows) - 1)])
                for i in range(int(place // 1) - 1, int(place // 1) + 3)]
        out.append([sum(w * row[k] for w, row in near) for k in range(len(rows[0]))])
    return out


def chroma_of(tag, rows, packed):
    """Chroma of each pixel as libswscale makes it, between columns and by a cubic, or of packed RGB, with the
    places of the film. Columns come first, and are clamped above."""
    across, down, left = KINDS[tag][2:5]
    weight = linear if packed else cubic
    first = left / 256 if packed else (across - 1) / 2
    turned = interpolate([list(c) for c in zip(*rows)], [(x - first) / across for x in range(WIDTH)], weight)
    rows = [[min(v, 256) for v in row] for row in zip(*turned)]
    if down == 1:
        return rows
    at = [(y + .5) / down - .5 for y in range(HEIGHT)]
    # whole rows, and the middle between two
    return interpolate(rows, [p // 1 + (p % 1 >= .5) / 2 for p in at] if packed else at, weight)


def computed(tag, planes, matrix, full, packed):
    kr, kb = WEIGHTS[matrix]
    black, luma, span = (0, 255, 255) if full else (16, 219, 224)
    chroma = [chroma_of(tag, rows, packed) for rows in planes[1:]]
    out = []
    for y in range(HEIGHT):
        line = []
        for x in range(WIDTH):
            light = (planes[0][y][x] - black) / luma
            b, r = ((c[y][x] - 128) / span for c in chroma)
            red, blue = light + (2 - 2 * kr) * r, light + (2 - 2 * kb) * b
            green = (light - kr * red - kb * blue) / (1 - kr - kb)
            line.append([min(max(255 * v, 0), 255) for v in (red, green, blue)])
        out.append(line)
    return out


def to_colors(folder):
    for number, tag in enumerate(KINDS):
        for k, full in enumerate((False, True)):
            matrix = list(WEIGHTS)[(number + k) % 3]
            planes = frame(tag, full)
            data = pack(planes, KINDS[tag][1])
            ours = by_tool(folder, tag, data, matrix, full)
            what = f'{tag}, {matrix}, {"full" if full else "limited"}'
            places, default = KINDS[tag][4:], (128, 128 if KINDS[tag][3] > 1 else -513)
            same = by_swscale(tag, data, matrix, full, 'bilinear', places)
            judge(f'RGB of {what}', apart(ours, same), 1)
            others = {'C420mpeg2': (False, True), 'C422': (False,)}.get(tag, ())
            for packed in others:
                theirs = by_swscale(tag, data, matrix, full, 'bilinear' if packed else 'bicubic',
                                    places if packed else default, packed)
                rule = f'{"packed RGB" if packed else "the default"} of libswscale, {what}'
                judge(rule, apart(theirs, computed(tag, planes, matrix, full, packed), 8), 2)
                judge(f'{rule}, is far from the tool', -apart(theirs, ours, 8), -20)


def to_planes(folder):
    """Chroma of columns with the weights 1 2 1."""
    pixels = [list(p) for p in zip(*(edges(WIDTH, HEIGHT, 0, 255) for _ in range(3)))]
    body = bytes(v for rows in pixels for p in zip(*rows) for v in p)
    (folder / 'in.ppm').write_bytes(b'P6\n%d %d\n255\n' % (WIDTH, HEIGHT) + body)
    for tag in ('C420paldv', 'C422', 'C444'):
        name, _, _, _, left, top = KINDS[tag]
        data = pack(frame(tag, False), 8)
        head = f'YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 {tag}\nFRAME\n'.encode()
        (folder / 'like.y4m').write_bytes(head + data)
        # the film says how planes are stored, the picture what is in them
        call(TOOL, 'run', '-q', '--input', f'x={folder / "in.ppm"}', '#x', folder / 'like.y4m', '-o',
             folder / 'out.y4m')
        film = (folder / 'out.y4m').read_bytes()
        ours = film[film.index(b'FRAME\n') + 6:]
        scale = (f'scale=out_color_matrix=bt709:in_range=full:out_range=limited:flags=bilinear+{EXACT}:'
                 f'out_h_chr_pos={left}:out_v_chr_pos={top}')
        theirs = by_ffmpeg(body, 'rgb24', scale, name)
        judge(f'planes of RGB, {tag}', max(abs(a - b) for a, b in zip(ours, theirs, strict=True)), 1)


def main():
    random.seed(11)
    with tempfile.TemporaryDirectory() as name:
        to_colors(Path(name))
        to_planes(Path(name))
    print(f'swscale: {passed} passed, {failed} failed')
    sys.exit(failed > 0)


main()
