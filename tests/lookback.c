// Scans with look-back: when a tile has given up, the work is done again in several passes, once, and what
// follows on the context is in passes from the start. A flag that is set by hand stands for such a tile.
#include "check.h"
#include "device.h"

#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "device/lookback.h"
#include "device/workspace.h"
#include "scenarios.h"
#include "vulkan/vk.h"

static uint64_t run(lg_context *context, const scenario *s)
{
    outcome o = {0, false};
    lg_error error = {LG_OK, ""};
    CHECK(!s->call(context, &o, &error), "%s: %s", s->name, error.message);
    return o.hash;
}

static void begin_anew(lg_context *context, bool give_up)
{
    context->workspace->multi_pass = false;
    context->workspace->giving_up = give_up;
}

static void test_scenario(lg_context *context, const scenario *s)
{
    begin_anew(context, false);
    const uint64_t expected = run(context, s);
    if (context->report.fallback[0]) {
        check_skip(context->report.fallback);
        return;
    }
    CHECK(!lg_lookback_is_multi_pass(context), "%s: a tile gave up by itself", s->name);
    const uint64_t before = lg_vk_recordings(context->vk);
    CHECK(run(context, s) == expected, "%s: another result", s->name);
    const uint64_t usual = lg_vk_recordings(context->vk) - before;
    begin_anew(context, true);
    CHECK(run(context, s) == expected, "%s: another result after a tile gave up", s->name);
    const uint64_t again = lg_vk_recordings(context->vk) - before - usual;
    CHECK(lg_lookback_is_multi_pass(context) && again > usual,
          "%s: %d recordings, %d where a tile gave up", s->name, (int)usual, (int)again);
    CHECK(run(context, s) == expected, "%s: another result in passes", s->name);
}

int main(void)
{
    lg_context *context = device_open(NULL, NULL);
    lg_error error = {LG_OK, ""};
    uint64_t flag = 0, same = 0;
    if (!context)
        return check_finish("lookback");
    scenario_make_images();
    CHECK(!lg_lookback_flag(context, &flag, &error) && flag, "%s", error.message);
    CHECK(!lg_lookback_gave_up(context), "it begins with the flag set");
    for (size_t i = 0; i < SCENARIOS; i++)
        if (strcmp(scenarios[i].name, "area sums") == 0 || strcmp(scenarios[i].name, "blurs") == 0)
            test_scenario(context, &scenarios[i]);
    CHECK(!lg_lookback_flag(context, &same, &error) && same == flag, "the flag has moved");
    device_close(&context);
    return check_finish("lookback");
}

#else

int main(void)
{
    check_skip("this build has no Vulkan backend");
    return check_finish("lookback");
}

#endif
