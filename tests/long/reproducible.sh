#!/usr/bin/env bash
# Two builds from two copies of the sources, in folders of other names, with another time zone and number
# of jobs: what they install has the same bytes. Compiler caches are turned off, since they would answer twice
# with one result.
# usage: tests/long/reproducible.sh TOOL     (options of Meson: LUMAGRAPH_MESON, as '-Dcpu_levels=v3')
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/lumagraph-reproducible.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
read -ra options <<<"${LUMAGRAPH_MESON:-}"

# build FOLDER JOBS: installs into $work/FOLDER.made
build() {
    mkdir -p "$work/$1" && git -C "$root" ls-files -z --cached --others --exclude-standard |
        (cd "$root" && tar c --null -T -) | tar x -C "$work/$1" &&
        meson setup "$work/$1/build" "$work/$1" --prefix=/usr -Dtests=false "${options[@]}" &&
        ninja -C "$work/$1/build" -j "$2" &&
        DESTDIR=$work/$1.made meson install -C "$work/$1/build" --no-rebuild
}
if ! (umask 022 && TZ=UTC build first "$(nproc)") >"$work/log" 2>&1 ||
    ! (umask 022 && TZ=Asia/Tokyo LC_ALL=C build another-name $(($(nproc) + 1))) >>"$work/log" 2>&1; then
    tail -n 30 "$work/log" | sed 's/^/    | /'
    echo 'FAILED: it can be built twice'
    echo 'reproducible: 0 passed, 1 failed, 0 skipped'
    exit 1
fi
if diff -r "$work/first.made" "$work/another-name.made" &&
    [[ $(find "$work/first.made" -name 'liblumagraph*' | wc -l) -ge 6 ]]; then
    echo 'reproducible: 1 passed, 0 failed, 0 skipped'
else
    echo 'FAILED: the two builds differ'
    echo 'reproducible: 0 passed, 1 failed, 0 skipped'
    exit 1
fi
