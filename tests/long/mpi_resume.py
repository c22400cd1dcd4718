#!/usr/bin/env python3
"""Jobs of MPI with --resume of which a rank is killed: what is left is taken up, also by another number of
ranks, and reports and files are those of a run that nobody disturbed.

usage: mpi_resume.py TOOL [ROUNDS]
"""
import atexit
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LAUNCHERS = ("mpirun.openmpi", "mpirun.mpich")
ENVIRONMENT = dict(
    os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_rmaps_base_oversubscribe="1",
    OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl="self,vader")
SIDE = 4000
# name, file, arguments
WORK = (
    ("stats", None, ["stats", "--csv"]),
    ("histogram", None, ["histogram", "--csv"]),
    ("threshold", "out.pgm", ["threshold", "--csv", "--method", "otsu"]),
    ("label", "out.npy", ["label", "--csv", "-t", "otsu", "--columns", "all",
                          "--keep", "area > 30"]),
    ("run", "out.npy", ["run", "-q", "median:radius=3"]),
    ("resize", "out.npy", ["run", "-q", "resize:scale=1.3:method=lanczos3"]),
    ("tiles", "out.tif", ["run", "-q", "resize:scale=1.3", "--tile", "64", "--pyramid",
                          "--compression", "none"]),
)


def images(folder, source):
    """A picture with blobs of many sizes, and noise."""
    rows, cells = bytearray(), SIDE // 5 + 1
    for y in range(SIDE):
        if y % 5 == 0:
            line = bytes(source.choice((0, 90, 160, 220)) for _ in range(cells))
        noise = source.randbytes(SIDE)
        rows += bytes(line[x // 5] + (noise[x] & 15) for x in range(SIDE))
    (folder / "in.pgm").write_bytes(b"P5\n%d %d\n255\n" % (SIDE, SIDE) + rows)


def command(tool, folder, arguments, output, more):
    line = [tool, *arguments, "--memory", "1500K", "--threads", "1", str(folder / "in.pgm"), *more]
    return line + (["-o", str(folder / output)] if output else [])


def ranks_of(job):
    """Processes of the tool that a launcher has started, by rank."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/environ"):
        try:
            environ = status.read_bytes().split(b"\0")
            words = (status.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if job in words and not os.path.basename(words[0]).startswith(b"mpi"):
            for entry in environ:
                name, _, value = entry.partition(b"=")
                if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK"):
                    found[int(value)] = int(status.parent.name)
    return found


def journals(folder):
    total = 0
    for file in folder.glob("journal.[0-9]*"):
        try:
            total += file.stat().st_size
        except FileNotFoundError:  # a job that is complete has just removed it
            pass
    return total


def end(job):
    """Launchers end their ranks when they are asked to."""
    if job.poll() is None:
        job.terminate()
        try:
            job.wait(timeout=30)
        except subprocess.TimeoutExpired:
            job.kill()
            job.wait()


def kill_one(folder, launcher, line, count, after, source):
    """Starts a job and kills a rank once the journals have `after` bytes. False: it was done before."""
    with open(folder / "killed.txt", "wb") as said:
        job = subprocess.Popen([launcher, "-n", str(count), *line], stdout=said, stderr=said,
                               env=ENVIRONMENT)
        atexit.register(end, job)
        while job.poll() is None and journals(folder) < after:
            time.sleep(0.002)
        victims = ranks_of(str(folder / "journal").encode())
        if victims and job.poll() is None:
            try:
                os.kill(victims[source.choice(sorted(victims))], signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            return job.wait(timeout=300) != 0
        finally:
            end(job)
            atexit.unregister(end)


def main():
    tool = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    source = random.Random(7)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and what runs is ended
    folder = Path(tempfile.mkdtemp(prefix="mpi-resume-"))
    images(folder, source)
    kills = failures = skipped = 0
    for launcher in LAUNCHERS:
        if not shutil.which(launcher):
            print(f"skipped: there is no {launcher}")
            skipped += 1
            continue
        for name, output, arguments in WORK:
            alone = subprocess.run(command(tool, folder, arguments, output, []), check=True,
                                   capture_output=True)
            wanted = (folder / output).read_bytes() if output else b""
            more = ["--mpi", "--resume", "--journal", str(folder / "journal")]
            line = command(tool, folder, arguments, output, more)
            for turn in range(rounds):
                if output:
                    (folder / output).unlink(missing_ok=True)
                after = 1
                for count in (2, 3, 2):
                    died = kill_one(folder, launcher, line, count, after, source)
                    kills += died
                    # It is complete where the job had only to clean up.
                    if output and (folder / output).exists() and \
                            (folder / output).read_bytes() != wanted:
                        print(f"{launcher} {name}: a killed job has left a part of {output}")
                        failures += 1
                    after = journals(folder) + source.randrange(1, 4000)
                last = subprocess.run([launcher, "-n", str(source.choice((1, 2, 3))), *line],
                                      capture_output=True, env=ENVIRONMENT, timeout=600)
                there = output and (folder / output).exists()
                made = (folder / output).read_bytes() if there else b""
                left = [f.name for f in folder.glob("journal*")]
                if last.returncode or last.stdout != alone.stdout or made != wanted or left:
                    print(f"{launcher} {name}, round {turn}: status {last.returncode}, "
                          f"{'' if last.stdout == alone.stdout else 'another report, '}"
                          f"{'' if made == wanted else 'another file, '}left {left}: "
                          f"{last.stderr.decode(errors='replace')[:300]}")
                    failures += 1
                for name_left in left:
                    (folder / name_left).unlink()
            print(f"{launcher} {name}: {kills} kills so far", flush=True)
    hidden = [f.name for f in folder.glob(".lumagraph-*.tmp")]
    if hidden:
        print(f"left behind: {hidden}")
        failures += 1
    shutil.rmtree(folder)
    print(f"mpi_resume: {kills} passed, {failures} failed, {skipped} skipped")
    return 1 if failures or not (kills or skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
