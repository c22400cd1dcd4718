# Images larger than --memory: the same figures and files in bands of rows, below a limit of memory.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

cpu=(--device cpu --threads 2)
mkdir -p bands
devices=(cpu)
if [[ ${LUMAGRAPH_TEST_VULKAN:-1} != 0 ]] && "$tool" devices --json |
    grep -q '"device":"vulkan:[0-9]*","name":"[^"]*","usable":true'; then
    devices+=(vulkan)
else
    skip 1 'bands on Vulkan: no device'
fi
python3 - <<'PYTHON'
import random, struct
r = random.Random(5)
def pnm(name, kind, width, height, channels, maximum=255):
    n = width * height * channels * (2 if maximum > 255 else 1)
    open(f"bands/{name}", "wb").write(b"%s\n%d %d\n%d\n" % (kind, width, height, maximum) + r.randbytes(n))
pnm("grey.pgm", b"P5", 701, 523, 1)
pnm("color.ppm", b"P6", 401, 523, 3)
pnm("deep.pgm", b"P5", 401, 323, 1, 65535)
with open("bands/real.pfm", "wb") as f:
    f.write(b"Pf\n301 203\n-1.0\n" + b"".join(struct.pack("<f", r.gauss(0, 3)) for _ in range(301 * 203)))
with open("bands/real_color.pfm", "wb") as f:
    f.write(b"PF\n201 203\n-1.0\n" + b"".join(struct.pack("<f", r.gauss(0, 3)) for _ in range(201 * 203 * 3)))
with open("bands/stack.pgm", "wb") as f:
    for _ in range(3):
        f.write(b"P5\n301 203\n255\n" + r.randbytes(301 * 203))
with open("bands/mask.pgm", "wb") as f:
    f.write(b"P5\n701 523\n255\n" + bytes(r.choice((0, 255)) for _ in range(701 * 523)))
with open("bands/huge.pgm", "wb") as f:  # holes read as zeros
    f.write(b"P5\n30000 30000\n255\n")
    f.seek(30000 * 30000 - 1, 1)
    f.write(b"\xff")
PYTHON

memory=150K
# same COMMAND FILE ARGUMENTS...: the report in bands is that of the whole image, but for what it took.
same() {
    go 0 "$1" --json "${@:3}" "$2"
    cp "$out" bands/whole.json
    go 0 "$1" --json --memory "$memory" "${@:3}" "$2"
    if python3 - bands/whole.json "$out" <<'PYTHON'
import json, sys
a, b = (json.load(open(n)) for n in sys.argv[1:])
for d in (a, b):
    d["engine"] = d["engine"]["device"]
sys.exit(a != b)
PYTHON
    then good; else bad "the report in bands differs"; fi
}

# ---- measuring -------------------------------------------------------------------------------------
for file in grey.pgm color.ppm deep.pgm stack.pgm; do
    same stats bands/$file "${cpu[@]}"
    same histogram bands/$file "${cpu[@]}" --bins 16
done
for device in "${devices[@]}"; do
    same stats bands/color.ppm --device "$device"
    same histogram bands/deep.pgm --device "$device"
done
same stats bands/stack.pgm --stack
same histogram bands/stack.pgm --stack --page 1
same stats bands/grey.pgm --step 3
same stats bands/grey.pgm --region 500x301+17+200
memory=500K
same stats bands/grey.pgm --mask bands/mask.pgm
same stats bands/grey.pgm --mask bands/mask.pgm --region 500x301+17+200 --step 2
memory=150K
same histogram bands/grey.pgm --range auto
same threshold bands/grey.pgm
same threshold bands/color.ppm --method multi-otsu:4 --luma bt601
same threshold bands/stack.pgm --method triangle
same threshold bands/stack.pgm --method mean --stack --region 200x100+3+7
same threshold bands/grey.pgm --method value:77 "${cpu[@]}"
same threshold bands/stack.pgm --method value:77 "${cpu[@]}"
for method in otsu triangle mean multi-otsu:3 value:30000; do
    same threshold bands/deep.pgm --method $method "${cpu[@]}"
    same threshold bands/real.pfm --method ${method/30000/0.5} "${cpu[@]}"
done
same threshold bands/real.pfm --bins 50 --step 3 --region 201x100+7+5 "${cpu[@]}"
memory=300K
same threshold bands/real_color.pfm --method otsu "${cpu[@]}"
same threshold bands/real_color.pfm --method mean --luma bt601 "${cpu[@]}"
memory=500K
same threshold bands/grey.pgm --mask bands/mask.pgm "${cpu[@]}"
# written IN OPTIONS...: the image made in bands is that of the whole image.
written() {
    go 0 threshold "bands/$1" -o bands/whole.pgm "${cpu[@]}" "${@:2}"
    go 0 threshold "bands/$1" -o bands/parts.pgm --memory "$memory" "${cpu[@]}" "${@:2}"
    that "the binary image of $1 in bands" cmp bands/whole.pgm bands/parts.pgm
}
memory=150K
written grey.pgm
written color.ppm --method multi-otsu:4
written deep.pgm --method value:30000
written real.pfm --method triangle
written grey.pgm --region 500x301+17+200
written stack.pgm --method triangle
written stack.pgm --method mean --stack --region 200x201+3+1
for name in tif npy; do # layers one after the other, each with its own level
    go 0 threshold bands/stack.pgm -o bands/whole.$name "${cpu[@]}"
    go 0 threshold bands/stack.pgm -o bands/parts.$name --memory 150K "${cpu[@]}"
    that "layers in $name" cmp bands/whole.$name bands/parts.$name
done
memory=500K
written grey.pgm --mask bands/mask.pgm
memory=150K
same histogram bands/color.ppm --space hsv
same histogram bands/color.ppm --space luma --bins 7
go 0 stats --memory 150K bands/grey.pgm bands/color.ppm # one is read while another is measured
says 'bands/color.ppm'

# what is outside a region is not looked at
go 0 stats --json --region 100x100+29900+29900 bands/huge.pgm
json 'c[0]["count"] == 10000 and c[0]["max"] == 255'
prefix=(bash -c 'ulimit -v 500000 && exec "$@"' sh)
go 0 stats --json "${cpu[@]}" --memory 64M bands/huge.pgm
json 'c[0]["count"] == 900000000 and c[0]["sum"] == 255'
go 0 stats --json "${cpu[@]}" --region 30000x10+0+29990 bands/huge.pgm
json 'c[0]["sum"] == 255'
prefix=()
refused 3 '--memory' stats --memory 20K bands/huge.pgm
refused 3 'the format of an output is written whole' threshold --memory 64M bands/huge.pgm -o bands/no.webp
refused 3 'the format of an output is written whole' threshold --memory 150K bands/stack.pgm -o bands/no.png
refused 2 'leaves the image' stats --region 100x100+700+0 bands/grey.pgm
refused 2 'allowed are bytes' stats --memory 5X bands/grey.pgm

# ---- filters ---------------------------------------------------------------------------------------
# filtered PIPELINE IN OUT: the file made in bands is that of the whole image.
filtered() {
    go 0 run "$1" "bands/$2" -o "bands/whole.$3" --device "$device"
    go 0 run "$1" "bands/$2" -o "bands/parts.$3" --device "$device" --memory "${4:-256K}"
    that "$1 of $2 to $3 in bands, on $device" cmp "bands/whole.$3" "bands/parts.$3"
    [[ ${5:-} ]] || that 'it was not read whole' test ! -s "$err"
}
for device in "${devices[@]}"; do
    filtered contrast:contrast=2 grey.pgm pgm
    filtered 'resize:scale=0.37 | emboss' color.ppm tif 512K
    [[ $device = cpu ]] || continue # the tests of the library have more there
    filtered 'gaussian_blur:sigma=4 | emboss' color.ppm tif 1M
    filtered 'box_blur:radius=3 | color_invert' deep.pgm npy 512K
done
device=cpu
# outputs of other heights
filtered 'resize:scale=2:method=bilinear' grey.pgm pgm 800K
filtered 'resize:width=300:height=200:fit=cover:method=area' color.ppm ppm 512K
filtered 'crop:x=30:y=150:width=500:height=300:unit=px | gaussian_blur:sigma=2' grey.pgm pgm 800K
filtered 'pad:top=20:bottom=7:left=3' color.ppm npy 512K
filtered 'brightness=@mean-0.5 | resize:scale=0.5:method=area' deep.pgm npy 800K
filtered 'resize:scale=0.6' stack.pgm tif 150K # layer by layer
filtered 'project=mean | resize:scale=2:method=bilinear' stack.pgm npy 400K # rows of all layers
filtered 'contrast=@mean | crop:y=0.5' grey.pgm pgm 1M whole
complains 'read whole: a figure is of rows that no output needs'
filtered 'swirl' grey.pgm pgm 1M whole
complains 'read whole: pixels move between rows'
filtered 'threshold:level=@otsu | contrast:contrast=@mean*2' grey.pgm pgm 384K
filtered 'brightness=@p1 | gaussian_blur:sigma=2 | contrast=@luma.stddev*6' color.ppm tif 1600K
filtered 'brightness:brightness=@p99-0.5' deep.pgm npy 512K
figures=(run --json contrast=@p10 --figure mean --figure stddev bands/grey.pgm --device cpu)
go 0 "${figures[@]}" -o bands/whole.pgm
cp "$out" bands/figures.json
go 0 "${figures[@]}" -o bands/parts.pgm --memory 256K
json 'd["figures"] == json.load(open("bands/figures.json"))["figures"] and len(d["figures"]) == 3'
filtered 'contrast=1.5 | threshold:level=@otsu' grey.pgm pgm 800K # between filters samples are floats
filtered 'contrast:contrast=@components*0.01' grey.pgm pgm 800K
filtered 'threshold=0.5 | vignette:center=@largest.center' deep.pgm npy 1600K
filtered 'histogram_equalization | gaussian_blur:sigma=2' color.ppm tif 2M
go 0 "${figures[@]}" -o bands/whole.pgm
go 0 run 'contrast | threshold=@p30' --figure components --explain --memory 800K bands/grey.pgm
says 'in 3 passes over the file' # the range of the bins, the bins, the picture with its components
go 0 run 'contrast=@p1 | contrast=@mean' --explain --memory 384K bands/grey.pgm
says 'in 3 passes over the file'
go 0 run 'contrast=@mean' --explain --json --memory 256K bands/grey.pgm
json 'd["bands"] and d["passes"] == 2'
go 0 run contrast --explain --memory 256K bands/grey.pgm
says 'in bands of rows'
go 0 run swirl --explain --memory 1M bands/grey.pgm
says 'on the whole image: pixels move between rows'
refused 3 'written whole' run contrast --memory 256K bands/grey.pgm -o bands/no.gif
that 'nothing is left of what was refused' test ! -e bands/no.gif
prefix=(bash -c 'ulimit -v 500000 && exec "$@"' sh)
go 0 run "${cpu[@]}" contrast --memory 64M bands/huge.pgm -o /dev/null --format pgm
go 0 run "${cpu[@]}" resize:scale=0.01:method=area --memory 64M bands/huge.pgm -o bands/small.pgm
go 0 run "${cpu[@]}" crop:x=100:y=29000:width=50:height=1000:unit=px --memory 64M bands/huge.pgm \
    -o bands/part.pgm
prefix=()
that 'it is small' test "$(head -c 11 bands/small.pgm | tail -n 1)" = '300 300'
that 'and the other a part' test "$(head -c 11 bands/part.pgm | tail -n 1)" = '50 1000'
rm -f bands/huge.pgm

# ---- what is needed whole: scratch files hold it ---------------------------------------------------
# spilled PIPELINE IN OUT ARGUMENTS...: the file with scratch files is that without.
spilled() {
    go 0 run "$1" "bands/$2" -o "bands/whole.$3" "${@:4}" --device "$device"
    go 0 run "$1" "bands/$2" -o "bands/parts.$3" "${@:4}" --device "$device" --memory 100K --scratch bands
    complains 'read whole, into scratch files where --memory has no room'
    that "$1 of $2 to $3 with scratch files, on $device" cmp "bands/whole.$3" "bands/parts.$3"
}
for device in "${devices[@]}"; do
    spilled 'swirl | contrast' grey.pgm tif
    spilled canny_edge_detection grey.pgm png
done
device=cpu
for pipeline in rotate=90 label distance_transform 'rotate=180 | flip=vertical' transpose hough_transform \
    'gaussian_blur:sigma=20 | canny_edge_detection:sigma=5'; do
    spilled "$pipeline" grey.pgm npy
done
spilled 'rotate=270 | emboss' color.ppm jpg
spilled 'contrast:contrast=@mean*2' stack.pgm tif --stack
spilled contrast grey.pgm pgm --region 600x500+50+7
spilled contrast grey.pgm pgm --mask bands/mask.pgm
memory=100K
same stats bands/grey.pgm --scale 0.5 --scratch bands
same stats bands/color.ppm --pipeline swirl
same histogram bands/real_color.pfm --range auto --space hsv --scratch bands
same label bands/stack.pgm --threshold 250 --connectivity 26
go 0 threshold bands/grey.pgm --report bands/made.html --memory 100K --scratch bands
that 'a page was made' test -s bands/made.html
go 0 run swirl bands/grey.pgm -o - --format pgm
cp "$out" bands/whole.pgm
go 0 run swirl bands/grey.pgm -o - --format pgm --memory 100K
that 'a pipe gets it as well' cmp "$out" bands/whole.pgm
# areasum IN ARGUMENTS...: what is looked up in tables, whose blocks of 256 KiB and more are files
areas() {
    go 0 areasum --json --device "$device" "bands/$1" "${@:2}"
    cp "$out" bands/whole.json
    go 0 areasum --json --device "$device" "bands/$1" "${@:2}" --memory 100K --scratch bands
    if python3 - bands/whole.json "$out" <<'PYTHON'
import json, sys
a, b = (json.load(open(n)) for n in sys.argv[1:])
for d in (a, b):
    d["engine"] = d["engine"]["device"]
    d["build_seconds"] = d["query_seconds"] = 0
sys.exit(a != b or a["kind"] not in ("table", "ripmap"))
PYTHON
    then good; else bad "areasum $* with scratch files"; fi
}
python3 - <<'PYTHON'
import random
r = random.Random(9)
with open("bands/boxes.csv", "w") as f:
    f.write("x,y,width,height\n0,0,201,203\n")
    for _ in range(200):
        width, height = 2 * r.randrange(50) + 1, 2 * r.randrange(50) + 1
        f.write(f"{r.randrange(201 - width)},{r.randrange(203 - height)},{width},{height}\n")
open("bands/shape.csv", "w").write("polygon,x,y\na,10,20\na,690,30\na,500,500\nb,1,1\nb,9,1\nb,5,90\n")
PYTHON
for device in "${devices[@]}"; do
    areas grey.pgm --boxes bands/boxes.csv -f sum,variance --kind table
    areas real.pfm --boxes bands/boxes.csv -f mean,min,max,histogram --bins 5
done
device=cpu
areas color.ppm --boxes bands/boxes.csv --kind ripmap
areas deep.pgm --boxes bands/boxes.csv -f sum,mx,var_y,cov_xy
areas real_color.pfm --boxes bands/boxes.csv -f smooth --order 2
areas grey.pgm --boxes bands/boxes.csv -f sum,count_above --above 99 --angle 30
areas grey.pgm --polygons bands/shape.csv
areas grey.pgm --mask bands/mask.pgm -f mean
areas real.pfm --boxes bands/boxes.csv --plain
areas stack.pgm -b 31x23x3+0+0+0 -b 5x9x1+7+8+2 -f sum,variance --kind table
refused 5 'a scratch file of 0.368 MB in no/such' areasum bands/grey.pgm -b 3x3+0+0 --kind table \
    --memory 100K --scratch no/such
that 'no scratch file is left' test -z "$(find bands -name 'lumagraph-*')"
spill=(run swirl bands/grey.pgm -o bands/no.pgm --memory 100K --scratch)
refused 5 'a scratch file of 0.368 MB in no/such' "${spill[@]}" no/such
prefix=(bash -c 'trap "" XFSZ; ulimit -f 200 && exec "$@"' sh)
refused 5 'name a folder with more room' "${spill[@]}" bands
prefix=()
refused 3 'max-pixels' run swirl bands/grey.pgm -o bands/no.pgm --max-pixels 1000
that 'nothing is left of what was refused' test ! -e bands/no.pgm -a -z "$(find bands -name 'lumagraph-*')"

# ---- one image, in bands by itself -----------------------------------------------------------------
python3 - <<'PYTHON'
import random
open("bands/photo.ppm", "wb").write(b"P6\n1500 1000\n255\n" + random.Random(6).randbytes(4500000))
for name, height in ("short", 2000), ("tall", 20000):
    with open(f"bands/{name}.pgm", "wb") as f:  # holes read as zeros
        f.write(b"P5\n3000 %d\n255\n" % height)
        f.seek(3000 * height - 1, 1)
        f.write(b"\xff")
PYTHON
go 0 run sharpen --explain "${cpu[@]}" bands/photo.ppm -o bands/no.ppm
says 'in bands of rows'
that 'no limit is the reason' test "$(grep -c -- --memory "$out")" = 0
go 0 run sharpen --explain "${cpu[@]}" bands/grey.pgm -o bands/no.ppm # it is small
that 'it is held whole' test "$(grep -c 'in bands' "$out")" = 0
# Standard output gets the file that is made of the whole image.
for format in ppm png jpg; do
    go 0 run 'gaussian_blur:sigma=3 | contrast' "${cpu[@]}" bands/photo.ppm -o - --format $format
    cp "$out" bands/whole.$format
    go 0 run 'gaussian_blur:sigma=3 | contrast' "${cpu[@]}" bands/photo.ppm -o bands/parts.$format
    that "$format in bands" cmp bands/whole.$format bands/parts.$format
    go 0 run flip "${cpu[@]}" bands/parts.$format -o - --format pam
    cp "$out" bands/whole.pam
    go 0 run flip "${cpu[@]}" bands/parts.$format -o bands/parts.pam
    that "pixels of $format in bands" cmp bands/whole.pam bands/parts.pam
    # An input that ends in the middle, and a disk that is full, leave what was there.
    echo old >bands/old.$format
    head -c "$(($(stat -c %s bands/parts.$format) * 2 / 3))" bands/parts.$format >bands/cut.$format
    refused 5 'truncated' run contrast "${cpu[@]}" bands/cut.$format -o bands/old.$format
    prefix=(bash -c 'ulimit -f 60 && exec "$@"' sh)
    refused 5 'cannot write: File too large' run contrast "${cpu[@]}" bands/photo.ppm -o bands/old.$format
    prefix=()
    that "the old $format stays" test "$(cat bands/old.$format)" = old
done
that 'no temporary file stays' test -z "$(find bands -name '.lumagraph*')"
go 0 run rotate "${cpu[@]}" bands/photo.ppm -o bands/turned.ppm
that 'what is held whole anyway needs no note' test ! -s "$err"
# Ten times the rows take as much memory.
if python3 - "$tool" <<'PYTHON'
import os, subprocess, sys
def most(name):
    words = ["gaussian_blur:sigma=4", f"bands/{name}.pgm", "-o", f"bands/{name}.out.pgm"]
    child = subprocess.Popen([sys.argv[1], "run", "-q", *words, "--device", "cpu", "--threads", "2"])
    _, status, used = os.wait4(child.pid, 0)
    return used.ru_maxrss if status == 0 else 1 << 40
short, tall = most("short"), most("tall")
sys.exit(tall > short + 8192)
PYTHON
then good; else bad 'a tall image takes more memory'; fi
rm -f bands/short* bands/tall*
# Nor does a TIFF file hold the tables of its tiles: sparse ones of zeros, of 2^15 and 2^18 tiles.
python3 - <<'PYTHON'
import struct
def write(name, width, height, side=16):
    tiles = width // side * (height // side)
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (277, 3, 1),
            (322, 4, side), (323, 4, side)]
    table = 24 + 20 * 10 + 8
    data = table + 16 * tiles
    with open(name, "wb") as file:
        file.write(b"II\x2b\0\x08\0\0\0" + struct.pack("<QQ", 16, 10))
        for tag, kind, value in tags:
            file.write(struct.pack("<HHQQ", tag, kind, 1, value))
        for tag, place in (324, table), (325, table + 8 * tiles):
            file.write(struct.pack("<HHQQ", tag, 16, tiles, place))
        file.write(bytes(8))
        file.write(struct.pack(f"<{tiles}Q", *range(data, data + side * side * tiles, side * side)))
        file.write(struct.pack("<Q", side * side) * tiles)
        file.truncate(data + side * side * tiles)
write("bands/few.tif", 8192, 1024)
write("bands/many.tif", 8192, 8192)
PYTHON
if python3 - "$tool" <<'PYTHON'
import os, sys
def most(name):
    words = ["stats", "-q", "--memory", "16M", "--device", "cpu", "--threads", "2", name]
    child = os.posix_spawn(sys.argv[1], [sys.argv[1], *words], os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, used = os.wait4(child, 0)
    return used.ru_maxrss if status == 0 else 1 << 40
few, many = most("bands/few.tif"), most("bands/many.tif")
print("KiB of few and many tiles:", few, many)
sys.exit(many > few + 2048)
PYTHON
then good; else bad 'tables of tiles are held'; fi
rm -f bands/few.tif bands/many.tif
