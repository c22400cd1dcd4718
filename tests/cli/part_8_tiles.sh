# TIFF in tiles, pyramids and Zarr: levels as NumPy has them, read by other programs; bands as the whole; what
# is left behind.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

cpu=(--device cpu --threads 2)
mkdir -p tiles/bands
numpy=''
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && numpy=$python && break
done
if [[ -n $numpy ]]; then
    "$numpy" - <<'PYTHON'
import numpy as np
r = np.random.default_rng(5)
def save(name, a):
    np.save(f"tiles/{name}.npy", a)
save("grey", r.integers(0, 256, (323, 401), np.uint8))
save("color", r.integers(0, 256, (211, 307, 3), np.uint8))
save("clear", r.integers(0, 256, (100, 131, 4), np.uint8))
save("deep", r.integers(0, 65536, (97, 300, 3), np.uint16))
save("pair", r.integers(0, 65536, (130, 67, 2), np.uint16))
real = (r.standard_normal((150, 203)) * 1e3).astype(np.float32)
real[3:5, 6:8] = np.nan, np.inf
real[8:10, 8:10] = np.finfo(np.float32).max
real[20:22, 20:22] = 1e-45, -1e-45
save("real", real)
save("reals", r.standard_normal((64, 65, 3)).astype(np.float32))
save("half", (r.standard_normal((75, 90)) * 30).astype(np.float16))
save("one", np.full((1, 1), 200, np.uint8))
save("column", r.integers(0, 256, (333, 1), np.uint8))
save("line", r.integers(0, 65536, (1, 333), np.uint16))
save("stack", r.integers(0, 65536, (3, 121, 203), np.uint16))
save("dots", np.where(r.random((300, 300)) < 0.3, 255, 0).astype(np.uint8))
PYTHON
fi

# tiled NAME KIND FILE OPTIONS...: the file, and in bands the same one.
list=tiles/list
: >$list
tiled() {
    local at=tiles/$3 size=256 levels=0 word
    for word in "${@:4}"; do
        [[ $word =~ ^[0-9x]+$ ]] && size=$word
        [[ $word == --pyramid ]] && levels=1
    done
    [[ $size == *x* ]] || size=${size}x$size
    go 0 run copy -q "${cpu[@]}" "tiles/$1.npy" -o "$at" "${@:4}"
    go 0 run copy -q "${cpu[@]}" "tiles/$1.npy" -o "tiles/bands/$3" --memory 360K "${@:4}"
    that "$3 in bands" diff -r "$at" "tiles/bands/$3"
    echo "$at tiles/$1.npy $size $levels $2" >>$list
}
# ---- pixels ----------------------------------------------------------------------------------------
if [[ -z $numpy ]]; then
    skip 60 'levels of tiles: no NumPy'
else
    tiled grey grey grey.tif --tile 64x32 --pyramid
    tiled grey grey plain.tif --tile 256 --compression none
    tiled color color color.tif --pyramid --tile 32 --compression none
    tiled clear color clear.tif --pyramid --tile 16 --compression lzw
    tiled deep color deep.tif --pyramid --tile 48x16 --compression packbits
    tiled pair color pair.tif --pyramid --tile 16
    tiled real grey real.tif --pyramid --tile 16 --compression zstd
    tiled reals color reals.tif --pyramid --tile 16
    tiled one grey one.tif --pyramid
    tiled column grey column.tif --pyramid --tile 16
    tiled line grey line.tif --pyramid --tile 16
    tiled stack grey stack.tif --pyramid --tile 48
    tiled grey grey grey.zarr --tile 64x32 --pyramid
    tiled grey grey plain.zarr --compression none
    tiled color color color.ome.zarr --pyramid --tile 32 --compression zlib
    tiled clear color clear.zarr --pyramid --tile 16 --compression zstd
    tiled deep color deep.zarr --pyramid --tile 48x16
    tiled pair color pair.zarr --pyramid --tile 16 --compression none
    tiled real grey real.zarr --pyramid --tile 16 --compression zstd
    tiled reals color reals.zarr --pyramid --tile 16
    tiled half grey half.zarr --pyramid --tile 16
    tiled one grey one.zarr --pyramid
    tiled column grey column.zarr --pyramid --tile 16
    tiled line grey line.zarr --pyramid --tile 16
    tiled stack grey stack.zarr --pyramid --tile 48
    go 0 run copy -q tiles/grey.npy -o 'tiles/below.tif[tile-width=64,pyramid,subifd,compression=none]'
    echo tiles/below.tif tiles/grey.npy 64x64 1 grey >>$list
    # numbers of components have no mean
    go 0 label -q tiles/dots.npy -o tiles/labels.npy
    for suffix in tif zarr; do
        go 0 label -q tiles/dots.npy -o "tiles/labels.${suffix}[tile=16,pyramid]"
        go 0 label -q tiles/dots.npy -o "tiles/bands/labels.${suffix}[tile=16,pyramid]" --memory 150K
        that "labels in bands, $suffix" diff -r "tiles/labels.$suffix" "tiles/bands/labels.$suffix"
    done
    "$numpy" - <<'PYTHON'
import numpy as np
np.save("tiles/labels16", np.load("tiles/labels.npy").astype(np.uint16))
PYTHON
    echo tiles/labels.zarr tiles/labels16.npy 16x16 1 labels >>$list
    echo tiles/labels.tif tiles/labels16.npy 16x16 1 labels >>$list
    last='levels of tiles'
    "$numpy" -c 'import zarr' 2>/dev/null ||
        skip 1 'Zarr is read by its text alone: no zarr-python (python3-zarr)'
    if ! command -v vips >/dev/null; then
        skip 15 'levels of TIFF: no vips (libvips-tools)'
        sed -i '/tif /d' $list
    fi
    "$numpy" "$here/tiles.py" <$list >"$out" 2>"$err"
    status=$?
    that "levels are as NumPy has them: $(head -c 300 "$out" "$err")" test $status -eq 0 -a ! -s "$out"
    # they are read here as well, whole and in bands
    go 0 run copy -q tiles/half.npy -o tiles/half.tif --tile 32 --pyramid
    "$tool" run copy -q tiles/color.npy -o tiles/color.zarr --pyramid --tile 32
    for name in grey deep half stack; do
        go 0 run copy -q tiles/$name.tif --memory 360K -o tiles/back.npy
        that "$name.tif is read in bands" cmp tiles/back.npy <(
            "$tool" run copy -q tiles/$name.npy -o - --format npy)
    done
    cp tiles/labels16.npy tiles/labels.npy
    for name in grey color clear deep pair real half one column line stack labels; do
        "$tool" run copy -q tiles/$name.npy -o tiles/there.npy
        go 0 run copy -q tiles/$name.zarr -o tiles/back.npy
        that "$name.zarr is read" cmp tiles/back.npy tiles/there.npy
        go 0 run copy -q tiles/$name.zarr/ --memory 360K -o tiles/back.npy
        that "$name.zarr is read in bands" cmp tiles/back.npy tiles/there.npy
    done
    go 0 stats --json --page 1 tiles/grey.tif
    json 'd["width"] == 201 and d["height"] == 162'
    for level in '' /1; do
        go 0 stats --json tiles/color.zarr$level
        json 'd["width"] == (154 if level else 307)' level
        json '[c["name"] for c in d["channels"]] == ["r", "g", "b"]'
    done
    go 0 run copy -q tiles/stack.zarr --page 2 -o tiles/back.npy
    go 0 run copy -q tiles/stack.npy --page 2 -o tiles/there.npy
    that 'a page of Zarr' cmp tiles/back.npy tiles/there.npy
    go 2 stats tiles/stack.zarr --page 3
    complains 'there is no page 3; the file has 3'
    go 2 run copy -q tiles/stack.zarr -o tiles/stack.zarr
    complains 'is an input of this command'
    mkdir -p tiles/folder
    cp -r tiles/one.zarr tiles/one.tif tiles/folder
    go 0 stats --csv tiles/folder
    says tiles/folder/one.zarr
fi

# ---- Zarr of others ----------------------------------------------------------------------------------
if [[ -z $numpy ]] || ! "$numpy" -c 'import zarr' 2>/dev/null; then
    skip 20 'arrays of zarr-python: there is none (python3-zarr)'
else
    "$numpy" - <<'PYTHON'
import numcodecs, numpy as np, zarr
r = np.random.default_rng(8)
def save(name, a, chunks, dtype, compressor, fill=0, written=None, **more):
    z = zarr.open(f"tiles/{name}.zarr", mode="w", shape=a.shape, chunks=chunks, dtype=dtype,
                  compressor=compressor, fill_value=fill, **more)
    z[:written] = a[:written]
    np.save(f"tiles/{name}.npy", z[:].astype(np.dtype(dtype).newbyteorder("=")))
save("swapped", r.integers(0, 65536, (5, 130, 97)), (2, 50, 33), ">u2", numcodecs.Zlib(3), 7, 4)
save("signed", r.integers(-1000, 1000, (60, 70)), (64, 16), "<i4", numcodecs.Zstd(3))
save("last", r.standard_normal((3, 40, 50, 3)), (2, 16, 16, 2), "<f4", None, dimension_separator="/")
save("absent", r.standard_normal((64, 64)), (16, 16), ">f4", numcodecs.Zlib(1), "NaN", 40)
save("large", r.integers(0, 256, (1, 300, 200)), (1, 300, 200), "|u1", numcodecs.Zstd(1))
save("double", np.arange(99.0).reshape(9, 11) / 4, (4, 4), ">f8", None)
zarr.open("tiles/blosc.zarr", mode="w", shape=(9, 9), dtype="u1")[:] = 1
zarr.open("tiles/fortran.zarr", mode="w", shape=(9, 9), dtype="u1", order="F", compressor=None)[:] = 1
zarr.open("tiles/words.zarr", mode="w", shape=(9, 9), dtype="<U3", compressor=None)[:] = "a"
zarr.open_group("tiles/named.zarr", mode="w").attrs["a"] = 1
PYTHON
    for name in swapped signed last absent large double; do
        "$tool" run copy -q tiles/$name.npy -o tiles/there.npy
        go 0 run copy -q tiles/$name.zarr -o tiles/back.npy
        that "$name.zarr is read" cmp tiles/back.npy tiles/there.npy
        go 0 run copy -q tiles/$name.zarr --memory 400K -o tiles/back.npy
        that "$name.zarr is read in bands" cmp tiles/back.npy tiles/there.npy
    done
    go 5 stats tiles/blosc.zarr
    complains 'the compressor blosc is not read; zlib, zstd and none are: store it again with zarr-python'
    go 5 stats tiles/fortran.zarr
    complains 'in the order of Fortran'
    go 5 stats tiles/words.zarr
    complains 'Zarr of type <U3'
    go 5 stats tiles/named.zarr
    complains 'a group of Zarr without levels'
    head -c 100 tiles/large.zarr/0.0.0 >tiles/short && cp tiles/short tiles/large.zarr/0.0.0
    go 5 stats tiles/large.zarr
    complains 'damaged chunk'
    head -c 100 tiles/double.zarr/0.0 >tiles/short && cp tiles/short tiles/double.zarr/0.0
    go 5 stats tiles/double.zarr
    complains 'damaged chunk 0.0: it has 100 bytes, for 128'
fi
mkdir -p tiles/three.zarr tiles/broken.zarr
echo '{"zarr_format": 3, "node_type": "array"}' >tiles/three.zarr/zarr.json
go 5 stats tiles/three.zarr
complains 'Zarr 3 cannot be read'
type='"dtype": "|u1"'
for text in '[' '{}' '{"shape": [2], "chunks": [2], '"$type}" '{"shape": [4, 0], "chunks": [2, 2], '"$type}" \
    '{"shape": [4, 4], "chunks": [2], '"$type}" '{"shape": [4, 4], "chunks": [99999999, 9999], '"$type}"; do
    echo "$text" >tiles/broken.zarr/.zarray
    "$tool" stats tiles/broken.zarr >"$out" 2>"$err"
    status=$? last="stats of $text"
    that "refused: $text" test $status -eq 5 -o $status -eq 3
done

# Metadata and chunks are files, and nothing else is read, or waited for.
array='{"shape": [4, 4], "chunks": [4, 4], "dtype": "|u1", "compressor": null, "fill_value": 7'
mkdir -p tiles/odd.zarr/0
refuse_odd() {
    last="stats of $2"
    timeout 10 "$tool" stats tiles/odd.zarr"${3:-}" >"$out" 2>"$err"
    status=$?
    that "refused: $1 in Zarr" test $status -eq 5
    complains "$2"
}
for kind in device pipe folder; do
    for name in .zarray .zattrs zarr.json 0/.zarray 0/0.0; do
        rm -rf tiles/odd.zarr
        mkdir -p tiles/odd.zarr/0
        [[ $name != 0/* ]] || echo '{"multiscales": [{"datasets": [{"path": "0"}]}]}' >tiles/odd.zarr/.zattrs
        [[ $name != 0/0.0 ]] || echo "$array}" >tiles/odd.zarr/0/.zarray
        case $kind in
            device) ln -s /dev/zero tiles/odd.zarr/$name ;;
            pipe) mkfifo tiles/odd.zarr/$name ;;
            folder) mkdir tiles/odd.zarr/$name ;;
        esac
        refuse_odd "$kind $name" "${name#0/} is a $kind, not a file"
    done
done
rm -rf tiles/odd.zarr
mkdir tiles/odd.zarr
truncate -s 5M tiles/odd.zarr/.zarray
refuse_odd 'long metadata' 'more than 4 MiB'

rm -rf tiles/odd.zarr
mkdir tiles/odd.zarr
echo '{"zarr_format": 2}' >tiles/odd.zarr/.zgroup
refuse_odd 'a group' 'a group of Zarr without levels of an image; name an array in it, as tiles/odd.zarr/0'
ln -s .zarray tiles/odd.zarr/.zarray
refuse_odd 'what may not be opened' 'cannot read .zarray: '
# Attributes above an array tell its axes.
rm -r tiles/odd.zarr
mkdir -p tiles/odd.zarr/0
echo "$array}" >tiles/odd.zarr/0/.zarray
echo '{"multiscales": [' >tiles/odd.zarr/.zattrs
refuse_odd 'damaged attributes' '.zattrs is no JSON object' /0
rm tiles/odd.zarr/.zattrs
mkdir tiles/odd.zarr/.zattrs
refuse_odd 'attributes that are a folder' '.zattrs is a folder, not a file' /0
rm -r tiles/odd.zarr
mkdir tiles/odd.zarr
echo "${array/null/{\"id\": \"zlib\"\}}}" >tiles/odd.zarr/.zarray
echo 'no zlib stream' >tiles/odd.zarr/0.0
refuse_odd 'a damaged chunk' 'damaged chunk 0.0: it cannot be decoded: '
# fill TYPE VALUE [FIGURE]: what never was written, or without a figure a refusal of the value.
fill() {
    printf '{"shape": [4, 4], "chunks": [4, 4], "dtype": "%s", "compressor": null, "fill_value": %s}' \
        "$1" "$2" >tiles/odd.zarr/.zarray
    if [[ -z ${3:-} ]]; then
        refuse_odd "$1 $2" "the fill value $2 does not fit type $1"
    else
        local figure=$3
        go 0 stats --json --convert tiles/odd.zarr
        json 'd["channels"][0]["min"] == float(figure)' figure
    fi
}
rm tiles/odd.zarr/0.0
fill '|u1' 255 255
fill '|u1' 256
fill '|u1' -1
fill '|u1' 1.5
fill '|u1' '"x"'
fill '|u1' '"NaN"'
fill '|u1' '[1]'
fill '|b1' true 1
fill '<u2' 65535 65535
fill '<u2' 65536
fill '|i1' -128 -128
fill '|i1' 128
fill '<i4' -2147483648 -2147483648
fill '<i8' -9223372036854775808 -9223372036854775808
fill '>u8' 18446744073709551615 18446744073709551615
fill '<u8' 9223372036854775808 9223372036854775808
fill '<u4' 4294967296
fill '<f4' '"x"'
fill '<f4' 1e300
fill '<f2' 65520.0
fill '<f2' -2.5 -2.5
fill '<f8' 1e18 999999984306749440
refuse_fill() {
    fill '|u1' 1 1
    sed -i "s/: 1}/: $1}/" tiles/odd.zarr/.zarray
    refuse_odd "$1" 'damaged Zarr: '
}
refuse_fill 18446744073709551616
refuse_fill 99999999999999999999999999
# names of axes go to reports
mkdir -p tiles/axes.zarr/0
echo '{"shape": [2, 2, 4, 4], "chunks": [1, 1, 4, 4], "dtype": "|u1", "compressor": null}' \
    >tiles/axes.zarr/0/.zarray
printf '{"multiscales": [{"axes": ["\\u001b[2J", "\xc2\xb5", "y", "x"], "datasets": [{"path": "0"}]}]}' \
    >tiles/axes.zarr/.zattrs
go 0 stats --json tiles/axes.zarr
json '[a["name"] for a in d["layer_axes"]] == ["?", "?"]'

# ---- metadata --------------------------------------------------------------------------------------
python3 - <<'PYTHON'
import struct
text = (b'<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image '
        b'ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint8" SizeX="40" SizeY="20" '
        b'SizeZ="2" SizeC="3" SizeT="1" PhysicalSizeX="0.5" PhysicalSizeY="0.25" PhysicalSizeZ="2">'
        b'<TiffData/></Pixels></Image></OME>\0')
pages, at = b"", 8 + len(text)
for page in range(6):
    tags = [(256, 4, 1, 40), (257, 4, 1, 20), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, at),
            (277, 3, 1, 1), (278, 4, 1, 20), (279, 4, 1, 800)]
    tags = sorted(tags + ([(270, 2, len(text), 8)] if page == 0 else []))
    end = at + 800 + 2 + 12 * len(tags) + 4
    pages += bytes([page]) * 800 + struct.pack("<H", len(tags))
    pages += b"".join(struct.pack("<HHII", *t) for t in tags)
    pages += struct.pack("<I", end + 800 if page < 5 else 0)
    at = end
open("tiles/ome.tif", "wb").write(b"II*\0" + struct.pack("<I", 8 + len(text) + 800) + text + pages)
PYTHON
go 0 run copy -q tiles/ome.tif -o tiles/ome.zarr --tile 16 --pyramid
that 'axes and sizes of pixels' python3 - <<'PYTHON'
import json
d = json.load(open("tiles/ome.zarr/.zattrs"))["multiscales"][0]
first, second = (s["coordinateTransformations"] for s in d["datasets"][:2])
assert [a["name"] for a in d["axes"]] == ["c", "z", "y", "x"] and d["name"] == "ome.zarr"
assert [a.get("unit") for a in d["axes"]] == [None] + ["micrometer"] * 3
assert first == [{"type": "scale", "scale": [1, 2, 0.25, 0.5]}]
assert second == [{"type": "scale", "scale": [1, 2, 0.5, 1]},
                  {"type": "translation", "translation": [0, 0, 0.125, 0.25]}]
assert json.load(open("tiles/ome.zarr/0/.zarray"))["shape"] == [3, 2, 20, 40]
for c in range(3):
    for z in range(2):
        import zlib
        assert zlib.decompress(open(f"tiles/ome.zarr/0/{c}/{z}/0/0", "rb").read()) == bytes([2 * c + z]) * 256
PYTHON
# axes that the command line states
{ printf 'P5\n40 40\n255\n' && head -c 1600 /dev/zero; } >tiles/forty.pgm
for i in 1 2 3 4 5 6; do cat tiles/forty.pgm; done >tiles/six.pgm
go 0 run copy -q tiles/six.pgm -o tiles/six.zarr
for from in tiles/six.pgm tiles/six.zarr; do
    go 0 run copy -q $from --axes t=3,c=2 -o tiles/stated.zarr
    go 0 stats --json tiles/stated.zarr
    json '[(a["name"], a["size"]) for a in d["layer_axes"]] == [("T", 3), ("C", 2)]'
done
go 0 run copy -q tiles/six.pgm --axes t=3,c=2 --channel 1 -o tiles/stated.zarr
go 0 stats --json tiles/stated.zarr
json '[(a["name"], a["size"]) for a in d["layer_axes"]] == [("T", 3)]'
go 0 run copy -q tiles/ome.tif -o tiles/ome-out.tif --tile 16 --pyramid
go 0 stats --json tiles/ome-out.tif
json 'd["layers"] == 6 and [a["name"] for a in d["layer_axes"]] == ["C", "Z"]'

# ---- refusals --------------------------------------------------------------------------------------
refused 2 'multiples of 16 up to 16384' run copy ramp.pgm -o tiles/no.tif --tile 17
refused 2 'multiples of 16' run copy ramp.pgm -o tiles/no.tif --tile 16x
refused 2 'multiples of 16' run copy ramp.pgm -o tiles/no.tif --tile 32768
go 2 run -q copy ramp.pgm -o tiles/no.png --pyramid
complains '--pyramid is of .tif and .zarr'
go 2 run -q copy ramp.pgm -o tiles/no.npy --tile 256
complains '--tile is of .tif and .zarr'
go 2 run -q copy ramp.pgm -o 'tiles/no.tif[tile=24]'
complains "'24' is no size of tiles"
go 2 run -q copy ramp.pgm -o 'tiles/no.tif[tiles]'
complains "'tiles' is no option of .tif"
go 2 run -q copy ramp.pgm -o 'tiles/no.zarr[subifd]'
complains 'subifd is of .tif'
go 2 run -q copy ramp.pgm -o 'tiles/no.zarr[pyramid=yes]'
complains "'pyramid=yes': true or false"
go 0 run -q copy tiles/forty.pgm -o 'tiles/words.zarr[tile=16,pyramid=true]'
go 0 run -q copy tiles/forty.pgm -o tiles/options.zarr --tile 16 --pyramid
that 'pyramid=true' diff -r tiles/words.zarr/1 tiles/options.zarr/1
go 0 run -q copy tiles/forty.pgm -o 'tiles/words.zarr[tile-width=32,pyramid=false]'
that 'pyramid=false' test ! -e tiles/words.zarr/1
that 'one side is that of both' grep -q '"chunks": \[32, 32\]' tiles/words.zarr/0/.zarray
name=$'tiles/\xff\xc3\xa4\xed\xa0\x80"\n.zarr'
if go 0 run -q copy tiles/forty.pgm -o "$name"; then
    that 'the name of any file' python3 - "$name" <<'PYTHON'
import json, sys
d = json.loads(open(sys.argv[1] + "/.zattrs", "rb").read().decode("utf-8"))
assert d["multiscales"][0]["name"] == '\ufffd\xe4\ufffd\ufffd\ufffd"\n.zarr'
PYTHON
fi
go 2 run -q copy ramp.pgm -o tiles/no.zarr --compression lzw
complains "'lzw' is no compression of Zarr; none, zlib and zstd are"
go 2 run -q copy ramp.pgm -o tiles/no.tif --compression zlib
complains "'zlib' is no compression of TIFF"
go 5 run -q copy ramp.pgm -o - --format zarr
complains 'Zarr is a folder, which standard output is not'
mkdir -p tiles/things.zarr tiles/empty.zarr
echo 1 >tiles/things.zarr/thing
echo 1 >tiles/file.zarr
go 5 run -q copy ramp.pgm -o tiles/things.zarr
complains 'replaced, such as thing;'
go 5 run -q copy ramp.pgm -o tiles/file.zarr
complains 'it is a file, and Zarr is a folder'
that 'what is no Zarr stays' test -f tiles/things.zarr/thing -a -f tiles/file.zarr
go 0 run -q copy ramp.pgm -o tiles/empty.zarr
go 0 run -q copy tiles/forty.pgm -o tiles/again.zarr --pyramid --tile 16
go 0 run -q copy ramp.pgm -o tiles/again.zarr/
that 'an older Zarr is replaced' diff -r tiles/empty.zarr/0 tiles/again.zarr/0
that 'nothing of it stays' test ! -e tiles/again.zarr/1
# what is beside the image or in it stays
for other in notes.txt 0/notes.txt 0/0/notes.txt 1/5 0.0 labels/.zgroup labels/.zarray 0/.nfs7 zarr.json; do
    mkdir -p tiles/again.zarr/"$(dirname $other)"
    echo 1 >tiles/again.zarr/$other
    go 5 run -q copy ramp.pgm -o tiles/again.zarr
    name=${other%/.z*}
    complains "such as ${name%/5};"
    that "$other stays" test -f tiles/again.zarr/$other
    rm -r tiles/again.zarr/"${name%/5}"
done
for other in 2 0/2 .zmetadata; do
    ln -s "$PWD/tiles/things.zarr" tiles/again.zarr/$other
    go 5 run -q copy ramp.pgm -o tiles/again.zarr
    complains "such as $other;"
    rm tiles/again.zarr/$other
done
printf '{"zarr_format": 2, "shape": [4, 4, 9], "chunks": [4, 4, 4], "dtype": "|u1", "compressor": null}' \
    >tiles/again.zarr/0/.zarray
touch tiles/again.zarr/.zmetadata tiles/again.zarr/0/0.0.2
mkdir -p tiles/again.zarr/0/5/1/2
go 0 run -q copy tiles/forty.pgm -o tiles/again.zarr --pyramid --tile 16
# inputs stay as well
go 2 run -q copy tiles/again.zarr/1 -o tiles/again.zarr
complains 'is an input of this command'
go 2 threshold tiles/again.zarr/0 -o tiles/again.zarr
complains 'is an input of this command'
ln -s again.zarr/1 tiles/small
go 2 run -q copy tiles/small -o tiles/again.zarr
complains 'is an input of this command'
mkdir tiles/group.zarr
cp -r tiles/again.zarr/0 tiles/group.zarr/a.zarr
echo '{"multiscales": [{"datasets": [{"path": "a.zarr"}]}]}' >tiles/group.zarr/.zattrs
go 2 run -q copy tiles/group.zarr -o tiles/group.zarr/a.zarr
complains 'is an input of this command'
go 0 stats tiles/again.zarr/1
no_leftovers

# ---- memory, signals, a full disk ------------------------------------------------------------------
python3 - <<'PYTHON'
with open("tiles/huge.pgm", "wb") as f:  # holes read as zeros
    f.write(b"P5\n12000 12000\n255\n")
    f.seek(12000 * 12000 - 1, 1)
    f.write(b"\xff")
PYTHON
# Tiles and bands within 32 MiB, and what the program takes by itself; the image has 137 MiB.
cat >tiles/peak.py <<'PYTHON'
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
open("tiles/peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
PYTHON
prefix=(python3 tiles/peak.py)
go 0 run color_invert -q "${cpu[@]}" --memory 32M tiles/huge.pgm -o tiles/huge.tif --tile 256 --pyramid \
    --compression zstd
that "the peak of memory is $(cat tiles/peak) KiB" test "$(cat tiles/peak)" -lt 81920
go 0 run color_invert -q "${cpu[@]}" --memory 32M tiles/huge.pgm -o tiles/huge.zarr --tile 512 --pyramid
that "the peak of memory is $(cat tiles/peak) KiB" test "$(cat tiles/peak)" -lt 81920
# What a chunk takes, and what of it is not in the image: 16 x 16 pixels would take 1 GiB.
chunks() {
    local side=$1
    mkdir -p tiles/chunks.zarr
    printf '{"zarr_format": 2, "shape": [%d, %d], "chunks": [%d, %d], "dtype": "|u1", "compressor": null}' \
        "$2" "$2" "$side" "$side" >tiles/chunks.zarr/.zarray
}
chunks 32768 16
for limit in 64M 8G; do
    go 3 stats --memory $limit tiles/chunks.zarr
    complains 'chunks of 1073.742 MB in an image of 0.000 MB; store it anew with smaller chunks'
done
that "the peak of memory is $(cat tiles/peak) KiB" test "$(cat tiles/peak)" -lt 81920
chunks 4096 16
go 3 stats --memory 8M tiles/chunks.zarr
complains 'limit memory is 8.389 MB'
go 3 stats --memory 8M --scale 0.5 tiles/chunks.zarr
complains 'limit memory is 8.389 MB'
go 3 run copy --memory 8M tiles/chunks.zarr -o tiles/no.pgm
complains 'limit memory is 8.389 MB'
go 0 stats --json --memory 64M tiles/chunks.zarr
json 'd["channels"][0]["count"] == 256'
rm -r tiles/chunks.zarr
prefix=()
go 3 run color_invert -q "${cpu[@]}" --memory 4M tiles/huge.pgm -o tiles/no.tif --tile 256 --pyramid
complains 'a row of tiles of each level of the outputs'
go 0 stats --json --memory 32M tiles/huge.tif
json 'd["channels"][0]["sum"] == (144000000 - 1) * 255'
go 0 stats --json --memory 32M tiles/huge.zarr
json 'd["channels"][0]["sum"] == (144000000 - 1) * 255'
rm -r tiles/huge.tif tiles/huge.zarr
last='a run that is killed'
for suffix in tif zarr; do
    for signal in TERM KILL; do
        "$tool" run gaussian_blur:sigma=20 -q "${cpu[@]}" --memory 64M tiles/huge.pgm -o tiles/no.$suffix \
            --tile 64 --pyramid 2>"$err" &
        job=$!
        for ((i = 0; i < 300; i++)); do
            [[ $suffix == tif && -s tiles/.lumagraph-0.tmp || -e tiles/.lumagraph-0.tmp.d/1/0/3 ]] && break
            sleep 0.02
        done
        kill -$signal $job
        wait $job 2>/dev/null
        status=$?
        that "ended by $signal" test $status -eq $((128 + $(kill -l $signal)))
        that "nothing under the name of the output" test ! -e tiles/no.$suffix
        if [[ $signal == TERM ]]; then no_leftovers; else
            that 'a killed run leaves its temporary file' test -e tiles/.lumagraph-0.tmp
        fi
    done
    go 0 run -q copy ramp.pgm -o tiles/behind.tif # takes away what is left
    no_leftovers
done
prefix=(bash -c 'trap "" XFSZ; ulimit -f 400; exec "$@"' limit)
go 5 run -q copy tiles/huge.pgm -o tiles/no.zarr --tile 1024 --compression none
complains 'File too large'
go 5 run -q copy tiles/huge.pgm -o tiles/no.tif --tile 1024 --compression none
prefix=()
that 'no output' test ! -e tiles/no.zarr -a ! -e tiles/no.tif
no_leftovers
