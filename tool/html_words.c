// What figures are, for the pages of --report. docs/definitions.md has the formulas.
#include "html.h"

#include <string.h>

static const struct word {
    const char *name, *text;
} words[] = {
    {"count", "samples that were measured"},
    {"min", "the least sample"},
    {"max", "the greatest sample"},
    {"sum", "of all samples; exact for integers"},
    {"mean", "the sum divided by the count, rounded once"},
    {"variance", "of the population: the mean of the squared distances from the mean"},
    {"variance_sample", "the same sum divided by count - 1"},
    {"stddev", "the square root of the variance"},
    {"stddev_sample", "the square root of variance_sample"},
    {"nan_count", "samples that are NaN; they are in no other figure unless --nan says so"},
    {"inf_count", "samples that are infinite; likewise"},
    {"samples", "in the range of the histogram"},
    {"below", "samples below the range of the bins"},
    {"above", "samples above the range of the bins"},
    {"mode", "the most frequent value, the lowest of several"},
    {"entropy", "of the bins, in bits a sample"},
    {"median", "the 50th percentile"},
    {"percentiles",
     "values below which so many percent of the samples lie, linear between neighbours"},
    {"level", "the threshold: the foreground is every value above it"},
    {"separability", "variance between the classes divided by the variance of all"},
    {"foreground", "pixels above the level"},
    {"foreground_share", "foreground divided by all"},
    {"label", "the number of a component, in the order of first pixels"},
    {"area", "pixels"},
    {"cx", "centroid, from the left, in pixels"},
    {"cy", "centroid, from the top, in pixels"},
    {"perimeter", "length of the boundary, in pixels"},
    {"circularity", "4 pi area / perimeter^2; 1 is a circle"},
    {"eccentricity", "of the ellipse with the same second moments; 0 is a circle"},
    {"orientation", "the angle of the major axis"},
    {"major", "major axis of the ellipse with the same second moments, in pixels"},
    {"minor", "minor axis of that ellipse, in pixels"},
    {"extent", "area divided by that of the box"},
    {"solidity", "area divided by that of the convex hull"},
    {"found", "components before any were removed"},
    {"components", "those that are left"},
    {"connectivity", "neighbours of a pixel"},
    {"seconds", "wall time"},
    {"bytes_per_second", "bytes read and written, divided by the time"},
    {"share_of_copy", "of the speed of a plain copy of as many bytes on the same device"},
    {"smooth", "mean under a window that is the box convolved with itself"},
    {"probability", "sum over the shape divided by the sum over everything"},
    {"strength", "of a corner"},
};

_Static_assert(sizeof words / sizeof words[0] <= LG_WORDS_MOST, "marks of words are too few");

const char *lg_html_word(const char *name, int *index)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].name, name) == 0) {
            *index = (int)i;
            return words[i].text;
        }
    return NULL;
}

void lg_html_words(FILE *out, const bool *used)
{
    bool any = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!used[i])
            continue;
        fputs(any ? "" : "<h2>Definitions</h2>\n<dl>\n", out);
        any = true;
        fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", words[i].name, words[i].text);
    }
    if (any)
        fputs("</dl>\n<p>The formulas: docs/definitions.md of lumagraph.</p>\n", out);
}

const char lg_html_style[] =
    ":root{color-scheme:light dark;--ink:#1c2126;--soft:#5d6670;--line:#d4d9de;--ground:#fff;"
    "--r:#c8372d;--g:#23863a;--b:#2b62c9;--y:#4b5560;--bar:#7d9cd6}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e7ea;--soft:#9aa4ae;--line:#3a424a;"
    "--ground:#15191d;--r:#f0776c;--g:#64c27b;--b:#7ea6f4;--y:#b6c0ca;--bar:#4a6aa8}}\n"
    "body{margin:0 auto;max-width:64rem;padding:1.5rem;background:var(--ground);"
    "color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.4rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.05rem;"
    "margin:1.6rem 0 .5rem}h3{font-size:.95rem;margin:1.2rem 0 .3rem}\n"
    "p{margin:.4rem 0}.soft,figcaption,caption,dd{color:var(--soft)}.wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4rem 0}"
    "caption{text-align:left;padding-bottom:.3rem}\n"
    "th,td{padding:.2rem .7rem .2rem 0;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}th{font-weight:600}.n{text-align:right}.n,.list td{white-space:nowrap}\n"
    ".row{display:flex;flex-wrap:wrap;gap:1rem}.pair figure{flex:0 1 auto;"
    "max-width:calc(50% - .5rem)}.curves{display:grid;"
    "grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem}figure{margin:0}"
    "img{display:block;max-width:100%;height:auto;border:1px solid var(--line)}\n"
    "pre,code{font:13px/1.45 ui-monospace,monospace}pre{white-space:pre-wrap;"
    "overflow-wrap:anywhere;border:1px solid var(--line);padding:.6rem;margin:.4rem 0}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}"
    "dt{font-weight:600}dd{margin:0}.bar{display:inline-block;height:.7em;"
    "background:var(--bar);margin-right:.4em}\n"
    "svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}"
    ".axis{stroke:var(--line);fill:none}.r,.g,.b,.y{fill-opacity:.35;stroke-width:1}"
    ".r{stroke:var(--r);fill:var(--r)}.g{stroke:var(--g);fill:var(--g)}.b{stroke:var(--b);"
    "fill:var(--b)}.y{stroke:var(--y);fill:var(--y)}.mark{stroke:var(--ink);"
    "stroke-dasharray:3 3}.band{stroke:none;fill-opacity:.2}.curve{fill:none;"
    "stroke-width:1.3}\n"
    "h1+section,body>section:first-child{border:0;margin:0;padding:0}"
    "section{border-top:2px solid var(--line);margin-top:2rem;padding-top:1rem}"
    ".bad{color:var(--r)}\n"
    "@media print{body{max-width:none;padding:0;font-size:10pt}details{display:none}"
    "section,figure,tr,svg{break-inside:avoid}.wide{overflow:visible}a{color:inherit}}\n";
