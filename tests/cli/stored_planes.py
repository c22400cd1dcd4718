#!/usr/bin/env python3
"""Planes of films as they are stored, --planes and --plane, against the same samples in PGM files.

usage: stored_planes.py TOOL
Prints what differs, and ends with `planes: N passed, N failed`; exit status 1 when one failed.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = sys.argv[1]
NAMES = ('y', 'cb', 'cr')
# format of raw frames: bits, shift of the codes, chroma across and down; whether Cb and Cr alternate
KINDS = {'yuv420p': (8, 0, 2, 2, False), 'nv12': (8, 0, 2, 2, True), 'p010': (10, 6, 2, 2, True),
         'yuv422p10': (10, 0, 2, 1, False), 'yuv444p16': (16, 0, 1, 1, False), 'gray12': (12, 0, 0, 0, False)}
COMMANDS = (['stats'], ['histogram'], ['histogram', '--range', 'auto', '--bins', '7'], ['threshold'],
            ['threshold', '--method', 'triangle'], ['label', '--threshold', 'otsu'])
passed = failed = 0


def judge(what, good):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print('FAILED:', what)


def call(*words):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else done.stderr


def figures(text):
    """What a report measured: neither names nor files nor seconds."""
    d = json.loads(text.splitlines()[-1])
    for key in ('file', 'frame', 'time', 'format', 'plane', 'engine', 'definitions'):
        d.pop(key, None)
    for channel in d.get('channels', ()):
        channel.pop('name')
    return d


def pack(rows, bits, shift=0):
    return b''.join((v << shift).to_bytes(1 if bits == 8 else 2, 'little') for row in rows for v in row)


def write_pgm(path, rows, bits):
    most = 255 if bits == 8 else 65535
    body = b''.join(v.to_bytes(1 if bits == 8 else 2, 'big') for row in rows for v in row)
    path.write_bytes(b'P5\n%d %d\n%d\n' % (len(rows[0]), len(rows), most) + body)


def check(folder, name, width, height):
    bits, shift, across, down, paired = KINDS[name]
    sizes = [(width, height)]
    if across:
        sizes += [(-(-width // across), -(-height // down))] * 2
    most = 2**bits - 1
    frames = [[[[random.choice((0, most, random.randint(0, most))) for _ in range(w)] for _ in range(h)]
               for w, h in sizes] for _ in range(2)]
    film = b''
    for planes in frames:
        film += pack(planes[0], bits, shift)
        pairs = [[v for pair in zip(*rows) for v in pair] for rows in zip(*planes[1:])] if paired else None
        film += pack(pairs, bits, shift) if paired else b''.join(pack(p, bits, shift) for p in planes[1:])
    (folder / 'film.raw').write_bytes(film)
    source = ['--raw', f'{width}x{height}:{name}@25', folder / 'film.raw']
    for i, rows in enumerate(frames[1]):
        pgm = folder / f'{NAMES[i]}.pgm'
        write_pgm(pgm, rows, bits)
        for command in COMMANDS:
            # the range of the type is that of the codes
            more = ['--range', f'0:{most}'] if command == ['histogram'] else []
            want = figures(call(*command, *more, '--json', pgm))
            got = figures(call(*command, '--plane', NAMES[i], '--json', *source))
            judge(f'{" ".join(command)} --plane {NAMES[i]}, {name}, {width}x{height}', got == want)
            if command[0] in ('stats', 'histogram'):
                every = figures(call(*command, '--planes', '--json', *source))
                judge(f'{" ".join(command)} --planes, {NAMES[i]} of {name}, {width}x{height}',
                      every['channels'][i] == want['channels'][0] and len(every['channels']) == len(sizes))
        call('threshold', pgm, '-o', folder / 'mask.pgm')
        call('threshold', '--plane', NAMES[i], '--frames', '1:', *source, '-o', folder / 'mask.y4m')
        body = (folder / 'mask.pgm').read_bytes()[-len(rows) * len(rows[0]):]
        film = (folder / 'mask.y4m').read_bytes()
        samples = film[film.index(b'FRAME\n') + 6:]
        if bits > 8:
            samples = bytes(255 * (v != 0) for v in samples[::2])
        judge(f'threshold -o of {NAMES[i]}, {name}', samples == body)


def main():
    random.seed(7)
    with tempfile.TemporaryDirectory() as name:
        for kind in KINDS:
            check(Path(name), kind, 9, 7)
        check(Path(name), 'yuv420p', 1, 1)
    print(f'planes: {passed} passed, {failed} failed')
    sys.exit(failed > 0)


main()
