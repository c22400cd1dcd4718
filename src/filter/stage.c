#include "filter/stage.h"

LG_CPU_DECLARE(lg_stage_table, stage);

const lg_stage_table *lg_stage_get(lg_cpu_level level)
{
    return LG_CPU_SELECT(stage, level);
}
