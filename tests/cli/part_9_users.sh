# Three tasks of people with photographs, with a stack, with a film, as README.md and --help tell them, and
# five slips of each: every message says what to do.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# ---- a folder of photographs ----------------------------------------------------------
mkdir -p photos/2019
cp rgb.ppm photos/a.ppm
cp ramp.pgm photos/2019/b.pgm
echo notes >photos/readme.txt
go 0 stats --csv -r photos
csv 'sorted({row["file"] for row in rows}) == ["photos/2019/b.pgm", "photos/a.ppm"]'
complains '1 other file is left out, such as .txt'
go 0 run -q -r 'resize:width=8 | sharpen' photos -o small/
that 'the same folders' test -s small/a.ppm -a -s small/2019/b.pgm
go 0 run -q -r sharpen photos --report contact.html
that 'a page of all' grep -q '2 inputs' contact.html
# grey among them: colours need another extension than .pgm
go 0 run -q -r vignette photos -o shaded/
that 'a grey photograph with colours' test -s shaded/2019/b.ppm -a -s shaded/a.ppm -a ! -e shaded/2019/b.pgm
go 0 run -q -r --memory 1K vignette photos -o 'banded/{below}/{name}.{ext}'
that 'in bands of rows as well' cmp banded/2019/b.ppm shaded/2019/b.ppm
go 0 run -q -r solid_color_alpha photos/2019 -o clear/
that 'and with alpha' test -s clear/b.pam
go 0 run -q -r vignette photos -o pictures/ --format pnm
that '--format decides' test -s pictures/2019/b.pnm
refused 5 '.pgm cannot hold 3 channels' run vignette photos/2019/b.pgm -o named.pgm
refused 2 'resize has no parameter' run resize:w=8 photos/a.ppm -o x.ppm
complains "did you mean 'width'?"
refused 2 'did you mean .jpg?' run sharpen photos/a.ppm -o x.jgp
refused 2 'several inputs need a folder' run sharpen photos/a.ppm ramp.pgm -o all.ppm
refused 5 'cannot read' stats photo/a.ppm
refused 5 'the content decides, not the name' stats photos/readme.txt

# ---- a stack of a microscope -------------------------------------------------------------
python3 - <<'PYTHON'
import struct
# 5 slices of 2 channels; in channel 0 a block of 4 x 3 x 2 pixels, in channel 1 one of 2 x 2 x 1
layers = []
for z in range(5):
    for c in range(2):
        for y in range(12):
            for x in range(16):
                first = c == 0 and 2 <= x < 6 and 3 <= y < 6 and 1 <= z < 3
                inside = first or (c == 1 and 9 <= x < 11 and 5 <= y < 7 and z == 4)
                layers.append(3000 if inside else 100 + (x + y) % 5)
head = "{'descr': '<u2', 'fortran_order': False, 'shape': (10, 12, 16), }".ljust(117) + "\n"
open("stack.npy", "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() +
                              struct.pack("<1920H", *layers))
PYTHON
go 0 label --csv -t otsu -c 26 --axes z,c=2 --channel 0 --spacing 0.5,0.5,2 stack.npy
csv 'len(rows) == 1 and (rows[0]["area"], rows[0]["depth"], rows[0]["volume_um3"]) == ("24", "2", "12")'
go 0 label --csv -t otsu -c 26 stack.npy
csv 'len(rows) == 3' # of both channels, slice by slice
complains 'nothing says what its 10 layers are; they are taken for the slices of one volume, as --axes z says'
complains 'Of two channels each: --axes z,c=2'
go 0 label --csv -t otsu -c 26 --axes z stack.npy
that 'who has said it is told nothing' test ! -s "$err"
go 0 label --csv -t otsu -c 8 stack.npy
that 'nor where layers are planes' test ! -s "$err"
go 0 stats --json --stack --axes z,c=2 --channel 1 stack.npy
json 'd["layers"] == 5 and c[0]["max"] == 3000 and c[0]["count"] == 960'
go 0 run -q median_3d --axes z,c=2 --channel 1 stack.npy -o smooth.npy
go 0 stats --json --stack smooth.npy
json 'd["layers"] == 5 and c[0]["max"] < 3000'
refused 2 'a multiple of 3 layers, and there are 10' label -t otsu --axes z,c=3 stack.npy
refused 2 'there are channels 0 to 1' label -t otsu --axes z,c=2 --channel 5 stack.npy
refused 2 '--channel N and --time N choose one of each' run median_3d --axes z,c=2 stack.npy -o x.npy
refused 2 'label and watershed also have connectivity=4 and 8' run watershed:over=#in:connectivity=6 \
    --axes z,c=2 stack.npy -o x.npy
refused 2 'did you mean volume_um3?' label -t otsu --keep 'volume > 3' stack.npy
refused 2 "--connectivity '10': allowed are 4, 8, 6, 18, 26" label -c 10 stack.npy

# ---- a film ----------------------------------------------------------------------------------
python3 "$here/film_inputs.py" .
go 0 stats --csv film.y4m
csv 'sorted({row["frame"] for row in rows}) == ["0", "1", "2", "3", "4"]'
go 0 run -q 'levels:min=@p1:max=@p99' film.y4m -o louder.y4m
go 0 run -q --frames 1:3 copy film.y4m -o 'frames/{name}-{frame}.ppm'
that 'two images' test "$(find frames -name 'film-*.ppm' | wc -l)" -eq 2
refused 2 'a folder takes an image for each frame' run copy film.y4m -o x.png
go 0 run -q --page 2 copy film.y4m -o still.ppm
go 0 run -q --page 2 copy film.y4m -o 'frames/{name}.{frame}.ppm'
that 'one frame is an image' cmp still.ppm frames/film.000002.ppm
go 0 label -q -t 60 --page 2 film.y4m -o still-labels.npy --colors still-colors.ppm
go 0 threshold -q --page 2 film.y4m -o still-mask.pgm
that 'labels, colours and a mask as well' \
    test -s still-labels.npy -a -s still-colors.ppm -a -s still-mask.pgm
refused 2 '{n} is no field' run copy film.y4m -o 'x-{n}.ppm'
refused 2 'there is no frame 10; the film has 5' stats --frames 10: film.y4m
refused 2 'did you mean .mp4?' run copy film.y4m -o x.mpg4
refused 2 'is an input of this command' run copy film.y4m -o film.y4m
for way in 'copy' 'unsharp_mask:intensity=1'; do # planes are copied, made
    go 0 run --profile --frames :2 "$way" film.y4m -o profiled.y4m
    that '2 frames are written' grep -qF '2 frames written to profiled.y4m' "$out"
done
go 0 run -f mean --frames :2 copy film.y4m -o told.y4m
that 'a film is written once, behind its last frame' test "$(grep -c 'written to' "$out")" -eq 1
refused 2 'a film is made of the frames of one input, as in `cat *.ppm' run copy ramp.pgm rgb.ppm -o all.y4m
that 'no folder of that name' test ! -e all.y4m

# ---- what help and messages say ---------------------------------------------------------------
go 0 label --help
says 'crofton_surface_area_um2' # the last of the columns
says '(1 to 64, default 1)'
go 0 label -t 0 --columns all --spacing 0.5,0.25 --csv ramp.pgm
csv '"area_um2" in rows[0] and "perimeter_um" not in rows[0]' # which is of squares
refused 2 'allowed is 0 to 16777216' run resize:width=1e9 ramp.pgm -o x.pgm
refused 2 'crop: x=1.2: 0 to 1 is wanted' run crop:x=1.2 ramp.pgm -o x.pgm
refused 2 'x=4000 begins outside the image' run crop:box=2x2+4000+0 ramp.pgm -o x.pgm
refused 2 'allowed are auto, cpu, gpus, vulkan' stats --device gpu ramp.pgm
go 0 histogram -p 99.99999,99.999999 ramp.pgm
says 'p99.99999  p99.999999'
# an option that would do nothing is refused
refused 2 '--resample is how --scale F' stats --resample area ramp.pgm
refused 2 '--above is the value of' areasum --box 1x1+0+0 --above 5 ramp.pgm
refused 2 '--winding is of --polygons' areasum --box 1x1+0+0 --winding non-zero ramp.pgm
refused 2 '--range is of histograms' areasum --box 1x1+0+0 --range 0:5 ramp.pgm
refused 2 '--bins is of methods' threshold --method mean --bins 5 ramp.pgm
refused 2 '--luma is of --space luma' histogram --luma bt601 ramp.pgm
refused 2 '--resume is of --mpi' run --resume copy ramp.pgm -o x.pgm
refused 2 'name two formats' run copy ramp.pgm -o x.pgm --format npy
refused 2 'name two formats' run copy ramp.pgm -o '{name}-x.pgm' --format npy
go 0 run -q copy rgb.ppm -o x.pnm --format ppm
