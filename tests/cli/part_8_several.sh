# --device with several devices: the same figures, as jobs and images go to whichever is free. Contexts on one
# device stand for several.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- what is refused ---------------------------------------------------------------------------------
for list in 'vulkan:0,' ',vulkan:0' 'vulkan:0,cpu' 'vulkan:0,,vulkan:0' 'vulkan:x,vulkan:0' \
    'gpus,vulkan:0'; do
    go 2 stats --device "$list" ramp.pgm
    complains 'commas'
done
go 2 label --device vulkan:0,vulkan:0 ramp.pgm -o never.pgm
go 2 run --device gpus contrast ramp.pgm -o never.pgm
that 'nothing is written' test ! -e never.pgm

if [[ ${LUMAGRAPH_TEST_VULKAN:-1} == 0 ]] ||
    ! "$tool" devices --json | grep -q '"device":"vulkan:0","name":"[^"]*","usable":true'; then
    skip 18 'vulkan:0 cannot be used here'
    return 0
fi
python3 - <<'PYTHON'
import random
random.seed(3)
with open("tall.pgm", "wb") as file:
    file.write(b"P5\n61 301\n255\n" + bytes(random.randrange(256) for _ in range(61 * 301)))
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

# ---- all of them are lost ----------------------------------------------------------------------------
prefix=(env LUMAGRAPH_VK_TIMEOUT=0)
go 0 stats --json -q --device vulkan:0,vulkan:0 tall.pgm
json '"lost" in d["engine"]["fallback"] and d["engine"]["variant"] != "strips"'
go 4 stats --strict --device vulkan:0,vulkan:0 tall.pgm
prefix=()
