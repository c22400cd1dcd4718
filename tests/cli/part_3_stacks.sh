# Stacks of a microscope: slices, channels, times, the size of pixels.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

if "$tool" stats cells.ome.tif 2>&1 | grep -q libtiff; then
    skip 1 'stacks of TIFF: this build has no libtiff'
else
for stack in cells.ome.tif cells-imagej.tif; do
    go 0 stats --json --stack $stack
    json 'd["layer_axes"] == [{"name": "Z", "size": 4}, {"name": "C", "size": 2}]'
    json 'd["pixel_size_um"] == {"x": 0.5, "y": 0.5, "z": 2}'
    go 0 stats --stack $stack
    says 'pixels of 0.5 x 0.5 x 2 um'

    # one channel is a volume
    go 0 label --json -t 50 -c 26 --channel 0 --spacing file $stack
    json 'd["channel"] == 0 and d["layers"] == 4 and d["layer_axes"] == [{"name": "Z", "size": 4}]'
    json 'len(d["table"]) == 1 and d["table"][0]["area"] == 8 and d["table"][0]["volume_um3"] == 4'
    json '[d["table"][0][k] for k in ("cx", "cx_um", "cy_um", "cz_um")] == [1.5, 0.75, 0.75, 3]'
    go 0 label --json -t 50 -c 26 --channel 1 --columns area,volume_um3,cz_um,width_um $stack
    json '[list(r.values()) for r in d["table"]] == [[1, 0.5, 0, 0.5], [3, 1.5, 6, 1.5]]'
    go 0 label --json -t 50 -c 26 --channel 1 --keep 'volume_um3 > 1' --spacing 100,100,250nm $stack
    json 'd["found"] == 2 and len(d["table"]) == 0'
    json 'all(abs(d["pixel_size_um"][k] - v) < 1e-12 for k, v in (("x", 0.1), ("y", 0.1), ("z", 0.25)))'
    go 0 label --csv -t 50 --page 4 --columns all --intensity self $stack
    csv 'rows[0]["area_um2"] == "1" and "volume_um3" not in rows[0]'
    go 0 label --csv -t 50 -c 26 --channel 0 --columns all $stack # but not what cubes alone have
    csv '"surface_area_um2" in rows[0] and "crofton_surface_area_um2" not in rows[0]'
    go 0 label --csv -t 50 -c 26 --channel 0 --columns all --spacing 2,2,2 $stack
    csv '"crofton_surface_area_um2" in rows[0]'
    go 0 label --json -t 50 --page 4 --centers half --columns area_um2,cx_um,cy $stack
    json 'd["table"] == [{"area_um2": 1, "cx_um": 1, "cy": 2}]'
    # or each channel by itself
    go 0 label --json -t otsu -c 26 --spacing file $stack
    json '[(x["channel"], x["layers"]) for x in docs] == [(0, 4), (1, 4)]'
    json '[[r["area"] for r in x["table"]] for x in docs] == [[8], [1, 3]]'
    json '[x["threshold"]["level"] for x in docs] == [0, 0]' # each has a level of its own
    go 0 label --csv -t 50 -c 26 --columns area $stack ramp.pgm
    csv '[r["channel"] + r["time"] + r["area"] for r in rows[:3]] == ["08", "11", "13"]'
    csv 'rows[3]["file"] == "ramp.pgm" and rows[3]["channel"] == ""'
    go 0 label -t 50 -c 26 $stack
    says ', channel 1,'
    refused 2 'choose what is written with --channel N' label -t 50 -c 26 $stack -o none.tif
    go 1 label --csv -t 50 -c 26 --columns area ramp.pgm $stack
    complains 'those of the files before are not'
    refused 2 'there is no channel 2; there are channels 0 to 1' stats --channel 2 $stack
    refused 2 'there is no time 1; there is one time, 0' stats --time 1 $stack

    # what is written is read with the same axes and sizes
    go 0 run -q --channel 0 color_invert $stack -o channel.tif
    go 0 stats --json channel.tif
    json 'd["layers"] == 4 and d["pixel_size_um"] == {"x": 0.5, "y": 0.5, "z": 2}'
    json 'd["layer_axes"] == [{"name": "Z", "size": 4}] and c[2]["min"] == 55'
    go 0 run -q --channel 0 project=max $stack -o top.tif
    go 0 stats --json top.tif
    json 'd["layers"] == 1 and c[0]["max"] == 200 and d["pixel_size_um"]["x"] == 0.5'
    refused 2 '--channel N and --time N choose one of each' run project=max $stack -o none.tif
    go 0 run -q color_invert $stack -o both.tif
    go 0 stats --json --stack both.tif
    json '[a["size"] for a in d["layer_axes"]] == [4, 2] and d["pixel_size_um"]["z"] == 2'
    go 0 run -q --channel 0 resize:width=4:height=2 $stack -o small.tif
    go 0 stats --json small.tif
    json 'd["pixel_size_um"]["x"] == 1 and abs(d["pixel_size_um"]["y"] - 1.5) < 1e-6' # 32 bits in TIFF
    go 0 run -q 'rotate=90 | resize:scale=2' small.tif -o turned.tif # pixels of 1 x 1.5
    go 0 stats --json turned.tif
    json 'abs(d["pixel_size_um"]["x"] - 0.75) < 1e-6 and d["pixel_size_um"]["y"] == 0.5'
    json 'd["pixel_size_um"]["z"] == 2 and d["layer_axes"] == [{"name": "Z", "size": 4}]'
    go 0 run -q 'crop:box=4x3+0+0 | resize:scale=0.5:height=3 | transpose | transpose' $stack -o shrunk.tif
    go 0 stats --json --stack shrunk.tif
    json '[a["size"] for a in d["layer_axes"]] == [4, 2]'
    go 0 run 'transform:matrix=2,0,0,0,2,0,0,0,1:size=fit' --channel 0 $stack -o larger.tif
    complains 'do not say how large their pixels are'
    go 0 stats --json larger.tif
    json '"pixel_size_um" not in d'
    go 0 run -q 'transform:matrix=1,0,1,0,1,2,0,0,1' --channel 0 $stack -o moved.tif
    go 0 stats --json moved.tif
    json 'd["pixel_size_um"]["x"] == 0.5'
    go 0 run -q --channel 0 'crop:box=4x3+0+0' $stack -o cut.tif
    go 0 stats --json cut.tif
    json 'd["pixel_size_um"] == {"x": 0.5, "y": 0.5, "z": 2}'
    go 0 run -q --channel 0 'crop:box=4x3+0+0 | resize:width=2' $stack -o both.tif
    go 0 stats --json both.tif
    json 'd["pixel_size_um"]["x"] == 1 and d["layer_axes"] == [{"name": "Z", "size": 4}]'
    go 0 run -q --channel 1 'threshold:level=0.2 | label:connectivity=26' $stack -o labels.tif
    go 0 stats --json --stack labels.tif
    json 'c[0]["max"] == 2'
    go 0 areasum --json --channel 0 --box 2x2x2+1+1+1 $stack
    json 'd["results"][0]["sum"] == [1600]'
done
refused 2 'one layer already' stats --channel 0 --page 1 cells.ome.tif
refused 2 'frames come one by one' stats --channel 0 --frames cells.ome.tif
go 0 run -q --page 4 color_invert cells.ome.tif -o slice.tif # of the second slice
go 0 stats --json slice.tif
json 'd["layers"] == 1 and d["pixel_size_um"]["x"] == 0.5'

# ---- water of volumes: from a marker in the last layer it reaches all of them ------------------------
for pair in 4:4 8:4 6:12 18:12 26:12; do
    go 0 run -q "luminance_threshold:threshold=0.006 #marks | #in |
        watershed:over=#marks:connectivity=${pair%:*}:type=u8" frames.pgm -o flooded.pgm
    go 0 stats --json --stack flooded.pgm
    json 'c[0]["sum"] == 255 * int(pair[pair.index(":") + 1:])' pair
done

# ---- what no file says -----------------------------------------------------------------------------
for command in stats histogram threshold; do
    go 0 $command --json --axes c=3 --channel 1 frames.pgm
    json 'd["layers"] == 1'
    go 0 $command --json --axes t --time 2 frames.pgm
    json 'd["layers"] == 1 and d["time_index"] == 2'
done
go 0 areasum --json --axes t,c=3 --time 0 --channel 2 --box 1x1+0+0 frames.pgm
json 'd["results"][0]["sum"] == [2]'
go 0 label --json --axes t=1,c=3 --channel 2 --spacing 2,3 frames.pgm
json 'd["table"][0]["area_um2"] == 6 * d["table"][0]["area"]'
refused 2 'nothing says that its layers are times' stats --time 0 frames.pgm
go 0 label --json --axes t=3 --time 2 --spacing 2 frames.pgm
json 'd["table"][0]["area_um2"] == 4 * d["table"][0]["area"]'
go 0 run --json --axes t --time 1 --figure max copy frames.pgm
json 'abs(d["figures"][0]["values"][0] - 1 / 255) < 1e-6'
go 0 label --csv -c 26 --axes t,c=1 frames.pgm
csv '[(r["channel"], r["time"]) for r in rows] == [("", "1"), ("", "2")]' # nothing is in time 0
refused 2 'have 4 layers, and there are 3' stats --axes z=2,c=2 frames.pgm
refused 2 'a multiple of 2 layers' stats --axes z,c=2 frames.pgm
for wrong in z,c zz z=0 z,z=2 2 z= z=1x ''; do
    refused 2 "--axes '$wrong'" stats --axes "$wrong" frames.pgm
done
refused 2 "whole numbers from 0" stats --channel -1 frames.pgm
refused 2 'does not say how large a pixel is' label --spacing file ramp.pgm
refused 2 'how far are the layers from each other' label -c 26 --spacing 2,2 frames.pgm
refused 2 'needs the size of pixels' label --columns area_um2 ramp.pgm
refused 2 'as wide as they are high' label --columns perimeter_um --spacing 1,2 ramp.pgm
for wrong in 0 -1 1,,2 1,2,3,4 2ft nan file2; do
    refused 2 'the size of a pixel, as in 0.2' label --spacing "$wrong" ramp.pgm
done
fi
