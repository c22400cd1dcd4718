// Local figures on a Vulkan device: summed-area tables, then one kernel that reads their corners.
#include "filter/native/local/local.h"
#include "filter/native/native_vulkan.h"
#include "measure/areasum/areasum_device.h"

extern const char lg_glsl_local_samples[], lg_glsl_local_figures[], lg_glsl_local_running[];

#define GROUP_X     256 // of samples
#define GROUP_Y     1
#define WINDOWS_X   32 // of figures: windows of pixels near each other read the same entries
#define WINDOWS_Y   4
#define TABLE_BYTES ((uint64_t)2 << 30)

typedef struct task {
    lg_device_call *call;
    lg_local_stats local;
    lg_device_image samples; // what is summed
    uint64_t largest;        // address of its bits, where units are measured
    uint64_t tables[2];      // of samples and of squares
    bool tiled;              // the first one, and there is no other
} task;

enum { AS_FLOATS, AS_UNITS, AS_BYTES };

// ---- samples --------------------------------------------------------------------------------------

static int type_of_samples(const lg_image_params *s, lg_local_samples samples)
{
    if (samples == LG_LOCAL_UNITS)
        return LG_I32;
    if (samples == LG_LOCAL_BYTES)
        return LG_U8;
    return s->type;
}

static lg_device_array array_of(const task *t, const lg_device_image *image, int type)
{
    const lg_image_params *s = &image->shape;
    return (lg_device_array){.data = image->address,
                             .row_stride = image->row_stride,
                             .layer_stride = image->layer_stride,
                             .type = (lg_type)type,
                             .channels = t->local.channels,
                             .width = (uint32_t)s->width,
                             .height = (uint32_t)s->height,
                             .layers = (uint32_t)s->layers};
}

// Writes what is summed of `from`: floats, integers of the unit, or bytes of luma.
static void write_samples(const task *t, const lg_device_image *from, lg_local_planes kind, int as,
                          const lg_device_image *to)
{
    const lg_image_params *s = &to->shape;
    const lg_local_stats *l = &t->local;
    const bool measured = l->measured && as == AS_UNITS;
    const uint64_t largest = measured ? t->largest : 0;
    const lg_pass pass = {LG_PASS_TEXT(local_samples),
                          .group_x = GROUP_X,
                          .group_y = GROUP_Y,
                          .span = as == AS_BYTES ? 4 : 1,
                          .views = {from, to},
                          .words = LG_WORDS(s->layers, s->height, LG_ADDRESS(largest), 0),
                          .reads = {largest}};
    lg_pass_run(
        t->call, &pass,
        "#define CH %d\n#define PLANES %d\n#define KIND %d\n#define AS %d\n"
        "#define MEASURED %d\n#define BITS %d\n#define STORED %d\n",
        l->channels, l->planes, kind, as, measured, l->bits,
        from->shape.channels == 2 && from->shape.alpha == LG_ALPHA_NONE ? 3 : from->shape.channels);
}

static void find_largest(task *t, const lg_device_image *floats, int type)
{
    lg_device_call *call = t->call;
    t->largest = lg_device_zeros(call, 256);
    lg_vk_barrier(call->commands);
    const lg_device_array array = array_of(t, floats, type);
    if (!call->status)
        call->status =
            lg_area_record_largest(call->context, &array, t->largest, call->commands, call->error);
}

// Samples that lie in memory as they are summed, but for their unit.
static bool is_plain(const lg_local_stats *l, const lg_image_params *s)
{
    return l->kind == LG_LOCAL_COMPONENTS && l->channels == s->channels &&
           l->planes == s->channels && (s->channels == 1 || s->alpha == LG_ALPHA_NONE);
}

static void make_samples(task *t)
{
    const lg_device_image *in = &t->call->in[0];
    const lg_image_params *s = &in->shape;
    const lg_local_stats *l = &t->local;
    t->samples = *in;
    if (l->samples == LG_LOCAL_STORED || l->samples == LG_LOCAL_PRODUCTS)
        return;
    const bool bytes = l->samples == LG_LOCAL_BYTES;
    const lg_image_params shape =
        lg_native_shape(s, bytes ? LG_U8 : LG_F32, l->channels, LG_ALPHA_NONE);
    t->samples = lg_device_scratch_image(t->call, &shape);
    if (!bytes && l->measured && is_plain(l, s)) {
        find_largest(t, in, s->type == LG_F16 ? LG_F16 : LG_F32);
    } else if (!bytes && l->measured) {
        // Floats first, which then become integers where they are.
        write_samples(t, in, l->kind, AS_FLOATS, &t->samples);
        find_largest(t, &t->samples, LG_F32);
        write_samples(t, &t->samples, LG_LOCAL_COMPONENTS, AS_UNITS, &t->samples);
        return;
    }
    write_samples(t, in, l->kind, bytes ? AS_BYTES : AS_UNITS, &t->samples);
}

// ---- tables ---------------------------------------------------------------------------------------

// The rows from .. to - 1 of what is summed.
static lg_device_array table_array(const task *t, int32_t from, int32_t to)
{
    lg_device_array array =
        array_of(t, &t->samples, type_of_samples(&t->samples.shape, t->local.samples));
    array.data += (uint64_t)from * array.row_stride;
    array.height = (uint32_t)(to - from);
    return array;
}

static void reserve_tables(task *t, int32_t band)
{
    const lg_image_params *s = &t->samples.shape;
    const uint64_t rows =
        (uint64_t)LG_MIN((int64_t)band + 2 * (int64_t)t->local.radius_y, s->height);
    const uint64_t row =
        (uint64_t)s->width * (uint64_t)t->local.channels * lg_local_word(&t->local);
    lg_device_array array = table_array(t, 0, (int32_t)rows);
    // An entry of one channel is so short that it is read faster than its parts.
    t->tiled = t->local.narrow && !lg_local_has_squares(&t->local) &&
               t->local.samples != LG_LOCAL_PRODUCTS && lg_area_can_tile(t->call->context, &array);
    const uint64_t bytes =
        (t->tiled ? lg_area_tiled_at(&array, 0).bytes : rows * row * (uint64_t)s->layers) + 256;
    for (int i = 0; i < 1 + lg_local_has_squares(&t->local); i++)
        t->tables[i] = lg_device_memory(t->call, bytes);
}

static void make_tables(const task *t, int32_t from, int32_t to)
{
    const lg_local_stats *l = &t->local;
    lg_device_call *call = t->call;
    const lg_device_array array = table_array(t, from, to);
    lg_vk_barrier(call->commands);
    if (t->tiled && !call->status)
        call->status =
            lg_area_record_tiled(call->context, &array, t->tables[0], call->commands, call->error);
    for (int i = 0; i < 1 + lg_local_has_squares(l) && !call->status && !t->tiled; i++) {
        const lg_area_rule rule = {.sum = l->narrow ? LG_AREA_U32 : LG_AREA_U64,
                                   .operation = i ? LG_AREA_OP_SQUARES : LG_AREA_OP_SUM,
                                   .premultiplied = l->samples == LG_LOCAL_PRODUCTS,
                                   .tuning.method =
                                       call->runs_once ? LG_AREA_PASSES : LG_AREA_AUTO};
        call->status = lg_area_record_tables(call->context, &array, &rule, t->tables[i],
                                             call->commands, call->error);
    }
}

// ---- figures --------------------------------------------------------------------------------------

static void write_figures(const task *t, int32_t first, int32_t end, int32_t from, int32_t to)
{
    lg_device_call *call = t->call;
    const lg_local_stats *l = &t->local;
    const lg_image_params *s = &call->out.shape, *in = &call->in[0].shape;
    const lg_device_array array = table_array(t, from, to);
    const lg_area_tiled tiled = lg_area_tiled_at(&array, t->tables[0]);
    const uint64_t sums = t->tables[0], second = t->tiled ? tiled.left : t->tables[1];
    const uint64_t third = t->tiled ? tiled.above : t->largest;
    const lg_pass pass = {LG_PASS_TEXT(local_figures),
                          .group_x = WINDOWS_X,
                          .group_y = WINDOWS_Y,
                          .span = LG_SPAN_WORDS,
                          .views = {&call->in[l->windows != LG_LOCAL_CONSTANT], &call->out},
                          .words =
                              LG_WORDS(s->layers, first, end, s->height, from, to - from,
                                       l->radius_x, l->radius_y, lg_bits(l->unit), LG_ADDRESS(sums),
                                       LG_ADDRESS(second), LG_ADDRESS(third), 0),
                          .reads = {sums, second, third},
                          .groups = {0, lg_native_groups(end - first, WINDOWS_Y)}};
    lg_pass_run(
        call, &pass,
        "#define CH %d\n#define PLANES %d\n#define KIND %d\n#define SAMPLES %d\n#define WIDE %d\n"
        "#define FIGURE %d\n#define WINDOWS %d\n#define MEASURED %d\n#define BITS %d\n"
        "#define GREY %d\n#define SMALL %d\n#define TILED %d\n#define K %d\n#define RANGE %d\n",
        l->channels, l->planes, l->kind, l->samples, !l->narrow, l->figure, l->windows, l->measured,
        l->bits, in->channels == 2 && in->alpha != LG_ALPHA_NONE, l->small, t->tiled,
        lg_native_index(call->filter, "k"), lg_native_index(call->filter, "dynamic_range"));
}

// ---- thresholds of bytes: running sums in place of tables ------------------------------------------

#define RUNNING_THREADS 128 // few, since all of them wait for each other with every row
#define RUNNING_AT_ONCE 4   // workgroups of a compute unit
#define RUNNING_PIXELS  8   // of a thread
#define RUNNING_RADIUS  127
#define RUNNING_SHARED  (20 * RUNNING_PIXELS * RUNNING_THREADS) // bytes

static bool can_run(const task *t)
{
    const lg_local_stats *l = &t->local;
    const lg_image_params *in = &t->call->in[0].shape, *out = &t->call->out.shape;
    const lg_vk_limits *limits = lg_vk_get_limits(t->call->context->vk);
    return lg_local_is_threshold(l) && l->windows == LG_LOCAL_CONSTANT && in->type == LG_U8 &&
           (l->samples == LG_LOCAL_STORED || l->samples == LG_LOCAL_BYTES) && l->narrow &&
           l->radius_x <= RUNNING_RADIUS && l->radius_y <= RUNNING_RADIUS && out->type == LG_U8 &&
           in->channels != 2 && out->channels == in->channels && out->alpha == in->alpha &&
           limits->byte_kernels && limits->shared_memory >= RUNNING_SHARED &&
           limits->max_workgroup_size >= RUNNING_THREADS;
}

static void run_thresholds(const task *t)
{
    lg_device_call *call = t->call;
    const lg_local_stats *l = &t->local;
    const lg_image_params *s = &call->out.shape;
    const bool keeps = s->channels == 4 && s->alpha != LG_ALPHA_OPAQUE;
    const int32_t reach = (l->radius_x + RUNNING_PIXELS) / RUNNING_PIXELS;
    const uint32_t strips =
        lg_native_groups(s->width, (int64_t)(RUNNING_THREADS - 2 * reach) * RUNNING_PIXELS);
    // A band begins with the sums of all rows of a window, so that it should be long beside that.
    const int32_t band = lg_native_band(call->context, (int64_t)strips * s->layers, s->height,
                                        LG_MAX(l->radius_y / 2, 16), RUNNING_AT_ONCE);
    const float inverse = local_inverse(2 * l->radius_x + 1, 2 * l->radius_y + 1);
    const lg_pass pass = {
        LG_PASS_TEXT(local_running),
        .group_x = RUNNING_THREADS,
        .group_y = 1,
        .views = {&t->samples, keeps ? &call->in[0] : &call->out, keeps ? &call->out : NULL},
        .words = LG_WORDS(s->layers, s->height, band, lg_bits(l->unit), lg_bits(inverse)),
        .groups = {strips, lg_native_groups(s->height, band)}};
    lg_pass_run(call, &pass,
                "#define WIDE 0\n#define SMALL %d\n#define FIGURE %d\n#define K %d\n"
                "#define RANGE %d\n#define RADIUS_X %d\n#define RADIUS_Y %d\n"
                "#define OUT %d\n#define KEEPS %d\n",
                l->small, l->figure, lg_native_index(call->filter, "k"),
                lg_native_index(call->filter, "dynamic_range"), (int)l->radius_x, (int)l->radius_y,
                s->channels, keeps);
}

void lg_local_vulkan(lg_device_call *call, lg_local_figure figure, lg_local_windows windows)
{
    const lg_image_params *s = &call->in[0].shape;
    task t = {.call = call, .local = lg_local_of(call->filter, call->values, figure, windows, s)};
    make_samples(&t);
    if (can_run(&t)) {
        run_thresholds(&t);
        return;
    }
    const int32_t band = lg_local_band(&t.local, s, s->layers, TABLE_BYTES);
    reserve_tables(&t, band);
    for (int32_t first = 0; first < s->height && !call->status; first += band) {
        const int32_t end = LG_MIN(s->height - first, band) + first;
        int32_t from, to;
        lg_local_reach(&t.local, s->height, first, end, &from, &to);
        make_tables(&t, from, to);
        write_figures(&t, first, end, from, to);
    }
}
