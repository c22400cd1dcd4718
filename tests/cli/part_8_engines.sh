# Archives over several processes and machines: the examples print the report of one run.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, root, out, err, last ... are those of run

mkdir -p engines
python3 - <<'PYTHON'
import random
r = random.Random(41)
for i in range(11):
    open(f"engines/{i} a.pgm", "wb").write(b"P5\n23 17\n255\n" + r.randbytes(23 * 17))
open("engines/broken.pgm", "wb").write(b"P5\n23 17\n255\nshort")
PYTHON
cd engines || exit
export LUMAGRAPH=$tool
files=(./*.pgm)
printf '%s\n' "${files[@]}" >list
"$tool" stats --json "${files[@]}" >whole.json 2>/dev/null

# alike FILE: it is the report of one run; the failed input is in it.
alike() {
    last="$1"
    if python3 - whole.json "$1" <<'PYTHON'
import json, sys
a, b = ([json.loads(line) for line in open(n)] for n in sys.argv[1:])
for d in a + b:
    d.pop("engine", None)
sys.exit(a != b or len(a) != 12)
PYTHON
    then good; else bad "the report differs from one run's"; fi
}

# Slurm sets these variables in the tasks of an array; a task that was killed is started again.
export SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_MIN=3
for task in 7 3 5 4 6; do
    SLURM_ARRAY_TASK_ID=$task "$root/examples/archive/slurm_array.sh" list slurm 2>"$err" || bad "task $task"
done
rm slurm/2.lgs
"$tool" merge --json slurm/*.lgs >"$out" 2>"$err"
last='merge without a shard'
complains 'inputs of the runs are in no state, the first is number 2'
SLURM_ARRAY_TASK_ID=4 "$root/examples/archive/slurm_array.sh" list slurm 2>"$err" || bad 'the task again'
"$tool" merge --json slurm/*.lgs >merged.json 2>/dev/null
alike merged.json
SLURM_ARRAY_TASK_ID=3 "$root/examples/archive/slurm_array.sh" absent none 2>/dev/null
that 'a task without a list fails' test $? -ne 0
unset SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN

if command -v parallel >/dev/null; then
    "$root/examples/archive/parallel.sh" list parallel 3 >merged.json 2>"$err"
    alike merged.json
else
    skip 1 'GNU parallel is not installed'
fi

python=python3
[[ -n ${LUMAGRAPH_DASK:-} ]] && python=$LUMAGRAPH_DASK # a Python that has Dask
if "$python" -c 'import dask' 2>/dev/null; then
    "$python" "$root/examples/archive/dask_states.py" --shards 10 "${files[@]}" >merged.json 2>"$err"
    alike merged.json
else
    skip 1 'Dask is not installed'
fi

last='simulate.py'
python3 "$root/examples/archive/simulate.py" --files 2000 --shards 90 --mtbf 0.005 >"$out" 2>"$err"
says 'every file is in the result once'
if grep -q '^0 kills' "$out"; then bad 'nothing failed in the simulation'; else good; fi
cd ..
