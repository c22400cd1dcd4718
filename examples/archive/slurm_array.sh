#!/bin/sh
#SBATCH --job-name=lumagraph
#SBATCH --array=1-64
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
# Statistics of the files of a list by a Slurm array: each task measures a shard and writes its state.
# usage: sbatch [--array=1-N] slurm_array.sh LIST STATES
#        lumagraph merge --json STATES/*.lgs     # in a job with --dependency=afterany:ID of this one
# A task that is killed or requeued takes up where it was. A shard that is missing is named by `merge`.
set -eu
list=$1 states=$2
count=${SLURM_ARRAY_TASK_COUNT:?is set by sbatch --array} first=${SLURM_ARRAY_TASK_MIN:?}
shard=$((SLURM_ARRAY_TASK_ID - first + 1))
mkdir -p "$states"
status=0
"${LUMAGRAPH:-lumagraph}" stats --quiet --threads "${SLURM_CPUS_PER_TASK:-1}" --files-from "$list" \
    --shard "$shard/$count" --resume --state "$states/$shard.lgs" || status=$?
# Inputs that failed are in the state, with the reason; only a task without a state has failed.
[ -e "$states/$shard.lgs" ] || exit "$status"
