# One figure, one value: commands against pipelines and graphs; ranges of floats; bins; layers.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p figures
devices=(cpu)
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    devices+=(vulkan)
else
    skip 1 'figures on Vulkan: no device'
fi
last='figure_ways.py' status=0
if (cd figures && python3 "$here/figure_ways.py" "$tool" "${devices[@]}" >"$out" 2>"$err"); then good; else
    status=$?
    head -20 "$out"
    bad 'a figure has two values'
fi

# ---- ranges of floats ------------------------------------------------------------------------------
python3 - <<'PYTHON'
import struct
def npy(name, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, %d), }" % len(values)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%df" % len(values), *values))
npy("tiny.npy", [1e-31, 1e-31, 5e-31, 5e-31])
npy("subnormal.npy", [1e-42, 1e-42, 5e-42, 5e-42])
npy("huge.npy", [-3.4e38, -3.3e38, 3.3e38, 3.4e38])
npy("one.npy", [3.4028234663852886e38] * 4)
PYTHON
for name in tiny subnormal huge; do
    go 0 threshold --json $name.npy
    json 'd["foreground"] == 2'
    go 0 threshold --json -m li --bins 100 $name.npy
    json 'd["foreground"] == 2'
    go 0 label --json -t otsu $name.npy
    json 'd["components"] == 1 and d["table"][0]["area"] == 2'
    go 0 histogram --json --range auto --bins 4 $name.npy
    json 'c[0]["counts"] == [2, 0, 0, 2] and c[0]["total"] == 4'
    go 0 run --json -t u8 threshold:level=@otsu $name.npy -o mask.pgm
    that 'two pixels are white' test "$(tail -c 4 mask.pgm | od -An -tu1 | tr -s ' ')" = ' 0 0 255 255'
done
go 0 threshold --json one.npy
json 'd["foreground"] == 0 and d["level"] == 3.4028234663852886e38'
go 0 label --json -t otsu one.npy
json 'd["components"] == 0'
go 0 histogram --json --range auto one.npy
json 'c[0]["total"] == 4'
go 0 run --json -t u8 threshold:level=@otsu one.npy -o mask.pgm
that 'no pixel is white' test "$(tail -c 4 mask.pgm | od -An -tu1 | tr -s ' ')" = ' 0 0 0 0'
go 0 histogram --json --range=-1e308:1e308 --bins 10 ramp.pgm
json 'c[0]["counts"] == [0] * 5 + [256] + [0] * 4'

# ---- bins ------------------------------------------------------------------------------------------
printf 'P2 1 1 255 51\n' >one.pgm
go 0 histogram --json --range 0:100 --bins 3 ramp.pgm
json 'c[0]["width"] == 101 / 3 and (c[0]["lo"], c[0]["hi"], c[0]["above"]) == (0, 100, 155)'
go 0 histogram --json --range 0.1:0.7 --bins 3 tiny.npy
json 'c[0]["lo"] == 0.10000000149011612 and c[0]["hi"] == 0.699999988079071'
go 0 histogram --json --bins 5 one.pgm
json 'c[0]["counts"] == [1, 0, 0, 0, 0]'
go 0 areasum --json -f histogram --bins 5 --box 1x1+0+0 one.pgm
json 'd["results"][0]["histogram"] == [[1, 0, 0, 0, 0]] and d["bin_width"] == 51.2'

# ---- layers ----------------------------------------------------------------------------------------
go 0 run --stack --explain 'threshold:level=@otsu' frames.pgm
says 'with 1 measured parameter of all 3 layers together'
go 0 run --explain 'threshold:level=@otsu' frames.pgm
says 'each of 3 layers by itself; --stack measures all together'
go 0 run --help
says 'with --stack of all'
mkdir -p layers
python3 - <<'PYTHON'
def write(name, frames):
    with open(f"layers/{name}.pgm", "wb") as f:
        for pixels in frames:
            f.write(b"P5\n15 9\n255\n" + bytes(pixels))
for name, step in (("stack", 7), ("other", 11)):
    write(name, [[(i * step * (z + 1) + z * 40) % (100 + 50 * z) for i in range(135)] for z in range(3)])
write("mask", [[(i * (z + 2) // 3) % 2 for i in range(135)] for z in range(3)])
write("part", [[i % 3 for i in range(135)]])
write("two", [[i % 3 for i in range(135)]] * 2)
PYTHON
# pages COMMAND...: layers/wanted.pgm is what the command, with Z for the page, makes of each page
pages() {
    : >layers/wanted.pgm
    for z in 0 1 2; do
        go 0 "${@//Z/$z}" --page $z layers/stack.pgm -o layers/page.pgm
        cat layers/page.pgm >>layers/wanted.pgm
    done
}
same() { that "$1" cmp -s layers/got.pgm layers/wanted.pgm; }
# by_layer ARGUMENTS...: run on the stack and on each page of it
by_layer() {
    go 0 run -q "$@" layers/stack.pgm -o layers/got.pgm
    pages run -q "$@"
    same "each layer by itself: $*"
}
for device in "${devices[@]}"; do
    on=(--device "$device")
    by_layer "${on[@]}" --channels 1 'levels:min=@min:max=@max'
    by_layer "${on[@]}" threshold:level=@otsu
    by_layer "${on[@]}" 'box_blur:radius=1 #b | #in | brightness:brightness=@#b.p30*-0.5'
    by_layer "${on[@]}" --region 7x5+2+3 'brightness:brightness=@mean'
    by_layer "${on[@]}" --mask layers/part.pgm 'brightness:brightness=@mean'
    by_layer "${on[@]}" -f mean 'gamma:gamma=2'
    for stack in '' --stack; do
        # shellcheck disable=SC2086 # one word or none
        {
            for method in otsu mean; do
                go 0 threshold -m $method "${on[@]}" $stack layers/stack.pgm -o layers/wanted.pgm
                go 0 run "${on[@]}" $stack threshold:level=@$method layers/stack.pgm -o layers/got.pgm
                same "the levels of threshold, $method $stack"
            done
            go 0 run -q "${on[@]}" $stack brightness:brightness=@mean layers/stack.pgm -o layers/got.pgm
            go 0 stats --csv "${on[@]}" $stack layers/got.pgm
            cut -d, -f2- "$out" >layers/wanted.csv
            go 0 stats --csv "${on[@]}" $stack --pipeline brightness:brightness=@mean layers/stack.pgm
            that "a pipeline in front $stack" diff -q <(cut -d, -f2- "$out") layers/wanted.csv
        }
    done
    go 0 stats --json layers/stack.pgm
    means=$(python3 -c 'import json, sys
print([x["mean"] for x in json.load(sys.stdin)["channels"]])' <"$out")
    go 0 run --json "${on[@]}" brightness:brightness=@mean layers/stack.pgm -f '#in.mean' -o layers/got.pgm
    json '[(f["name"], f["layer"]) for f in d["figures"]] == [
        (name, z) for z in range(3) for name in ("brightness", "#in.mean")]'
    json 'all(abs(f["values"][0] * 255 - eval(means)[f["layer"]]) < 1e-4
              for f in d["figures"])' means
    go 0 run --json "${on[@]}" brightness:brightness=@prev.mean layers/stack.pgm -o layers/got.pgm
    json 'all(abs(f["values"][0] * 255 - eval(means)[max(f["layer"] - 1, 0)]) < 1e-4
              for f in d["figures"])' means
    go 0 run --json "${on[@]}" --stack brightness:brightness=@mean layers/stack.pgm -f mean
    json '[f["layer"] for f in d["figures"]] == [None, None]'
    go 0 run --json "${on[@]}" brightness:brightness=@mean one.pgm -f mean
    json '[f["layer"] for f in d["figures"]] == [0, 0]'
    # a second stack, and a mask of as many layers
    for z in 0 1 2; do
        for name in other mask; do
            go 0 run -q contrast --page $z layers/$name.pgm -o layers/$name-$z.pgm
        done
    done
    pipeline='difference_blend | brightness:brightness=@mean'
    go 0 run -q "${on[@]}" "$pipeline" --input other=layers/other.pgm --mask layers/mask.pgm \
        layers/stack.pgm -o layers/got.pgm
    pages run -q "${on[@]}" "$pipeline" --input other=layers/other-Z.pgm --mask layers/mask-Z.pgm
    same 'several images, layer by layer'
done
go 0 run --profile threshold:level=@otsu layers/stack.pgm
says 'of a copy'
labels='threshold:level=@otsu | label'
refused 2 'numbered through all layers' run "$labels" layers/stack.pgm -o layers/x.tif
refused 2 'numbered through all layers' stats --pipeline "$labels" layers/stack.pgm
go 0 run --stack "$labels" layers/stack.pgm -o layers/labels.npy
go 0 run "$labels:connectivity=26" layers/stack.pgm -o layers/labels.npy
refused 2 'the mask has 2 layers' \
    run --mask layers/two.pgm brightness:brightness=@mean layers/stack.pgm -o layers/x.pgm
