#!/usr/bin/env python3
"""Writes films for the tests of the command line: usage: films.py FOLDER"""
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1])
WIDTH, HEIGHT = 8, 6


def codes(frame, plane, count):
    """Every frame differs, and luma grows by 2 from frame to frame."""
    return bytes((40 + 2 * frame + 3 * i if plane == 0 else 90 + 5 * plane + i) % 236 for i in range(count))


def planes(frame):
    return [codes(frame, 0, 48), codes(frame, 1, 12), codes(frame, 2, 12)]


def y4m(frames, tags='C420jpeg', width=WIDTH, height=HEIGHT):
    head = b'YUV4MPEG2 W%d H%d F25:1 Ip A1:1 %s\n' % (width, height, tags.encode())
    return head + b''.join(b'FRAME\n' + b''.join(f) for f in frames)


def main():
    film = y4m([planes(i) for i in range(5)])
    (FOLDER / 'film.y4m').write_bytes(film)
    (FOLDER / 'cut.y4m').write_bytes(film[:-10])
    (FOLDER / 'bad.y4m').write_bytes(film[:240] + b'rubbish\n' + film[240:])
    (FOLDER / 'none.y4m').write_bytes(film.split(b'\n')[0] + b'\n')
    (FOLDER / 'odd.y4m').write_bytes(film.replace(b'C420jpeg', b'C410', 1))
    (FOLDER / 'fields.y4m').write_bytes(film.replace(b'Ip', b'It', 1))
    (FOLDER / 'deep.y4m').write_bytes(
        y4m([[bytes(192), b'\x00\x02' * 24, b'\x00\x02' * 24]] * 2, 'C420p10 XCOLORRANGE=FULL', 12, 8)
        .replace(bytes(192), b'\xff\x03' * 96))
    (FOLDER / 'mono.y4m').write_bytes(y4m([[bytes([0, 1, 2, 3, 254, 255])]], 'Cmono', 3, 2))
    (FOLDER / 'nv12.raw').write_bytes(b''.join(
        planes(i)[0] + bytes(v for pair in zip(*planes(i)[1:]) for v in pair) for i in range(5)))
    (FOLDER / 'film.ppm').write_bytes(b''.join(b'P6\n2 1\n255\n' + bytes([i, 10, 20] * 2) for i in range(4)))
    (FOLDER / 'film.pgm').write_bytes(b''.join(b'P5\n2 1\n255\n' + bytes([i, 100]) for i in range(4)))


main()
