#include "graph/stage_planes_vulkan.h"

#include "filter/device_planes.h"

#include <stdlib.h>

// The slots of a slot: of planes all of them.
static int spread(const lg_plan *plan, int slot, int slots[LG_MAX_VIEWS], lg_format *formats)
{
    const lg_plan_slot *s = &plan->slots[slot];
    int count = 0;
    if (s->kind != LG_PLAN_PLANES) {
        slots[0] = slot;
        formats[0] = lg_format_of(&s->shape);
        return 1;
    }
    for (; count < LG_MAX_PLANES && s->plane[count] >= 0; count++) {
        slots[count] = s->plane[count];
        formats[count] = lg_format_of(&plan->slots[s->plane[count]].shape);
        formats[count].part = true;
    }
    formats[0] = lg_format_of(&s->shape);
    return count;
}

static int list(const lg_plan *plan, const lg_plan_stage *s, int slots[LG_MAX_VIEWS],
                lg_format formats[LG_MAX_VIEWS])
{
    int count = 0;
    if (s->in[0] >= 0 && s->source != LG_FILTER_GENERATE)
        count = spread(plan, s->in[0], slots, formats);
    for (int i = 0; i < s->count; i++)
        if (s->over[i] >= 0 && plan->nodes[s->chain[i]].table_slot < 0)
            count += spread(plan, s->over[i], slots + count, formats + count);
    return count +
           spread(plan, s->encodes >= 0 ? s->encodes : s->out, slots + count, formats + count);
}

int lg_stage_slots(const lg_plan *plan, const lg_plan_stage *s, int slots[LG_MAX_VIEWS])
{
    lg_format formats[LG_MAX_VIEWS];
    return list(plan, s, slots, formats);
}

int lg_stage_formats(const lg_plan *plan, const lg_plan_stage *s, lg_format formats[LG_MAX_VIEWS])
{
    int slots[LG_MAX_VIEWS];
    return list(plan, s, slots, formats);
}

lg_status lg_stage_compile_planes(lg_plan *plan, const lg_plan_stage *s, lg_stage_kernel *kernel,
                                  lg_error *error)
{
    const lg_image_params *shape = &plan->slots[s->encodes].shape;
    lg_format formats[LG_MAX_VIEWS];
    const int views = lg_stage_formats(plan, s, formats);
    const int across = lg_planes_across(shape->planes), rows = lg_planes_rows(shape->planes);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return lg_fail_memory(error, 65536, "the text of a kernel");
    kernel->across = across * LG_STAGE_GROUP;
    kernel->down = rows;
    // Planes are written by a text of their own, so that all views count as ordinary ones.
    const lg_format colors = formats[0];
    for (int i = 1; i < views; i++)
        formats[i].part = true;
    formats[1].planes = NULL;
    formats[views - 1] = lg_format_of(&plan->slots[plan->slots[s->encodes].plane[0]].shape);
    lg_glsl_begin(out, &(lg_glsl_params){.views = formats,
                                         .count = views,
                                         .group_x = LG_STAGE_GROUP,
                                         .group_y = 1,
                                         .extra = 1,
                                         .shared = lg_glsl_stage_planes});
    lg_glsl_write_planes(out, &colors, shape->planes);
    fprintf(out,
            "void main()\n{\n"
            "    int x = int(gl_GlobalInvocationID.x) * %d;\n"
            "    if (uint(x) < lg.width)\n"
            "        lg_write_planes(x, int(gl_WorkGroupID.y * %d + lg.first_row));\n}\n",
            across, rows);
    return lg_device_compile(plan->context, s->name, out, &text, &kernel->pipeline, error);
}
