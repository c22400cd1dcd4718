// lumagraph merge: states of `stats`, `histogram`, `areasum` and `label` become one report.
#include "area_bands.h"
#include "file_bands.h"
#include "html.h"
#include "merged.h"
#include "option_checks.h"
#include "state_files.h"

#include <stdlib.h>
#include <string.h>

// Which measurement the states are of.
typedef enum measured { STATS, HISTOGRAM, LABEL, AREASUM } measured;

typedef struct merging {
    lg_session session;
    lg_options options; // as the states have them
    measured what;
    lg_label_table first;
    lg_area_shapes shapes;
} merging;

// ---- reading --------------------------------------------------------------------------------------

// What is wrong with a file is told with its name; nothing is reported without it.
static int fail(const char *path, const lg_error *error)
{
    lg_complain("%s: %s", path, error->message);
    return lg_exit_of(error->status);
}

static int merge_files(const lg_options *options, lg_state **out)
{
    lg_error error = {0};
    lg_state *next = NULL;
    for (int i = 0; i < options->file_count; i++) {
        lg_status status = lg_state_read(options->files[i], &next, &error);
        if (!status && *out)
            status = lg_state_merge(*out, next, &error);
        if (status) {
            lg_state_destroy(&next);
            return fail(options->files[i], &error);
        }
        if (!*out) {
            *out = next;
            next = NULL;
        }
        lg_state_destroy(&next);
    }
    if (*out)
        return LG_EXIT_DONE;
    lg_complain("--files-from %s: there is no state in it", options->files_from);
    return LG_EXIT_USAGE;
}

// ---- figures --------------------------------------------------------------------------------------

static lg_status damaged(lg_error *error)
{
    return lg_set_error(error, LG_ERROR_DATA, "what its state holds does not go together");
}

static lg_status report_moments(lg_session *session, lg_input_file *file,
                                const lg_state_input *input, lg_error *error)
{
    const int channels = lg_image_measured_channels(&file->image->shape);
    const size_t count = input->saved_count;
    lg_moments *figures = calloc(count * (size_t)channels, sizeof *figures);
    lg_status status =
        figures ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for figures");
    for (size_t i = 0; i < count && !status; i++) {
        lg_moments_accumulator *a = NULL;
        status = lg_moments_accumulator_load(input->saved[i].data, input->saved[i].size, &a, error);
        if (!status)
            status = lg_moments_accumulator_finish(
                a, file->select.nan, figures + i * (size_t)channels, (size_t)channels, error);
        lg_moments_accumulator_destroy(&a);
    }
    if (!status)
        lg_stats_report(session, file, figures);
    free(figures);
    return status;
}

static lg_status report_histogram(lg_session *session, lg_input_file *file,
                                  const lg_state_input *input, lg_error *error)
{
    const size_t count = input->saved_count;
    lg_band_histogram found = {0};
    lg_histogram_accumulator **at = calloc(count, sizeof *at);
    lg_status status = at ? LG_OK : lg_set_error(error, LG_ERROR_MEMORY, "no memory for figures");
    for (size_t i = 0; i < count && !status; i++)
        status = lg_histogram_accumulator_load(input->saved[i].data, input->saved[i].size, &at[i],
                                               error);
    if (!status)
        status = lg_histogram_join(at, (int32_t)count, session->options->stack, file->select.nan,
                                   &found, error);
    if (!status)
        status = lg_histogram_report(session, file, &found.all, error);
    lg_band_histogram_free(&found);
    for (size_t i = 0; i < count && at; i++)
        lg_histogram_accumulator_destroy(&at[i]);
    free(at);
    return status;
}

static lg_status report_boxes(lg_session *session, lg_input_file *file, const lg_state_input *in,
                              const lg_area_shapes *shapes, lg_error *error)
{
    lg_area_answers answers;
    const lg_status status = lg_area_of_state(session, file, in, shapes, &answers, error);
    if (status)
        return status;
    lg_area_report(session, file, &answers);
    lg_area_answers_free(&answers);
    return LG_OK;
}

// ---- inputs ---------------------------------------------------------------------------------------

// What --partial leaves out goes to `missing`.
static lg_status check_rows(const lg_options *options, const lg_state_input *in, char missing[100],
                            lg_error *error)
{
    const int64_t first = in->row_ranges && in->rows[0] == 0 ? in->rows[1] : 0;
    const int64_t end = in->row_ranges == 0   ? in->height
                        : in->rows[0] > 0     ? in->rows[0]
                        : in->row_ranges == 1 ? in->height
                                              : in->rows[2];
    if (lg_state_whole(in))
        return LG_OK;
    if (in->failure && (in->row_ranges == 0 || !options->partial))
        return lg_set_error(error, in->failure, "%s", in->message);
    snprintf(missing, 100, "rows %lld to %lld of %lld are missing", (long long)first,
             (long long)end - 1, (long long)in->height);
    return options->partial
               ? LG_OK
               : lg_set_error(error, LG_ERROR_DATA, "%s; --partial reports what there is", missing);
}

// Behind what the file says of itself.
static void add_note(lg_read_info *info, const char *text)
{
    const size_t used = strlen(info->note);
    snprintf(info->note + used, sizeof info->note - used, "%s%s", used && *text ? "; " : "", text);
}

static lg_status report_figures(merging *m, lg_input_file *file, const lg_state_input *in,
                                lg_error *error)
{
    if (m->what == LABEL)
        return lg_label_report_state(&m->session, file, in, &m->first, error);
    if (m->what == AREASUM)
        return report_boxes(&m->session, file, in, &m->shapes, error);
    return (m->what == HISTOGRAM ? report_histogram : report_moments)(&m->session, file, in, error);
}

static lg_status report_input(merging *m, lg_input_file *file, const lg_state_input *in,
                              lg_error *error)
{
    lg_session *session = &m->session;
    const lg_options *options = session->options;
    const bool one = m->what == LABEL || options->stack;
    char missing[100] = "";
    lg_image image = {0};
    lg_status status = check_rows(options, in, missing, error);
    if (status)
        return status;
    file->image = &image;
    if (!lg_state_take_input(in, options, file) ||
        (m->what != AREASUM && in->saved_count != (size_t)(one ? 1 : image.shape.layers)))
        status = damaged(error);
    add_note(&file->info, missing);
    file->select.mask = options->mask ? &image : NULL; // that there was one
    if (!status)
        status = report_figures(m, file, in, error);
    if (!status && file->info.note[0])
        lg_session_note(session, "%s: note: %s", file->name, file->info.note);
    file->image = NULL;
    return status;
}

// The value of a line of notes; free() it. NULL: there is none.
static char *noted(const lg_state_input *in, const char *key)
{
    const char *value = lg_state_line(in->notes, NULL, key);
    return value ? strndup(value, strcspn(value, "\n")) : NULL;
}

static void report_one(merging *m, const lg_state_input *in, int index, int count)
{
    lg_session *session = &m->session;
    lg_error error = {0};
    char *mask = noted(in, "mask"), *intensity = noted(in, "intensity");
    lg_input_file file = {.name = in->name,
                          .index = index,
                          .count = count,
                          .place = in->place,
                          .decode = -1,
                          .frame = -1,
                          .first = -1};
    m->options.mask = mask;
    m->options.intensity = intensity;
    session->engine_settled = true;
    session->file = &file;
    if (report_input(m, &file, in, &error) == LG_OK)
        session->done++;
    else
        lg_session_fail_input(session, in->name, &error);
    session->file = NULL;
    m->options.mask = m->options.intensity = NULL;
    free(mask);
    free(intensity);
}

static void report_missing(lg_session *session, lg_state *state)
{
    int64_t first = 0;
    const int64_t missing = lg_state_missing(state, &first);
    lg_error error = {0};
    if (!missing)
        return;
    lg_set_error(&error, LG_ERROR_DATA,
                 "%lld input%s of the runs are in no state, the first is number %lld%s",
                 (long long)missing, missing == 1 ? "" : "s", (long long)first + 1,
                 session->options->partial ? "" : "; --partial reports the others");
    if (session->options->partial) {
        lg_session_note(session, "note: %s", error.message);
        lg_html_remark(session, error.message);
    } else {
        lg_session_fail(session, "merge", &error);
    }
}

// The options of the report, with those that the states were measured with.
static int take_options(merging *m, const lg_options *given, lg_state *state)
{
    static const char *const names[] = {"stats", "histogram", "label", "areasum"};
    const char *command, *rows = lg_rows_option(given);
    m->options = *given;
    if (!lg_state_take_options(lg_state_definition(state), &m->options, &command)) {
        lg_complain("the states are of a measurement that this program does not know");
        return LG_EXIT_IO;
    }
    while (strcmp(command, names[m->what]) != 0)
        m->what++;
    lg_error error = {0};
    if (m->what == AREASUM &&
        lg_area_take_boxes(lg_state_definition(state), &m->shapes, &error) != LG_OK) {
        lg_complain("%s", error.message);
        return LG_EXIT_IO;
    }
    if (m->what == LABEL || !rows)
        return LG_EXIT_DONE;
    lg_complain("%s is of tables of components, and the states are of %s", rows, command);
    return LG_EXIT_USAGE;
}

static int report_all(merging *m, int files, lg_state *state)
{
    static const char *const schemas[] = {"lumagraph.stats/1", "lumagraph.histogram/1",
                                          "lumagraph.label/1", "lumagraph.areasum/1"};
    lg_session *session = &m->session;
    lg_state_input in;
    lg_error error = {0};
    const int begun = lg_session_begin(session, &m->options, schemas[m->what], true);
    if (begun != LG_EXIT_DONE)
        return begun;
    session->mute = !m->options.output && m->options.plot && strcmp(m->options.plot, "-") == 0;
    session->names = m->options.files; // of the states, which no output replaces
    session->inputs = files;
    lg_session_engine_begin(session);
    snprintf(session->engine.device, sizeof session->engine.device, "%d merged state%s", files,
             files == 1 ? "" : "s");
    snprintf(session->device_reason, sizeof session->device_reason, "what was measured is merged");
    if (lg_session_check_outputs(session))
        report_missing(session, state);
    const bool good = session->failed == 0;
    for (size_t i = 0; i < lg_state_count(state) && good; i++)
        if (lg_state_at(state, i, &in, &error) == LG_OK)
            report_one(m, &in, (int)i, (int)lg_state_count(state));
    return lg_session_end(session);
}

static int report(const lg_options *given, lg_state *state)
{
    merging *m = calloc(1, sizeof *m);
    int status = LG_EXIT_LIMIT;
    if (m)
        status = take_options(m, given, state);
    else
        lg_complain("no memory for a report");
    if (m && status == LG_EXIT_DONE)
        status = report_all(m, given->file_count, state);
    if (m)
        lg_area_shapes_free(&m->shapes);
    free(m);
    return status;
}

int lg_command_merge(const lg_options *options)
{
    lg_state *state = NULL;
    lg_error error = {0};
    int status = merge_files(options, &state);
    if (status == LG_EXIT_DONE && options->state) {
        if (lg_state_write(state, options->state, &error) != LG_OK)
            status = fail(options->state, &error);
    } else if (status == LG_EXIT_DONE) {
        status = report(options, state);
    }
    lg_state_destroy(&state);
    return status;
}
