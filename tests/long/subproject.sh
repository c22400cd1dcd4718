#!/usr/bin/env bash
# A project of Meson that has this one as a subproject: its programs are built, run and use what they ask for.
# usage: tests/long/subproject.sh TOOL
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/lumagraph-subproject.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
that() {
    if "${@:2}"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAILED: $1"
    fi
}
prints() { [[ $("${@:2}" 2>&1) == "$1" ]]; }

mkdir -p "$work/project/subprojects"
cp "$root/tests/long/with_meson/meson.build" "$root/tests/installed/"{filter,measure_files}.c "$work/project"
ln -s "$root" "$work/project/subprojects/lumagraph"
if ! meson setup "$work/build" "$work/project" >"$work/log" 2>&1 ||
    ! ninja -C "$work/build" by_name by_variable static files >>"$work/log" 2>&1; then
    tail -n 30 "$work/log" | sed 's/^/    | /'
    echo 'FAILED: the project can be built'
    echo 'subproject: 0 passed, 1 failed, 0 skipped'
    exit 1
fi
for program in by_name by_variable static; do
    that "$program negates black on the CPU" prints 255 "$work/build/$program" cpu
done
that 'by name it is the shared library' grep -qF liblumagraph.so <(ldd "$work/build/by_name")
that 'the static one needs none' test -z "$(ldd "$work/build/static" | grep lumagraph)"
printf 'P5 2 2 255\n\1\2\41\144' >"$work/four.pgm"
that 'files are read and written' "$work/build/files" "$work/four.pgm" "$work/again.pgm" >/dev/null
that 'no tests of a subproject are built' test ! -e "$work/build/subprojects/lumagraph/tests"
echo "subproject: $passed passed, $failed failed, 0 skipped"
((failed == 0))
