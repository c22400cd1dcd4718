# Reports: figures, formats, selections.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- stats ---------------------------------------------------------------------------------------
go 0 stats ramp.pgm
says 'ramp.pgm: 16 x 16, 1 channel u8'
says '5461.25' # variance of 0..255: (256^2 - 1) / 12
go 0 stats --json ramp.pgm
json 'set("file width height layers type region channels engine".split()) <= set(d)'
json 'set("name layer count min max sum mean variance stddev stddev_sample nan_count".split()) <= set(c[0])'
json 'd["file"] == "ramp.pgm" and (d["width"], d["height"], d["layers"], d["type"]) == (16, 16, 1, "u8")'
json 'd["region"] == {"x": 0, "y": 0, "width": 16, "height": 16}'
json 'c[0]["name"] == "grey" and c[0]["layer"] == 0 and c[0]["count"] == 256'
json 'c[0]["sum"] == 32640 and c[0]["mean"] == 127.5 and c[0]["min"] == 0 and c[0]["max"] == 255'
json 'c[0]["variance"] == 5461.25 and c[0]["stddev"] == math.sqrt(5461.25)'
json 'abs(c[0]["stddev_sample"] - math.sqrt(5461.25 * 256 / 255)) < 1e-12'
json 'd["definitions"]["variance"] == "population"'
json 'd["engine"]["device"] and "--device vulkan" in d["engine"]["reason"]'
json 'd["engine"]["seconds"]["decode"] >= 0 and d["engine"]["seconds"]["upload"] is None'
go 0 stats --json rgb.ppm
json '[x["name"] for x in c] == ["r", "g", "b"] and all(x["count"] == 8 for x in c)'
json '[x["sum"] for x in c] == [sum(i * 7 % 256 for i in range(k, 24, 3)) for k in range(3)]'
go 0 stats --json deep.pgm
json 'd["type"] == "u16" and isinstance(c[0]["sum"], int) and c[0]["sum"] == 65535 * 90000'
json 'c[0]["variance"] == 0 and c[0]["min"] == 65535'

# NaN and infinities
go 0 stats --json nan.npy
json 'c[0]["count"] == 5 and c[0]["nan_count"] == 1 and c[0]["inf_count"] == 2 and c[0]["sum"] == 7.75'
go 0 stats --json --nan propagate nan.npy
json 'c[0]["mean"] is None and c[0]["nan_count"] == 1'
refused 5 'NaN' stats --nan error nan.npy
go 0 stats nan.npy
says ' nan  inf'
go 0 stats --csv nan.npy
csv 'rows[0]["mean"] == "1.55" and rows[0]["nan_count"] == "1"'

# layers
go 0 stats --json frames.pgm
json 'd["layers"] == 3 and [(x["layer"], x["mean"]) for x in c] == [(0, 0), (1, 1), (2, 2)]'
go 0 stats --json --stack frames.pgm
json 'len(c) == 1 and c[0]["layer"] is None and c[0]["count"] == 12 and c[0]["mean"] == 1'
go 0 stats frames.pgm
says '3 layers'
go 0 stats --json --page 1 frames.pgm
json 'd["layers"] == 1 and c[0]["count"] == 4 and c[0]["mean"] == 1'

# regions, masks, steps, alpha
go 0 stats --json --region 16x1+0+1 ramp.pgm
json 'c[0]["min"] == 16 and c[0]["max"] == 31 and d["region"] == {"x": 0, "y": 1, "width": 16, "height": 1}'
go 0 stats --json --mask half.pgm ramp.pgm
json 'c[0]["count"] == 128 and c[0]["max"] == 247 and d["mask"] == "half.pgm"'
go 0 stats --json --step 2 ramp.pgm
json 'c[0]["count"] == 64 and c[0]["max"] == 238 and d["step"] == 2'
go 0 stats --json alpha.pam
json '[x["name"] for x in c] == ["grey", "a"] and c[0]["mean"] == 25'
go 0 stats --json --skip-transparent alpha.pam
json 'c[0]["count"] == 2 and c[0]["mean"] == 20'

# CSV
go 0 stats --csv ramp.pgm 'quote, "x".pgm'
csv 'len(rows) == 2 and rows[1]["file"] == "quote, \"x\".pgm" and rows[0]["variance"] == "5461.25"'
csv 'rows[0]["sum"] == "32640" and rows[1]["variance_sample"] == ""'

# names that would harm a terminal or a parser
go 0 stats $'bell\a\e[31m.pgm'
says 'bell\x07\x1b[31m.pgm'
go 0 stats --json $'bell\a\e[31m.pgm' $'broken\xff.pgm'
json 'docs[0]["file"] == "bell\x07\x1b[31m.pgm" and docs[1]["file"] == "broken\ufffd.pgm"'
go 5 stats $'none\e[31m.pgm'
complains 'none\x1b[31m.pgm'
go 0 stats --json '=1+1.pgm' ./star\[1\].pgm
json 'len(docs) == 2'

# several files, patterns, standard input
go 0 stats --json ramp.pgm rgb.ppm half.pgm
json 'len(docs) == 3 and docs[2]["file"] == "half.pgm"'
go 0 stats --json 'r*.p[gp]m'
json '[x["file"] for x in docs] == ["ramp.pgm", "rgb.ppm"]'
go 0 stats --json - <ramp.pgm
json 'd["file"] == "-" and c[0]["sum"] == 32640'
go 0 stats --json - < <(cat rgb.ppm)
json 'd["width"] == 4'
go 0 stats --json -- ramp.pgm
json 'd["file"] == "ramp.pgm"'

# the same figures whatever computes them and wherever
go 0 stats --json --device cpu --cpu base --threads 1 ramp.pgm
json 'c[0]["variance"] == 5461.25 and d["engine"]["reason"] == "asked for with --device"'
prefix=(env LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8)
go 0 stats --json --quiet nan.npy
json 'c[0]["mean"] == 1.55'
prefix=()
LUMAGRAPH_CPU=base go 0 stats --json ramp.pgm
json 'c[0]["mean"] == 127.5'

# ---- histogram -----------------------------------------------------------------------------------
go 0 histogram ramp.pgm
says 'entropy'
go 0 histogram --json ramp.pgm
json 'set("name layer bins lo hi counts below above nan_count percentiles".split()) <= set(c[0])'
json 'c[0]["bins"] == 256 and c[0]["counts"] == [1] * 256 and (c[0]["lo"], c[0]["hi"]) == (0, 255)'
json 'c[0]["entropy"] == 8 and c[0]["median"] == 127.5 and c[0]["mode"] == 0'
go 0 histogram --json --bins 4 --range 0:255 -p 0,25,100 ramp.pgm
json 'c[0]["counts"] == [64] * 4 and c[0]["percentiles"] == {"0": 0, "25": 63.75, "100": 255}'
go 0 histogram --json --bins 11 --range 100:110 ramp.pgm
json 'c[0]["counts"] == [1] * 11 and c[0]["below"] == 100 and c[0]["above"] == 145'
go 0 histogram --json --range auto --bins 8 nan.npy
json 'c[0]["lo"] == 0.25 and c[0]["hi"] == 4 and sum(c[0]["counts"]) == 5 and c[0]["inf_count"] == 2'
go 0 histogram --json --range type --nan ignore nan.npy
json 'c[0]["lo"] == 0 and c[0]["hi"] == 1 and c[0]["above"] == 2'
go 0 histogram --json --space luma --luma mean rgb.ppm
json 'len(c) == 1 and c[0]["name"] == "y" and sum(c[0]["counts"]) == 8'
go 0 histogram --json --space hsv rgb.ppm
json '[x["name"] for x in c] == ["h", "s", "v"]'
go 0 histogram --json --space rgbl rgb.ppm
json '[x["name"] for x in c] == ["r", "g", "b", "y"]'
refused 2 'red, green and blue' histogram --space hsv ramp.pgm
go 0 histogram --json --variant cpu-single --stack --device cpu --cpu best --threads 2 frames.pgm
json 'len(c) == 1 and c[0]["counts"][:4] == [4, 4, 4, 0] and d["engine"]["variant"] == "cpu-single"'
go 0 histogram --json --region 16x1+0+0 --mask half.pgm --step 2 --page 0 ramp.pgm
json 'sum(c[0]["counts"]) == 4'
go 0 histogram --json --skip-transparent alpha.pam
json 'sum(c[0]["counts"]) == 2'
go 0 histogram --csv --bins 2 ramp.pgm
csv '[r["count"] for r in rows] == ["128", "128"] and rows[1]["lo"] == "128"'
go 0 histogram --quiet --log --plot plot.svg --percentile 1,50,99 rgb.ppm
that 'the plot is XML' python3 -c 'import xml.dom.minidom as m; m.parse("plot.svg")'
go 0 histogram --json --plot plot2.svg -o report.json $'bell\a\e[31m.pgm'
that 'the plot of a hostile name is XML' python3 -c 'import xml.dom.minidom as m; m.parse("plot2.svg")'
that 'the report is in its file' python3 -c 'import json; json.load(open("report.json"))'
silent
go 0 histogram --plot - ramp.pgm
says '</svg>'
go 0 histogram --plot many.svg ramp.pgm rgb.ppm
that 'one plot for each input' test -s many-1.svg -a -s many-2.svg

# ---- threshold -----------------------------------------------------------------------------------
go 0 threshold --json half.pgm -o mask.pgm
json 'd["method"] == "otsu" and 0 <= d["level"] < 255 and d["separability"] == 1'
json 'd["foreground"] == 128 and d["foreground_share"] == 0.5 and d["output"] == "mask.pgm"'
that 'the mask is the image itself' cmp -s mask.pgm half.pgm
go 0 threshold --json --method value:99.5 ramp.pgm
json 'd["level"] == 99.5 and d["foreground"] == 156'
go 0 threshold --json --method mean ramp.pgm
json 'd["method"] == "mean" and d["foreground"] == 128'
go 0 threshold --json -m multi-otsu:4 ramp.pgm -o classes.pgm
json 'len(d["levels"]) == 3 and d["levels"] == sorted(d["levels"])'
go 0 stats --json classes.pgm
json 'c[0]["max"] == 255 and c[0]["min"] == 0'
go 0 threshold --json -m multi-otsu:8 ramp.pgm -o classes.pgm
json 'len(d["levels"]) == 7 and d["levels"] == [31, 63, 95, 127, 159, 191, 223]'
go 0 stats --json --scale 0.5 ramp.pgm
json 'd["scaled"]["width"] == 2 * d["width"] and d["scaled"]["resample"] == "area"'
go 0 stats --scale 0.5 --resample bilinear --region 8x8+1+1 ramp.pgm
says 'scaled from region 8x8+1+1'
go 0 stats --json --scale 1 ramp.pgm
json '"scaled" not in d'
go 0 histogram --json --scale 0.3 --resample bilinear --plot scaled.svg ramp.pgm
go 0 threshold --json --scale 0.5 --resample area ramp.pgm -o scaled.pgm
json 'd["total"] == d["width"] * d["height"]'
refused 2 'from 0.0001 to 1' stats --scale 1.5 ramp.pgm
refused 2 'does not fit' stats --scale 0.5 --mask half.pgm ramp.pgm
go 2 stats --scale 0.5 --region 8x8+1000+0 ramp.pgm
complains 'not inside the image'
for method in triangle li isodata yen huang moments max-entropy; do
    go 0 threshold --json --method $method --region 16x16 deep.pgm ramp.pgm
done
go 0 threshold --json --stack --luma gpuimage --nan ignore --bins 64 nan.npy
json 'd["total"] > 0'
go 0 threshold --json --skip-transparent --mask half.pgm --step 1 --device cpu --cpu base --threads 1 \
    --page 0 --max-pixels 1000 --max-side 1000 ramp.pgm
go 0 threshold half.pgm
says '50.00 %'
go 0 threshold --csv half.pgm
csv 'rows[0]["method"] == "otsu" and rows[0]["foreground"] == "128"'
go 0 threshold --quiet half.pgm -o -
that 'the image is on standard output' cmp -s "$out" half.pgm
go 0 threshold ramp.pgm half.pgm -o masks
that 'one mask for each input' test "$(find masks -type f | wc -l)" -eq 2
refused 2 'several inputs need a folder' threshold ramp.pgm half.pgm -o one.pgm
refused 2 'several inputs need a folder' threshold '*a*p.pgm' half.pgm -o one.pgm
refused 2 'extension' threshold ramp.pgm -o mask.xyz
refused 2 'multi-otsu:K' threshold --method multi-otsu:9 ramp.pgm
refused 2 'value:V' threshold --method value ramp.pgm
refused 2 'allowed are' threshold --method otso ramp.pgm

# ---- devices, selftest, help ---------------------------------------------------------------------
go 0 devices
says 'cpu'
go 0 devices --json --quiet
json 'd["devices"][0]["device"] == "cpu" and d["devices"][0]["usable"] is True'
vulkan=0
if grep -q '"device":"vulkan:0"' "$out"; then vulkan=1; fi
go 0 devices --csv
csv 'rows[0]["device"] == "cpu"'
go 0 devices -o devices.txt
that 'the list is in its file' grep -q cpu devices.txt
go 0 selftest --device cpu --threads 1
says ' 0 failed'
go 0 selftest --device cpu --cpu base --strict --json --quiet -o selftest.json
that 'the self-test is in its file' grep -q '"failed":0' selftest.json
if [[ $vulkan -eq 1 && ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]]; then
    go 0 stats --json --device vulkan ramp.pgm
    json 'c[0]["variance"] == 5461.25 and d["engine"]["seconds"]["compute"] >= 0'
    go 0 histogram --json --device vulkan:0 ramp.pgm
    json 'c[0]["counts"] == [1] * 256'
    go 0 threshold --device vulkan half.pgm -o vulkan.pgm
    that 'the same mask on Vulkan' cmp -s vulkan.pgm half.pgm
else
    skip 6 'Vulkan: no usable device'
fi
go 0 --version
says 'lumagraph '
go 0 --help
says 'usage: lumagraph COMMAND'
go 0 help threshold
says 'Example:'
go 0 bench --help
says 'usage: lumagraph bench'
go 0 help bench
says 'usage: lumagraph bench'
go 0 bench frames --size 64x48 --samples 1
says 'planes       1.50'
says 'RGBA         8.00'
go 2 bench frames --size 4k
go 2 bench cuda --size 4k
go 0 bench sources --help
says 'usage: lumagraph bench sources'
go 2 bench sources --sise 4k
go 4 bench sources --device abacus
go 0 bench stream --help
says 'usage: lumagraph bench stream'
go 0 bench stream --size 64x48 --frames 4 --rounds 1 --pipeline contrast --work 1
says 'depth 8'
go 2 bench stream --frames many
go 0 bench filter --all --size 16x16 --channels 1 --regime warm --samples 1 --device cpu
that 'every filter has a row' test "$(grep -c '^filter ' "$out")" -gt 190
that 'every filter runs' test "$(grep -c 'not available' "$out")" -eq 0
go 2 bench --sixe 4k
for command in stats histogram threshold devices selftest; do
    go 0 $command --help
    says "usage: lumagraph $command"
    says 'Example:'
    go 0 $command -h
done
