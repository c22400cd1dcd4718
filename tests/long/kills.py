#!/usr/bin/env python3
"""Runs that are killed at random moments and resumed have the report of one run.

usage: kills.py TOOL [KILLS]
Of each command, files and members of an archive are measured in three shards, which are killed by SIGKILL
at random moments and begun again with --resume, KILLS times (100) in all. The moments are drawn from the
time that the shard takes, so that some runs are killed early, some late, and some end before. Each input is
then in the merged report once, with the figures of one run. Ends with `kills: N passed, N failed, N skipped`.
"""
import json
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

TOOL = str(Path(sys.argv[1] if len(sys.argv) > 1 else 'build/lumagraph').resolve())
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
SHARDS = 3
COMMANDS = (['stats'], ['histogram', '--bins', '7'], ['label', '-t', '250'],
            ['areasum', '-b', '40x30+5+6', '-f', 'sum,variance,max'])
count = {'passed': 0, 'failed': 0, 'skipped': 0}


def check(good, what):
    count['passed' if good else 'failed'] += 1
    if not good:
        print(f'FAILED: {what}')


def make_inputs(folder, number=60, side=256):
    for i in range(number):
        samples = random.randbytes(side * side)
        (folder / f'{i:03}.pgm').write_bytes(b'P5\n%d %d\n255\n' % (side, side) + samples)
    names = sorted(folder.glob('*.pgm'))
    with tarfile.open(folder / 'all.tar.gz', 'w:gz', compresslevel=1) as archive:
        for name in names:
            archive.add(name, name.name)
    return [name.name for name in names]


def documents(*words, **options):
    done = subprocess.run([TOOL, *words, '--json'], capture_output=True, text=True, check=False, **options)
    docs = [json.loads(line) for line in done.stdout.splitlines()]
    for d in docs:
        for key in ('engine', 'kind', 'bytes', 'build_seconds', 'query_seconds'):
            d.pop(key, None)
    return done.returncode, docs


def shard(command, inputs, i, state, folder, seconds):
    """Runs a shard and kills it after so many seconds; None: lets it end. Whether it was killed."""
    run = subprocess.Popen([TOOL, *command, '--threads', '1', '--jobs', '2', '--shard', f'{i + 1}/{SHARDS}',
                            '--state', state, '--resume', *inputs], cwd=folder, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    try:
        code = run.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
        return True
    check(code == 0, f'{command} in shard {i + 1}: exit status {code}')
    return False


def kill_and_resume(command, inputs, kills, folder):
    begin = time.monotonic()
    code, whole = documents(*command, *inputs, cwd=folder)
    check(code == 0 and len(whole) > 10, f'{command}: a run without kills, exit status {code}')
    takes = (time.monotonic() - begin) / SHARDS
    states, killed = [], 0
    for i in range(SHARDS):
        state = f'{command[0]}-{i}.lgs'
        for name in (state, state + '.journal'):
            (folder / name).unlink(missing_ok=True)
        for _ in range(kills // SHARDS + (i < kills % SHARDS)):
            killed += shard(command, inputs, i, state, folder, random.uniform(0, takes))
        shard(command, inputs, i, state, folder, None)
        check(not (folder / (state + '.journal')).exists(), f'{command}: no journal is left')
        states.append(state)
    random.shuffle(states)
    code, merged = documents('merge', *states, cwd=folder)
    check(code == 0 and merged == whole, f'{command} of {inputs[0]}: the merged report after {killed} kills')
    return killed


def main():
    random.seed(4)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make_inputs(folder)
        works = [(command, inputs) for command in COMMANDS for inputs in (files, ['all.tar.gz'])]
        if documents('stats', 'all.tar.gz', cwd=folder)[0] != 0:
            count['skipped'] += 1
            print('skipped: members of archives: this build has no liblumagraph-archive')
            works = [work for work in works if work[1] is files]
        killed = 0
        for i, (command, inputs) in enumerate(works):
            kills = KILLS // len(works) + (i < KILLS % len(works))
            killed += kill_and_resume(command, inputs, kills, folder) if kills else 0
        print(f'{killed} of {KILLS} runs were killed before their end')
    print('kills: {passed} passed, {failed} failed, {skipped} skipped'.format(**count))
    return count['failed'] > 0


sys.exit(main())
