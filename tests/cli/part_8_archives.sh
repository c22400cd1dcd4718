# Members of tar and zip files as inputs.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

if ! "$tool" --version | grep -q 'libarchive: a module'; then
    skip 1 'members of archives: this build has no liblumagraph-archive'
    return
fi
python3 "$here/archives.py" || return

# ---- which members, under which names --------------------------------------------------------------
go 0 stats -q --json ramp.pgm
json 'd["file"] == "ramp.pgm"'
sum=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["channels"][0]["sum"])' "$out")
for archive in photos.tar photos.tar.gz photos.txz photos.tar.zst; do
    go 0 stats --json $archive
    json '[x["file"] for x in docs] == [archive + "/" + name for name in (
        "b.pgm", "2019/a.pgm", "2019/june/c.PPM", "2019/\u00e4.pgm")]' archive
    json '[x["channels"][0]["sum"] == int(sum) for x in docs] == [True, True, False, True]' sum
    complains '1 other file is left out, such as .txt'
    go 0 stats -q --json $archive/2019/ $archive/b.pgm "$archive/2019/?.pgm"
    json '[x["file"][len(archive) + 1:] for x in docs][::2] == [
        "2019/a.pgm", "2019/\u00e4.pgm", "2019/a.pgm"]' archive
done
for archive in gnu.tar photos.zip stored.zip large.zip; do
    go 0 stats -q --json $archive
    json '[x["file"][len(archive) + 1:] for x in docs] == [
        "b.pgm", "2019/a.pgm", "2019/june/c.PPM", "2019/\u00e4.pgm"]' archive
done
go 0 stats -q --json arrays.npz
json 'd["file"] == "arrays.npz/a.npy" and d["channels"][0]["sum"] == 15'
go 0 areasum -q --json --box 2x1+0+0 photos.zip/b.pgm
json 'd["file"] == "photos.zip/b.pgm"'
for command in histogram threshold 'label -t 100'; do
    read -ra words <<<"$command"
    go 0 "${words[@]}" -q --json photos.tar.gz/2019/
    json '[x["file"] for x in docs] == [
        "photos.tar.gz/2019/" + name for name in ("a.pgm", "june/c.PPM", "\u00e4.pgm")]'
done
go 0 stats -q --json --mask photos.zip/b.pgm ramp.pgm
mkdir -p folder.zip
cp ramp.pgm folder.zip/
go 0 stats -q --json folder.zip
json 'd["file"] == "folder.zip/ramp.pgm"' # it is a folder
go 0 stats --frames -q --json photos.zip/b.pgm
json 'd["frame"] == 0'

# ---- outputs ---------------------------------------------------------------------------------------
there() { for name in "$@"; do that "$name is there" test -f "$name"; done; }
go 0 run -q copy photos.zip -o made/
there made/b.pgm made/2019/a.pgm made/2019/june/c.PPM
that 'samples are those of the member' cmp made/2019/a.pgm ramp.pgm
go 0 run -q copy photos.tar.gz/2019/a.pgm -o '{folder}/{name}-beside.pgm'
that 'beside the archive' cmp a-beside.pgm ramp.pgm
refused 2 'several inputs need a folder' run copy photos.zip -o x.pgm
go 2 stats photos.zip -o photos.zip
complains 'is an input of this command'
go 2 stats photos.zip/b.pgm -o photos.zip
complains 'is an input of this command'
mkdir -p deep/er
go 0 run -q copy out.tar -o deep/er/
there deep/er/out/e.pgm deep/er/abs/f.pgm deep/er/h/i.pgm deep/er/l.pgm
out_there=$(find . -name '[efil].pgm' -not -path './deep/er/*')
that 'nothing leads out of the folder' test -z "$out_there"
that 'nor is anything unpacked' test ! -e /abs/f.pgm -a ! -e ../out/e.pgm -a ! -e deep/h
go 0 run -q copy out.tar/../../out/e.pgm -o deep/er/one/
there deep/er/one/e.pgm

# ---- several at a time, shards, states, resume ------------------------------------------------------
go 0 stats -q --csv many
sed 's|^many/||' "$out" >expected.csv
for archive in many.tar many.tar.gz; do
    for jobs in 1 2 7; do
        go 0 stats -q --csv --jobs $jobs $archive
        that "$archive with $jobs jobs" cmp <(sed "s|^$archive/||" "$out") expected.csv
    done
    for i in 3 1 2; do
        go 0 stats -q --shard $i/3 --state part$i.lgs --jobs 2 $archive
    done
    go 0 merge -q --csv part1.lgs part2.lgs part3.lgs
    that "$archive in shards" cmp <(sed "s|^$archive/||" "$out" | sort) <(sort expected.csv)
done
go 0 stats -q --state all.lgs --resume --jobs 3 many.tar.gz
go 0 stats -q --state all.lgs --resume many.tar.gz # nothing is left to do
go 0 merge -q --csv all.lgs
that 'a state of an archive' cmp <(sed 's|^many.tar.gz/||' "$out" | sort) <(sort expected.csv)
printf 'many.tar/%03d.pgm\n' 7 39 0 7 >list.txt
go 0 stats -q --json --files-from list.txt
json '[x["file"][9:] for x in docs] == ["007.pgm", "039.pgm", "000.pgm", "007.pgm"]'

# ---- what is wrong with them -----------------------------------------------------------------------
go 1 stats -q --json truncated.tar
json 'd["file"] == "truncated.tar" and docs[1]["file"] == "truncated.tar/b.pgm" and "channels" in docs[1]'
complains 'truncated.tar: the archive is damaged: Truncated tar archive'
go 5 stats -q --json truncated.tar.gz # its members are no images
json 'len(docs) > 10 and d["file"] == "truncated.tar.gz" and docs[2]["file"] == "truncated.tar.gz/001.pgm"'
complains 'truncated.tar.gz: the archive is damaged: Truncated input file'
for archive in truncated.zip none.tar; do
    go 5 stats -q $archive
    complains "$archive: "
done
go 1 stats -q --json broken.zip # the others are read
json '[("error" in x) for x in docs] == [False, True, False, False]'
complains 'broken.zip/2019/a.pgm: the member is damaged'
go 5 stats -q wrong.zip
complains 'bad CRC'
go 5 stats -q --json locked.zip
json '[x["error"] for x in docs] == ["the member is encrypted"] * 2'
go 5 stats -q text.zip
complains 'no images are in this archive, by the names of its files'
go 5 stats -q empty.zip
complains 'empty.zip: '
go 1 stats -q --json lies.tar
json '[x["file"][9:] for x in docs if "error" not in x] == ["b.pgm"]'
complains 'lies.tar/lies.png: truncated'
go 5 stats -q photos.zip/none.pgm
complains 'photos.zip/none.pgm: there is no file of this name in the archive'
go 5 stats -q photos.zip/2019
complains 'there is no file of this name in the archive'
go 5 stats -q 'photos.zip/*.xyz'
complains 'no file in the archive matches this pattern'
go 5 stats -q ramp.pgm/a.pgm
complains 'no archive of tar or zip'
go 3 stats -q --memory 16M zeros.tar.gz # a member is held
complains 'the member of the archive takes 81.000 MB'
go 0 stats -q --memory 128M --json zeros.tar.gz
json 'd["channels"][0]["count"] == 81000000'
