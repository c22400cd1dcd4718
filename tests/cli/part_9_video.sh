# Video files through liblumagraph-av: what goes in comes out, time stamps, sound, tags, damage, ends,
# cameras. Clips are made by ffmpeg, which also says what is in a file.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154 # tool, out, err, last ... are those of run

mkdir -p made
python3 "$here/film_inputs.py" .

# ---- without FFmpeg --------------------------------------------------------------------------------
for command in 'stats' 'histogram' 'threshold' 'label -t 60' 'areasum --box 1x1' 'run --figure mean copy'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" --live film.y4m
done
for command in 'run copy' 'threshold'; do
    read -ra words <<<"$command"
    refused 2 'are of video files' "${words[@]}" --codec ffv1 film.y4m -o made/no.y4m
    refused 2 'are of video files' "${words[@]}" --crf 3 rgb.ppm -o made/no.ppm
    refused 2 'the name of an encoder' "${words[@]}" --codec : film.y4m -o made/no.y4m
    refused 2 'a number from 0 to 100' "${words[@]}" --crf x film.y4m -o made/no.mkv
    refused 2 'allowed are copy, none' "${words[@]}" --audio some film.y4m -o made/no.mkv
    go 1 "${words[@]}" cut.y4m -o made/cut.y4m
    that 'a film that was cut ends early' test -s made/cut.y4m
    go 5 "${words[@]}" --whole cut.y4m -o made/whole.y4m
    that 'or is none with --whole' test ! -e made/whole.y4m
done
go 0 stats --json --frames=:0.08s film.y4m
json '[x["frame"] for x in docs] == [0, 1]'
refused 2 'states no times' stats --frames 1s: film.ppm

if ! command -v ffmpeg >/dev/null || ! command -v ffprobe >/dev/null; then
    skip 1 'no ffmpeg'
    return
fi
cat >words.srt <<'TEXT'
1
00:00:00,200 --> 00:00:00,600
one

2
00:00:01,000 --> 00:00:01,500
two
TEXT
cat >words.txt <<'TEXT'
;FFMETADATA1
title=Probe
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1000
title=first
[CHAPTER]
TIMEBASE=1/1000
START=1000
END=2000
title=second
TEXT
f() { ffmpeg -v error -y "$@" </dev/null; }
source=(-f lavfi -i 'testsrc=s=96x64:r=25:d=2,format=yuv420p')
f "${source[@]}" -f lavfi -i sine=440:d=2 -f lavfi -i sine=880:d=2.05 -map 0 -map 1 -map 2 \
    -c:v libx264 -preset veryfast -c:a aac -metadata:s:a:1 language=deu film.mp4
if ! "$tool" stats --frames 0:1 film.mp4 >"$out" 2>"$err" &&
    grep -q 'this build has no liblumagraph-av' "$err"; then
    refused 5 'video files are read through FFmpeg' stats film.mp4
    refused 5 'this build has no liblumagraph-av' run copy film.mp4 -o made/film.mkv
    refused 5 'video files are written through FFmpeg' run copy film.y4m -o made/film.mkv
    that 'nothing is written' test ! -e made/film.mkv
    skip 1 'this build has no liblumagraph-av'
    return
fi
# variable frame rate, subtitles, chapters, colours, aspect
f "${source[@]}" -f lavfi -i sine=440:d=2 -i words.srt -i words.txt -map 0 -map 1 -map 2 -map_metadata 3 \
    -vf "select='not(mod(n,3))+lt(n,10)',setsar=4/3" -vsync vfr -c:v libx264 -preset veryfast \
    -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv \
    -chroma_sample_location topleft -c:a aac -c:s srt rich.mkv
f -i film.mp4 -map 0 -c copy -metadata:s:v rotate=90 turned.mp4
f -i film.mp4 -map 0 -c copy -movflags +faststart front.mp4

# Figures of files.
frames() { ffmpeg -v error -i "$1" -map 0:v -f framemd5 - </dev/null | sed '/^#/d'; }
pixels() { frames "$1" | cut -d, -f5-; }
sound() { ffmpeg -v error -i "$1" -map 0:a -c copy -f framemd5 - </dev/null | sed '/^#/d'; }
times() {
    ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 "$1" | sort -n | tr -d ,
}
count() { frames "$1" | wc -l; }
entry() { ffprobe -v error -show_entries "$2" -of csv=p=0 "$1"; }
same() { cmp -s <("$1" "$2") <("$1" "$3"); }
not() { ! "$@"; }
close() { python3 -c 'import sys; a, b, by = map(float, sys.argv[1:]); sys.exit(abs(a - b) > by)' "$@"; }
playable() { f -i "$1" -map 0 -f null - && [[ $(count "$1") -gt 0 ]]; }

# ---- on a terminal -----------------------------------------------------------------------------------
# Half blocks, two pixels a character; one colour, without loss, so that every byte is known.
printf '%.s\40' {1..16} >flat.raw # planes: green, blue, red
printf '%.s\60' {1..16} >>flat.raw
printf '%.s\20' {1..16} >>flat.raw
cat flat.raw >two.raw && cat flat.raw >>two.raw
f -f rawvideo -s 4x4 -r 25 -pix_fmt gbrp -i two.raw -c:v ffv1 flat.mkv
cell=$'\e[38;2;16;32;48m\e[48;2;16;32;48m\u2580'
drawn xterm run --preview copy flat.mkv -q
that 'a video file ends with status 0' test "$status" -eq 0
row="$cell$cell$cell$cell"$'\e[0m\r\n'
that 'two lines of four blocks' python3 - "$out" "$row$row" <<'PYTHON'
import os, sys
sys.exit(not open(sys.argv[1], "rb").read().startswith(os.fsencode(sys.argv[2])))
PYTHON
# H.264 with sound: as wide as the terminal, and frames stand where the one before was
drawn xterm run --preview 'brightness=0' film.mp4 -q
that 'a film of H.264 ends with status 0' test "$status" -eq 0
that 'twenty columns, seven lines, drawn over each other' python3 - "$out" <<'PYTHON'
import re, sys
frames = re.split(rb"\x1b\[7A", open(sys.argv[1], "rb").read())
for frame in frames:
    lines = frame.split(b"\r\n")
    assert len(lines) == 8 and not lines[7], lines
    assert all(line.count("\u2580".encode()) == 20 and line.endswith(b"\x1b[0m") for line in lines[:7])
PYTHON
drawn xterm-kitty run --preview copy film.mp4 -q
that 'the protocol of kitty: 96 x 64 RGB pixels a frame, four lines' python3 - "$out" <<'PYTHON'
import base64, re, sys
for frame in re.split(rb"\x1b\[4A", open(sys.argv[1], "rb").read()):
    pieces = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", frame)
    assert pieces[0][0].startswith(b"a=T,f=24,s=96,v=64,r=4,"), pieces[0][0]
    assert [head[-1:] for head, _ in pieces] == [b"1"] * (len(pieces) - 1) + [b"0"]
    assert len(base64.b64decode(b"".join(data for _, data in pieces))) == 96 * 64 * 3
    assert all(len(data) <= 4096 for _, data in pieces)
PYTHON
drawn xterm run --preview copy --frames 1:2 --figure mean film.mp4 -o made/drawn.mkv
that 'a preview beside figures and a film' test "$status" -eq 0 -a "$(count made/drawn.mkv)" = 1
complains 'mean: ' # what is printed goes to standard error then
go 0 run copy film.mp4 --frames 1:2 -q -o made/plain.mkv
that 'the film is that without a preview' same pixels made/drawn.mkv made/plain.mkv
# never on a pipe or in a file
refused 2 'draws on a terminal, and standard output is none' run --preview copy film.mp4
refused 2 'draws on a terminal, and standard output is none' run --preview copy film.mp4 -o made/no.mkv
that 'nothing is written' test ! -e made/no.mkv
refused 2 'stats has no option --preview, which is of run' stats --preview film.mp4

# ---- planes bit for bit ----------------------------------------------------------------------------
for pair in yuv420p:left yuv420p:center yuv420p10le:topleft yuv422p:left yuv444p:left yuv422p10le:left \
    yuv444p10le:left yuv411p:left yuva420p:left gray:unspecified gray10le:unspecified \
    gbrp:unspecified; do
    format=${pair%:*}
    f -f lavfi -i "testsrc=s=98x66:r=25:d=0.12,format=$format,crop=97:65:exact=1" -pix_fmt "$format" \
        -chroma_sample_location "${pair#*:}" -c:v ffv1 planes.mkv
    go 0 run copy planes.mkv -q --codec ffv1 -o made/planes.mkv
    that "planes of $pair are copied bit for bit" same pixels planes.mkv made/planes.mkv
    that 'of 97 x 65' test "$(entry made/planes.mkv stream=width,height)" = 97,65
    that 'three frames' test "$(count made/planes.mkv)" = 3
    that 'chroma stays where it is' test "$(entry made/planes.mkv stream=chroma_location)" = \
        "$(entry planes.mkv stream=chroma_location)"
done
# NV12, packed, and the high byte first: as ffmpeg takes them apart
for pair in nv12:yuv420p yuyv422:yuv422p uyvy422:yuv422p yuv422p10be:yuv422p10le; do
    f -f lavfi -i testsrc=s=96x64:r=25:d=0.08 -pix_fmt "${pair%:*}" -c:v rawvideo planes.nut
    go 0 run copy planes.nut -q -o made/planes.y4m
    f -i planes.nut -pix_fmt "${pair#*:}" -strict -1 -f yuv4mpegpipe made/theirs.y4m
    that "planes of ${pair%:*}" same pixels made/planes.y4m made/theirs.y4m
done
# odd formats go through libswscale
f -f lavfi -i testsrc=s=96x64:r=25:d=0.08 -pix_fmt pal8 -c:v rawvideo planes.nut
go 0 stats --json planes.nut
json 'len(docs) == 2 and len(c) == 4 and d["format"] == "nut"'
# the figures of planes are those of ffmpeg, with its time stamps
ffmpeg -v error -i rich.mkv -vf signalstats,metadata=print:file=- -f null - </dev/null >made/theirs
"$tool" stats --lavfi rich.mkv 2>"$err" | grep -v '^lumagraph' >"$out"
that 'figures of signalstats, by time stamps' cmp -s "$out" made/theirs

# ---- the failures of other exporters ---------------------------------------------------------------
go 0 run box_blur:radius=1 film.mp4 -o made/film.mp4
says '50 frames written to made/film.mp4'
go 0 run copy film.mp4 -q --codec ffv1 -o made/exact.mkv
that 'frames in = frames out' test "$(count film.mp4) $(count made/film.mp4)" = '50 50'
last_second() { pixels "$1" | tail -25; }
that 'the last second is there' same last_second film.mp4 made/exact.mkv
first_frames() { pixels "$1" | head -3; }
that 'no black frames at the start' same first_frames film.mp4 made/exact.mkv
go 0 stats --json --frames :2 made/film.mp4
json 'all(k["mean"] > 20 for x in docs for k in x["channels"])'
that 'all tracks of sound' test "$(entry made/film.mp4 stream=codec_name | tr '\n' ' ')" = 'h264 aac aac '
that 'with their words' grep -q deu <(ffprobe -v error -show_entries stream_tags=language made/film.mp4)
that 'sound is copied packet by packet' same sound film.mp4 made/film.mp4
go 0 run 'gaussian_blur:sigma=20 | median:radius=3 | kuwahara:radius=6 | gaussian_blur:sigma=20' \
    film.mp4 -q -o made/slow.mp4
that 'the sound is whole whatever filters cost' same sound film.mp4 made/slow.mp4
that 'and so are the time stamps' same times film.mp4 made/slow.mp4
for name in film exact.mkv slow; do
    [[ $name == *.mkv ]] || name+=.mp4
    that "$name has the duration of its input, to a frame" \
        close "$(entry made/$name format=duration)" "$(entry film.mp4 format=duration)" 0.04
done
# Nobody waits for a film to be played: a call that sleeps leaves a file behind.
if command -v cc >/dev/null; then
    cc -shared -fPIC -o trap.so -x c - <<'C'
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
static int spring(void)
{
    return close(open("slept", O_CREAT | O_WRONLY, 0600));
}
int nanosleep(const struct timespec *time, struct timespec *left) { return spring(); }
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    return spring();
}
int usleep(useconds_t time) { return spring(); }
unsigned sleep(unsigned time) { return (unsigned)spring(); }
C
    LD_PRELOAD=$PWD/trap.so timeout 60 ffmpeg -v error -re -t 0.2 -i film.mp4 -f null - </dev/null
    that 'the trap works: playing sleeps' test -e slept
    rm -f slept
    prefix=(env LD_PRELOAD="$PWD/trap.so")
    go 0 run box_blur:radius=1 film.mp4 -q -o made/awake.mp4
    prefix=()
    that 'a film is not exported at the speed at which it is played' test ! -e slept
    # Films are decoded while others of their frames are encoded: calls of the two meet, on two threads. Each
    # waits for the other for a while, in vain where one comes behind the other.
    cc -shared -fPIC -pthread -o meet.so -x c - <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t thread[2]; // of the last call that decodes, encodes
static int inside[2], met, together, frames;
static int look(struct dl_phdr_info *object, size_t size, void *found)
{
    if (strstr(object->dlpi_name, "libavcodec"))
        *(const char **)found = object->dlpi_name;
    return 0;
}
static void *real(const char *name)
{
    const char *library = NULL;
    dl_iterate_phdr(look, &library);
    return dlsym(dlopen(library, RTLD_NOW | RTLD_NOLOAD), name);
}
static void meet(int side)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&lock);
    thread[side] = pthread_self();
    frames += side;
    together += !side && frames && pthread_equal(thread[0], thread[1]);
    inside[side] = 1;
    met += inside[!side];
    pthread_cond_broadcast(&changed);
    while (!inside[!side] && met < 5 && !pthread_cond_timedwait(&changed, &lock, &until))
        ;
    inside[side] = 0;
    FILE *f = fopen("meetings", "w");
    fprintf(f, "%d %d %d\n", frames, met, together);
    fclose(f);
    pthread_mutex_unlock(&lock);
}
int avcodec_receive_frame(void *context, void *frame)
{
    int (*call)(void *, void *) = (int (*)(void *, void *))real("avcodec_receive_frame");
    const int code = call(context, frame);
    if (code == 0)
        meet(0);
    return code;
}
int avcodec_send_frame(void *context, const void *frame)
{
    int (*call)(void *, const void *) = (int (*)(void *, const void *))real("avcodec_send_frame");
    if (frame)
        meet(1);
    return call(context, frame);
}
C
    for command in 'box_blur:radius=1' 'copy' 'difference_blend --input x=made/exact.mkv'; do
        read -ra words <<<"$command"
        rm -f meetings
        prefix=(env LD_PRELOAD="$PWD/meet.so")
        go 0 run "${words[@]}" film.mp4 -q --codec ffv1 -o made/met.mkv
        prefix=()
        read -r there met together <meetings
        that 'all frames are encoded' test "$there" -eq 50
        that 'some while others are decoded' test "$met" -ge 1
        that 'and none is decoded by the thread that encodes' test "$together" -eq 0
    done
else
    skip 15 'no compiler'
fi

# ---- what is kept ----------------------------------------------------------------------------------
go 0 run color_invert rich.mkv -q -o made/rich.mkv
all() {
    local colors=color_range,color_space,color_primaries,color_transfer,chroma_location
    local named=chapter=start_time,end_time:chapter_tags=title:format_tags=title
    local packets=packet=stream_index,pts_time,duration_time
    ffprobe -v error -show_entries "stream=codec_name,sample_aspect_ratio,$colors:$named:$packets" \
        -of compact "$1" | grep -v stream_index=1 | sort
}
that 'time stamps, colours, aspect, chapters, subtitles, title' same all rich.mkv made/rich.mkv
that 'of 23 frames' test "$(count made/rich.mkv)" = 23
that 'at times of their own' test "$(times rich.mkv | sed -n 11p)" = 0.503000
that 'and sound' same sound rich.mkv made/rich.mkv
go 0 stats --json rich.mkv
json '[round((x["time"] - d["time"]) * 25) for x in docs] == list(range(10)) + list(range(12, 50, 3))'
rotation() { ffprobe -v error -show_entries stream_side_data=rotation -of default=nw=1 "$1" | head -1; }
go 0 run copy turned.mp4 -q -o made/turned.mp4
that 'rotation' test "$(rotation turned.mp4)" = "$(rotation made/turned.mp4)" -a -n "$(rotation turned.mp4)"
go 0 run copy turned.mp4 -o made/turned.avi
complains 'the rotation is not kept: avi has no place for it'
go 0 run copy rich.mkv -o made/rich.mp4
complains 'stream 2 (subtitle, subrip) is not kept'
that 'time stamps of Matroska in mp4' same times rich.mkv made/rich.mp4
that 'without subtitles' not grep -q subtitle <(entry made/rich.mp4 stream=codec_type)
go 0 run copy --audio none film.mp4 -q -o made/mute.mkv
that 'no sound' test "$(entry made/mute.mkv stream=codec_name)" = h264
f "${source[@]}" -f lavfi -i sine=440:d=2:r=32000 -c:v libx264 -preset veryfast -c:a libmp3lame -ar 32000 \
    low.mkv
refused 5 '--audio none leaves sound and subtitles out' run copy low.mkv -o made/film.flv
go 0 run copy film.y4m -q -o made/y4m.mkv --codec ffv1
that 'y4m in a video file' same pixels film.y4m made/y4m.mkv
go 0 run copy -q rgb.ppm -o made/one.mkv
that 'an image is a film of one frame' test "$(count made/one.mkv)" = 1

# ---- codecs ----------------------------------------------------------------------------------------
for pair in webm:vp9 mov:h264 avi:mpeg4 ts:h264 nut:mpeg4; do
    go 0 run copy --frames :5 --audio none film.mp4 -q -o "made/coded.${pair%:*}"
    name=made/coded.${pair%:*}
    that "${pair%:*} has ${pair#*:}" test "$(entry "$name" stream=codec_name | head -1)" = "${pair#*:}"
    that 'and five frames' test "$(count "$name")" -eq 5
done
go 0 run copy film.mp4 -q --crf 10 -o made/fine.mp4
go 0 run copy film.mp4 -q --crf=40 -o made/coarse.mp4
size() { stat -c %s "$1"; }
that 'less is lost by a smaller --crf' test "$(size made/coarse.mp4)" -lt "$(size made/fine.mp4)"
go 0 run copy film.mp4 -q --codec libx264:preset=ultrafast:qp=0 -o made/whole.mkv
that 'options go to the encoder' same pixels film.mp4 made/whole.mkv
go 0 threshold --method 100 --codec ffv1 --audio none film.mp4 -o made/mask.mkv
that 'masks in a video file' test "$(entry made/mask.mkv stream=pix_fmt)" = gray
go 0 threshold -q --method 100 --codec libx264 --crf 30 film.mp4 -o made/mask.mp4
that 'with the sound of the input' same sound film.mp4 made/mask.mp4
refused 2 "has no option 'speed'" run copy --codec ffv1:speed=1 film.mp4 -o made/no.mkv
refused 2 "no encoder 'h265x'" run copy --codec h265x film.mp4 -o made/no.mkv
refused 2 'ffv1 has no crf' run copy --codec ffv1 --crf 3 film.mp4 -o made/no.mkv
refused 2 'has no place for h264' run copy --codec h264 film.mp4 -o made/no.webm
refused 5 'video holds integer samples' run --type f32 copy film.mp4 -o made/no.mkv
that 'no film without a frame' test ! -e made/no.mkv
f -f lavfi -i 'testsrc=s=98x66:r=25:d=0.2,format=yuv420p,crop=97:65:exact=1' -c:v ffv1 odd.mkv
go 0 run color_invert odd.mkv -o made/odd.mp4
complains 'frames are stored as yuv444p'
that 'odd sizes stay' test "$(entry made/odd.mp4 stream=width,height)" = 97,65
go 0 run color_invert odd.mkv -q --codec ffv1 -o made/odd.mkv
that 'odd sizes stay in 4:2:0' test "$(entry made/odd.mkv stream=width,height,pix_fmt)" = 97,65,yuv420p
f -f lavfi -i testsrc=s=96x64:r=25:d=0.12 -pix_fmt yuv422p10le -colorspace ycgco -c:v ffv1 ycgco.mkv
refused 5 'the matrix ycgco is not converted' stats ycgco.mkv
go 0 stats --video-colors bt709 ycgco.mkv
go 0 run copy --video-colors bt709 ycgco.mkv -q --codec ffv1 -o made/ycgco.mkv
that 'and copied' same pixels ycgco.mkv made/ycgco.mkv

# ---- parts, steps, pipes ---------------------------------------------------------------------------
go 0 stats --json --frames 0.5s:0.6s film.mp4
json '[x["frame"] for x in docs] == [13, 14]'
go 0 stats --json --frames 1.8s::2 film.mp4
json '[x["frame"] for x in docs] == [45, 47, 49]'
refused 2 'no frame from second 7 on' stats --frames 7s: film.mp4
refused 2 'with an s behind it' stats --frames 2s:1s film.mp4
refused 2 'with an s behind it' stats --frames 1:2:1s film.mp4
go 0 run copy --frames 0.5s:1.5s --codec ffv1 film.mp4 -q -o made/part.mkv
that 'a part begins at 0' test "$(times made/part.mkv | head -1)" = 0.000000 -a "$(count made/part.mkv)" = 25
that 'its frames are those' cmp -s <(pixels film.mp4 | sed -n 14,38p) <(pixels made/part.mkv)
that 'its sound is as long' close "$(entry made/part.mkv format=duration)" 1 0.05
go 0 run copy --frames ::5 film.mp4 -q -o made/fifth.mp4
that 'every fifth frame takes as long' close "$(entry made/fifth.mp4 format=duration)" 2.05 0.04
go 0 run difference_blend --input x=made/exact.mkv film.mp4 -q --codec ffv1 --audio none -o made/nothing.mkv
go 0 stats --json made/nothing.mkv
json 'len(docs) == 50 and all(k["max"] <= 1 for x in docs for k in x["channels"])'
go 1 run difference_blend --input x=planes.mkv --input y=film.y4m --frames 0:4 'film.y4m' -o made/short.y4m
complains 'input planes.mkv: has no frame 3, which goes with that of the first input'
refused 5 'is a video file, not an image' stats --mask film.mp4 ramp.pgm
prefix=(bash -c 'cat made/exact.mkv | "$0" "$@"')
go 0 stats --json --frames 48: -
json '[x["frame"] for x in docs] == [48, 49] and d["format"] == "mkv"'
go 0 run copy - -q -o made/piped.mkv --codec ffv1
that 'a film from a pipe' same pixels made/exact.mkv made/piped.mkv
that 'with its sound' same sound made/exact.mkv made/piped.mkv
prefix=(bash -c 'cat front.mp4 | "$0" "$@"')
go 0 run box_blur:radius=1 - -q -o made/heard.mp4
that 'all sound of a pipe' same sound film.mp4 made/heard.mp4
go 0 threshold -q --method 100 - -o made/heard.mp4
that 'beside masks as well' same sound film.mp4 made/heard.mp4
go 0 run copy --audio none - -q -o made/mute.mkv
that 'or none' test "$(entry made/mute.mkv stream=codec_name)" = h264
cat >two.json <<'JSON'
{"inputs": ["in"], "outputs": ["a", "b"], "nodes": [
    {"name": "a", "filter": "contrast", "in": "in"}, {"name": "b", "filter": "color_invert", "in": "in"}]}
JSON
go 0 run --graph two.json - -o a=made/a.mp4 -o b=made/b.mp4
complains 'made/b.mp4: note: sound of a pipe is not kept: another film has it'
that 'one of two films has it' same sound film.mp4 made/a.mp4
prefix=(bash -c 'cat rich.mkv | "$0" "$@"')
go 0 run color_invert - -q -o made/heard.mkv
that 'what else a pipe has' same all rich.mkv made/heard.mkv
that 'and its sound' same sound rich.mkv made/heard.mkv
prefix=(bash -c 'cat film.mp4 | "$0" "$@"')
go 0 stats --json --frames :1 -
json 'd["file"] == "-"'
prefix=()
for format in mkv mp4; do
    last="-o - --format $format" status=0
    "$tool" run copy film.mp4 -o - --format $format --codec libx264:qp=0 2>"$err" >made/piped.$format
    that "a pipe of $format" same pixels film.mp4 made/piped.$format
done
"$tool" run copy film.mp4 -o - 2>"$err" | head -c 60 >"$out"
says 'YUV4MPEG2 W96 H64 F25:1'

# ---- damage ----------------------------------------------------------------------------------------
shorten() { head -c $(($(stat -c %s "$1") * $2 / 100)) "$1" >"$3"; }
shorten front.mp4 60 cut.mp4
shorten made/exact.mkv 60 cut.mkv
f -i film.mp4 -map 0 -c copy film.ts
for name in cut.mp4 cut.mkv; do
    go 1 run copy "$name" -o "made/$name"
    complains 'cut or damaged: the file states '
    lines 1
    that "what is there of $name plays" playable "made/$name"
    that 'and is shorter' test "$(count "made/$name")" -lt 50
    last_time=$(times "made/$name" | tail -1)
    that 'its sound ends with it' close "$(entry "made/$name" format=duration)" "$last_time" 0.1
    go 5 run copy --whole "$name" -o "made/whole-$name"
    that 'or nothing' test ! -e "made/whole-$name"
done
shorten film.mp4 50 headless.mp4
refused 5 'moov atom not found' stats headless.mp4
python3 - <<'PYTHON'
data = bytearray(open("made/exact.mkv", "rb").read())
for i in range(len(data) // 2, len(data) // 2 + 40):
    data[i] ^= 0x5a
open("bad.mkv", "wb").write(data)
PYTHON
go 1 run copy --codec ffv1 bad.mkv -o made/bad.mkv
there=$(count made/bad.mkv)
in_front() { pixels "$1" | head -"$there"; }
that 'frames in front of damage are whole' same in_front made/bad.mkv made/exact.mkv
that 'and some are there' test "$there" -gt 5 -a "$there" -lt 49
f -f lavfi -i sine=440:d=0.2 sound.mp4
refused 5 'there is no film in the file, only sound' stats sound.mp4
f "${source[@]}" -frames:v 10 -c:v mpeg2video first.ts
f -f lavfi -i testsrc=s=64x48:r=25:d=0.4 -c:v mpeg2video second.ts
cat first.ts second.ts >changes.ts
go 1 run copy changes.ts -o made/changes.mkv
complains 'it is 64 x 48, those before are 96 x 64: a film has frames of one size'
that 'the frames before are there' test "$(count made/changes.mkv)" -ge 8
f "${source[@]}" -frames:v 0 -c:v ffv1 none.avi
refused 5 'the film has no frame' stats none.avi
: >empty.mp4
refused 5 'the file is empty' stats empty.mp4
refused 3 'limit max-pixels' stats --max-pixels 1000 film.mp4
printf '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n%s/film.ts\n#EXT-X-ENDLIST\n' "$PWD" >list.ts
refused 5 'is no film that FFmpeg' stats list.ts

# ---- an end by a signal ----------------------------------------------------------------------------
# The film comes through a pipe whose writer sends the signal when so many frames have been written.
interrupt() {
    python3 - "$tool" "$@" <<'PYTHON' 2>"$err"
import signal, subprocess, sys
tool, *words = sys.argv[1:]
frame = b"FRAME\n" + bytes([128]) * (96 * 64 * 3 // 2)
p = subprocess.Popen([tool, *words], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
p.stdin.write(b"YUV4MPEG2 W96 H64 F25:1 C420jpeg\n" + 200 * frame)
p.stdin.flush()
p.send_signal(signal.SIGINT)
try:
    p.stdin.write(10 * frame)
    p.stdin.close()
except BrokenPipeError:
    pass
sys.exit(p.wait())
PYTHON
    status=$? last="SIGINT, $*"
}
interrupt run copy - -o made/ended.mkv
that 'an interrupted film ends with status 130' test "$status" -eq 130
complains 'interrupted; what is written ends there'
that 'and is complete up to there' playable made/ended.mkv
interrupt run copy --whole - -o made/dropped.mkv
that 'an interrupted film is dropped with --whole' test "$status" -eq 130 -a ! -e made/dropped.mkv
no_leftovers

# ---- progress --------------------------------------------------------------------------------------
# There is a line on a terminal for what takes more than a second: half of the film comes later than that.
last='progress on a terminal' status=0
python3 - "$tool" made/exact.mkv >"$out" 2>"$err" <<'PYTHON'
import array, fcntl, os, pty, subprocess, sys, termios, time
tool, name = sys.argv[1:]
data = open(name, "rb").read()
main, terminal = pty.openpty()
words = ["run", "copy", "-", "-o", "made/slowly.y4m"]
p = subprocess.Popen([tool, *words], stdin=subprocess.PIPE, stderr=terminal)
p.stdin.write(data[:len(data) // 2])
p.stdin.flush()
waiting = array.array("i", [1])
while waiting[0] and p.poll() is None:  # until it has read that, so that its clock runs
    fcntl.ioctl(p.stdin, termios.FIONREAD, waiting)
    time.sleep(0.01)
time.sleep(1.2)
p.stdin.write(data[len(data) // 2:])
p.stdin.close()
p.wait()
print(os.read(main, 10000).decode())
PYTHON
that 'frame, frames a second, speed, time left' \
    grep -qaE -- '-: frame [0-9]+, [0-9.e+]+ fps, [0-9.e-]+x, [0-9]+:[0-9][0-9] left' "$out"

# ---- alpha -----------------------------------------------------------------------------------------
python3 -c 'open("clear.raw", "wb").write(bytes(v % 251 for v in range(2 * 4 * 8 * 6)))'
go 0 run copy --raw 8x6:rgba clear.raw -o made/clear.mov --codec qtrle
go 0 stats --json made/clear.mov
json '[x["name"] for x in c] == ["r", "g", "b", "a"] and c[3]["max"] == 191 and c[3]["min"] == 3'
go 0 run copy made/clear.mov -o made/again.mov --codec png
that 'nothing is changed, so nothing is said' test ! -s "$err"
go 0 run copy made/clear.mov -o made/none.mov
complains 'without alpha: libx264 takes none'

# ---- frames that come as time passes ---------------------------------------------------------------
# None is lost uncounted, whatever is dropped.
go 0 run --live 'gaussian_blur:sigma=20' film.mp4 -o made/live.mkv
dropped=$(grep -oE '[0-9]+ frames? w[a-z]+ left out' "$err" | cut -d' ' -f1)
that 'frames that were dropped are counted' test $(($(count made/live.mkv) + ${dropped:-0})) -eq 50
for command in 'stats' 'histogram' 'threshold' 'label -t 60' 'areasum --box 1x1'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" --live --csv film.mp4
    csv 'len({r["frame"] for r in rows}) >= 1'
done
camera=''
for device in /dev/video*; do [[ -c $device ]] && camera=$device; done
if [[ $camera && -w /sys/devices/virtual/video4linux ]]; then
    go 0 stats --live --frames :3 --csv "$camera"
else
    skip 1 'no camera: the kernel has no v4l2loopback'
fi
