// What `lumagraph run` says: the stages, their time, the files.
#include "html.h"
#include "run.h"

#include <lumagraph/bands.h>

#include <stdlib.h>
#include <string.h>

#define REPEATS      4   // runs that --profile adds
#define SECONDS      1.0 // unless they take longer than this
#define LEFT_COLUMNS 1u

// ---- profile ------------------------------------------------------------------------------------

static bool elsewhere(const lg_session *session)
{
    lg_engine_report last;
    lg_context_report(session->context, &last);
    return strcmp(last.device, session->engine.device) != 0;
}

// Runs a plan again, into images of its own.
static lg_status run_again(lg_run *run, lg_session *session, lg_plan *plan, lg_image *const *images,
                           lg_stage_profile *again, lg_error *error)
{
    const double start = lg_clock();
    lg_status status = LG_OK;
    for (int i = 0; i < REPEATS && !status && lg_clock() - start < SECONDS; i++) {
        status = lg_plan_run(plan, run->inputs, images, error);
        if (!status && elsewhere(session)) // times of two devices are no profile
            break;
        const size_t count = lg_plan_profile(plan, again, run->stage_count);
        for (size_t k = 0; k < count && k < run->stage_count && !status; k++)
            if (again[k].seconds < run->stages[k].seconds)
                run->stages[k].seconds = again[k].seconds;
    }
    return status;
}

// The output's first run also touches its memory for the first time. A plan of its own repeats it, so that
// what the next file finds (images and figures of the previous run) stays what it was. That plan knows no
// run before, so its results are others, and go elsewhere.
static lg_status repeat(lg_run *run, lg_session *session, lg_error *error)
{
    lg_image_params shapes[LG_MAX_INPUTS];
    lg_type types[LG_MAX_INPUTS];
    const lg_planes *planes[LG_MAX_INPUTS];
    lg_image *images[LG_MAX_INPUTS] = {NULL};
    lg_plan *plan = NULL;
    lg_stage_profile *again = calloc(run->stage_count + 1, sizeof *again);
    for (size_t i = 0; i < run->input_count; i++)
        shapes[i] = run->inputs[i]->shape;
    for (size_t i = 0; i < run->output_count; i++) {
        types[i] = run->images[i]->shape.type;
        planes[i] = run->made[i].planes;
    }
    lg_status status = again ? lg_plan_create_planes(session->context, run->graph, shapes,
                                                     run->input_count, types, planes, &plan, error)
                             : lg_set_error(error, LG_ERROR_MEMORY, "no memory for a profile");
    if (!status && lg_run_selects(run))
        status = lg_plan_select(plan, session->file->select.region, session->mask, error);
    for (size_t i = 0; i < run->output_count && !status; i++)
        status = lg_image_create(session->context, &run->made[i], &images[i], error);
    if (!status)
        status = run_again(run, session, plan, images, again, error);
    for (size_t i = 0; i < run->output_count; i++)
        lg_image_destroy(&images[i]);
    lg_plan_destroy(&plan);
    free(again);
    return status;
}

static void measure_ceilings(lg_run *run, lg_session *session)
{
    for (size_t i = 0; i < run->stage_count && run->ceilings; i++) {
        run->ceilings[i] = -1;
        for (size_t k = 0; k < i; k++)
            if (run->stages[k].bytes == run->stages[i].bytes)
                run->ceilings[i] = run->ceilings[k];
        if (run->ceilings[i] < 0)
            run->ceilings[i] =
                lg_bench_copy_speed(session->context, session->engine.fallback[0] != '\0',
                                    (size_t)(run->stages[i].bytes / 2));
    }
}

lg_status lg_run_profile(lg_run *run, lg_session *session, lg_error *error)
{
    const size_t count = lg_plan_profile(run->plan, NULL, 0);
    const bool first = !run->stages;
    if (run->shared[0]) // noted
        return LG_OK;
    if (first)
        run->stages = calloc(count + 1, sizeof *run->stages);
    if (!run->stages)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for a profile");
    run->stage_count = count;
    if (!run->by_layer) // else these are sums already
        lg_plan_profile(run->plan, run->stages, count);
    lg_session_computed(session);
    session->engine_settled = true; // the first run wrote the outputs
    if (!run->options->profile)
        return LG_OK;
    const lg_status status = run->by_layer ? LG_OK : repeat(run, session, error);
    if (!status && !run->ceilings) {
        run->ceilings = calloc(count + 1, sizeof *run->ceilings);
        measure_ceilings(run, session);
    }
    return status;
}

static double speed_of(const lg_stage_profile *stage)
{
    return stage->seconds > 0 ? stage->bytes / stage->seconds : 0;
}

static double share_of(const lg_run *run, size_t i)
{
    const bool known = run->ceilings && run->ceilings[i] > 0;
    return known ? speed_of(&run->stages[i]) / run->ceilings[i] : -1;
}

// ---- JSON ---------------------------------------------------------------------------------------

static void head_json(lg_session *session, const lg_input_file *file, const lg_run *run)
{
    const lg_options *options = run->options;
    lg_json *json = &session->json;
    lg_report_file_json(session, file);
    lg_json_text(json, "pipeline", options->pipeline);
    lg_json_text(json, "graph", options->graph);
}

static void outputs_json(lg_json *json, const lg_run *run)
{
    lg_json_begin(json, "outputs", '[');
    for (size_t i = 0; i < run->output_count; i++) {
        const lg_image_params *shape = &run->made[i];
        lg_json_begin(json, NULL, '{');
        lg_json_text(json, "name", lg_graph_output_name(run->graph, i));
        lg_json_text(json, "file", run->written[i]);
        lg_json_integer(json, "width", shape->width);
        lg_json_integer(json, "height", shape->height);
        lg_json_integer(json, "layers", shape->layers);
        lg_json_integer(json, "channels", lg_image_measured_channels(shape));
        lg_json_text(json, "type", lg_type_name(shape->type));
        lg_json_end(json, '}');
    }
    lg_json_end(json, ']');
}

static void report_json(lg_session *session, const lg_input_file *file, const lg_run *run)
{
    lg_json *json = &session->json;
    head_json(session, file, run);
    outputs_json(json, run);
    lg_run_figures_json(json, run);
    if (run->options->points)
        lg_json_unsigned(json, "points", run->point_count);
    lg_json_begin(json, "stages", '[');
    for (size_t i = 0; i < run->stage_count; i++) {
        const lg_stage_profile *stage = &run->stages[i];
        lg_json_begin(json, NULL, '{');
        lg_json_text(json, "name", stage->name);
        lg_json_number(json, "seconds", stage->seconds);
        lg_json_number(json, "bytes", stage->bytes);
        lg_json_number(json, "bytes_per_second", speed_of(stage));
        if (share_of(run, i) >= 0) {
            lg_json_number(json, "copy_bytes_per_second", run->ceilings[i]);
            lg_json_number(json, "share_of_copy", share_of(run, i));
        }
        lg_json_end(json, '}');
    }
    lg_json_end(json, ']');
    lg_report_engine_json(session, file);
    lg_json_end(json, '}');
}

// ---- text ---------------------------------------------------------------------------------------

static void profile_text(lg_session *session, const lg_run *run)
{
    static const char *const names[] = {"stage", "ms", "MB", "GB/s", "of a copy"};
    lg_table table = {.columns = 5};
    double seconds = 0, bytes = 0;
    for (int i = 0; i < 5; i++)
        lg_table_cell(&table, "%s", names[i]);
    for (size_t i = 0; i < run->stage_count; i++) {
        const lg_stage_profile *stage = &run->stages[i];
        seconds += stage->seconds;
        bytes += stage->bytes;
        lg_table_cell(&table, "%s", stage->name);
        lg_table_cell(&table, "%.3f", stage->seconds * 1e3);
        lg_table_cell(&table, "%.2f", stage->bytes * 1e-6);
        lg_table_cell(&table, "%.2f", speed_of(stage) * 1e-9);
        if (share_of(run, i) >= 0)
            lg_table_cell(&table, "%.0f %%", share_of(run, i) * 100);
        else
            lg_table_cell(&table, "-");
    }
    if (run->stage_count > 1) {
        lg_table_cell(&table, "all");
        lg_table_cell(&table, "%.3f", seconds * 1e3);
        lg_table_cell(&table, "%.2f", bytes * 1e-6);
        lg_table_cell(&table, "%.2f", seconds > 0 ? bytes / seconds * 1e-9 : 0);
        lg_table_cell(&table, "-");
    }
    lg_table_print(&table, session->out, LEFT_COLUMNS);
}

static void report_text(lg_session *session, const lg_input_file *file, const lg_run *run)
{
    char clean[1000];
    lg_report_file_text(session, file);
    // A film is there behind its last frame: lg_run_report_film says so then.
    for (size_t i = 0; i < run->output_count; i++)
        if (run->written[i] && !(file->frame >= 0 && run->outputs[i].film))
            fprintf(session->out, "written to %s\n",
                    lg_sanitise(run->written[i], clean, sizeof clean));
    lg_run_figures_text(session->out, run);
    if (run->options->points)
        fprintf(session->out, "%zu point%s\n", run->point_count, run->point_count == 1 ? "" : "s");
    if (run->options->profile)
        profile_text(session, run);
    lg_report_engine_text(session, file);
}

static void report_html(lg_session *session, const lg_input_file *file, const lg_run *run)
{
    lg_html_picture pictures[LG_MAX_INPUTS];
    const int count = (int)run->output_count;
    if (!lg_html_begin(session))
        return;
    for (int i = 0; i < count; i++)
        pictures[i] = (lg_html_picture){
            count == 1 ? "result" : lg_graph_output_name(run->graph, (size_t)i), run->images[i]};
    report_json(session, file, run);
    lg_html_add(session, file, pictures, count);
}

void lg_run_report(lg_session *session, const lg_input_file *file, const lg_run *run)
{
    report_html(session, file, run);
    const bool frame = file->frame >= 0 && !run->options->run_figure_count && !run->options->points;
    if (run->options->json)
        report_json(session, file, run);
    else if (frame && !run->options->profile) // a line about all of them follows
        return;
    else if (run->options->quiet && !run->options->profile)
        return;
    else if (run->options->profile || run->options->run_figure_count || session->out != stderr)
        report_text(session, file, run); // with -o - and --preview nothing that nobody asked for
}

void lg_run_report_film(lg_session *session, const lg_input_file *file, const char *path,
                        int64_t frames)
{
    char name[1000], to[1000];
    if (session->options->json || session->options->quiet || file->frame < 0)
        return;
    lg_session_progress_clear(session);
    fprintf(session->out, "%s: %lld frame%s written to %s\n",
            lg_sanitise(strcmp(file->name, "-") == 0 ? "standard input" : file->name, name,
                        sizeof name),
            (long long)frames, frames == 1 ? "" : "s", lg_sanitise(path, to, sizeof to));
}

void lg_run_explain(lg_session *session, const lg_input_file *file, const lg_run *run)
{
    lg_device_info device;
    const char *text = lg_plan_explain(run->plan);
    if (!run->options->json) {
        lg_report_file_text(session, file);
        fputs(text, session->out);
        const size_t passes = run->in_bands ? lg_plan_band_passes(run->plan) : 1;
        if (run->in_bands)
            fprintf(session->out, "in bands of rows%s%s\n",
                    run->shape.layers > 1 && !run->by_layer ? " of all layers" : "",
                    run->too_large ? ", as whole images take more than --memory" : "");
        if (passes > 1)
            fprintf(session->out, "in %zu passes over %s: figures are measured first\n", passes,
                    run->by_layer ? "each layer" : "the file");
        else if (run->whole_because)
            fprintf(session->out, "on the whole image: %s\n", run->whole_because);
        if (run->by_layer)
            fprintf(session->out, "each of %d layers by itself%s\n", run->shape.layers,
                    lg_graph_measures(run->graph) ? "; --stack measures all together" : "");
        return;
    }
    lg_json *json = &session->json;
    head_json(session, file, run);
    lg_json_begin(json, "plan", '[');
    while (*text) {
        char line[2000];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        lg_json_text(json, NULL, line);
        text += length + (text[length] == '\n');
    }
    lg_json_end(json, ']');
    lg_json_bool(json, "bands", run->in_bands);
    if (run->in_bands)
        lg_json_unsigned(json, "passes", lg_plan_band_passes(run->plan));
    if (run->whole_because)
        lg_json_text(json, "whole", run->whole_because);
    lg_context_device(session->context, &device);
    lg_json_text(json, "device", device.name);
    lg_json_text(json, "reason", session->device_reason);
    lg_json_end(json, '}');
}
