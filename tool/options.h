// Options of the command line. One row of the table in options.c is one option: parsing, value
// checks, --help and the hints about misspelt names all come from it.
#ifndef LG_TOOL_OPTIONS_H
#define LG_TOOL_OPTIONS_H

#include <lumagraph/io.h>
#include <lumagraph/lumagraph.h>
#include <stdio.h>

// Commands as bits, so that an option can belong to several.
enum {
    LG_COMMAND_STATS = 1,
    LG_COMMAND_HISTOGRAM = 2,
    LG_COMMAND_THRESHOLD = 4,
    LG_COMMAND_DEVICES = 8,
    LG_COMMAND_SELFTEST = 16,
    LG_COMMAND_RUN = 32,
    LG_COMMAND_FILTERS = 64,
    LG_COMMAND_COMPLETION = 128,
    LG_COMMAND_AREASUM = 256,
    LG_COMMAND_LABEL = 512,
    LG_COMMAND_MERGE = 1024,
    LG_COMMAND_FILES = LG_COMMAND_STATS | LG_COMMAND_HISTOGRAM | LG_COMMAND_THRESHOLD,
    LG_COMMAND_MEASURES = LG_COMMAND_FILES | LG_COMMAND_AREASUM | LG_COMMAND_LABEL,
    LG_COMMAND_READS = LG_COMMAND_MEASURES | LG_COMMAND_RUN,
    LG_COMMAND_REPORTS = LG_COMMAND_FILES | LG_COMMAND_AREASUM | LG_COMMAND_LABEL |
                         LG_COMMAND_DEVICES | LG_COMMAND_SELFTEST | LG_COMMAND_FILTERS |
                         LG_COMMAND_MERGE,
    LG_COMMAND_ALL = LG_COMMAND_REPORTS | LG_COMMAND_RUN | LG_COMMAND_COMPLETION,
};

#define LG_MAX_PERCENTILES 32
#define LG_MAX_OPTIONS     160 // rows of the table

// NAME=FILE of an option.
typedef struct lg_named_file {
    char name[64];
    const char *file;
} lg_named_file;

#define LG_MAX_BOXES 64

// A box of the command line: its first element and its sides along each axis, x first. A box of ranges has
// the axes of NumPy's shape, and the end of each range in `side`; -1: that of the axis.
typedef struct lg_option_box {
    int dims; // 2 or 3, of ranges 1 to LG_AREA_DIMS
    bool ranges;
    int64_t first[LG_AREA_DIMS], side[LG_AREA_DIMS];
} lg_option_box;

// Figures of areasum: those of the library, then its histograms, moments of the coordinates, smooth means,
// probabilities, percentiles.
enum {
    LG_FIGURE_HISTOGRAM = LG_AREA_FIGURES,
    LG_FIGURE_MX,
    LG_FIGURE_MY,
    LG_FIGURE_VAR_X,
    LG_FIGURE_VAR_Y,
    LG_FIGURE_COV_XY,
    LG_FIGURE_SMOOTH,
    LG_FIGURE_PROBABILITY,
    LG_FIGURE_PERCENTILES, // a column for each of --percentile
    LG_FIGURES
};

#define LG_MAX_DEVICES 16
#define LG_MAX_JOBS    64

typedef struct lg_options {
    bool help, json, csv, quiet, strict, stack, skip_transparent, allow_untrusted, convert;
    bool log_scale;
    const char *output, *mask, *plot;
    const char *report;  // --report
    const char *command; // its name
    char **arguments;    // of the command line, from the command on; NULL behind the last
    lg_device_kind device;
    int device_index;
    int devices[LG_MAX_DEVICES], device_count; // of a list; 0: there is none
    bool all_gpus;
    double scale; // of inputs before they are measured; 0: as they are
    int resample; // how they are scaled, index of its choice
    int64_t jobs; // files that are read, and written, at a time
    int64_t threads, step, bins, max_pixels, max_side, page;
    int cpu, nan, area_nan, space, luma, variant;
    bool has_region;
    lg_region region;
    const char *size; // WxH of an input that is made, NULL: inputs are files
    int32_t width, height;
    bool range_auto, range_type;
    double lo, hi;
    double percentiles[LG_MAX_PERCENTILES];
    int percentile_count;
    lg_threshold_method method;
    double value;
    int classes;
    bool explain, profile, strip, auto_orient, recursive;
    int type;     // lg_type, -1: the input's, of labels their own
    int channels; // index of --channels, -1: those of the result
    const char *pipeline, *graph, *format;
    char format_name[16];     // what format points to, without its options
    char format_options[200]; // of it, "Q=80"; "": there are none
    int64_t quality;          // -1: not given
    const char *compression;
    const char *tile; // of --tile, NULL: not given
    bool pyramid;
    bool frames, lavfi, planes;
    int plane;                                  // index of --plane, -1: none
    int64_t first_frame, end_frame, frame_step; // of --frames; end -1: all
    double first_second, end_second;            // instead of frames; -1: not given
    const char *raw, *video_colors;
    bool live, whole; // frames of cameras; no part of a film
    bool preview;
    const char *codec; // of video files
    double crf;
    int audio;          // index of --audio
    int64_t depth;      // of a stream
    const char *points; // CSV or, with points_json, JSON
    bool points_json;
    int64_t max_points;
    bool chooses_layers; // --axes, --channel, --time
    lg_layer_choice layers;
    bool has_spacing, spacing_of_file;   // --spacing, which is the file's
    double spacing[3];                   // in micrometres, 0: not given
    const char *filters;                 // --pipeline of a measurement
    lg_named_file inputs[LG_MAX_INPUTS]; // further ones
    int input_count;
    const char *targets[LG_MAX_INPUTS]; // every -o of a command that takes several
    int target_count;
    const char *run_figures[LG_MAX_GRAPH_FIGURES];
    int run_figure_count;
    lg_option_box box[LG_MAX_BOXES];
    int box_count;
    const char *boxes, *polygons; // CSV files
    int figure[LG_FIGURES], figure_count;
    int64_t order; // of smooth means
    bool has_angle;
    double angle;           // by which boxes are turned
    int64_t parts;          // at most so many boxes for each of these
    int area_kind, winding; // lg_areasum_kind, -1: what the figures need; lg_area_winding
    bool plain, density, has_above, has_slab;
    int64_t slab_first, slab_layers; // that polygons and the mask go through
    double above;
    const char *scratch; // a folder for scratch files; NULL: that of the system
    size_t memory_limit; // bytes
    size_t memory;       // for pixels; 0: a quarter of the machine's
    bool has_level, label_values, fill_holes, no_edge, all_columns, outline_given;
    int connectivity, preset, centers; // indices of their choices, -1: not given
    int columns[LG_COLUMNS], column_count;
    const char *intensity, *keep, *colors, *overlay;
    lg_overlay_params overlay_colors;
    int64_t largest;                   // -1: all
    const char *given[LG_MAX_OPTIONS]; // by row of the table: the value, "" of a switch; NULL: none
    const char *state, *files_from, *journal;
    bool resume, partial;
    int mpi;              // of --mpi: lg_mpi + 1; 0: not given
    struct lg_team *team; // of that, while the command runs; NULL: this process works alone. team.h
    int64_t link_limit;   // of --mpi, seconds; 0: none
    int64_t shard, shard_count, part, part_count; // I and N; N 0: all
    char **files;                                 // the arguments that are no options
    int file_count;
    char **listed, *listed_text; // what lg_options_free frees
} lg_options;

typedef struct lg_command {
    int bit;
    const char *name, *arguments, *summary;
    const char *details; // of --help
    const char *example; // command line and what it does
    const char *wanted;  // complaint when an argument is missing; NULL: about an input file
    int least_files, most_files;
    int (*run)(const lg_options *options);
    int (*program)(int argc, char **argv); // instead of run: parses its own options
} lg_command;

// Fills *out from the arguments behind the command's name. On failure one line goes to standard
// error and false comes back. `files` has room for argc entries.
bool lg_options_parse(const lg_command *command, int argc, char **argv, char **files,
                      lg_options *out);

void lg_options_free(lg_options *options); // what --files-from allocated

void lg_options_help(const lg_command *command, FILE *stream);

// The commands in the order of the help, NULL behind the last.
const lg_command *lg_command_at(size_t index);

// One option as a command takes it, for what is made from the table.
typedef struct lg_option_info {
    const char *name, *help;
    char letter;                      // 0: none
    const char *value;                // as --help writes it, NULL: takes none
    const char *(*choice)(int index); // what may be given; NULL: other things
    bool file;                        // the value is the name of a file
    const char *shown, *fallback;     // as --help has them: of OPTIONAL values too, and the default
    int64_t least, most;              // of whole numbers; both 0: there is no range to name
} lg_option_info;

#define LG_OPTION_LIMITS 160
// " (1 to 64, default 1)", as far as there is a range and a default.
const char *lg_option_limits(const lg_option_info *info, char out[LG_OPTION_LIMITS]);
// Whether the command line has the option.
bool lg_option_is_given(const lg_options *given, const char *name);
// Option `index` of a command; false behind the last.
bool lg_option_at(const lg_command *command, size_t index, lg_option_info *out);

#endif
