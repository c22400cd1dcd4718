"""Runs the tool on every filter, parameter set, image and engine, and judges what it writes."""
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import components
import examples
import fits
import judge
import measures
import pictures
import tables
from registry import ORACLES

import blends, color, effects, features, figures, geometry, local_windows  # noqa: F401, E401
import area_arrays  # noqa: F401, E401
import areas, films, multiotsu, neighborhoods, scaled, spaces, warps, windows  # noqa: F401, E401: register

LEVELS = ('base', 'v2', 'v3', 'v4')
# Inputs of one image; on lower levels only FEW.
SINGLE = ('photo.npy', 'photo_float.npy', 'noise.npy', 'grey.npy', 'grey_alpha.npy', 'one.npy',
          'long.npy', 'corners.npy', 'sixteen.npy', 'float.npy', 'ends.npy', 'wild.npy')
FEW = ('photo_float.npy', 'noise.npy', 'grey.npy', 'one.npy', 'long.npy', 'ends.npy', 'wild.npy')
# Two images cost a process for each second one: groups that share it. Lower levels do the first.
SQUARES = ('corners.npy', 'square_photo.npy', 'square_grey.npy', 'square_float.npy',
           'square_ends.npy')
GROUPS = (SQUARES, ('one.npy',), ('long.npy',), ('wild.npy',))
# lavapipe compiles for half a second per pipeline and sample type; that both devices agree on
# everything is tests/graph_chains.c.
ON_VULKAN = ('float.npy', 'noise.npy')
# A short run has every filter on the best CPU level, and on Vulkan one of each kind.
SHORT_VULKAN = ('contrast', 'multiply_blend', 'bulge_distortion', 'sobel_edge_detection',
                'dilation', 'histogram_equalization')

Task = collections.namedtuple('Task', 'oracle given engine names target')


class Tool:
    def __init__(self, path, work):
        self.path, self.work = path, work

    def call(self, arguments, engine=None):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.work / 'cache'))
        environment.pop('LUMAGRAPH_CPU', None)
        if engine in LEVELS:
            environment['LUMAGRAPH_CPU'] = engine
        return subprocess.run([self.path] + arguments, env=environment, capture_output=True,
                              text=True, timeout=7200, check=False)

    def filters(self):
        """Names of the catalogue -> its parameters; None when the tool cannot list it."""
        done = self.call(['filters', '--json'])
        try:
            found = json.loads(done.stdout)['filters']
        except ValueError:
            return None
        return {entry['name']: entry for entry in found if entry['kind'] != 'command'}

    def engines(self):
        """Engines that run here, and those that do not with the reason."""
        here, missing = [], {}
        probe = self.work / 'probe.npy'
        pictures.write(probe, np.zeros((1, 1), np.uint8))
        for level in LEVELS:
            done = self.call(['run', '--device', 'cpu', '--json', 'contrast', str(probe),
                              '-o', str(self.work / 'probed.npy')], level)
            driver = json.loads(done.stdout)['engine']['driver'] if done.returncode == 0 else ''
            if 'SIMD ' + level + ',' in driver:
                here.append(level)
            else:
                missing[level] = done.stderr.strip() or 'not on this processor'
        listed = self.call(['devices', '--json'])
        if any(d['device'].startswith('vulkan') and d['usable']
               for d in json.loads(listed.stdout)['devices']):
            here.append('vulkan')
        else:
            missing['vulkan'] = 'no device'
        return here, missing


def text_of(value):
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        return ','.join(text_of(v) for v in value)
    return repr(value)


def pipeline(oracle, given):
    return ':'.join([oracle.name] + ['%s=%s' % (k, text_of(v)) for k, v in given.items()])


class Session:
    def __init__(self, tool, work):
        self.tool, self.work = tool, work
        self.images = pictures.make()
        self.images['photo.npy'] = self.images['photo.ppm']
        self.colors = {name: pictures.to_color(image) for name, image in self.images.items()}
        self.results, self.doubts = {}, collections.defaultdict(lambda: [0, 0])
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.short = os.environ.get('LUMAGRAPH_TEST_SHORT') == '1'
        self.no_vulkan = {}
        self.inputs = work / 'in'
        self.inputs.mkdir()
        for name, image in self.images.items():
            pictures.write(self.inputs / name, image)
        self.overs = {}
        self.add_over('lookup', pictures.lookup_picture())
        self.add_over('lines', pictures.line_list())
        self.add_over('markers', pictures.marker_picture())

    def turn(self, engines, number):
        """Engines take turns; in a short run Vulkan, which compiles for a second, has one in seven."""
        if self.short and 'vulkan' in engines:
            return 'vulkan' if number % 7 == 3 else engines[0]
        return engines[number % len(engines)]

    def over(self, oracle, name):
        """The second image for a first one: its file and colours."""
        first = 'corners.npy' if name in SQUARES else name
        key = oracle.over or 'over_' + pathlib.Path(first).stem
        if key not in self.overs:
            image = np.ascontiguousarray(pictures.overlay(self.images[first], len(key)))
            self.add_over(key, image)
        return self.overs[key]

    def add_over(self, key, image):
        file = self.inputs / (key + '.npy')
        pictures.write(file, image)
        self.overs[key] = file, pictures.to_color(image)

    def expect(self, oracle, given, name):
        key = oracle.name, pipeline(oracle, given), name
        if key not in self.results:
            images = [self.colors[name]]
            if oracle.inputs == 2:
                images.append(self.over(oracle, name)[1])
            file = self.images[name]
            result = oracle.compute(images, given, file.ndim == 3 and file.shape[2] in (2, 4),
                                    file.dtype.name, file.ndim == 2 or file.shape[2] < 3)
            self.results[key] = result
            count = self.doubts[oracle, key[1]]
            count[0] += int(result[1].sum())
            count[1] += result[1].size
        return self.results[key]

    def tasks(self, oracle, engine, top):
        tries = oracle.tries()
        if engine == 'vulkan':
            tries, groups = tries[:2][-1:], [(name,) for name in ON_VULKAN]
            if oracle.inputs == 2 and not oracle.over:
                groups = [('square_float.npy',), ('square_photo.npy',)]
        elif oracle.inputs == 2 and not oracle.over:
            groups = GROUPS if engine == top else GROUPS[:1]
        else:
            groups = [SINGLE if engine == top else FEW]
        if engine != top:
            tries = tries[:1] + tries[-1:] if tries[1:] else tries
        for given in tries:
            for group in groups:
                names = [n for n in group if oracle.wild or n != 'wild.npy']
                if oracle.images:
                    names = [n for n in names if n in oracle.images]
                if names:
                    yield Task(oracle, given, engine, names, None)
        if engine == top and oracle.inputs == 1:
            yield Task(oracle, tries[-1], engine, ['photo.ppm'], 'photo.npy')

    def run(self, task):
        """The tool's own part of a task, for a thread: its outputs and what it said."""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        target = out / task.target if task.target else out
        arguments = ['run', pipeline(task.oracle, task.given)]
        arguments += [str(self.inputs / name) for name in task.names]
        if task.target:
            arguments += ['--type', 'f32']
        if task.oracle.inputs == 2:
            arguments += ['--input', 'over=%s' % self.over(task.oracle, task.names[0])[0]]
        if not task.target and len(task.names) == 1:
            target = out / task.names[0]
        arguments += ['-o', str(target),
                      '--device', 'vulkan' if task.engine == 'vulkan' else 'cpu']
        try:
            done = self.tool.call(arguments, task.engine)
            said, status = done.stderr.strip(), done.returncode
        except subprocess.TimeoutExpired:
            said, status = 'no end after 120 s', -1
        got = {}
        for name in task.names:
            file = out / pathlib.Path(name).with_suffix('.npy').name
            if file.exists():
                got[name] = pictures.read(file)
        shutil.rmtree(out)
        return task, got, said, status

    def judge(self, task, got, said, status):
        oracle, label = task.oracle, pipeline(task.oracle, task.given)
        if task.engine == 'vulkan' and 'the CPU runs this pipeline' in said:
            reason = said.splitlines()[-1].split('pipeline: ')[-1]
            self.no_vulkan[oracle.name] = reason.replace(oracle.name, 'it')
            return
        found = []
        for name in task.names:
            if name not in got or status < 0:
                wrong = 'exit status %d: %s' % (status, said or 'no output')
            else:
                file = self.images[name]
                exact = oracle.exact and (file.ndim == 2 or file.shape[2] == 3)
                bound = oracle.bytes_bound if file.dtype == np.uint8 else oracle.bound
                wrong = judge.difference(got[name], *self.expect(oracle, task.given, name),
                                         bound, exact)
            if wrong:
                found.append('%s: %s' % (name, wrong))
        self.passed += len(task.names) - len(found)
        if found:
            more = ' (and on %d other images)' % (len(found) - 1) if found[1:] else ''
            self.fail('%s [%s] %s%s' % (label, task.engine, found[0], more), len(found))

    def fail(self, text, count=1):
        self.failed += count
        print('FAILED:', text, flush=True)

    def skip(self, text, count=1):
        self.skipped += count
        print('skipped:', text, flush=True)

    def check_doubts(self):
        for (oracle, label), (count, total) in self.doubts.items():
            if count > oracle.doubtful * total:
                self.fail('%s: %d of %d pixels are in doubt, more than %g allowed' % (
                    label, count, total, oracle.doubtful))


def main(arguments):
    wanted = arguments[1:]
    share, shares = (int(n) for n in os.environ.get('LUMAGRAPH_ORACLE_SHARE', '0/1').split('/'))
    with tempfile.TemporaryDirectory(prefix='lumagraph-oracle.') as folder:
        session = Session(Tool(arguments[0], pathlib.Path(folder)), pathlib.Path(folder))
        wrong, count = examples.failures() if share == 0 else ([], 0)
        session.passed += count - len(wrong)
        for line in wrong:
            session.fail('the oracle itself: ' + line)
        if session.tool.call(['run', '--help']).returncode != 0:
            session.skip('the tool has no command run')
            print('oracle: %d passed, %d failed, %d skipped' % (
                session.passed, session.failed, session.skipped))
            return 1 if session.failed else 0
        listed = session.tool.filters()
        engines, missing = session.tool.engines()
        short = session.short
        top = [e for e in engines if e in LEVELS][-1]
        if short:
            engines = [top] + [e for e in engines if e == 'vulkan']
            missing = {e: reason for e, reason in missing.items() if e == 'vulkan'}
            if share == 0:
                print('a short run: level %s, and a few filters on Vulkan' % top)
        for engine, reason in missing.items() if share == 0 else []:
            session.skip('%s: %s' % (engine, reason))
        todo = []
        checks = {'label': lambda: components.check(session),
                  'fit': lambda: fits.check(session, engines, top),
                  'table': lambda: tables.check(session, engines, top)}
        for name, check in measures.CHECKS.items():
            checks.setdefault(name, lambda check=check: check(session, engines))
        for number, name in enumerate(checks):
            if number % shares == share and (not wanted or name in wanted):
                checks[name]()
        done = set(checks) - {'label'}  # that is also a filter
        for name in sorted(set(wanted or ORACLES) - done):
            if name not in ORACLES:
                session.fail('%s: no oracle' % name)
            elif listed is None or name in listed:
                todo.append(ORACLES[name])
        todo = todo[share::shares]
        for name in sorted(set(listed or {}) - set(ORACLES)) if not wanted and share == 0 else []:
            session.fail('%s: no oracle for this filter' % name)
        tasks = [t for o in todo for e in engines for t in session.tasks(o, e, top)
                 if e != 'vulkan' or not short or o.name in SHORT_VULKAN]
        for task in tasks:  # second images are made before threads ask for them
            if task.oracle.inputs == 2:
                session.over(task.oracle, task.names[0])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for finished in pool.map(session.run, tasks):
                session.judge(*finished)
        for reason in sorted(set(session.no_vulkan.values())):
            names = [n for n, r in session.no_vulkan.items() if r == reason]
            session.skip('%d filters on Vulkan: %s' % (len(names), reason), len(names))
        session.check_doubts()
        print('oracle: %d passed, %d failed, %d skipped'
              % (session.passed, session.failed, session.skipped))
        return 1 if session.failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
