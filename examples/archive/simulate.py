"""How long an archive takes on machines that fail: shards that are resumed, and a tree of merges.

usage: simulate.py [--files N] [--seconds-per-file S] [--shards N] [--workers N] [--mtbf HOURS]
                   [--fan-in N] [--merge-seconds S] [--merge-bytes-per-second B] [--bytes-per-file B]
                   [--no-resume] [--seed N]

Workers take shards, then merges, from one queue. A worker fails at random times, on average every --mtbf
hours, and is back after a minute. A shard that was killed goes back to the queue; with its journal it
continues behind the last file that was measured, --no-resume begins it again. A merge that was killed begins
again. The last line says that every file is in the result exactly once, which the simulation counts.
"""
import argparse
import heapq
import random

AWAY = 60  # seconds until a worker that failed is back


class Workers:
    """Runs tasks in rounds: of each task so many steps, each of so many seconds."""

    def __init__(self, count, mtbf, source):
        self.free = [(0.0, i) for i in range(count)]
        self.mtbf, self.random = mtbf, source
        self.busy = self.wasted = 0.0
        self.kills = 0

    def run(self, tasks, resume):
        """tasks: (key, steps, seconds of a step). Returns how many times each step of each was kept."""
        queue, kept = list(tasks), {key: 0 for key, _, _ in tasks}
        end = 0.0
        while queue:
            key, steps, seconds = queue.pop(0)
            now, worker = heapq.heappop(self.free)
            left = steps - kept[key]
            until_kill = self.random.expovariate(1 / self.mtbf)
            if until_kill >= left * seconds:
                kept[key] += left
                self.busy += left * seconds
                now += left * seconds
                end = max(end, now)
            else:
                done = int(until_kill / seconds) if resume else 0
                kept[key] += done
                self.kills += 1
                self.busy += until_kill
                self.wasted += until_kill - done * seconds
                now += until_kill + AWAY
                queue.append((key, steps, seconds))
            heapq.heappush(self.free, (now, worker))
        self.free = [(max(end, at), worker) for at, worker in self.free]
        heapq.heapify(self.free)
        return end, kept


def merge_all(workers, o, states):
    """Merges states, which are lists of files, by --fan-in until one is left."""
    rounds = 0
    while len(states) > 1:
        groups = [states[i:i + o.fan_in] for i in range(0, len(states), o.fan_in)]
        tasks = []
        for i, group in enumerate(groups):
            size = sum(map(len, group)) * o.bytes_per_file
            tasks.append((i, 1, o.merge_seconds + size / o.merge_bytes_per_second))
        workers.run(tasks, False)
        states = [[file for state in group for file in state] for group in groups]
        rounds += 1
    return states[0], rounds, min(workers.free)[0]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, value in (("files", 100000), ("shards", 1000), ("workers", 64), ("fan-in", 16), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    for name, value in (("seconds-per-file", 0.05), ("mtbf", 24.0), ("merge-seconds", 0.02),
                        ("merge-bytes-per-second", 5e7), ("bytes-per-file", 700.0)):
        parser.add_argument("--" + name, type=float, default=value)
    parser.add_argument("--no-resume", action="store_true")
    o = parser.parse_args()
    workers = Workers(o.workers, o.mtbf * 3600, random.Random(o.seed))
    shards = [list(range(i, o.files, o.shards)) for i in range(o.shards)]
    tasks = [(i, len(files), o.seconds_per_file) for i, files in enumerate(shards)]
    measured, kept = workers.run(tasks, not o.no_resume)
    lost = sum(kept[i] != len(files) for i, files in enumerate(shards))
    result, rounds, end = merge_all(workers, o, shards)
    ideal = o.files * o.seconds_per_file / o.workers
    print(f"measuring {measured:.0f} s, {measured / ideal:.3f} times {o.files} files on {o.workers} workers "
          f"that never fail")
    print(f"merging {end - measured:.1f} s in {rounds} rounds, {(end - measured) / end:.4f} of the time")
    print(f"{workers.kills} kills, {workers.wasted:.0f} s of {workers.busy:.0f} s were done again")
    once = not lost and len(result) == o.files == len(set(result))
    print("every file is in the result once" if once else "files were lost or counted twice")
    return 0 if once else 1


if __name__ == "__main__":
    raise SystemExit(main())
