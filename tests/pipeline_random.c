// Pipeline texts and JSON graphs at random: a graph that runs, or one clear line.
#include "check.h"
#include <lumagraph/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_context *context;
static char path[] = "/tmp/lumagraph-XXXXXX.json";
static int built, ran, refused;

static const char *one_of(const char *const *words, size_t count)
{
    return words[random_below((uint32_t)count)];
}
#define ONE_OF(words) one_of(words, sizeof(words) / sizeof(words)[0])

static const lg_filter *any_filter(void)
{
    return lg_filter_at(random_below((uint32_t)lg_filter_count()));
}

// ---- running ------------------------------------------------------------------------------------

static lg_image *make_image(int32_t width, int32_t height)
{
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = LG_U8,
                                   .alpha = LG_ALPHA_OPAQUE};
    lg_image *image = NULL;
    NEED(!lg_image_create(context, &shape, &image, NULL), "an image");
    for (int32_t y = 0; image && y < height; y++)
        random_bytes((char *)image->data + (size_t)y * image->shape.row_stride, (size_t)width * 4);
    return image;
}

static void check_line(const char *text, const lg_error *error)
{
    refused++;
    CHECK(error->message[0] && !strchr(error->message, '\n'), "'%.300s': message '%s'", text,
          error->message);
}

static void run_graph(const char *text, const lg_graph *graph)
{
    lg_image *inputs[2] = {make_image(7, 5), make_image(7, 5)}, *outputs[LG_MAX_INPUTS] = {0};
    const lg_image_params shapes[2] = {inputs[0]->shape, inputs[1]->shape};
    lg_plan *plan = NULL;
    lg_error error = {0};
    bool fits = true;
    built++;
    if (lg_plan_create(context, graph, shapes, lg_graph_input_count(graph), NULL, &plan, &error)) {
        check_line(text, &error);
        fits = false;
    }
    for (size_t i = 0; i < lg_graph_output_count(graph) && fits; i++) {
        lg_image_params shape;
        CHECK(!lg_plan_output(plan, i, &shape, &error), "%s", error.message);
        fits = (int64_t)shape.width * shape.height * shape.layers < 1000000 &&
               !lg_image_create(context, &shape, &outputs[i], &error);
    }
    if (fits) {
        CHECK(*lg_plan_explain(plan), "'%.300s' has no explanation", text);
        if (lg_plan_run(plan, inputs, outputs, &error))
            check_line(text, &error);
        else
            ran++;
    }
    lg_plan_destroy(&plan);
    for (int i = 0; i < LG_MAX_INPUTS; i++)
        lg_image_destroy(&outputs[i]);
    lg_image_destroy(&inputs[0]);
    lg_image_destroy(&inputs[1]);
}

// ---- texts --------------------------------------------------------------------------------------

static void random_value(const lg_filter_param *p, FILE *out)
{
    static const char *const odd[] = {"",     "-",       "1e999", "nan",  "0x10",   "1,2,3",
                                      "#fff", "#ff0000", "yes",   "@",    "@p101",  "@prev.",
                                      "@#",   "@#a",     "''",    "1,,2", "@mean*", "#in"};
    static const char *const figures[] = {"@mean",
                                          "@luma.max",
                                          "@p99.5",
                                          "@#a.mean*0.5+0.1",
                                          "@otsu",
                                          "@prev.r.stddev",
                                          "@median",
                                          "@#in.pick",
                                          "@#prev.min",
                                          "@components",
                                          "@#a.largest.area*0.01",
                                          "@largest.center"};
    const uint32_t kind = random_below(10);
    if (kind == 0) {
        fputs(ONE_OF(odd), out);
    } else if (kind <= 2) {
        fputs(ONE_OF(figures), out);
    } else if (p->kind == LG_PARAM_CHOICE) {
        fprintf(out, "%.*s", (int)strcspn(p->choices, "|"), p->choices);
    } else if (p->kind == LG_PARAM_IMAGE) {
        fputs(random_below(2) ? "#a" : "#in", out);
    } else if (p->kind == LG_PARAM_TEXT) {
        fputs("'a b:c|d'", out);
    } else {
        const double min = p->min < -2 ? -2 : p->min, max = p->max > 9 ? 9 : p->max;
        for (int i = 0; i < p->size; i++) {
            const double value = min + random_unit() * (max - min);
            fprintf(out, p->kind == LG_PARAM_INTEGER ? "%s%.0f" : "%s%.4g", i ? "," : "", value);
        }
    }
}

static char *random_pipeline(void)
{
    static const char *const names[] = {"a", "b", "in", "tex", "prev", "a-b", "#"};
    static const char *const joints[] = {" | ", "|", " | ", " || ", " ", "| #a |", "\n|\t"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t k = 1 + random_below(6); k > 0; k--) {
        const lg_filter *f = any_filter();
        fputs(random_below(20) ? f->name : "nothing", out);
        for (int i = 0; i < f->param_count; i++)
            if (!random_below(3) && f->params[i].kind != LG_PARAM_TABLE) {
                fprintf(out, ":%s=", f->params[i].name);
                random_value(&f->params[i], out);
            }
        if (f->inputs > 1 && random_below(2))
            fprintf(out, ":over=#%s", ONE_OF(names));
        if (!random_below(3))
            fprintf(out, " #%s", ONE_OF(names));
        if (k > 1)
            fputs(random_below(4) ? " | " : ONE_OF(joints), out);
    }
    fclose(out);
    return text;
}

static void damage(char *text)
{
    static const char signs[] = ":=|#@,.'*+- 0\t\x80";
    const size_t length = strlen(text);
    for (uint32_t k = random_below(4); k > 0 && length; k--)
        text[random_below((uint32_t)length)] = signs[random_below(sizeof signs - 1)];
    if (length && !random_below(8))
        text[random_below((uint32_t)length)] = '\0';
}

static void pipelines(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        char *text = random_pipeline();
        if (i & 1)
            damage(text);
        lg_graph *graph = NULL;
        lg_node in = -1, tex = -1, out = -1;
        lg_error error = {0};
        NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
                 !lg_graph_input(graph, "tex", &tex, &error),
             "%s", error.message);
        if (lg_graph_parse(graph, text, in, &out, &error)) {
            check_line(text, &error);
        } else {
            CHECK(!lg_graph_output(graph, out, &error), "%s", error.message);
            run_graph(text, graph);
        }
        lg_graph_destroy(&graph);
        free(text);
    }
}

// ---- JSON ---------------------------------------------------------------------------------------

static char *random_json(void)
{
    static const char *const names[] = {"in", "tex", "a", "b", "c", "d", "e"};
    char *text = NULL, *value = NULL;
    size_t size = 0, value_size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("{\"inputs\": [\"in\", \"tex\"], \"nodes\": [", out);
    for (int k = 0; k < 5; k++) {
        const lg_filter *f = any_filter();
        // mostly downwards, so that some graphs have no cycle
        const uint32_t in = random_below(8) ? random_below((uint32_t)k + 2) : random_below(7);
        fprintf(out, "%s{\"name\": \"%s\", \"filter\": \"%s\", \"in\": \"%s\"", k ? ", " : "",
                names[k + 2], f->name, names[in]);
        if (f->inputs > 1)
            fprintf(out, ", \"over\": \"%s\"", names[random_below((uint32_t)k + 2)]);
        fputs(", \"params\": {", out);
        for (int i = 0, given = 0; i < f->param_count; i++)
            if (!random_below(3) && f->params[i].kind != LG_PARAM_TABLE) {
                FILE *one = open_memstream(&value, &value_size);
                random_value(&f->params[i], one);
                fclose(one);
                fprintf(out, "%s\"%s\": \"%s\"", given++ ? ", " : "", f->params[i].name, value);
                free(value);
            }
        fputs("}}", out);
    }
    fprintf(out, "], \"outputs\": [\"e\", \"%s\"]}", ONE_OF(names));
    fclose(out);
    return text;
}

static void graphs(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        char *text = random_json();
        if (i % 3 == 2)
            damage(text);
        FILE *file = fopen(path, "wb");
        CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
        lg_graph *graph = NULL;
        lg_error error = {0};
        const lg_status status = lg_graph_read(path, &graph, &error);
        CHECK((status == LG_OK) == (graph != NULL), "%s: %s", text, error.message);
        if (status == LG_ERROR_UNSUPPORTED && strstr(error.message, "libjansson")) {
            check_skip("built without libjansson");
            i = rounds;
        } else if (status) {
            check_line(text, &error);
        } else if (lg_graph_input_count(graph) == 2) {
            run_graph(text, graph);
        }
        lg_graph_destroy(&graph);
        free(text);
    }
}

int main(void)
{
    random_seed(23);
    lg_error error = {0};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.threads = 1;
    const int fd = mkstemps(path, 5);
    if (fd < 0 || lg_context_create(&params, &context, &error) != LG_OK) {
        printf("cannot start: %s\n", error.message);
        return 1;
    }
    close(fd);
    const int rounds = test_is_short() ? 400 : 4000;
    pipelines(rounds);
    CHECK(ran > rounds / 20 && refused > rounds / 20, "%d ran, %d were refused", ran, refused);
    built = ran = refused = 0;
    graphs(rounds / 2);
    CHECK(built == 0 || (ran > rounds / 40 && refused > rounds / 40), "%d ran, %d were refused",
          ran, refused);
    unlink(path);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return check_finish("pipeline_random");
}
