# Every command on both devices, with the same figures and files, and the tool in other places.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # prefix, tool, out, work ... are those of run

mkdir -p "$work/cpu" "$work/vulkan"
python3 - "$work/in.pgm" <<'PYTHON'
import random, sys
random.seed(1)
open(sys.argv[1], "wb").write(b"P5 61 43 255\n" + bytes(random.randrange(256) for _ in range(61 * 43)))
PYTHON
used=' '

# plain COMMAND ARGUMENTS...: works, and says nothing on standard error.
plain() {
    used+="$1 "
    bare "$tool" "$@"
    that "lumagraph $* ends with status 0" test $? -eq 0
    that "lumagraph $* prints something" test -s "$out"
    that "lumagraph $* has nothing to complain of" test ! -s "$err"
}

# The documents of two devices are equal but for the engine, and each ran where it was asked to.
same_documents() {
    python3 - "$work/cpu/document" "$work/vulkan/document" <<'PYTHON'
import json, sys
a, b = (json.load(open(p, encoding="utf-8")) for p in sys.argv[1:])
cpu, vulkan = a.pop("engine"), b.pop("engine")
for timed in [a, b] + a.get("stages", []) + b.get("stages", []):
    for key in "seconds", "bytes_per_second", "build_seconds", "query_seconds":
        timed.pop(key, None)
assert a == b, (a, b)
assert cpu["device"] != vulkan["device"] and cpu["driver"] != vulkan["driver"], (cpu, vulkan)
PYTHON
}

# both COMMAND ARGUMENTS...: the same document and the same file `made`, if any, on both devices.
both() {
    local device
    for device in cpu vulkan; do
        cd "$work/$device" || exit 2
        rm -f made.*
        plain "$@" --json --device $device
        cp "$out" document
        cd "$work" || exit 2
    done
    that "lumagraph $*: the same on both devices" same_documents
    that "lumagraph $*: the same files" diff -r -x document cpu vulkan
}

plain devices
bare "$tool" devices --json
if grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true' "$out"; then
    both stats ../in.pgm
    both histogram ../in.pgm
    both threshold ../in.pgm -o made.pgm
    both areasum --box 20x20+3+4 --figure sum,mean,variance ../in.pgm
    both areasum --kind ripmap --box 20x20+3+4 --figure min,max ../in.pgm
    both label --threshold otsu ../in.pgm -o made.npy
    chain='contrast:contrast=1.2 | gaussian_blur:sigma=2 | luminance_threshold:threshold=@otsu'
    both run "$chain" ../in.pgm -o made.pgm
    both run 'vignette | sobel_edge_detection | auto_levels' ../in.pgm -o made.pam
    plain selftest --device vulkan
    plain bench moments --device vulkan --size 64x64 --type u8 --channels 1 --samples 1
else
    bad "no Vulkan device can be used here: $(cat "$out")"
fi
plain selftest --device cpu
plain bench moments --device cpu --size 64x64 --type u8 --channels 1 --samples 1
bare "$tool" stats in.pgm --state in.lgs
plain merge --json in.lgs
plain filters
plain filters sepia
plain completion bash
plain help
commands=$(sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' "$out")
that 'help lists the commands' test "$(wc -w <<<"$commands")" -ge 12
for command in $commands; do
    that "$command was used" grep -qF " $command " <<<"$used"
done

# The tool through links and names, and the whole prefix in another place.
filter=(run --device vulkan sepia "$work/in.pgm" -o "$work/o.ppm")
mkdir -p "$work/links/bin"
ln -s "$tool" "$work/links/lumagraph"
ln -s "$prefix" "$work/links/prefix"
for name in "$work/links/lumagraph" "$work/links/prefix/bin/lumagraph"; do
    bare "$name" "${filter[@]}"
    that "filters on Vulkan through the link ${name#"$work"/}" test $? -eq 0 -a ! -s "$err"
done
for name in lumagraph ./lumagraph '' /nowhere/lumagraph; do
    bare bash -c 'exec -a "$1" "$2" "${@:3}"' _ "$name" "$tool" "${filter[@]}"
    that "filters on Vulkan by the name '$name'" test $? -eq 0
done
mv "$prefix" "$work/moved"
bare "$work/moved/bin/lumagraph" "${filter[@]}"
that 'filters on Vulkan after a move' test $? -eq 0 -a ! -s "$err"
mv "$work/moved" "$prefix"
