#include "options.h"

#include "area_values.h"
#include "color.h"
#include "label_presets.h"
#include "label_values.h"
#include "lavfi.h"
#include "layer_options.h"
#include "option_checks.h"
#include "option_values.h"
#include "text.h"
#include <lumagraph/io.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// OPTIONAL: parsed, and the value may be left out.
typedef enum option_kind { FLAG, TEXT, INTEGER, CHOICE, PARSED, OPTIONAL } option_kind;

typedef struct option {
    const char *name;
    char letter;       // short form, 0: none
    int commands;      // that take it
    const char *value; // how --help writes the value; NULL for a flag
    option_kind kind;
    size_t offset;        // of the field in lg_options, except PARSED
    int64_t min, max;     // INTEGER
    lg_choice_fn choice;  // CHOICE, and the list that --help shows
    lg_parse_fn parse;    // PARSED
    const char *fallback; // what --help shows as the default, NULL: nothing
    const char *help;
} option;

#define AT(field) offsetof(lg_options, field)
#define HT        (LG_COMMAND_HISTOGRAM | LG_COMMAND_THRESHOLD)
#define KEEPS                                                                                      \
    (LG_COMMAND_STATS | LG_COMMAND_HISTOGRAM | LG_COMMAND_AREASUM | LG_COMMAND_LABEL) // states
#define ROWS (LG_COMMAND_LABEL | LG_COMMAND_MERGE) // of components
#define TABLES                                                                                     \
    (LG_COMMAND_FILES | LG_COMMAND_AREASUM | LG_COMMAND_LABEL | LG_COMMAND_DEVICES |               \
     LG_COMMAND_MERGE)
#define IMAGES   (LG_COMMAND_THRESHOLD | LG_COMMAND_LABEL) // -o is an image
#define FILMS    (LG_COMMAND_RUN | LG_COMMAND_THRESHOLD)   // -o may be a film
#define COMPUTES (LG_COMMAND_READS | LG_COMMAND_SELFTEST)

static const option options[] = {
    // shapes
    {"box", 'b', LG_COMMAND_AREASUM, "WxH+X+Y", PARSED, .parse = lg_parse_box,
     .help = "a box, in pixels from the top left; WxHxD+X+Y+Z with layers; FIRST:END,... takes an "
             ".npy file as an array of up to 6 axes, in NumPy's order, such as 1:3,:,0:4; may be "
             "repeated"},
    {"boxes", 0, LG_COMMAND_AREASUM, "FILE.csv", TEXT, AT(boxes),
     .help = "boxes, one a line: x,y,width,height, with layers x,y,z,width,height,depth; of arrays "
             "first_0,first_1,...,end_0,end_1,..., with this header"},
    {"polygons", 0, LG_COMMAND_AREASUM, "FILE.csv", TEXT, AT(polygons),
     .help = "polygons, a point a line: polygon,x,y or, with holes, polygon,ring,x,y"},
    {"winding", 0, LG_COMMAND_AREASUM, "RULE", CHOICE, AT(winding), .choice = lg_choice_winding,
     .fallback = "even-odd", .help = "what is inside a polygon that meets itself"},
    {"layers", 0, LG_COMMAND_AREASUM, "N+Z", PARSED, .parse = lg_parse_layers, .fallback = "all",
     .help = "the layers that polygons and the mask go through: N of them from Z on"},
    {"mask", 0, LG_COMMAND_AREASUM, "FILE", TEXT, AT(mask),
     .help = "one shape: the pixels where this image of the same size is not zero"},
    {"figure", 'f', LG_COMMAND_AREASUM, "FIGURE,...", PARSED, .parse = lg_parse_figures,
     .choice = lg_choice_figure, .fallback = "sum,mean", .help = "what is measured of each shape"},
    {"angle", 0, LG_COMMAND_AREASUM, "DEGREES", PARSED, .parse = lg_parse_angle,
     .help = "turn every box about its centre, clockwise; --parts boxes stand for it"},
    {"parts", 0, LG_COMMAND_AREASUM, "N", INTEGER, AT(parts), 1, LG_AREA_MAX_PARTS,
     .fallback = "16", .help = "at most so many boxes for one that is turned"},
    {"order", 0, LG_COMMAND_AREASUM, "N", INTEGER, AT(order), 1, LG_AREA_MAX_ORDER, .fallback = "3",
     .help = "the window of --figure smooth is the box convolved with itself N times"},
    {"above", 0, LG_COMMAND_AREASUM, "V", PARSED, .parse = lg_parse_above,
     .help = "count_above counts samples above this value, in stored units"},
    {"density", 0, LG_COMMAND_AREASUM, NULL, FLAG, AT(density),
     .help = "the samples are a density: probability, the sum over a shape divided by the sum over "
             "everything"},
    {"kind", 0, LG_COMMAND_AREASUM, "KIND", CHOICE, AT(area_kind), .choice = lg_choice_area_kind,
     .fallback = "table, or ripmap where a figure needs it", .help = "the structure that is built"},
    {"plain", 0, LG_COMMAND_AREASUM, NULL, FLAG, AT(plain),
     .help = "sums of floats in single precision, as a textbook has them, to compare with"},
    {"memory-limit", 0, LG_COMMAND_AREASUM, "BYTES", PARSED, .parse = lg_parse_memory,
     .fallback = "16G",
     .help = "refuse structures that need more; K, M, G and T are 2^10 ... 2^40"},
    // components
    {"threshold", 't', LG_COMMAND_LABEL, "LEVEL", PARSED, .parse = lg_parse_level,
     .choice = lg_choice_method, .fallback = "all that is not 0",
     .help = "the foreground is above this value, in stored units, or above the level that a "
             "method finds"},
    {"values", 0, LG_COMMAND_LABEL, NULL, FLAG, AT(label_values),
     .help = "a label image: only pixels of equal value join, 0 is background"},
    {"connectivity", 'c', LG_COMMAND_LABEL, "N", CHOICE, AT(connectivity),
     .choice = lg_choice_connectivity, .fallback = "8",
     .help = "neighbours of a pixel; with 6, 18 and 26 layers are the third axis"},
    {"fill-holes", 0, LG_COMMAND_LABEL, NULL, FLAG, AT(fill_holes),
     .help = "background that the foreground encloses becomes foreground"},
    {"intensity", 0, LG_COMMAND_LABEL, "FILE", TEXT, AT(intensity),
     .help = "measure this image over the components, or self: the input"},
    {"keep", 'k', ROWS, "EXPRESSION", PARSED, .parse = lg_parse_keep,
     .help = "only components for which it is true, such as 'area >= 50 && circularity > 0.8'; "
             "names are those of --columns"},
    {"no-edge", 0, ROWS, NULL, FLAG, AT(no_edge),
     .help = "remove components that touch the edge of the image"},
    {"largest", 0, ROWS, "K", INTEGER, AT(largest), 0, INT32_MAX,
     .help = "only the K largest of what is left"},
    {"columns", 0, ROWS, "NAME,...", PARSED, .parse = lg_parse_columns, .choice = lg_choice_column,
     .help = "the columns of the table"},
    {"preset", 0, ROWS, "NAME", CHOICE, AT(preset), .choice = lg_choice_preset,
     .help = "columns with the names and conventions of another program"},
    {"centers", 0, ROWS, "WHERE", CHOICE, AT(centers), .choice = lg_choice_centers,
     .fallback = "integer, imagej half",
     .help = "coordinates of the centre of the first pixel, for centroids: 0 or 0.5"},
    {"colors", 0, LG_COMMAND_LABEL, "FILE", TEXT, AT(colors),
     .help = "write the components in distinct colours"},
    {"overlay", 0, LG_COMMAND_LABEL, "FILE", TEXT, AT(overlay),
     .help = "write the input with the outlines of the components"},
    {"outline", 0, LG_COMMAND_LABEL, "COLOR", PARSED, .parse = lg_parse_outline,
     .fallback = "#ffdc00", .help = "of --overlay: #rrggbb, or labels for the colours of --colors"},
    {"memory-limit", 0, LG_COMMAND_LABEL, "BYTES", PARSED, .parse = lg_parse_memory,
     .fallback = "16G", .help = "refuse work that needs more; K, M, G and T are 2^10 ... 2^40"},
    // filters in front
    {"pipeline", 0, LG_COMMAND_MEASURES, "PIPELINE", PARSED, .parse = lg_parse_filters,
     .help = "measure the result of these filters, as `lumagraph run` would write it"},
    {"type", 0, LG_COMMAND_MEASURES, "TYPE", CHOICE, AT(type), .choice = lg_choice_type,
     .fallback = "the input's, of labels their own", .help = "sample type of that result"},
    // which samples
    {"region", 0, LG_COMMAND_FILES | LG_COMMAND_LABEL, "WxH+X+Y", PARSED, .parse = lg_parse_region,
     .help = "only this rectangle, in pixels from the top left"},
    {"mask", 0, LG_COMMAND_FILES, "FILE", TEXT, AT(mask),
     .help = "leave out the pixels where this image of the same size is zero"},
    {"region", 0, LG_COMMAND_RUN, "WxH+X+Y", PARSED, .parse = lg_parse_region,
     .help =
         "change only this rectangle, in pixels from the top left; outside, the input stays, and "
         "figures such as @mean do not see it"},
    {"mask", 0, LG_COMMAND_RUN, "FILE", TEXT, AT(mask),
     .help = "change only the pixels where this image of the same size is not zero; likewise"},
    {"stack", 0, LG_COMMAND_FILES, NULL, FLAG, AT(stack),
     .help = "one figure over all layers (pages, frames) instead of one for each"},
    {"stack", 0, LG_COMMAND_RUN, NULL, FLAG, AT(stack),
     .help = "figures of the pipeline, such as @otsu, are of all layers (pages, frames) together "
             "instead of each"},
    {"stack", 0, LG_COMMAND_LABEL, NULL, FLAG, AT(stack),
     .help = "one level of --threshold for all layers instead of one for each"},
    {"skip-transparent", 0, LG_COMMAND_FILES, NULL, FLAG, AT(skip_transparent),
     .help = "leave out the pixels whose alpha is zero"},
    {"nan", 0, LG_COMMAND_FILES, "RULE", CHOICE, AT(nan), .choice = lg_choice_nan,
     .fallback = "ignore", .help = "what NaN and infinite samples do"},
    {"nan", 0, LG_COMMAND_AREASUM, "RULE", CHOICE, AT(area_nan), .choice = lg_choice_area_nan,
     .fallback = "ignore", .help = "what NaN and infinite samples do"},
    {"step", 0, LG_COMMAND_FILES, "N", INTEGER, AT(step), 1, LG_MAX_SIDE, .fallback = "1",
     .help = "every Nth pixel of every Nth row"},
    {"scale", 0, LG_COMMAND_FILES, "F", PARSED, .parse = lg_parse_scale, .fallback = "1",
     .help = "make the region smaller before it is measured, by a filter: both sides times F, from "
             "0.0001 to 1"},
    {"resample", 0, LG_COMMAND_FILES, "METHOD", CHOICE, AT(resample), .choice = lg_choice_resample,
     .fallback = "area", .help = "how --scale weighs pixels, as the filter resize does"},
    {"memory", 0, LG_COMMAND_AREASUM, "BYTES", PARSED, .parse = lg_parse_ceiling,
     .help =
         "images that take more are measured in bands of rows: sums, means, variances, extremes "
         "and counts of boxes of u8 and u16; others and their tables lie in scratch files"},
    {"memory", 0, LG_COMMAND_FILES | LG_COMMAND_RUN | LG_COMMAND_LABEL, "BYTES", PARSED,
     .parse = lg_parse_ceiling, .fallback = "a quarter of the machine's",
     .help = "images that take more are measured and filtered in bands of rows; scratch files hold "
             "what is needed whole; K, M, G and T are 2^10 ... 2^40"},
    {"scratch", 0, LG_COMMAND_FILES | LG_COMMAND_RUN | LG_COMMAND_LABEL | LG_COMMAND_AREASUM,
     "FOLDER", TEXT, AT(scratch), .fallback = "$TMPDIR or /var/tmp",
     .help = "where images, rows of tables and of stacks wait that --memory has no room for; the "
             "files have no names"},
    {"recursive", 'r', LG_COMMAND_READS, NULL, FLAG, AT(recursive),
     .help = "of a folder as an input, also the images of the folders in it"},
    {"page", 0, LG_COMMAND_READS, "N", PARSED, .parse = lg_parse_page,
     .help = "only this page of a multi-page file, counted from 0; raw: the sensor's samples of a "
             "raw photograph"},
    // stacks
    {"axes", 0, LG_COMMAND_READS, "NAME[=N],...", PARSED, .parse = lg_parse_axes,
     .fallback = "what the file says",
     .help = "what the layers are, the slowest first, such as z,c=2: slices with a layer for each "
             "of two channels; t are times"},
    {"channel", 0, LG_COMMAND_READS, "N", PARSED, .parse = lg_parse_channel,
     .help = "of layers that are channels only this one, counted from 0"},
    {"time", 0, LG_COMMAND_READS, "N", PARSED, .parse = lg_parse_time,
     .help = "of layers that are times only this one, counted from 0"},
    {"spacing", 0, ROWS, "X[,Y[,Z]][UNIT]", PARSED, .parse = lg_parse_spacing,
     .fallback = "of columns in um what the file says",
     .help = "the size of a pixel in um, or with nm or mm behind it, or file: the table has "
             "columns in micrometres"},
    // many inputs, parts of a work
    {"files-from", 0, LG_COMMAND_READS | LG_COMMAND_MERGE, "FILE", TEXT, AT(files_from),
     .help = "further inputs, one a line, or with zero bytes between them; - is standard input"},
    {"shard", 0, LG_COMMAND_READS, "I/N", PARSED, .parse = lg_parse_shard,
     .help = "only every Nth input, from the Ith on, such as 3/64"},
    {"part", 0, KEEPS, "I/N", PARSED, .parse = lg_parse_part,
     .help = "only part I of N of the rows of each input, for --state"},
    {"state", 0, KEEPS, "FILE", TEXT, AT(state),
     .help = "write what was measured to this file instead of a report, for `lumagraph merge`"},
    {"state", 0, LG_COMMAND_MERGE, "FILE", TEXT, AT(state),
     .help = "write the merged state to this file instead of a report"},
    {"resume", 0, KEEPS, NULL, FLAG, AT(resume),
     .help = "keep a journal, beside the --state or where ranks of MPI are told to, and leave out "
             "what a killed run has measured"},
    {"resume", 0, LG_COMMAND_THRESHOLD | LG_COMMAND_RUN, NULL, FLAG, AT(resume),
     .help = "of --mpi: keep a --journal, and leave out what a killed run has done"},
    {"journal", 0, LG_COMMAND_FILES | LG_COMMAND_LABEL | LG_COMMAND_RUN, "NAME", TEXT, AT(journal),
     .help =
         "of --mpi and --resume: the files NAME.0, NAME.1 ..., one of each rank, and of outputs "
         "NAME.rows-..."},
    {"partial", 0, LG_COMMAND_MERGE, NULL, FLAG, AT(partial),
     .help = "report what there is, also where rows or inputs are missing"},
    {"mpi", 0, LG_COMMAND_FILES | LG_COMMAND_LABEL | LG_COMMAND_RUN, "[=openmpi|mpich]", OPTIONAL,
     .parse = lg_parse_mpi,
     .help = "started by mpirun or srun: the ranks share the rows of each input, and rank 0 "
             "reports; which MPI it is follows from the launcher"},
    {"link-limit", 0, LG_COMMAND_FILES | LG_COMMAND_LABEL | LG_COMMAND_RUN, "SECONDS", INTEGER,
     AT(link_limit), 10, 86400,
     .help = "of --mpi: end the job when the machine of a rank has not answered for so long"},
    // films
    {"frames", 0, LG_COMMAND_READS, "[A:B[:STEP]]", OPTIONAL, .parse = lg_parse_frames,
     .help = "frames one by one, each with its line: images of a PNM pipe, pages; y4m and video "
             "without this option as well. A:B are those from A to B - 1; 1.5s:20s are seconds"},
    {"raw", 0, LG_COMMAND_READS, "WxH:FORMAT[:MATRIX][@RATE]", PARSED, .parse = lg_parse_raw,
     .help = "the input is raw frames, such as 1920x1080:nv12@25 or 1920x1080:p010:bt2020@50"},
    {"video-colors", 0, LG_COMMAND_READS, "[MATRIX][:RANGE]", PARSED,
     .parse = lg_parse_video_colors, .fallback = "bt709, and the range of the file",
     .help = "how Y'CbCr becomes RGB: bt601, bt709, bt2020, smpte240m; limited, full"},
    {"depth", 0, LG_COMMAND_RUN, "N", INTEGER, AT(depth), 1, LG_MAX_DEPTH, .fallback = "3",
     .help = "so many frames are computed, or wait for it, while others are read and written"},
    {"live", 0, LG_COMMAND_READS, NULL, FLAG, AT(live),
     .help = "of cameras and other video that comes as time passes: where frames come faster than "
             "they are worked on, the oldest that wait are dropped, and counted"},
    {"codec", 0, FILMS, "NAME[:KEY=VALUE...]", PARSED, .parse = lg_parse_codec,
     .fallback = "h264, webm vp9, avi mpeg4",
     .help = "how video files are encoded: an encoder or a codec of FFmpeg, with its options, such "
             "as ffv1, which loses nothing, or libx264:preset=slow"},
    {"crf", 0, FILMS, "N", PARSED, .parse = lg_parse_crf, .fallback = "18 of libx264",
     .help =
         "how much of video files is lost, less by smaller numbers; the scale is the encoder's"},
    {"audio", 0, FILMS, "WHAT", CHOICE, AT(audio), .choice = lg_choice_audio, .fallback = "copy",
     .help = "sound and subtitles of a video file: into the new one as they are, or not"},
    {"whole", 0, FILMS, NULL, FLAG, AT(whole),
     .help = "write no film at all where a frame fails or the command is interrupted; without it "
             "the film ends there"},
    // what is measured
    {"bins", 0, LG_COMMAND_HISTOGRAM, "N", INTEGER, AT(bins), 1, LG_MAX_BINS, .fallback = "256",
     .help = "bins of the histogram"},
    {"bins", 0, LG_COMMAND_THRESHOLD | LG_COMMAND_LABEL, "N", INTEGER, AT(bins), 1, LG_MAX_BINS,
     .fallback = "one per value for otsu of integers, else 256",
     .help = "bins of the histogram that levels come from; u8 samples have one for each value"},
    {"bins", 0, LG_COMMAND_AREASUM, "N", INTEGER, AT(bins), 1, LG_MAX_BINS,
     .fallback = "16, for percentiles 256", .help = "bins of the histogram"},
    {"range", 0, LG_COMMAND_HISTOGRAM | LG_COMMAND_AREASUM, "LO:HI", PARSED,
     .parse = lg_parse_range, .fallback = "type",
     .help = "values that the bins cover; auto: of the data, type: of the sample type"},
    {"space", 0, LG_COMMAND_HISTOGRAM, "SPACE", CHOICE, AT(space), .choice = lg_choice_space,
     .fallback = "stored", .help = "the colours that are counted"},
    {"luma", 0, HT | LG_COMMAND_LABEL, "FORMULA", CHOICE, AT(luma), .choice = lg_choice_luma,
     .fallback = "bt709", .help = "how colour becomes brightness"},
    {"percentile", 'p', LG_COMMAND_AREASUM, "P,P...", PARSED, .parse = lg_parse_percentiles,
     .help = "percentiles of each shape, from its histogram, such as 25,50,75"},
    {"percentile", 'p', LG_COMMAND_HISTOGRAM | LG_COMMAND_MERGE, "P,P...", PARSED,
     .parse = lg_parse_percentiles, .help = "values below which P percent of the samples lie"},
    {"variant", 0, LG_COMMAND_HISTOGRAM, "NAME", CHOICE, AT(variant), .choice = lg_choice_variant,
     .fallback = "auto", .help = "how the counting is done; the counts are the same"},
    {"plot", 0, LG_COMMAND_HISTOGRAM | LG_COMMAND_MERGE, "FILE.svg", TEXT, AT(plot),
     .help = "draw the histogram"},
    {"log", 0, LG_COMMAND_HISTOGRAM | LG_COMMAND_MERGE, NULL, FLAG, AT(log_scale),
     .help = "logarithmic counts in the plot"},
    {"method", 'm', LG_COMMAND_THRESHOLD, "METHOD", PARSED, .parse = lg_parse_method,
     .choice = lg_choice_method, .fallback = "otsu", .help = "how the level is found"},
    // what is made
    {"graph", 'g', LG_COMMAND_RUN, "FILE.json", TEXT, AT(graph),
     .help = "a graph of filters instead of PIPELINE: branches, several outputs"},
    {"input", 'i', LG_COMMAND_RUN, "NAME=FILE", PARSED, .parse = lg_parse_input,
     .help =
         "a further image, #NAME in the pipeline; the first is the second image of filters with "
         "two; .cube tables and .acv curves as well; may be repeated"},
    {"output", 'o', LG_COMMAND_RUN, "[NAME=]OUT", PARSED, .parse = lg_parse_target,
     .help = "where the image goes: a file, a folder (made when it ends in / or there are several "
             "inputs), a name with fields such as {name}-small.{ext}, - for standard output; "
             "NAME= for a graph with several outputs, repeated"},
    {"figure", 'f', LG_COMMAND_RUN, "FIGURE", PARSED, .parse = lg_parse_run_figure,
     .help = "measure the result, or #NAME.FIGURE an image of the pipeline, and print it: mean, "
             "r.p99, rgb.max, otsu, components ...; may be repeated; then -o is not needed"},
    {"points", 0, LG_COMMAND_RUN, "FILE", PARSED, .parse = lg_parse_points,
     .help = "write the points of the result, pixels above 0 such as corners, the strongest first: "
             "a .csv or .json file, for all inputs; then -o is not needed"},
    {"max-points", 0, LG_COMMAND_RUN, "N", INTEGER, AT(max_points), 0, INT32_MAX, .fallback = "all",
     .help = "only the N strongest points of each input"},
    {"size", 0, LG_COMMAND_RUN, "WxH", PARSED, .parse = lg_parse_size,
     .help = "without a FILE: begin with a black image of this size, RGB of 8 bits, for filters "
             "that make a picture, such as perlin_noise"},
    {"type", 't', LG_COMMAND_RUN, "TYPE", CHOICE, AT(type), .choice = lg_choice_type,
     .fallback = "the input's, of labels their own", .help = "sample type of the output"},
    {"channels", 0, LG_COMMAND_RUN, "N", CHOICE, AT(channels), .choice = lg_choice_channels,
     .fallback = "those of the result",
     .help = "channels of the output, grey by luma, RGB, or RGB and alpha, which is opaque where "
             "the result has none"},
    {"format", 0, LG_COMMAND_RUN, "EXTENSION", PARSED, .parse = lg_parse_format,
     .help = "format of standard output and of files in a folder (default pnm or pfm, and the "
             "input's); with options behind it, as in jpg[Q=80]"},
    {"quality", 0, LG_COMMAND_RUN, "N", INTEGER, AT(quality), 1, 100, .fallback = "95 of JPEG",
     .help =
         "of .jpg, .webp, .avif, .heic and .jxl: 100 loses least; WebP and JPEG XL lose nothing "
         "without it"},
    {"compression", 0, LG_COMMAND_RUN, "NAME", TEXT, AT(compression), .fallback = "deflate",
     .help = "of TIFF: none, deflate, lzw, packbits, zstd; of Zarr: none, zlib, zstd; of PNG: 0 to "
             "9"},
    {"tile", 0, LG_COMMAND_RUN, "SIZE", PARSED, .parse = lg_parse_tile,
     .help = "TIFF in tiles of this size instead of strips, as 256 or 512x256, multiples of 16; of "
             "Zarr the size of chunks (default 256)"},
    {"pyramid", 0, LG_COMMAND_RUN, NULL, FLAG, AT(pyramid),
     .help = "TIFF in tiles and Zarr: with smaller versions, each half of the former, down to one "
             "tile"},
    {"auto-orient", 0, LG_COMMAND_RUN, NULL, FLAG, AT(auto_orient),
     .help = "turn the input upright first, as the orientation in its EXIF or TIFF tags says; the "
             "output's then says that it is"},
    {"strip", 0, LG_COMMAND_RUN, NULL, FLAG, AT(strip),
     .help = "leave out the input's metadata: colour profile, EXIF, XMP, IPTC, resolution"},
    {"preview", 0, LG_COMMAND_RUN, NULL, FLAG, AT(preview),
     .help = "draw the result, of a film its frames, on the terminal; then -o is not needed"},
    {"explain", 0, LG_COMMAND_RUN, NULL, FLAG, AT(explain),
     .help = "print the stages that would run and stop: nothing is computed or written"},
    {"profile", 0, LG_COMMAND_RUN, NULL, FLAG, AT(profile),
     .help = "print time, bytes and the share of a plain copy's speed per stage, of the fastest of "
             "a few runs; needs no -o"},
    // reports
    {"json", 0, LG_COMMAND_REPORTS & ~LG_COMMAND_FILTERS, NULL, FLAG, AT(json),
     .help = "JSON: one document per input, one per line"},
    {"json", 0, LG_COMMAND_RUN, NULL, FLAG, AT(json),
     .help = "JSON: one document per input, one per line, with the time of every stage"},
    {"json", 0, LG_COMMAND_FILTERS, NULL, FLAG, AT(json),
     .help = "JSON: one document, a list of filters"},
    {"planes", 0, LG_COMMAND_STATS | LG_COMMAND_HISTOGRAM, NULL, FLAG, AT(planes),
     .help = "measure the planes of video as they are stored: y, cb, cr"},
    {"plane", 0, LG_COMMAND_FILES | LG_COMMAND_LABEL, "PLANE", CHOICE, AT(plane),
     .choice = lg_choice_plane,
     .help = "take this plane of video, as it is stored, for a grey image"},
    {"lavfi", 0, LG_COMMAND_STATS, NULL, FLAG, AT(lavfi),
     .help = "of y4m and raw frames: the figures of ffmpeg's signalstats, of planes as they are "
             "stored, under its names; and scene, the change to the frame before"},
    {"report", 0, LG_COMMAND_READS | LG_COMMAND_MERGE, "FILE.html", PARSED,
     .parse = lg_parse_report,
     .help = "also write a page with figures, pictures, plots and times that needs no other file"},
    {"csv", 0, TABLES, NULL, FLAG, AT(csv), .help = "CSV with a header row"},
    {"output", 'o', LG_COMMAND_THRESHOLD, "FILE", TEXT, AT(output),
     .help =
         "write the binary image; a folder (made when it ends in /) or a name with fields such as "
         "{name}-mask.png for several inputs, - for standard output"},
    {"output", 'o', LG_COMMAND_LABEL, "FILE", TEXT, AT(output),
     .help = "write the labels as samples of 16 bits, of 32 when there are more than 65535 (.tif, "
             ".npy); a folder (made when it ends in /) or a name with fields such as "
             "{name}-labels.tif for "
             "several inputs, - for standard output"},
    {"output", 'o', LG_COMMAND_REPORTS & ~IMAGES, "FILE", TEXT, AT(output),
     .help = "write the report to this file"},
    {"quiet", 'q', LG_COMMAND_RUN, NULL, FLAG, AT(quiet),
     .help = "print nothing but failures, and what --json, --profile and --explain ask for"},
    {"quiet", 'q',
     (LG_COMMAND_READS & ~LG_COMMAND_RUN) | LG_COMMAND_DEVICES | LG_COMMAND_SELFTEST |
         LG_COMMAND_MERGE,
     NULL, FLAG, AT(quiet), .help = "no notes and no progress on standard error"},
    // where it runs
    {"device", 0, LG_COMMAND_STATS | LG_COMMAND_HISTOGRAM | LG_COMMAND_THRESHOLD | LG_COMMAND_LABEL,
     "DEVICE", PARSED, .parse = lg_parse_devices, .fallback = "auto",
     .help = "auto (the processor), cpu, vulkan or vulkan:N; gpus for all GPUs, or several with "
             "commas such as vulkan:0,vulkan:1, which share the rows of each image"},
    {"device", 0, LG_COMMAND_RUN, "DEVICE", PARSED, .parse = lg_parse_devices, .fallback = "auto",
     .help =
         "auto, cpu, vulkan or vulkan:N; auto is the processor, and the GPU where that is "
         "expected to be done clearly sooner; gpus for all GPUs, or several with commas such as "
         "vulkan:0,vulkan:1, which share the rows of each image"},
    {"device", 0, LG_COMMAND_AREASUM | LG_COMMAND_SELFTEST, "DEVICE", PARSED,
     .parse = lg_parse_device, .fallback = "auto",
     .help = "auto (the processor), cpu, vulkan or vulkan:N"},
    {"strict", 0, COMPUTES, NULL, FLAG, AT(strict),
     .help =
         "fail, with exit status 4, where a GPU cannot do what it was asked for; without it the "
         "processor does it, with a note"},
    {"threads", 0, COMPUTES, "N", INTEGER, AT(threads), 1, 1024, .fallback = "one per processor",
     .help = "processor threads"},
    {"jobs", 'j', LG_COMMAND_READS, "N", INTEGER, AT(jobs), 1, LG_MAX_JOBS, .fallback = "1",
     .help = "of several inputs so many are read at a time, and by run written, while others are "
             "computed; each is held in memory"},
    {"cpu", 0, COMPUTES, "LEVEL", CHOICE, AT(cpu), .choice = lg_choice_cpu, .fallback = "best",
     .help = "instruction set of the processor kernels"},
    // limits
    {"max-pixels", 0, LG_COMMAND_READS, "N", INTEGER, AT(max_pixels), 1, INT64_C(1) << 40,
     .fallback = "268435456", .help = "refuse images with more pixels, all layers together"},
    {"max-side", 0, LG_COMMAND_READS, "N", INTEGER, AT(max_side), 1, LG_MAX_SIDE,
     .fallback = "16777216", .help = "refuse images that are wider or higher"},
    {"convert", 0, LG_COMMAND_READS, NULL, FLAG, AT(convert),
     .help = "round samples that f32 does not hold (f64, i64, u32 ...) to the nearest f32"},
    {"allow-untrusted", 0, LG_COMMAND_READS, NULL, FLAG, AT(allow_untrusted),
     .help = "also formats whose decoders are not hardened (SVG, PDF, EXR, JPEG 2000 ...)"},
    {"help", 'h', LG_COMMAND_ALL, NULL, FLAG, AT(help), .help = "this text"},
};

#define OPTIONS (sizeof options / sizeof options[0])
_Static_assert(OPTIONS <= LG_MAX_OPTIONS, "lg_options.given is too short");

static const lg_options defaults = {
    .device = LG_DEVICE_AUTO,
    .device_index = -1,
    .threads = -1,
    .step = 1,
    .bins = -1,
    .max_pixels = LG_READ_MAX_PIXELS,
    .max_side = LG_MAX_SIDE,
    .page = -1,
    .jobs = 1,
    .quality = -1,
    .plane = -1,
    .first_second = -1,
    .end_second = -1,
    .crf = -1,
    .range_type = true,
    .method = LG_THRESHOLD_OTSU,
    .classes = 3,
    .type = -1,
    .channels = -1,
    .max_points = INT32_MAX,
    .depth = 3,
    .order = -1,
    .parts = -1,
    .area_kind = -1,
    .memory_limit = (size_t)16 << 30,
    .connectivity = -1,
    .preset = -1,
    .centers = -1,
    .largest = -1,
};

// ---- hints --------------------------------------------------------------------------------------

static void fail_elsewhere(const lg_command *command, const char *word)
{
    char others[200] = "";
    for (size_t c = 0, used = 0; lg_command_at(c) && used < sizeof others; c++)
        for (size_t i = 0; i < OPTIONS; i++)
            if ((options[i].commands & lg_command_at(c)->bit) &&
                strcmp(options[i].name, word) == 0) {
                used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                         used ? ", " : "", lg_command_at(c)->name);
                break;
            }
    lg_complain("%s has no option --%s, which is of %s", command->name, word, others);
}

static void fail_unknown(const lg_command *command, const char *word)
{
    const char *names[OPTIONS + 1];
    size_t count = 0;
    bool elsewhere = false;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (options[i].commands & command->bit)
            names[count++] = options[i].name;
        else if (strcmp(options[i].name, word) == 0)
            elsewhere = true;
    }
    names[count] = NULL;
    const char *near = lg_nearest(word, names);
    if (elsewhere)
        fail_elsewhere(command, word);
    else if (near && *word)
        lg_complain("unknown option --%s; did you mean --%s? `lumagraph %s --help` lists all", word,
                    near, command->name);
    else
        lg_complain("unknown option --%s; `lumagraph %s --help` lists all", word, command->name);
}

// ---- parsing ------------------------------------------------------------------------------------

static const option *find_name(const lg_command *command, const char *name, size_t length)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if ((options[i].commands & command->bit) && strlen(options[i].name) == length &&
            strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static const option *find_letter(const lg_command *command, char letter)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if ((options[i].commands & command->bit) && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static bool set_choice(const option *row, const char *text, int *out, char *why, size_t size)
{
    for (int i = 0; row->choice(i); i++)
        if (strcmp(row->choice(i), text) == 0) {
            *out = i;
            return true;
        }
    const bool number = text[strspn(text, "0123456789")] == '\0'; // not a slip of a name
    const char *near = number ? NULL : lg_nearest_choice(row->choice, text);
    size_t used = (size_t)snprintf(why, size, "%s%s%sallowed are ", near ? "did you mean " : "",
                                   near ? near : "", near ? "? " : "");
    lg_list_choices(row->choice, why + used, size - used);
    return false;
}

// Whether every use of an option adds one more: the others may be given once.
static bool is_list(const option *row)
{
    return row->parse == lg_parse_box || row->parse == lg_parse_input ||
           row->parse == lg_parse_target || row->parse == lg_parse_run_figure;
}

// Switches may be repeated: they say the same again.
static bool is_repeated(const option *row, const char *text, lg_options *out)
{
    const size_t index = (size_t)(row - options);
    const char *before = out->given[index];
    out->given[index] = text ? text : "";
    if (!before || row->kind == FLAG || is_list(row))
        return false;
    lg_complain("--%s is given twice, as '%s' and as '%s'; it takes one value", row->name, before,
                text ? text : "");
    return true;
}

static bool set_value(const option *row, const char *text, lg_options *out)
{
    char why[400] = "";
    void *field = (char *)out + row->offset;
    bool good = true;
    int64_t number;
    if (is_repeated(row, text, out))
        return false;
    switch (row->kind) {
    case FLAG:
        *(bool *)field = true;
        break;
    case TEXT:
        *(const char **)field = text;
        good = *text != '\0';
        snprintf(why, sizeof why, "a file name is needed");
        break;
    case INTEGER:
        good = lg_parse_integer(text, &number) && number >= row->min && number <= row->max;
        if (good)
            *(int64_t *)field = number;
        snprintf(why, sizeof why, "allowed are whole numbers from %lld to %lld",
                 (long long)row->min, (long long)row->max);
        break;
    case CHOICE:
        good = set_choice(row, text, field, why, sizeof why);
        break;
    case PARSED:
    case OPTIONAL:
        good = row->parse(text ? text : "", out, why, sizeof why);
        break;
    }
    if (!good)
        lg_complain("--%s '%s': %s", row->name, text ? text : "", why);
    return good;
}

// Takes the value of an option that stands behind '=' or in the next argument.
static bool take(const option *row, const char *attached, int argc, char **argv, int *at,
                 lg_options *out)
{
    if (row->kind == FLAG && attached) {
        lg_complain("--%s takes no value", row->name);
        return false;
    }
    const char *text = attached;
    if (row->kind == OPTIONAL) {
        if (!text && row->parse == lg_parse_frames && *at + 1 < argc && lg_is_frames(argv[*at + 1]))
            text = argv[++*at];
    } else if (row->kind != FLAG && !text) {
        if (*at + 1 >= argc) {
            lg_complain("--%s needs a value: %s", row->name, row->value);
            return false;
        }
        text = argv[++*at];
    }
    return set_value(row, text, out);
}

static bool parse_long(const lg_command *command, int argc, char **argv, int *at, lg_options *out)
{
    char name[64];
    const char *word = argv[*at] + 2, *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const option *row = find_name(command, word, length);
    if (row)
        return take(row, equals ? equals + 1 : NULL, argc, argv, at, out);
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
    fail_unknown(command, name);
    return false;
}

// -qo FILE, -oFILE: letters in a row, the last may take a value.
static bool parse_short(const lg_command *command, int argc, char **argv, int *at, lg_options *out)
{
    for (const char *letter = argv[*at] + 1; *letter; letter++) {
        const option *row = find_letter(command, *letter);
        if (!row) {
            lg_complain("unknown option -%c; `lumagraph %s --help` lists all", *letter,
                        command->name);
            return false;
        }
        if (row->kind != FLAG)
            return take(row, letter[1] ? letter + 1 : NULL, argc, argv, at, out);
        if (!set_value(row, NULL, out))
            return false;
    }
    return true;
}

bool lg_options_parse(const lg_command *command, int argc, char **argv, char **files,
                      lg_options *out)
{
    *out = defaults;
    out->command = command->name;
    out->arguments = argv - 1;
    out->overlay_colors = lg_overlay_params_default();
    out->files = files;
    bool only_files = false;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        bool good = true;
        if (only_files || word[0] != '-' || word[1] == '\0')
            files[out->file_count++] = argv[at];
        else if (strcmp(word, "--") == 0)
            only_files = true;
        else if (word[1] == '-')
            good = parse_long(command, argc, argv, &at, out);
        else
            good = parse_short(command, argc, argv, &at, out);
        if (!good)
            return false;
    }
    return lg_files_from(out) && lg_options_check(command, out);
}

bool lg_option_is_given(const lg_options *given, const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (given->given[i] && strcmp(options[i].name, name) == 0)
            return true;
    return false;
}

bool lg_option_at(const lg_command *command, size_t index, lg_option_info *out)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const option *row = &options[i];
        if (!(row->commands & command->bit) || index--)
            continue;
        const bool ranged = row->kind == INTEGER && row->max < INT32_MAX;
        *out = (lg_option_info){.name = row->name,
                                .help = row->help,
                                .letter = row->letter,
                                .value = row->kind == OPTIONAL ? NULL : row->value,
                                .shown = row->value,
                                .fallback = row->fallback,
                                .least = ranged ? row->min : 0,
                                .most = ranged ? row->max : 0,
                                .choice = row->choice,
                                .file = row->value && !row->choice &&
                                        (row->kind == TEXT || row->parse == lg_parse_input ||
                                         row->parse == lg_parse_points ||
                                         row->parse == lg_parse_report ||
                                         row->parse == lg_parse_target)};
        return true;
    }
    return false;
}
