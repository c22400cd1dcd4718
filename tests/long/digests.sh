#!/usr/bin/env bash
# Digests of all filters and measurements on every instruction set, and those of smaller images on Vulkan
# beside the processor's.
# usage: tests/long/digests.sh TOOL
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tool=$(realpath "$1")
readonly LACKS=4 # the exit status for a device or CPU level that is not here
passed=0 failed=0 skipped=0
numpy=''
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && numpy=$python && break
done
if ! "$tool" --version >/dev/null; then
    echo "FAILED: $tool does not run"
    echo "digests: 0 passed, 1 failed, 0 skipped"
    exit 1
fi
if [[ -z $numpy ]] || ! "$tool" stats -q "$root/images/coins.png" >/dev/null 2>&1; then
    echo "skipped: digests of results: no NumPy, or a build that reads no PNG"
    echo "digests: 0 passed, 0 failed, 1 skipped"
    exit
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/lumagraph-digests.XXXXXX")
trap 'rm -rf "$work"' EXIT
digests() { "$numpy" "$root/scripts/digests.py" "$tool" "$@"; }
# judge STATUS WHAT
judge() {
    if (($1 == 0)); then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $2"
    fi
}

for level in base v2 v3 v4 neon; do
    "$tool" stats -q --cpu $level --device cpu "$root/images/coins.png" >/dev/null 2>"$work/err"
    status=$?
    if ((status == 0)); then
        digests --cpu $level --check "$root/tests/cli/digests.txt"
        judge $? "results on CPU level $level are others"
    elif ((status == LACKS)); then
        echo "skipped: a CPU level that this machine or build lacks"
        skipped=$((skipped + 1))
    else
        sed 's/^/  /' "$work/err"
        judge 1 "the tool ends with $status on CPU level $level"
    fi
done
if "$tool" devices --json | grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    digests --short --fold >"$work/cpu" &&
        XDG_CACHE_HOME=$work/cache digests --short --device vulkan --check "$work/cpu"
    judge $? "results on Vulkan are others"
else
    echo "skipped: no Vulkan device"
    skipped=$((skipped + 1))
fi
echo "digests: $passed passed, $failed failed, $skipped skipped"
((failed == 0))
