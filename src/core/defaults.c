// The defaults of all structures of parameters of the public interface.
#include "core/core.h"

static const size_t memory_limit = (size_t)16 << 30;

lg_context_params lg_context_params_default(void)
{
    return (lg_context_params){
        .device = LG_DEVICE_AUTO,
        .device_index = -1,
        .threads = -1,
        .cpu_level = LG_CPU_BEST,
        .use_cache = true,
    };
}

lg_select lg_select_default(void)
{
    return (lg_select){.nan = LG_NAN_IGNORE, .step = 1};
}

lg_moments_params lg_moments_params_default(void)
{
    return (lg_moments_params){.select = lg_select_default()};
}

lg_histogram_params lg_histogram_params_default(void)
{
    return (lg_histogram_params){
        .select = lg_select_default(),
        .bins = -1,
        .type_range = true,
        .space = LG_SPACE_STORED,
        .luma = LG_LUMA_BT709,
        .variant = LG_HISTOGRAM_AUTO,
    };
}

lg_threshold_params lg_threshold_params_default(void)
{
    return (lg_threshold_params){
        .select = lg_select_default(),
        .method = LG_THRESHOLD_OTSU,
        .classes = 3,
        .bins = -1,
        .luma = LG_LUMA_BT709,
    };
}

lg_areasum_params lg_areasum_params_default(void)
{
    return (lg_areasum_params){
        .kind = LG_AREASUM_TABLE,
        .precision = LG_AREA_EXACT,
        .high = 1,
        .nan = LG_NAN_IGNORE,
        .memory_limit = memory_limit,
    };
}

lg_label_params lg_label_params_default(void)
{
    return (lg_label_params){
        .foreground = LG_FOREGROUND_NONZERO,
        .connectivity = -1,
        .figures = true,
        .memory_limit = memory_limit,
    };
}

lg_overlay_params lg_overlay_params_default(void)
{
    return (lg_overlay_params){.color = {255, 220, 0}};
}
