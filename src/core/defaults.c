// The defaults of all structures of parameters of the public interface.
#include "core/core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A caller of another version has room for fewer or more members than there are.
static void give(void *to, size_t size, const void *all, size_t known)
{
    if (!to || size < sizeof size)
        return;
    memset(to, 0, size);
    memcpy(to, all, LG_MIN(size, known));
    memcpy(to, &size, sizeof size);
}

lg_status lg_params_take(const void *given, const lg_params_type *type, void *out, lg_error *error)
{
    size_t size = 0;
    if (!given)
        return LG_OK;
    memcpy(&size, given, sizeof size);
    if (size == 0)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s.size is 0; begin with %s_default() and change what differs", type->name,
                       type->name);
    if (size > type->size)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s.size is %zu; this library, version %s, knows %zu bytes: the program was "
                       "compiled with later headers, or size was not set",
                       type->name, size, lg_version(), type->size);
    if (size < type->first)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s.size is %zu; its first version has %zu bytes: begin with %s_default()",
                       type->name, size, type->first, type->name);
    memcpy(out, given, size);
    memcpy(out, &type->size, sizeof type->size);
    return LG_OK;
}

static const size_t memory_limit = (size_t)16 << 30;

void lg_context_params_init(lg_context_params *params, size_t size)
{
    const lg_context_params all = {
        .size = sizeof all,
        .device = LG_DEVICE_AUTO,
        .device_index = -1,
        .threads = -1,
        .cpu_level = LG_CPU_BEST,
        .use_cache = true,
    };
    give(params, size, &all, sizeof all);
}

lg_select lg_select_default(void)
{
    return (lg_select){.nan = LG_NAN_IGNORE, .step = 1};
}

void lg_moments_params_init(lg_moments_params *params, size_t size)
{
    const lg_moments_params all = {
        .size = sizeof all,
        .select = lg_select_default(),
    };
    give(params, size, &all, sizeof all);
}

void lg_histogram_params_init(lg_histogram_params *params, size_t size)
{
    const lg_histogram_params all = {
        .size = sizeof all,
        .select = lg_select_default(),
        .bins = -1,
        .type_range = true,
        .space = LG_SPACE_STORED,
        .luma = LG_LUMA_BT709,
        .variant = LG_HISTOGRAM_AUTO,
    };
    give(params, size, &all, sizeof all);
}

void lg_threshold_params_init(lg_threshold_params *params, size_t size)
{
    const lg_threshold_params all = {
        .size = sizeof all,
        .select = lg_select_default(),
        .method = LG_THRESHOLD_OTSU,
        .classes = 3,
        .bins = -1,
        .luma = LG_LUMA_BT709,
    };
    give(params, size, &all, sizeof all);
}

void lg_areasum_params_init(lg_areasum_params *params, size_t size)
{
    const lg_areasum_params all = {
        .size = sizeof all,
        .kind = LG_AREASUM_TABLE,
        .precision = LG_AREA_EXACT,
        .high = 1,
        .nan = LG_NAN_IGNORE,
        .memory_limit = memory_limit,
    };
    give(params, size, &all, sizeof all);
}

void lg_label_params_init(lg_label_params *params, size_t size)
{
    const lg_label_params all = {
        .size = sizeof all,
        .foreground = LG_FOREGROUND_NONZERO,
        .connectivity = -1,
        .figures = true,
        .memory_limit = memory_limit,
    };
    give(params, size, &all, sizeof all);
}

void lg_overlay_params_init(lg_overlay_params *params, size_t size)
{
    const lg_overlay_params all = {
        .size = sizeof all,
        .color = {255, 220, 0},
        .low = NAN,
        .high = NAN,
    };
    give(params, size, &all, sizeof all);
}

void lg_bands_params_init(lg_bands_params *params, size_t size)
{
    const lg_bands_params all = {.size = sizeof all};
    give(params, size, &all, sizeof all);
}

void lg_stream_params_init(lg_stream_params *params, size_t size)
{
    const lg_stream_params all = {.size = sizeof all, .depth = 3};
    give(params, size, &all, sizeof all);
}
