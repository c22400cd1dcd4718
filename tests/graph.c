#include "check.h"

#include <lumagraph/lumagraph.h>
#include <stdio.h>
static void log_it(void *p, lg_log_level l, const char *m)
{
    printf("%s\n", m);
}
static void go(lg_device_kind kind)
{
    lg_error e = {0};
    lg_context *c;
    lg_graph *g;
    lg_node in, out;
    lg_plan *p;
    lg_image *a, *b;
    CHECK(!lg_context_create(lg_context_params(.device = kind, .log = log_it), &c, &e), "%s",
          e.message);
    CHECK(!lg_graph_create(&g, &e) && !lg_graph_input(g, "in", &in, &e), "%s", e.message);
    CHECK(!lg_graph_parse(g, "contrast:contrast=2 #x | contrast:contrast=@#x.luma.mean*2+0.5", in,
                          &out, &e),
          "%s", e.message);
    lg_graph_output(g, out, &e);
    const lg_image_params s = {.width = 5, .height = 2, .layers = 1, .channels = 4, .type = LG_U8};
    lg_image_create(c, &s, &a, &e);
    lg_image_create(c, &s, &b, &e);
    for (int i = 0; i < 20; i++)
        ((uint8_t *)a->data)[i] = i * 10;
    CHECK(!lg_plan_create(c, g, &s, 1, NULL, &p, &e), "%s", e.message);
    printf("%s", lg_plan_explain(p));
    CHECK(!lg_plan_run(p, &a, &b, &e), "%s", e.message);
    for (int i = 0; i < 20; i++)
        printf("%d ", ((uint8_t *)b->data)[i]);
    printf("\n");
    lg_plan_destroy(&p);
    lg_graph_destroy(&g);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
    lg_context_destroy(&c);
}
int main(void)
{
    go(LG_DEVICE_CPU);
    go(LG_DEVICE_VULKAN);
    return check_finish("graph");
}
