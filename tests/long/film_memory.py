#!/usr/bin/env python3
"""Films of 100000 frames: memory and descriptors of the tool stay as they are at frame 1000.

usage: film_memory.py TOOL [FRAMES]
Small frames go through pipes and video files. Resident memory and descriptors are read at every thousandth
frame; each is at most 1 % above that of frame 1000. Ends with `film_memory: N passed, N failed, N skipped`.
"""
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

TOOL = sys.argv[1] if len(sys.argv) > 1 else 'build/lumagraph'
FRAMES = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
WIDTH, HEIGHT, EVERY = 64, 48, 1000
passed = failed = skipped = 0


def head(kind):
    return b'YUV4MPEG2 W%d H%d F25:1 C420jpeg\n' % (WIDTH, HEIGHT) if kind == 'y4m' else b''


def frame(kind, number):
    """Each differs from the one before."""
    luma = bytes((number * 7 + i) % 219 + 16 for i in range(256)) * (WIDTH * HEIGHT // 256)
    if kind == 'ppm':
        return b'P6\n%d %d\n255\n' % (WIDTH, HEIGHT) + luma * 3
    return b'FRAME\n' + luma + bytes([number % 200 + 20]) * (WIDTH * HEIGHT // 2)


def feed(stream, kind):
    """A hundred frames over and over."""
    frames = [frame(kind, i) for i in range(100)]
    try:
        stream.write(head(kind))
        for i in range(FRAMES):
            stream.write(frames[i % 100])
        stream.close()
    except BrokenPipeError:
        pass


def resident(pid):
    """KiB, and how many descriptors."""
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('VmRSS:'):
            return int(line.split()[1]), len(os.listdir(f'/proc/{pid}/fd'))
    raise ProcessLookupError


def counted(stream, lines, size, begin):
    """Yields the number of each frame that came out: by lines, or by bytes."""
    number = 0
    if lines:
        for _ in stream:
            number += 1
            yield number
        return
    stream.read(begin)
    while len(stream.read(size)) == size:
        number += 1
        yield number


def watch(what, words, kind=None, lines=True, out=None):
    """Runs the tool, and looks at it while its frames come out."""
    global passed, failed
    process = subprocess.Popen([TOOL, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               stdin=subprocess.PIPE if kind else subprocess.DEVNULL)
    if kind:
        threading.Thread(target=feed, args=(process.stdin, kind), daemon=True).start()
    seen, number = [], 0
    size, begin = out or (0, 0)
    for number in counted(process.stdout, lines, size, begin):
        if number % EVERY == 0 and number < FRAMES - EVERY:
            seen.append(resident(process.pid))
    status = process.wait()
    first, most = seen[0] if seen else (0, 0), [max((s[k] for s in seen), default=0) for k in (0, 1)]
    flat = bool(seen) and most[0] <= 1.01 * first[0] and most[1] <= first[1]
    good = flat and status == 0 and number >= FRAMES
    passed, failed = passed + good, failed + (not good)
    print(f'{"" if good else "FAILED: "}{what}: {first[0]} KiB and {first[1]} descriptors at frame {EVERY}, '
          f'at most {most[0]} and {most[1]} of {number} frames, status {status}', flush=True)


def main():
    global skipped
    y4m = (len(frame('y4m', 0)), len(b'YUV4MPEG2 W64 H48 F25:1 Ip A0:0 C420jpeg XCOLORRANGE=LIMITED\n'))
    ppm = (len(frame('ppm', 0)), 0)
    watch('stats of y4m', ['stats', '--json', '-'], 'y4m')
    watch('stats of PPM', ['stats', '--json', '--frames', '-'], 'ppm')
    watch('label of a plane', ['label', '--plane', 'y', '-t', 'otsu', '--json', '-'], 'y4m')
    pipeline = 'gaussian_blur:sigma=1 | levels:min=@p1:max=@p99'
    watch('run of y4m', ['run', pipeline, '-', '-o', '-'], 'y4m', False, y4m)
    watch('run of PPM', ['run', '--frames', '--depth', '8', pipeline, '-', '-o', '-'], 'ppm', False, ppm)
    watch('run with frames before', ['run', 'low_pass:strength=0.7', '-', '-o', '-'], 'y4m', False, y4m)
    with tempfile.TemporaryDirectory() as name:
        # MPEG-TS has no index, which other formats keep in memory: Matroska some 40 bytes for each key frame.
        film, other = Path(name) / 'film.ts', Path(name) / 'other.ts'
        probe = subprocess.run([TOOL, '--version'], capture_output=True, text=True, check=True).stdout
        if 'FFmpeg:  a module' not in probe:
            skipped = 4
            print('skipped: video files: this build has no liblumagraph-av')
        else:
            codec = ['--codec', 'mpeg2video']
            watch('y4m to a video file', ['run', 'copy', '-', *codec, '--json', '-o', film], 'y4m')
            watch('stats of a video file', ['stats', '--json', film])
            watch('run of a video file', ['run', pipeline, film, *codec, '--json', '-o', other])
            two = ['run', 'difference_blend', '--input', f'x={film}', film]
            watch('run of two', [*two, *codec, '--json', '-o', other])
    print(f'film_memory: {passed} passed, {failed} failed, {skipped} skipped')
    sys.exit(failed > 0)


main()
