#!/usr/bin/env python3
"""One figure, one value: what a pipeline and a JSON graph measure, against what the commands print.

usage: figure_ways.py TOOL [DEVICE...]     in an empty folder; devices: cpu, vulkan
Prints a line for each difference, and how many were compared.
"""
import json
import math
import random
import struct
import subprocess
import sys

TOOL, DEVICES = sys.argv[1], sys.argv[2:] or ['cpu']
WIDTH, HEIGHT = 37, 11
compared = failed = 0


def npy(name, kind, shape, samples):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
    code = {'|u1': 'B', '<u2': 'H', '<f2': 'e', '<f4': 'f'}[kind]
    with open(name, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.write(struct.pack('<%d%s' % (len(samples), code), *samples))


def call(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit('%s: %s' % (' '.join(arguments), done.stderr))
    return done.stdout


def report(*arguments):
    return json.loads(call(*arguments, '--json'))


def nearest(x):
    """The float; infinite beyond the largest one."""
    if abs(x) > 3.4028235e38:
        return math.copysign(math.inf, x)
    return struct.unpack('<f', struct.pack('<f', x))[0]


def following(x):
    """The next float."""
    bits = struct.unpack('<i', struct.pack('<f', x))[0]
    return struct.unpack('<f', struct.pack('<i', bits + 1 if bits >= 0 else bits - 1))[0]


def numbers(name):
    """The first pixel of an image of floats."""
    with open(name, 'rb') as f:
        data = f.read()
    start = 10 + struct.unpack('<H', data[8:10])[0]
    return struct.unpack('<4f', (data[start:start + 16] + bytes(16))[:16])


def check(what, got, wanted):
    global compared, failed
    compared += 1
    if struct.pack('<f', got) != struct.pack('<f', wanted) and not got == wanted == 0:
        failed += 1
        print('FAILED: %s is %r instead of %r' % (what, got, wanted))


def by_pipeline(name, figure, device):
    call('run', '-q', '-t', 'f32', '--device', device, 'solid_color:color=@' + figure, name, '-o', 'out.npy')
    return numbers('out.npy')


def by_graph(name, figures, device):
    """All figures in one JSON graph, an output each."""
    nodes = [{'name': 'n%d' % i, 'filter': 'solid_color', 'in': 'in', 'params': {'color': '@in.' + f}}
             for i, f in enumerate(figures)]
    names = [n['name'] for n in nodes]
    with open('graph.json', 'w', encoding='utf-8') as f:
        json.dump({'inputs': ['in'], 'outputs': names, 'nodes': nodes}, f)
    outputs = [word for n in names for word in ('-o', '%s=%s.npy' % (n, n))]
    call('run', '-q', '-t', 'f32', '--device', device, '--graph', 'graph.json', name, *outputs)
    return [numbers(n + '.npy') for n in names]


def printed(name, channels, scale):
    """Figure -> what the commands say, in colours."""
    stats = report('stats', '--stack', name)['channels']
    bins = ['--stack', '--range', 'auto', '--bins', '65536', '-p', '1,33.3,50,99.9']
    counts = report('histogram', *bins, name)['channels']
    luma = report('histogram', *bins, '--space', 'luma', '--luma', 'gpuimage', name)['channels'][0]
    level = report('threshold', '--stack', '--luma', 'gpuimage', name)['level']
    mean = report('threshold', '--stack', '--luma', 'gpuimage', '-m', 'mean', name)['level']
    half = (lambda x: nearest((x + 0.5) / scale)) if scale > 1 else (lambda x: following(nearest(x)))
    said = {}
    for i, letter in enumerate('rgb'[:channels]):
        for figure in ('mean', 'min', 'max', 'stddev'):
            said['%s.%s' % (letter, figure)] = nearest(stats[i][figure] / scale)
        said[letter + '.range'] = nearest((stats[i]['max'] - stats[i]['min']) / scale)
        said[letter + '.variance'] = nearest(stats[i]['variance'] / scale ** 2)
        for p in ('1', '33.3', '50', '99.9'):
            said['%s.p%s' % (letter, p)] = nearest(counts[i]['percentiles'][p] / scale)
        said[letter + '.median'] = nearest(counts[i]['median'] / scale)
    said['luma.mean'] = nearest(mean / scale)
    said['luma.otsu'] = half(level)
    for p in ('1', '33.3', '50', '99.9'):
        said['luma.p' + p] = nearest(luma['percentiles'][p] / scale)
    if channels == 3 or scale == 1:
        said['luma.min'] = nearest(luma['lo'] / scale)
        said['luma.max'] = nearest(luma['hi'] / scale)
    if channels == 1:
        said['otsu'] = said['luma.otsu']
    return said


def check_mask(name, device):
    """threshold:level=@otsu is the binary image of threshold."""
    call('threshold', '--stack', name, '-o', 'wanted.pgm')
    call('run', '-q', '-t', 'u8', '--device', device, 'threshold:level=@otsu', name, '-o', 'mask.pgm')
    global compared, failed
    compared += 1
    with open('wanted.pgm', 'rb') as wanted, open('mask.pgm', 'rb') as mask:
        same = wanted.read() == mask.read()
    if not same:
        failed += 1
        print('FAILED: %s on %s: another binary image than that of threshold' % (name, device))


def check_bins(name, bins, span):
    """The histogram of a box of the whole image is that of histogram."""
    options = ['--bins', bins, '--range=' + span]
    counted = report('histogram', '--stack', *options, name)['channels']
    box = report('areasum', '-f', 'histogram', '--box', '%dx%d+0+0' % (WIDTH, HEIGHT), *options, name)
    global compared, failed
    compared += 1
    if ([c['counts'] for c in counted] != box['results'][0]['histogram'] or
            any(counted[0][key] != box[key] for key in ('bins', 'lo', 'hi')) or
            counted[0]['width'] != box['bin_width']):
        failed += 1
        print('FAILED: %s with %s bins over %s: areasum counts otherwise' % (name, bins, span))


def main():
    chance = random.Random(16)
    kinds = {'u8': ('|u1', 255, lambda v: int(256 * v)),
             'u16': ('<u2', 65535, lambda v: int(65536 * v)),
             'twelve': ('<u2', 65535, lambda v: int(4096 * v)),
             'f16': ('<f2', 1, lambda v: 100 * v - 30),
             'f32': ('<f4', 1, lambda v: 100 * v - 30),
             'faint': ('<f4', 1, lambda v: v * math.ldexp(1, -110)),
             'wide': ('<f4', 1, lambda v: (2 * v - 1) * 3.4e38)}
    for kind, (code, scale, make) in kinds.items():
        for channels in (1, 3):
            samples = [make(chance.random() * chance.random()) for _ in range(WIDTH * HEIGHT * channels)]
            name = '%s%d.npy' % (kind, channels)
            npy(name, code, (HEIGHT, WIDTH) if channels == 1 else (HEIGHT, WIDTH, 3), samples)
            said = printed(name, channels, scale)
            figures = [f for f in said if not math.isinf(said[f])]
            for bins, span in (('5', 'type'), ('7', 'auto'), ('100', '3:90')):
                check_bins(name, bins, span)
            # Starting a device takes seconds.
            for device in DEVICES if name in ('twelve3.npy', 'f321.npy') else DEVICES[:1]:
                for start in range(0, len(figures), 16):
                    some = figures[start:start + 16]
                    for figure, got in zip(some, by_graph(name, some, device)):
                        check('@%s of %s in a graph on %s' % (figure, name, device), got[0], said[figure])
                check('@luma.otsu of %s on %s' % (name, device),
                      by_pipeline(name, 'luma.otsu', device)[0], said['luma.otsu'])
                if channels == 1:
                    check_mask(name, device)
    print('%d compared, %d failed' % (compared, failed))
    return 1 if failed or not compared else 0


sys.exit(main())
