// What options go together.
#include "option_checks.h"

#include "area_values.h"
#include "label_values.h"
#include "lavfi.h"
#include "layer_options.h"
#include "plot.h"
#include "team.h"
#include "text.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// The pipeline is the first argument that is no option, unless a graph stands for it.
static bool check_run(lg_options *given)
{
    if (!given->graph && given->file_count > 0) {
        given->pipeline = *given->files++;
        given->file_count--;
    }
    const char *first = given->file_count > 1 ? given->files[0] : "";
    if (*first && strspn(first, "0123456789.+-") == strlen(first) && access(first, F_OK) != 0)
        lg_complain(
            "'%s' stands where an input file does, and there is no such file; a parameter is "
            "part of the pipeline, as in contrast=1.5",
            first);
    else if (!given->file_count && !given->graph && !(given->size && given->pipeline))
        lg_complain("run needs a pipeline and an input file, as in `lumagraph run "
                    "contrast:contrast=1.5 photo.png -o out.png`");
    else if (!given->file_count && !given->size && !given->files_from)
        lg_complain("run needs an input file (- is standard input), or --size WxH");
    else if (given->file_count && given->size)
        lg_complain("--size %s is instead of an input file; there is '%s'", given->size,
                    given->files[0]);
    else if (!given->target_count && !given->explain && !given->profile &&
             !given->run_figure_count && !given->points && !given->preview && !given->report)
        lg_complain("run needs -o OUT, the file for the result (--figure, --points, --preview, "
                    "--report, --explain and --profile go without)");
    else if (given->max_points != INT32_MAX && !given->points)
        lg_complain("--max-points is of a list of points; say where: --points FILE.csv");
    else
        return true;
    return false;
}

// What chooses rows and columns of a table of components.
const char *lg_rows_option(const lg_options *o)
{
    return o->keep                             ? "--keep"
           : o->no_edge                        ? "--no-edge"
           : o->largest >= 0                   ? "--largest"
           : o->column_count || o->all_columns ? "--columns"
           : o->preset >= 0                    ? "--preset"
           : o->centers >= 0                   ? "--centers"
           : o->has_spacing                    ? "--spacing"
                                               : NULL;
}

// A state has accumulators of files as they are; what is of reports goes with `merge`.
static bool check_state(const lg_command *command, const lg_options *o)
{
    const bool merge = command->bit == LG_COMMAND_MERGE;
    const char *alone = o->resume && !o->mpi ? "--resume" : o->part_count ? "--part" : NULL;
    if (!o->state && alone) {
        lg_complain("%s is of states; say where to write it: --state FILE", alone);
        return false;
    }
    if (!o->state)
        return true;
    const char *of_report = o->json     ? "--json"
                            : o->csv    ? "--csv"
                            : o->output ? "-o"
                            : o->report ? "--report"
                            : o->plot   ? "--plot"
                            : o->percentile_count && command->bit != LG_COMMAND_AREASUM
                                ? "--percentile"
                                : lg_rows_option(o);
    const char *of_images = o->filters        ? "--pipeline"
                            : o->colors       ? "--colors"
                            : o->overlay      ? "--overlay"
                            : o->scale > 0    ? "--scale"
                            : o->planes       ? "--planes"
                            : o->lavfi        ? "--lavfi"
                            : o->plane >= 0   ? "--plane"
                            : o->frames       ? "--frames"
                            : o->raw          ? "--raw"
                            : o->live         ? "--live"
                            : o->device_count ? "--device with several"
                            : o->all_gpus     ? "--device gpus"
                                              : NULL;
    if (of_report)
        lg_complain(merge ? "%s is of the report; with --state there is none"
                          : "%s is of the report, which `lumagraph merge` makes of a --state",
                    of_report);
    else if (of_images)
        lg_complain("%s and --state exclude each other: a state is of the rows of files as they "
                    "are stored",
                    of_images);
    return !of_report && !of_images;
}

// Options that do nothing without another one.
static bool check_company(const lg_command *command, const lg_options *o)
{
    const bool area = command->bit == LG_COMMAND_AREASUM, run = command->bit == LG_COMMAND_RUN;
    const bool levels = command->bit == LG_COMMAND_THRESHOLD;
    const bool fixed = o->method == LG_THRESHOLD_VALUE || o->method == LG_THRESHOLD_MEAN;
    const bool luma = o->space == LG_SPACE_LUMA || o->space == LG_SPACE_RGBL;
    const struct {
        const char *name, *why;
        bool idle;
    } rules[] = {
        {"resample", "is how --scale F weighs pixels", o->scale <= 0},
        {"above", "is the value of --figure count_above",
         area && !lg_has_figure(o, LG_AREA_COUNT_ABOVE)},
        {"winding", "is of --polygons FILE.csv", area && !o->polygons},
        {"range", "is of histograms: --figure histogram",
         area && !lg_needs_bins(o) && !o->percentile_count},
        {"bins", "is of methods that look at a histogram; value and mean do not", levels && fixed},
        {"luma", "is of --space luma and rgbl", command->bit == LG_COMMAND_HISTOGRAM && !luma},
        {"resume", "is of --mpi in run, which does all inputs again without it", run && !o->mpi},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].idle && lg_option_is_given(o, rules[i].name)) {
            lg_complain("--%s %s", rules[i].name, rules[i].why);
            return false;
        }
    return true;
}

bool lg_options_check(const lg_command *command, lg_options *options_given)
{
    if (options_given->help)
        return true;
    if (!check_company(command, options_given))
        return false;
    if (!lg_check_layers_options(options_given) || !lg_team_check(options_given))
        return false;
    if (command->bit == LG_COMMAND_RUN)
        return check_run(options_given);
    if (options_given->json && options_given->csv) {
        lg_complain("--json and --csv exclude each other");
        return false;
    }
    if (options_given->scale > 0 && options_given->mask) {
        lg_complain(
            "--scale makes an image of its own, which --mask does not fit; leave out one of "
            "them");
        return false;
    }
    if (options_given->type >= 0 && !options_given->filters) {
        lg_complain("--type is that of the result of filters; say which: --pipeline PIPELINE");
        return false;
    }
    if (!lg_check_plot(options_given) || !lg_check_lavfi(options_given) ||
        !check_state(command, options_given))
        return false;
    if (command->bit == LG_COMMAND_AREASUM && !lg_check_area(options_given))
        return false;
    if (command->bit == LG_COMMAND_LABEL && !lg_check_label(options_given))
        return false;
    if (options_given->file_count < command->least_files && !options_given->files_from) {
        lg_complain("%s needs %s; `lumagraph %s --help` shows an example", command->name,
                    command->wanted ? command->wanted : "an input file (- is standard input)",
                    command->name);
        return false;
    }
    if (options_given->file_count > command->most_files) {
        if (command->most_files)
            lg_complain("%s takes %s and nothing else; '%s' is too much", command->name,
                        command->wanted, options_given->files[command->most_files]);
        else
            lg_complain("%s takes no input files", command->name);
        return false;
    }
    return true;
}
