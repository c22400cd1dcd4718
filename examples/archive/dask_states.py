"""Statistics of many images by Dask: every task measures a shard and returns its state, a tree of tasks
merges them, and the report is that of one run.

usage: dask_states.py [--shards N] [--scheduler ADDRESS] FILES... >report.jsonl

With --scheduler the tasks run on a cluster (dask.distributed), whose workers have `lumagraph` and see the
files; without it in threads of this process. LUMAGRAPH names the tool.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import dask

FAN_IN = 8  # states that a task merges


def lumagraph(*arguments):
    """Runs the tool; exit status 1 to 5 is about inputs, whose failures are in the state."""
    tool = os.environ.get("LUMAGRAPH", "lumagraph")
    return subprocess.run([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def checked(path, done):
    if not path.exists():
        raise RuntimeError(done.stderr.decode(errors="replace") or f"exit status {done.returncode}")
    return path.read_bytes()


def measure(names, shard, shards):
    """The state of a shard, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        names_file = pathlib.Path(folder, "names")
        names_file.write_bytes(b"\0".join(os.fsencode(name) for name in names) + b"\0")
        state = pathlib.Path(folder, "state.lgs")
        done = lumagraph("stats", "--quiet", "--threads", "1", "--files-from", str(names_file), "--shard",
                         f"{shard}/{shards}", "--state", str(state))
        return checked(state, done)


def merge(states):
    """One state of several; the order does not matter."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, f"{i}.lgs") for i in range(len(states))]
        for file, data in zip(files, states):
            file.write_bytes(data)
        merged = pathlib.Path(folder, "merged.lgs")
        return checked(merged, lumagraph("merge", *map(str, files), "--state", str(merged)))


def tree(names, shards):
    """The tasks: shards, and merges of FAN_IN states until one is left."""
    level = [dask.delayed(measure)(names, i + 1, shards) for i in range(shards)]
    while len(level) > 1:
        level = [dask.delayed(merge)(level[i:i + FAN_IN]) for i in range(0, len(level), FAN_IN)]
    return level[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--shards", type=int, default=os.cpu_count())
    parser.add_argument("--scheduler")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    if options.scheduler:
        import distributed
        client = distributed.Client(options.scheduler)
        state = client.compute(tree(options.files, options.shards)).result()
    else:
        state = tree(options.files, options.shards).compute(scheduler="threads")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "all.lgs")
        path.write_bytes(state)
        done = lumagraph("merge", "--json", str(path))
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
