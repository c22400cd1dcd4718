# Video files: the module of FFmpeg's libraries, and what goes on where it is missing.
# shellcheck shell=bash disable=SC2034,SC2154 # prefix, tool, work ... are those of run

cd "$work" || exit 2
av=$(find "$prefix" -name liblumagraph-av.so)
python3 - <<'PYTHON'
frame = b"FRAME\n" + bytes(range(96)) * 4
open("film.y4m", "wb").write(b"YUV4MPEG2 W16 H16 F25:1 C420jpeg\n" + 3 * frame)
PYTHON
for file in "$tool" "$(find "$prefix" -name liblumagraph-io.so.0)"; do
    that "${file##*/} is not linked with FFmpeg" not grep -q libav <(ldd "$file")
done
if [[ -z $av ]]; then
    bare "$tool" run copy film.y4m -o film.mkv
    that 'without the module a video file is refused' test $? -eq 5
    that 'and the message names it' grep -qF 'liblumagraph-av' "$err"
    skip 12 "this build has no FFmpeg"
    return
fi
symbols=$(nm -D --defined-only "$av" | awk '{ print $NF }')
that "the module exports its one symbol, not: ${symbols:0:200}" test "$symbols" = lg_av_module
bare "$tool" run copy film.y4m --codec ffv1 -o film.mkv
that 'a video file is written' test $? -eq 0 -a -s film.mkv
bare "$tool" run copy film.mkv -o again.y4m
that 'and read' test $? -eq 0 -a ! -s "$err"
that 'with the same planes' cmp -s <(tail -n +2 film.y4m) <(tail -n +2 again.y4m)
with=(LD_DEBUG=files)
bare "$tool" stats film.y4m
that 'y4m needs no FFmpeg' not grep -q 'libavformat\.so' "$err"
bare "$tool" stats film.mkv
that 'mkv does' grep -q 'libavformat\.so' "$err"
with=()
mv "$av" "$work/av.so"
for arguments in 'stats film.mkv' 'run copy film.y4m -o none.mkv'; do
    read -ra words <<<"$arguments"
    bare "$tool" "${words[@]}"
    that "without the module $arguments ends with status 5" test $? -eq 5
    that 'and says what to install' grep -qF 'install these, and liblumagraph-av.so' "$err"
done
that 'and nothing is written' test ! -e none.mkv
bare "$tool" stats film.y4m
that 'without the module y4m is read' test $? -eq 0 -a ! -s "$err"
sed 's/0\.1\.0/9.1.0/g' "$work/av.so" >"$av"
bare "$tool" stats film.mkv
that 'a module of another version is refused' grep -qF 'is of another version' "$err"
mv "$work/av.so" "$av"
bare "$tool" stats film.mkv
that 'in its place again the module is used' test $? -eq 0 -a ! -s "$err"
