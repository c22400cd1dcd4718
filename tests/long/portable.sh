#!/usr/bin/env bash
# A build that takes what POSIX has and nothing of Linux alone (LG_PORTABLE, as on macOS), without Vulkan: the
# programs and the parts of tests/cli in which something else runs then.
# usage: tests/long/portable.sh TOOL
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(mktemp -d "${TMPDIR:-/tmp}/lumagraph-portable.XXXXXX") || exit 2
trap 'rm -rf "$build"' EXIT
passed=0 failed=0 skipped=0
programs=(archive arguments forks rows_files state stream)
parts=(part_8_archives part_8_layers part_8_manners)
# count NAME COMMAND...: adds what its last line counts.
count() {
    local p=0 f=1 s=0
    "${@:2}" >"$build/log" 2>&1 </dev/null
    grep -E 'FAILED|^skipped' "$build/log"
    read -r p f s < <(sed -nE '$s/^.*: ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' \
        "$build/log")
    [[ -n ${p:-} ]] || { echo "FAILED: $1 ended without a count" && p=0 f=1 s=0; }
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

options=(-Dtests=true -Dvulkan=disabled -Dav=disabled '-Dcpu_levels=[]' -Dwerror=true -Dc_args=-DLG_PORTABLE)
if ! { meson setup "$build" "$root" "${options[@]}" &&
    ninja -C "$build" "${programs[@]/#/tests/}" lumagraph; } >"$build.log" 2>&1; then
    tail -n 30 "$build.log" | sed 's/^/    | /'
    echo 'FAILED: it can be built'
    failed=1 programs=() parts=()
fi
rm -f "$build.log"
for name in "${programs[@]}"; do LUMAGRAPH_TEST_SHORT=1 count "$name" "$build/tests/$name"; done
for name in "${parts[@]}"; do
    count "$name" "$root/tests/cli/run" "$build/lumagraph" "$root/tests/cli/$name.sh"
done
echo "portable: $passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
