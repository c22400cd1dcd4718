#!/usr/bin/env bash
# The main job on the photographs in images/: statistics, histograms, Otsu masks, components, filters.
# usage: scripts/demo.sh TOOL FOLDER
set -eu
tool=$1 folder=$2
photos=(images/*.png images/*.jpg)
if ! "$tool" stats "${photos[0]}" >/dev/null 2>&1; then
    echo "demo: this build reads no PNG or JPEG (libvips was missing when it was built):" >&2
    "$tool" stats "${photos[0]}" >&2 || true
    echo "demo: install libvips-dev and run ./dev clean, then ./dev demo" >&2
    exit 1
fi
rm -rf "$folder"
mkdir -p "$folder"

"$tool" devices >"$folder/devices.txt"
"$tool" stats "${photos[@]}" >"$folder/stats.txt"
"$tool" stats --json "${photos[@]}" >"$folder/stats.jsonl"
for photo in "${photos[@]}"; do
    name=$(basename "${photo%.*}")
    "$tool" histogram --plot "$folder/$name-histogram.svg" --percentile 1,50,99 "$photo" \
        >"$folder/$name-histogram.txt"
    "$tool" threshold --method otsu "$photo" -o "$folder/$name-otsu.png" >>"$folder/otsu.txt"
done
"$tool" threshold --method multi-otsu:4 images/coffee.png -o "$folder/coffee-4-classes.png" \
    >"$folder/multi-otsu.txt"
"$tool" histogram --space hsv --plot "$folder/coffee-hsv.svg" images/coffee.png >/dev/null
printf '%s\n' polygon,x,y rhombus,192,20 rhombus,340,150 rhombus,192,290 rhombus,40,150 \
    >"$folder/polygons.csv"
{
    "$tool" areasum --box 128x101 --box 128x101+128+101 --figure mean,min,max,histogram --bins 8 \
        images/coins.png
    "$tool" areasum --polygons "$folder/polygons.csv" --figure mean,variance,count images/coins.png
} >"$folder/areas.txt"

"$tool" label --threshold otsu --fill-holes --no-edge --keep 'area >= 500' --intensity self images/coins.png \
    --overlay "$folder/coins-found.png" --colors "$folder/coins-colors.png" >"$folder/coins.txt"

"$tool" filters >"$folder/filters.txt"
{
    "$tool" run 'levels:min=@p1:max=@p99 | saturation:saturation=1.2' images/rocket.jpg \
        -o "$folder/rocket-levels.png"
    "$tool" run 'sepia | vignette:vignette_start=0.4' images/coffee.png -o "$folder/coffee-sepia.png"
    "$tool" run 'contrast:contrast=1.3 | luminance_threshold:threshold=@otsu' images/coins.png \
        -o "$folder/coins-black-white.png"
    "$tool" run 'sauvola:radius=40' images/coins.png -o "$folder/coins-sauvola.png"
    far='fill:color=1,1,1 | vignette:start=0.1:end=0.6:center=0.45,0.25 | color_invert #far'
    "$tool" run "$far | #in | variable_box_blur:over=#far:radius=16" images/astronaut.png \
        -o "$folder/astronaut-focus.png"
    "$tool" run --profile 'exposure:exposure=0.3 | contrast:contrast=1.2 | saturation:saturation=1.3' \
        images/hubble_deep_field.jpg -o "$folder/hubble.png"
} >"$folder/run.txt"

cat "$folder/stats.txt"
cat <<TEXT

Made in $folder/ from ${#photos[@]} photographs (images/README.md has their authors):
  stats.txt, stats.jsonl   count, min, max, mean, deviation per channel (the table above)
  NAME-histogram.svg       the distribution of every channel; open it in a browser
  NAME-otsu.png            foreground and background by Otsu's threshold
  coffee-4-classes.png     four classes by three levels;  otsu.txt, multi-otsu.txt: the levels
  coffee-hsv.svg           hue, saturation and value of one photograph
  coins-found.png          outlines of the coins;  coins.txt: a row for each, coins-colors.png
  areas.txt                figures of two boxes and of the polygon in polygons.csv, from area sums
  rocket-levels.png        each channel stretched from its 1st to its 99th percentile, more colour
  coffee-sepia.png         sepia and a vignette;  coins-black-white.png: more contrast, then Otsu
  coins-sauvola.png        the same, each pixel compared with its own window
  astronaut-focus.png      blurred over windows that grow away from the face
  hubble.png               three filters in one pass; run.txt has the time of every pipeline
  filters.txt              the filters there are; build/lumagraph filters NAME explains one
  devices.txt              what this machine can compute on
Look first at coins-otsu.png beside images/coins.png, at coins-found.png, coffee-histogram.svg and
rocket-levels.png.
TEXT
