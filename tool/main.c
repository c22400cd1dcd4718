// lumagraph: the command line. The contract (commands, keys, exit status) is in docs/cli.md.
#include "color.h"
#include "man.h"
#include "session.h"
#include "team.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const lg_command commands[] = {
    {.bit = LG_COMMAND_STATS,
     .name = "stats",
     .arguments = "FILE...",
     .summary = "count, min, max, sum, mean, variance, standard deviation",
     .details = "Measures every channel and layer in stored units, in one pass. Variance and "
                "standard deviation are those of the population; JSON and CSV have the sample's "
                "as well.",
     .example = "lumagraph stats --region 256x256+100+50 photo.png",
     .least_files = 1,
     .most_files = INT_MAX,
     .run = lg_command_stats},
    {.bit = LG_COMMAND_HISTOGRAM,
     .name = "histogram",
     .arguments = "FILE...",
     .summary = "counts per value, percentiles, mode, entropy, plots",
     .details = "Counts the samples of every channel in bins of equal width. Samples outside the "
                "range are counted as below or above, never dropped. Percentiles are linear "
                "between neighbours.",
     .example = "lumagraph histogram --space luma --percentile 1,99 --plot p.svg photo.png",
     .least_files = 1,
     .most_files = INT_MAX,
     .run = lg_command_histogram},
    {.bit = LG_COMMAND_THRESHOLD,
     .name = "threshold",
     .arguments = "FILE...",
     .summary = "finds a level and writes the binary image",
     .details = "Finds a level from the histogram of brightness, in stored units; the foreground "
                "is every value above it. The image that -o writes has 0 and 255, or evenly "
                "spaced class values.",
     .example = "lumagraph threshold --method otsu coins.png -o mask.png",
     .least_files = 1,
     .most_files = INT_MAX,
     .run = lg_command_threshold},
    {.bit = LG_COMMAND_AREASUM,
     .name = "areasum",
     .arguments = "FILE...",
     .summary = "sums, means, extremes, histograms of many boxes, polygons, a mask",
     .details =
         "Builds a summed-area table, or a summed-area ripmap for extremes and histograms, "
         "and answers every shape from it, in a time that hardly depends on its size. A "
         "pixel belongs to a polygon when its centre does. Shapes come from the command "
         "line or from a CSV file, with or without a header; one that is empty or reaches "
         "outside is refused with its line. Boxes of ranges, FIRST:END for each axis, take an "
         ".npy file as an array of 1 to 6 axes of u8, u16, i32, f16, f32 or f64.",
     .example = "lumagraph areasum --box 64x64+10+20 --figure mean,variance,max photo.png\n"
                "  lumagraph areasum --csv --boxes windows.csv --figure sum scan.tif -o sums.csv\n"
                "  lumagraph areasum --density --polygons cells.csv density.npy\n"
                "  lumagraph areasum --box 0:2,:,10:20 -f sum,variance,max volume.npy",
     .least_files = 1,
     .most_files = INT_MAX,
     .run = lg_command_areasum},
    {.bit = LG_COMMAND_LABEL,
     .name = "label",
     .arguments = "FILE...",
     .summary = "connected components: their figures, labels, pictures",
     .details = "Finds the components of all pixels that are not 0, or of those above a level, "
                "and prints a table: a row for each, in the order of their first pixels. --keep, "
                "--no-edge and --largest remove components, in this order, and number the others "
                "anew. Colour images need --threshold, which looks at their luma. Coordinates "
                "count from the corner of the image, or of the --region.",
     .example = "lumagraph label -t otsu --keep 'area >= 50' --overlay found.png coins.png\n"
                "  lumagraph label --csv --preset skimage --intensity self --threshold 120 *.tif\n"
                "  lumagraph label --fill-holes --no-edge --largest 10 mask.png -o labels.tif",
     .least_files = 1,
     .most_files = INT_MAX,
     .run = lg_command_label},
    {.bit = LG_COMMAND_MERGE,
     .name = "merge",
     .arguments = "STATE...",
     .summary = "one report of the states of stats, histogram, areasum and label",
     .details = "Merges the files that `lumagraph stats`, `histogram`, `areasum` and `label` have "
                "written with "
                "--state, of shards of the inputs or of parts of their rows, in any order, and "
                "prints the report of one run over all. States of other measurements are refused, "
                "and rows that were measured twice. Where rows or inputs are missing there is no "
                "report without --partial.",
     .example = "lumagraph stats --part 1/2 --state 1.lgs scan.tif\n"
                "  lumagraph stats --part 2/2 --state 2.lgs scan.tif\n"
                "  lumagraph merge --json 1.lgs 2.lgs",
     .wanted = "the files of states",
     .least_files = 1,
     .most_files = INT_MAX,
     .run = lg_command_merge},
    {.bit = LG_COMMAND_RUN,
     .name = "run",
     .arguments = "PIPELINE FILE...|--size WxH -o OUT",
     .summary = "runs a pipeline of filters on images",
     .details = "Filters are joined by |, parameters are name=value with : between them. Colours "
                "and points have commas; a value may be a figure that is measured on the way: "
                "@mean, @luma.mean, @otsu, @p99, @max*0.5+0.1, @components, @largest.area. "
                "`FILTER #NAME` names an image, @#NAME.mean measures it, over=#NAME makes it the "
                "second image of a filter with two; #in is the input. Figures are of each layer "
                "(page, frame) of an image, with --stack of all layers together. `lumagraph "
                "filters` lists "
                "the filters. The output keeps the input's sample type (labels: u16) and "
                "metadata. Colour keeps three channels, also behind grayscale or a threshold; a "
                "grey image becomes RGB where the page of a filter says so. With several inputs "
                "OUT is a folder.",
     .example = "lumagraph run 'contrast:contrast=1.5' photo.png -o out.png\n"
                "  lumagraph run 'threshold:level=@otsu | label' cells.tif -o labels.png",
     .run = lg_command_run},
    {.bit = LG_COMMAND_FILTERS,
     .name = "filters",
     .arguments = "[NAME...]",
     .summary = "the catalogue of filters, or the page of one",
     .details = "Lists all filters, or prints what one computes, with its parameters and worked "
                "examples.",
     .example = "lumagraph filters contrast",
     .most_files = INT_MAX,
     .run = lg_command_filters},
    {.bit = LG_COMMAND_DEVICES,
     .name = "devices",
     .arguments = "",
     .summary = "what can compute here",
     .details = "Lists the processor and every Vulkan device, and why one cannot be used.",
     .example = "lumagraph devices --json",
     .most_files = 0,
     .run = lg_command_devices},
    {.bit = LG_COMMAND_SELFTEST,
     .name = "selftest",
     .arguments = "",
     .summary = "proves that the devices here compute right",
     .details = "Measures made-up images of odd sizes and all sample types on every instruction "
                "set and every Vulkan device that runs here and compares each figure with a plain "
                "computation.",
     .example = "lumagraph selftest --device vulkan",
     .most_files = 0,
     .run = lg_command_selftest},
    {.bit = LG_COMMAND_COMPLETION,
     .name = "completion",
     .arguments = "bash|zsh|fish",
     .summary = "prints a script that completes command lines",
     .details = "Prints a script for a shell that completes commands, options, filters and their "
                "parameters.\n"
                "In bash: source <(lumagraph completion bash); in zsh the same with zsh; in fish:\n"
                "lumagraph completion fish | source.",
     .example = "source <(lumagraph completion bash)",
     .wanted = "the name of a shell: bash, zsh or fish",
     .least_files = 1,
     .most_files = 1,
     .run = lg_command_completion},
    {.name = "bench", .summary = "how fast the measurements are here", .program = lg_bench_main},
};

#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_help(FILE *stream)
{
    lg_print_wrapped(
        stream,
        "lumagraph measures and filters images on any GPU and on the CPU, with the same "
        "numbers on both.",
        0);
    const char *strong = lg_color_code(stream, LG_STRONG), *plain = lg_color_code(stream, LG_PLAIN);
    fprintf(stream, "\nusage: lumagraph COMMAND [OPTIONS] [FILES]\n\n%sCommands:%s\n", strong,
            plain);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %s%-11s%s %s\n", strong, commands[i].name, plain, commands[i].summary);
    fprintf(stream, "  %s%-11s%s %s\n\n", strong, "help", plain,
            "this text, or that of a command; with --man as a manual page");
    lg_print_wrapped(
        stream,
        "`lumagraph COMMAND --help` lists the options of a command; `lumagraph --version` "
        "names the version and the libraries.\nExit status: 0 done, 1 some inputs failed, 2 usage, "
        "3 "
        "refused by a limit, 4 device, 5 input or output.",
        0);
}

const lg_command *lg_command_at(size_t index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

static const lg_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

// Commands by the words that other programs have for them.
static const char *meant_by(const char *word)
{
    static const char *const words[][2] = {
        {"info", "stats"},       {"identify", "stats"},   {"measure", "stats"},
        {"mean", "stats"},       {"count", "label"},      {"particles", "label"},
        {"objects", "label"},    {"components", "label"}, {"regionprops", "label"},
        {"segment", "label"},    {"otsu", "threshold"},   {"binarize", "threshold"},
        {"integral", "areasum"}, {"convert", "run copy"}, {"copy", "run copy"},
        {"filter", "run"},       {"apply", "run"},        {"process", "run"},
        {"list", "filters"},     {"gpus", "devices"},     {"version", "--version"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], word) == 0)
            return words[i][1];
    return NULL;
}

static int unknown_command(const char *word)
{
    static const char *const general[] = {"--help", "--version", NULL};
    const char *names[COMMANDS + 1] = {0};
    if (word[0] == '-' && word[1]) {
        const char *near = lg_nearest(word, general);
        lg_complain("unknown option '%s'%s%s%s; options of a command stand behind its name", word,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        return LG_EXIT_USAGE;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const lg_filter *filter;
    const char *meant = meant_by(word), *near = meant ? meant : lg_nearest(word, names);
    if (!lg_filter_find(word, &filter, NULL))
        lg_complain(
            "unknown command '%s', which is a filter; write lumagraph run %s IMAGE -o OUTPUT", word,
            word);
    else if (near && *word)
        lg_complain("unknown command '%s'; did you mean %s? `lumagraph --help` lists all", word,
                    near);
    else
        lg_complain("unknown command '%s'; `lumagraph --help` lists all", word);
    return LG_EXIT_USAGE;
}

// What was printed counts only when it arrived.
static int finish(int status)
{
    const bool now = fflush(stdout) != 0;
    if (now || ferror(stdout)) {
        if (errno == EPIPE) // as the signal says where there is one
            return LG_EXIT_PIPE;
        if (!now && status == LG_EXIT_IO) // it was said where it happened
            return status;
        lg_complain("standard output: cannot write: %s", strerror(errno));
        return LG_EXIT_IO;
    }
    if (status == LG_EXIT_DONE && lg_tables_lost()) {
        lg_complain("out of memory: a table of the report is missing");
        return LG_EXIT_LIMIT;
    }
    return status;
}

static int run_command(const lg_command *command, int argc, char **argv)
{
    lg_options options;
    char **files = calloc((size_t)argc + 1, sizeof *files);
    if (!files) {
        lg_complain("no memory for the arguments");
        return LG_EXIT_LIMIT;
    }
    int status = LG_EXIT_USAGE;
    lg_team_foresee(argc, argv);
    if (lg_options_parse(command, argc, argv, files, &options)) {
        if (options.help)
            lg_options_help(command, stdout);
        status = options.help ? LG_EXIT_DONE : lg_team_begin(&options);
        if (status == LG_EXIT_DONE && !options.help)
            status = lg_team_end(&options, command->run(&options));
    }
    lg_options_free(&options);
    free(files);
    return status;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return LG_EXIT_USAGE;
    }
    const char *word = argv[1];
    bool help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        (help && (argc == 2 || strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0))) {
        print_help(stdout);
        return LG_EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        lg_print_version(stdout);
        return LG_EXIT_DONE;
    }
    const bool man = help && strcmp(argv[argc - 1], "--man") == 0;
    if (man && argc == 3) {
        lg_man(stdout, NULL);
        return LG_EXIT_DONE;
    }
    const lg_command *command = find_command(help ? argv[2] : word);
    if (!command)
        return unknown_command(help ? argv[2] : word);
    if (man) {
        lg_man(stdout, command);
        return LG_EXIT_DONE;
    }
    if (command->program) {
        char *ask[] = {argv[help ? 2 : 1], "--help", NULL};
        return help ? command->program(2, ask) : command->program(argc - 1, argv + 1);
    }
    if (help) {
        lg_options_help(command, stdout);
        return LG_EXIT_DONE;
    }
    return run_command(command, argc - 2, argv + 2);
}

int lg_tool_main(int argc, char **argv)
{
    return finish(dispatch(argc, argv));
}
