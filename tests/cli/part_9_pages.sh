# --report: pages of HTML.
# shellcheck shell=bash disable=SC2034,SC2154 # tool, out, err, last ... are those of run

# page FILE [OPTIONS of page.py]: the page is sound.
page() {
    local wrong
    if wrong=$(python3 "$here/page.py" "$@" 2>&1); then good; else bad "page: $wrong"; fi
}
# reported COMMAND...: the same command with --json and with --report, whose figures are the same digits.
reported() {
    go 0 "$@" --json
    cp "$out" documents.json
    go 0 "$@" --report page.html
    page page.html documents.json
}

reported stats ramp.pgm
page page.html --images 1 --svg 1 --has 'ramp.pgm' --has '16 × 16' --has 'lumagraph stats ramp.pgm --report' \
    --has 'the sum divided by the count'
reported stats nan.npy
reported stats frames.pgm
reported histogram -p 1,50,99 rgb.ppm
page page.html --svg 1 --has 'p50'
reported histogram -p 1,2,50,51,98,99 rgb.ppm # more marks than names have room
reported threshold --method multi-otsu:3 ramp.pgm
page page.html --images 2 --svg 1
reported label --threshold 100 ramp.pgm
page page.html --images 2 --svg 1 --has 'Components'
reported areasum --box 4x4+1+1 --figure sum,mean,max ramp.pgm
reported run 'contrast=1.5' ramp.pgm --figure mean --profile -q
page page.html --images 2 --has 'contrast=1.5' --has 'share_of_copy'
go 0 run contrast=1.5 ramp.pgm --report page.html # needs no -o
page page.html --images 2 --has 'adds the share of a plain copy'

# merge: of states there are no pixels, so no pictures of them, and all figures
for i in 1 2; do
    for file in ramp.pgm rgb.ppm; do "$tool" stats --part "$i/2" --state "$file$i.lgs" "$file"; done
    "$tool" histogram --part "$i/2" --state "histogram$i.lgs" rgb.ppm
    "$tool" areasum --box 4x4+1+1 --part "$i/2" --state "areasum$i.lgs" ramp.pgm
    "$tool" label -t otsu --part "$i/2" --state "label$i.lgs" half.pgm
done
reported merge ramp.pgm?.lgs
page page.html --has 'lumagraph merge ramp.pgm1.lgs' --has 'divided by the count' --has '2 merged states'
reported merge ramp.pgm?.lgs rgb.ppm?.lgs
page page.html --has '2 inputs' --has 'rgb.ppm'
reported merge -p 1,50,99 histogram?.lgs
page page.html --svg 1 --has p50
reported merge areasum?.lgs
reported merge label?.lgs --columns label,area
page page.html --has Components
reported merge --partial label2.lgs # what is missing is on the page as well
page page.html --has 'rows 0 to 7 of 16 are missing'
"$tool" stats --shard 1/2 --state shard.lgs ramp.pgm rgb.ppm
go 0 merge --partial shard.lgs --report page.html
page page.html --has '1 input of the runs are in no state, the first is number 2'
"$tool" stats --state failed.lgs ramp.pgm missing.pgm 2>"$err"
go 1 merge failed.lgs --report page.html
page page.html --has Failed --has missing.pgm --has '2 inputs'
rm -f page.html
refused 5 '--partial reports the others' merge shard.lgs --report page.html
that 'no page of a refused merge' test ! -e page.html
refused 2 'with --state there is none' merge shard.lgs --state all.lgs --report page.html
cp failed.lgs state.html
refused 2 'is an input of this command' merge state.html --report state.html
that 'the state is still there' cmp state.html failed.lgs
refused 2 'is an input of this command' merge failed.lgs -o failed.lgs
for file in ramp.pgm half.pgm; do "$tool" histogram --state "plot.$file.lgs" "$file"; done
go 0 merge plot.*.lgs --plot plot.svg -q
that 'a plot of each input' test -s plot-1.svg -a -s plot-2.svg
refused 2 'must end in .html' merge failed.lgs --report failed.lgs
for command in filters devices selftest completion; do
    refused 2 "$command has no option --report" $command --report page.html
    complains 'which is of stats, histogram, threshold, areasum, label, merge, run'
done

# A page of its own is written beside what else the command writes, and is a temporary file until then.
go 0 stats --csv ramp.pgm -o figures.csv --report page.html
that 'the CSV file is there' test -s figures.csv
page page.html --images 1

# several inputs: an index, sections, failures
go 1 stats --report page.html ramp.pgm rgb.ppm missing.pgm
page page.html --images 4 --has '3 inputs' --has 'missing.pgm' --has 'Failed' --has 'rgb.ppm'
rm -f page.html
go 5 stats --report page.html missing.pgm
that 'no page where nothing was done' test ! -e page.html

# many layers and films: curves
cat ramp.pgm ramp.pgm ramp.pgm ramp.pgm ramp.pgm >five.pgm
go 0 run --frames 'brightness=0.1' five.pgm -o five.y4m --report page.html
page page.html --images 5 --has '5 frames'
cat ramp.pgm half.pgm ramp.pgm half.pgm >four.pgm
go 0 stats --report page.html four.pgm
page page.html --svg 4 --has 'Layer by layer' --has 'grey mean'
go 0 stats --frames --report page.html four.pgm
page page.html --svg 3 --has 'Frame by frame' --has '4 frames'
for _ in {1..40}; do cat four.pgm; done >long.pgm
go 0 stats --frames --report page.html long.pgm
page page.html --has '160 frames' --images 6 --most 60000

# names that would harm a page
for name in '<script>alert(1)<&>.pgm' $'"onload="x' "' onerror='y" $'\a\e]0;t\a.pgm' $'\xff<b>.pgm' \
    '</pre></title>' $'\xe2\x80\xaereversed.pgm'; do
    cp ramp.pgm "./${name//\//_}" 2>/dev/null
    go 0 stats "./${name//\//_}" --report page.html
    page page.html --images 1
done
go 0 stats './<script>alert(1)<&>.pgm' --report page.html
that 'a hostile name is shown, not obeyed' grep -qF '&lt;script&gt;' page.html
go 1 stats ramp.pgm './</b>.pgm' --report page.html
page page.html --has './</b>.pgm'

# wrong uses
refused 2 'must end in .html' stats ramp.pgm --report page.txt
refused 2 'must end in .html' stats ramp.pgm --report ''
refused 5 'cannot' stats ramp.pgm --report missing/folder/page.html
cp ramp.pgm input.html
refused 2 'is an input of this command' stats input.html --report input.html
