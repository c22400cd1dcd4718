#!/bin/bash
# Packs a build for a machine of the same processor that has a C compiler and a device, but nothing that the
# build needs: objects and archives, which are linked there, the libraries that they load, and the digests.
#
# usage: pack_tests.sh BUILD TOOL FILE.tar.xz
#   BUILD  a build folder with tests, best without libvips, libtiff, FFmpeg, libarchive and MPI
#   TOOL   a tool that reads PNG: the photographs travel as PNM
#
# There: `tar xJf FILE.tar.xz && sh tests-elsewhere/link`. There are then ./lumagraph, ./lumagraph-bench,
# `bash programs [NAME...]`, which runs test programs (logs in logs/; 1 when one failed), and
# `python3 scripts/digests.py ./lumagraph --check tests/cli/digests.txt`, whose --device chooses the device.
set -eu -o pipefail
(($# == 3)) || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
build=$(realpath "$1") tool=$(realpath "$2") out=$(realpath -m "$3")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
there=$scratch/tests-elsewhere
mkdir -p "$there/lib" "$there/tests/cli" "$there/scripts" "$there/images"

# Every link command of the build, with libraries of the system from lib/.
ninja -C "$build" -t commands all |
    grep -E '^(cc|c\+\+|gcc)  ?-o (tests/[a-z_0-9]+|lumagraph|lumagraph-bench) ' |
    sed -E 's,/usr/[^ ]*/(lib[a-z0-9_.+-]*)\.so,lib/\1.so,g; s/-lvulkan/-l:libvulkan.so.1/' |
    sort -u >"$scratch/commands"
{
    tr ' ' '\n' <"$scratch/commands" | grep -E '\.(o|a)$'
    (cd "$build" && find tests/*.a.p -name '*.o') # of thin archives
} | sort -u | tar cf - -C "$build" -T - | tar xf - -C "$there"
grep -oE 'lib/lib[^ ]+\.so' "$scratch/commands" | sort -u | while read -r library; do
    file=$(realpath "/usr/lib/$(cc -print-multiarch)/${library#lib/}")
    name=$(readelf -d "$file" | sed -nE 's/.*soname: \[(.*)\]/\1/p')
    cp "$file" "$there/lib/$name"
    ln -s "$name" "$there/$library"
done
for file in "$build"/liblumagraph-*.so "$build"/liblumagraph.so.0 "$build"/tests/*.so*; do
    [[ ! -f $file || $file == *.p ]] || cp -L "$file" "$there/${file#"$build"/}"
done
cp scripts/digests.py "$there/scripts"
cp tests/cli/digests.txt "$there/tests/cli"
for photo in astronaut coffee coins; do
    "$tool" run copy "images/$photo.png" -o "$scratch/$photo.pam" >/dev/null
    cp "$scratch/$photo.pam" "$there/images/$photo.png" # the content says what it is
done
cp "$scratch/commands" "$there/commands"
cat >"$there/link" <<'THERE'
cd "$(dirname "$0")" || exit 1
xargs -d '\n' -P "$(nproc)" -n 1 sh -c <commands && chmod -R go-w .
THERE
cat >"$there/programs" <<'THERE'
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH=$PWD/lib
# Examples want arguments.
(($#)) || set -- $(grep -v _examples_ commands | sed -nE 's,^[^ ]+ +-o tests/([^ ]+) .*,\1,p')
rm -rf logs && mkdir logs
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I {} sh -c '
    start=$(date +%s)
    timeout "${LIMIT:-600}" tests/{} >logs/{} 2>&1 </dev/null
    status=$?
    echo "$(($(date +%s) - start)) s, status $status, $(tail -n 1 logs/{})"' | tee logs/times
! grep -v ' s, status 0, ' logs/times >&2
THERE
tar cf - -C "$scratch" tests-elsewhere | xz -T0 -6 >"$out"
ls -l "$out" >&2
