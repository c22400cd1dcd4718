# Formats that libvips reads; options that only they have; every option was used.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

last=probe
"$tool" stats grey.png >"$out" 2>"$err"
if grep -q 'build with libvips' "$err"; then
    skip 40 'this build has no libvips'
    for command in stats histogram threshold; do
        refused 5 'libvips' $command --allow-untrusted grey.png
    done
else
    go 0 stats --json grey.png
    json 'c[0]["sum"] == 32640 and c[0]["variance"] == 5461.25 and d["format"] == "png"'
    go 0 stats --json grey16.png
    json 'd["type"] == "u16" and c[0]["max"] == 60000 and c[0]["sum"] == 4000 * 120'
    go 0 stats --json --skip-transparent rgba.png
    json '[x["mean"] for x in c] == [4, 5, 6, 191.5] and d["alpha"] == "straight"'
    go 0 stats --json - <grey.png
    json 'c[0]["sum"] == 32640'
    go 0 stats --json - < <(cat pages.tif)
    json 'd["layers"] == 3'
    cp grey.png disguised.pgm # the content decides
    go 0 stats --json disguised.pgm
    json 'd["format"] == "png"'
    refused 5 'not an image of a known format' stats text.png
    refused 5 'truncated' stats cut.png
    head -c 20000 "$root/images/rocket.jpg" >cut.jpg
    refused 5 'truncated' stats cut.jpg
    go 1 stats --json grey.png cut.jpg text.png rgba.png
    json 'len(docs) == 2'
    lines 2
    go 0 stats --json pages.tif
    json 'd["layers"] == 3 and [x["mean"] for x in c] == [5, 6, 7]'
    go 0 stats --json --page 1 pages.tif
    json 'd["layers"] == 1 and c[0]["mean"] == 6'
    refused 2 'no page 3; the file has 3,' stats --page 3 pages.tif
    refused 2 'no page 1; the file has 1,' stats --page 1 grey.png
    go 0 stats --json wide.tif
    json 'd["type"] == "f32" and c[0]["max"] == 0 and "u64" in d["note"]'
    refused 5 'differ' stats uneven.tif
    go 0 stats --json --page 1 uneven.tif
    json 'c[0]["mean"] == 9 and d["width"] == 2'
    refused 5 '6 channels' stats six.tif
    go 0 stats --json associated.tif
    json 'd["alpha"] == "premultiplied" and [x["max"] for x in c] == [50, 50, 50, 100]'
    refused 3 '--allow-untrusted' stats ink.svg
    if "$tool" stats --allow-untrusted ink.svg >/dev/null 2>&1; then
        go 0 stats --json --allow-untrusted ink.svg
        json 'd["width"] == 4'
        go 0 histogram --json --allow-untrusted ink.svg
        go 0 threshold --json --allow-untrusted ink.svg
    else
        skip 4 'this libvips has no SVG loader'
    fi
    for extension in jpg avif gif; do # they would blur a mask of two values
        go 5 threshold grey.png -o "mask.$extension"
        complains 'changes samples'
        that 'nothing is written' test ! -e "mask.$extension"
    done
    for extension in png tif webp npy pgm pam pbm; do
        go 0 threshold grey.png -o "mask.$extension"
        go 0 stats --json "mask.$extension"
        json 'c[0]["max"] == 255 and c[0]["min"] == 0 and d["width"] == 16'
    done
    go 0 threshold pages.tif -o pages-mask.tif
    go 0 stats --json pages-mask.tif
    json 'd["layers"] == 3'
    refused 5 'layers' threshold pages.tif -o pages-mask.png
    mkdir -p mine
    cp grey.png mine/photo.png
    refused 2 'is an input' threshold mine/photo.png -o mine
    that 'the input is as it was' cmp grey.png mine/photo.png
    no_leftovers
fi
