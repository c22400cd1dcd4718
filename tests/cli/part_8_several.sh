# --device with several devices: the same figures, as jobs and images go to whichever is free. Contexts on one
# device stand for several.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- what is refused ---------------------------------------------------------------------------------
for list in 'vulkan:0,' ',vulkan:0' 'vulkan:0,cpu' 'vulkan:0,,vulkan:0' 'vulkan:x,vulkan:0' \
    'gpus,vulkan:0'; do
    go 2 stats --device "$list" ramp.pgm
    complains 'commas'
done
go 2 areasum --device vulkan:0,vulkan:0 ramp.pgm -o never.npy
go 2 areasum --device gpus ramp.pgm -o never.npy
that 'nothing is written' test ! -e never.npy

if [[ ${LUMAGRAPH_TEST_VULKAN:-1} == 0 ]] ||
    ! "$tool" devices --json | grep -q '"device":"vulkan:0","name":"[^"]*","usable":true'; then
    skip 49 'vulkan:0 cannot be used here'
    return 0
fi
python3 - <<'PYTHON'
import random
random.seed(3)
with open("tall.pgm", "wb") as file:
    file.write(b"P5\n61 301\n255\n" + bytes(random.randrange(256) for _ in range(61 * 301)))
with open("large.pgm", "wb") as file:
    file.write(b"P5\n301 2000\n255\n" + random.randbytes(301 * 2000))
PYTHON
go 0 stats --csv tall.pgm ramp.pgm
cp "$out" one.csv
go 0 stats --csv --device vulkan:0,vulkan:0 tall.pgm ramp.pgm
that 'the same figures on two' cmp "$out" one.csv
go 0 stats --csv --device vulkan:0,vulkan:0,vulkan:0 tall.pgm ramp.pgm
that 'the same figures on three' cmp "$out" one.csv
go 0 stats --json --device vulkan:0,vulkan:0 tall.pgm
json 'd["engine"]["variant"] == "strips" and "2 devices" in d["engine"]["reason"]'
json 'd["engine"]["fallback"] is None and d["engine"]["seconds"]["compute"] > 0'
go 0 histogram --csv tall.pgm
cp "$out" one.csv
go 0 histogram --csv --device vulkan:0,vulkan:0 tall.pgm
that 'the same counts on two' cmp "$out" one.csv

go 0 threshold --csv tall.pgm -o one.pgm
cp "$out" one.csv
go 0 threshold --csv --device vulkan:0,vulkan:0 tall.pgm -o two.pgm
that 'the same level on two' cmp "$out" one.csv
that 'the same pixels on two' cmp one.pgm two.pgm

# Components, with labels and without; a volume has one device.
go 0 label --threshold otsu --csv --columns all tall.pgm -o one.pgm
cp "$out" one.csv
go 0 label --threshold otsu --csv --columns all --device vulkan:0,vulkan:0 tall.pgm -o two.pgm
that 'the same components on two' cmp "$out" one.csv
that 'the same labels on two' cmp one.pgm two.pgm
go 0 label --threshold otsu --csv --intensity self tall.pgm
cp "$out" one.csv
go 0 label --threshold otsu --csv --intensity self --device vulkan:0,vulkan:0 tall.pgm
that 'the same intensities on two' cmp "$out" one.csv
go 0 label --threshold otsu --json --device vulkan:0,vulkan:0 tall.pgm
json 'd["engine"]["variant"] == "strips" and d["engine"]["fallback"] is None'

# Pipelines: images that are in memory, and such as are read and written in bands.
go 0 run 'gaussian_blur:sigma=2 | color_invert' tall.pgm -o one.pgm
go 0 run 'gaussian_blur:sigma=2 | color_invert' --device vulkan:0,vulkan:0 --json tall.pgm -o two.pgm
that 'the same pixels on two' cmp one.pgm two.pgm
json 'd["engine"]["variant"] == "strips" and d["engine"]["fallback"] is None'
json 'len(d["stages"]) > 0'
go 0 run 'gaussian_blur:sigma=2 | color_invert' large.pgm -o one.pgm
go 0 run 'gaussian_blur:sigma=2 | color_invert' --device vulkan:0,vulkan:0,vulkan:0 --memory 1M \
    --json large.pgm -o two.pgm
json 'd["engine"]["variant"] == "strips"'
that 'the same pixels in bands' cmp one.pgm two.pgm
go 0 run 'resize:scale=0.7' large.pgm -o one.pgm
go 0 run 'resize:scale=0.7' --device vulkan:0,vulkan:0 --memory 1M --json large.pgm -o two.pgm
json 'd["engine"]["variant"] == "strips"'
that 'the same rows of another height' cmp one.pgm two.pgm
go 0 run 'contrast:contrast=@mean' tall.pgm -o one.pgm
go 0 run 'contrast:contrast=@mean' --device vulkan:0,vulkan:0 --json tall.pgm -o two.pgm
that 'the same pixels where one device measures' cmp one.pgm two.pgm
json '"figures" in d["engine"]["reason"] and d["engine"]["variant"] != "strips"'
mkdir -p several
go 0 run sobel_edge_detection --device vulkan:0,vulkan:0 tall.pgm ramp.pgm -o several/
go 0 run sobel_edge_detection tall.pgm -o one.pgm
that 'the same in a batch' cmp one.pgm several/tall.pgm

# ---- all of them are lost ----------------------------------------------------------------------------
prefix=(env LUMAGRAPH_VK_TIMEOUT=0)
go 0 stats --json -q --device vulkan:0,vulkan:0 tall.pgm
json '"lost" in d["engine"]["fallback"] and d["engine"]["variant"] != "strips"'
go 4 stats --strict --device vulkan:0,vulkan:0 tall.pgm
go 0 label --threshold otsu --csv -q --device vulkan:0,vulkan:0 --intensity self tall.pgm
that 'the same components without a device' cmp "$out" one.csv
go 0 run sobel_edge_detection --json -q --device vulkan:0,vulkan:0 tall.pgm -o two.pgm
json '"lost" in d["engine"]["fallback"]'
that 'the same pixels without a device' cmp one.pgm two.pgm
go 4 run sobel_edge_detection --strict --device vulkan:0,vulkan:0 tall.pgm -o never.pgm
prefix=()
