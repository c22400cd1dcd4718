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
json 'd["results"][0]["histogram"] == [[1, 0, 0, 0, 0]] and d["width"] == 51.2'

# ---- layers ----------------------------------------------------------------------------------------
go 0 run --explain 'threshold:level=@otsu' frames.pgm
says 'with 1 measured parameter of all 3 layers together'
go 0 run --help
says 'of all layers'
