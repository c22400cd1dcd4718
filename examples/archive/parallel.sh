#!/bin/sh
# Statistics of all files of a list on all cores by GNU parallel: a state for each shard, then one report.
# usage: parallel.sh LIST STATES [SHARDS] >report.jsonl
#   LIST    names of images, one a line or with zero bytes between them (find -print0)
#   STATES  a folder; the same command again takes up what was killed
# An image that fails does not end the others: its document in the report has the reason.
set -eu
list=$1 states=$2 shards=${3:-$(nproc)}
tool=${LUMAGRAPH:-lumagraph}
mkdir -p "$states"
# Exit status 1 to 5 of a shard is about its inputs, and its state says which; a shard without a state
# is missing from the merge, which refuses it by number.
seq "$shards" | parallel --jobs "$(nproc)" --quote \
    "$tool" stats --quiet --threads 1 --files-from "$list" --shard "{}/$shards" \
    --resume --state "$states/{}.lgs" ||
    echo "parallel.sh: $? shards have inputs that failed" >&2
exec "$tool" merge --json "$states"/*.lgs
