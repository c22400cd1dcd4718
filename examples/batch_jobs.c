// Sharpens and counts on all GPUs: batch_jobs FILE...
// Each FILE is two jobs of a batch: one runs a plan, the other one labels. Without a GPU two contexts of the
// processor share them.
#include <lumagraph/io.h>
#include <lumagraph/lumagraph.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };

typedef struct work {
    lg_context *contexts[MOST];
    int count;
} work;

typedef struct file {
    const char *name;
    lg_image *image, *sharp; // in host memory
    lg_moments moments;      // of the first channel of `sharp`
    uint32_t components;
} file;

static lg_status open_contexts(work *w, lg_error *error)
{
    lg_device_info devices[64];
    lg_context_params params = lg_context_params_default();
    size_t found = 0;
    lg_status status = lg_devices_list(devices, 64, &found, NULL, error);
    params.strict = true; // jobs of a lost device go to another one, not to the processor
    for (size_t i = 0; i < found && i < 64 && w->count < MOST && !status; i++) {
        if (devices[i].kind != LG_DEVICE_VULKAN || !devices[i].usable || !devices[i].hardware)
            continue;
        params.device = LG_DEVICE_VULKAN;
        params.device_index = devices[i].index;
        status = lg_context_create(&params, &w->contexts[w->count], error);
        w->count += !status;
    }
    params.device = LG_DEVICE_CPU;
    for (int i = 0; i < 2 && w->count == i && !status; i++) {
        status = lg_context_create(&params, &w->contexts[i], error);
        w->count += !status;
    }
    return status;
}

// ---- jobs: what they use is of the context that they are given ------------------------------------------

static lg_status wrap(lg_context *context, const lg_image *of, lg_image **out, lg_error *error)
{
    return lg_image_wrap(context, &of->shape, of->data, out, error);
}

// One thread at a time uses a graph: each job has its own.
static lg_status make_plan(lg_context *context, const lg_image *image, lg_plan **out,
                           lg_error *error)
{
    lg_graph *graph = NULL;
    lg_node in, last;
    lg_status status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "in", &in, error);
    if (!status)
        status = lg_graph_parse(graph, "unsharp_mask:sigma=2", in, &last, error);
    if (!status)
        status = lg_graph_output(graph, last, error);
    if (!status)
        status = lg_plan_create(context, graph, &image->shape, 1, NULL, out, error);
    lg_graph_destroy(&graph);
    return status;
}

static lg_status sharpen(lg_context *context, void *priv, lg_error *error)
{
    file *f = priv;
    lg_image *in = NULL, *out = NULL;
    lg_plan *plan = NULL;
    lg_status status = wrap(context, f->image, &in, error);
    if (!status)
        status = wrap(context, f->sharp, &out, error);
    if (!status)
        status = make_plan(context, in, &plan, error);
    if (!status)
        status = lg_plan_run(plan, &in, &out, error);
    if (!status) {
        lg_moments all[4];
        status = lg_measure_moments(context, out, NULL, all, 4, error);
        f->moments = all[0];
    }
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    return status;
}

static lg_status count(lg_context *context, void *priv, lg_error *error)
{
    file *f = priv;
    lg_image *in = NULL, *binary = NULL;
    lg_components *components = NULL;
    lg_threshold level;
    lg_status status = wrap(context, f->image, &in, error);
    if (!status)
        status = lg_threshold_image(context, in, NULL, &level, 1, &binary, error);
    if (!status)
        status = lg_label_image(context, binary, NULL, NULL, NULL, &components, error);
    if (!status)
        f->components = lg_components_count(components);
    lg_components_destroy(&components);
    lg_image_destroy(&binary);
    lg_image_destroy(&in);
    return status;
}

// ---- all files ------------------------------------------------------------------------------------------

static lg_status read_file(const work *w, const char *name, file *f, lg_error *error)
{
    *f = (file){.name = name};
    const lg_status status = lg_image_read(w->contexts[0], name, NULL, &f->image, NULL, error);
    return status ? status : lg_image_create(w->contexts[0], &f->image->shape, &f->sharp, error);
}

// Results come in the order of the jobs: a line behind the second one of each file.
static lg_status print_results(lg_batch *batch, int files, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < 2 * files && !status; i++) {
        lg_batch_result result;
        status = lg_batch_next(batch, &result, error);
        if (!status && result.status) {
            *error = result.error;
            status = result.status;
        }
        const file *f = result.priv;
        if (!status && i % 2)
            printf("%s: mean %.3f, %u components\n", f->name, f->moments.mean, f->components);
    }
    return status;
}

static lg_status run(work *w, char **names, int count_of_files, file *files, lg_error *error)
{
    lg_batch *batch = NULL;
    lg_status status = open_contexts(w, error);
    for (int i = 0; i < count_of_files && !status; i++)
        status = read_file(w, names[i], &files[i], error);
    if (!status)
        status = lg_batch_create(w->contexts, w->count, &batch, error);
    for (int i = 0; i < count_of_files && !status; i++) {
        status = lg_batch_add(batch, sharpen, &files[i], error);
        if (!status)
            status = lg_batch_add(batch, count, &files[i], error);
    }
    if (!status)
        status = print_results(batch, count_of_files, error);
    lg_batch_destroy(&batch); // waits for jobs that run
    return status;
}

int main(int argc, char **argv)
{
    work w = {.count = 0};
    lg_error error = {0};
    file *files = calloc((size_t)argc, sizeof *files);
    if (argc < 2 || !files) {
        fprintf(stderr, "usage: batch_jobs FILE...\n");
        return 2;
    }
    const lg_status status = run(&w, argv + 1, argc - 1, files, &error);
    if (status)
        fprintf(stderr, "batch_jobs: %s\n", error.message);
    for (int i = 0; i < argc - 1; i++) {
        lg_image_destroy(&files[i].image);
        lg_image_destroy(&files[i].sharp);
    }
    free(files);
    for (int i = 0; i < w.count; i++)
        lg_context_destroy(&w.contexts[i]);
    return status != LG_OK;
}
