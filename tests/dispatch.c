// Where work is done. Every public call that computes runs while every Vulkan call fails once, on a
// device that is lost at its first submission and without a compiler of filters: the figures and
// pixels are those of the CPU, the report names what computed them and why; with `strict`, and
// where a lost device had the only copy, the call fails and its outputs are as they were.
#include "check.h"
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LG_HAVE_VULKAN

#include "scenarios.h"
#include "vulkan/vk_private.h"

static char cache_dir[] = "/tmp/lumagraph-dispatch-XXXXXX";

// ---- contexts -----------------------------------------------------------------------------------

static int warnings;

static void listen(void *priv, lg_log_level level, const char *message)
{
    warnings += level == LG_LOG_WARN;
}

// A context whose Vulkan calls the probe counts and lets fail; NULL: there is no device.
static lg_context *open_probed(lg_vk_probe *probe, bool strict, const char *cache)
{
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.use_cache = false;
    params.log = listen;
    params.strict = strict;
    if (lg_context_create(&params, &context, &error)) {
        CHECK(false, "%s", error.message);
        return NULL;
    }
    lg_vk *vk = NULL;
    lg_context_params on_device = lg_context_params_default();
    on_device.device = LG_DEVICE_VULKAN;
    if (lg_vk_create_probed(&on_device, &context->log, cache, probe, &vk, &error)) {
        check_skip(error.message);
        lg_context_destroy(&context);
        return NULL;
    }
    context->vk = context->attached = vk;
    lg_vk_use_pool(vk, context->pool);
    lg_vk_info(vk, &context->info);
    return context;
}

static uint64_t expected[SCENARIOS];

static void find_expected(void)
{
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.use_cache = false;
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    CHECK(!lg_context_create(&params, &context, &error), "%s", error.message);
    for (size_t i = 0; i < SCENARIOS; i++) {
        outcome o = {0, false};
        CHECK(!scenarios[i].call(context, &o, &error), "%s: %s", scenarios[i].name, error.message);
        expected[i] = o.hash;
    }
    lg_context_destroy(&context);
}

// The report names the processor and why, or the device and no reason.
static void check_report(const lg_context *context, const scenario *s)
{
    const char *name = s->name;
    lg_engine_report r;
    lg_context_report(context, &r);
    const lg_device_info *is = r.fallback[0] ? &context->processor : &context->info;
    CHECK(strcmp(r.device, is->name) == 0 && strcmp(r.driver, is->driver) == 0,
          "%s: computed by %s, %s because of '%s'", name, r.device, r.driver, r.fallback);
    CHECK(r.variant[0] && r.compute >= 0, "%s: variant '%s', %g s", name, r.variant, r.compute);
    CHECK(!r.fallback[0] || s->flags & BANDS || (r.upload < 0 && r.download < 0),
          "%s: seconds of the device", name);
}

static void check_right(lg_context *context, size_t i, const char *when)
{
    outcome o = {0, false};
    lg_error error = {LG_OK, ""};
    const bool lost = context->vk && lg_vk_lost(context->vk);
    const lg_status status = scenarios[i].call(context, &o, &error);
    // What was there already goes with a device that is lost meanwhile.
    if (status == LG_ERROR_DEVICE && scenarios[i].flags & KEEPS && !lost && lg_vk_lost(context->vk))
        return;
    CHECK(!status && o.hash == expected[i], "%s, %s: status %d, %s", scenarios[i].name, when,
          (int)status, status ? error.message : "another result");
    if (!status)
        check_report(context, &scenarios[i]);
}

// ---- the tests ----------------------------------------------------------------------------------

// One call of Vulkan fails. True: it was reached.
static bool fail_once(lg_context *context, lg_vk_probe *probe, size_t i, int64_t at,
                      VkResult result)
{
    const scenario *s = &scenarios[i];
    outcome o = {0, false};
    lg_error error = {LG_OK, ""};
    probe->failed = NULL;
    probe->result = result;
    probe->fail_at = probe->calls + at;
    const lg_status status = s->call(context, &o, &error);
    probe->fail_at = 0;
    if (!probe->failed)
        return false;
    const bool strict = context->params.strict;
    const bool may_fail =
        strict ? status == LG_ERROR_DEVICE
               : s->flags & KEEPS && (status == LG_ERROR_DEVICE || status == LG_ERROR_MEMORY);
    CHECK(status ? may_fail : o.hash == expected[i], "%s%s, call %d (%s): status %d, %s", s->name,
          strict ? ", strict" : "", (int)at, probe->failed, (int)status,
          status ? error.message : "another result");
    CHECK(!o.touched, "%s, call %d (%s): an output was changed", s->name, (int)at, probe->failed);
    CHECK(!status || error.message[0], "%s: no message", s->name);
    if (!status)
        check_report(context, s);
    if (!status && context->report.fallback[0] && lg_vk_lost(context->vk))
        CHECK(strstr(context->report.fallback, "lost"), "%s, call %d (%s): the reason is '%s'",
              s->name, (int)at, probe->failed, context->report.fallback);
    return true;
}

// Every call, or every few, on a context of its own: it may be lost.
static void test_loss(size_t i, bool strict)
{
    // What was added of some bands stays there when the next ones fail.
    const bool bands = scenarios[i].flags & BANDS;
    const int step = bands ? test_extent(23, 11, 3) : test_extent(193, 61, 7);
    for (int64_t at = 1 + (int64_t)i % step;; at += step) {
        lg_vk_probe probe = {0};
        lg_context *context = open_probed(&probe, strict, cache_dir);
        if (!context)
            return;
        const bool reached = fail_once(context, &probe, i, at, VK_ERROR_DEVICE_LOST);
        if (reached && !strict && lg_vk_lost(context->vk))
            check_right(context, i, "after a loss");
        lg_context_destroy(&context);
        CHECK(probe.created == probe.destroyed, "%s: %d objects, %d destroyed", scenarios[i].name,
              (int)probe.created, (int)probe.destroyed);
        if (!reached)
            return;
    }
}

// Without room on the device; afterwards it has room again.
static void test_memory(size_t i, bool strict)
{
    const int step = test_extent(107, 31, 5);
    lg_vk_probe probe = {0};
    lg_context *context = open_probed(&probe, strict, cache_dir);
    if (!context)
        return;
    for (int64_t at = 1 + (int64_t)i % step;
         fail_once(context, &probe, i, at, VK_ERROR_OUT_OF_DEVICE_MEMORY); at += step)
        ;
    if (!(strict && scenarios[i].flags & DECLINED))
        check_right(context, i, "with room again");
    lg_context_destroy(&context);
}

static void test_faults(void)
{
    for (size_t i = 0; i < SCENARIOS; i++)
        for (int strict = 0; strict < 2; strict++) {
            test_loss(i, strict != 0);
            test_memory(i, strict != 0);
        }
}

// A device that never finishes anything.
static void test_timeout(void)
{
    for (size_t i = 0; i < SCENARIOS; i++) {
        lg_vk_probe probe = {0};
        lg_context *context = open_probed(&probe, false, cache_dir);
        if (!context)
            return;
        context->vk->timeout = 0;
        for (int again = 0; again < 2; again++)
            check_right(context, i, "on a device that never finishes");
        CHECK(!lg_vk_lost(context->vk) || context->report.fallback[0], "%s", scenarios[i].name);
        lg_context_destroy(&context);
    }
}

// Runs the scenario without remembered choices, so that the variants of a histogram are timed first, and
// lets call `at` fail. The calls that it made; 0: there is no device.
static int64_t lose_while_timing(size_t i, int64_t at)
{
    lg_vk_probe probe = {0};
    lg_context *context = open_probed(&probe, false, NULL);
    if (!context)
        return 0;
    const int64_t before = probe.calls;
    (void)fail_once(context, &probe, i, at, VK_ERROR_DEVICE_LOST);
    const int64_t calls = probe.calls - before;
    lg_context_destroy(&context);
    return calls;
}

// How many calls there are depends on how fast the device is: places are spread over all of them.
static void test_loss_while_timing(void)
{
    size_t i = 0;
    while (i < SCENARIOS && strcmp(scenarios[i].name, "histograms") != 0)
        i++;
    CHECK(i < SCENARIOS, "no scenario counts");
    if (i == SCENARIOS)
        return;
    const int64_t calls = lose_while_timing(i, INT64_MAX / 2);
    const int places = test_extent(6, 12, 60);
    for (int k = 0; k < places && calls; k++)
        (void)lose_while_timing(i, 1 + (calls - 1) * k / places);
}

static void test_no_compiler(void)
{
    setenv("LUMAGRAPH_VK_DISABLE", "compiler", 1);
    for (size_t i = 0; i < SCENARIOS; i++)
        for (int strict = 0; strict < 2; strict++) {
            lg_vk_probe probe = {0};
            lg_context *context = open_probed(&probe, strict != 0, NULL);
            if (!context)
                continue;
            outcome o = {0, false};
            lg_error error = {LG_OK, ""};
            warnings = 0;
            const lg_status status = scenarios[i].call(context, &o, &error);
            const bool refused = strict && scenarios[i].flags & (FILTERS | DECLINED);
            CHECK(status == (refused ? LG_ERROR_DEVICE : LG_OK), "%s: status %d, %s",
                  scenarios[i].name, (int)status, error.message);
            CHECK(status || o.hash == expected[i], "%s: another result", scenarios[i].name);
            CHECK(!o.touched, "%s: an output was changed", scenarios[i].name);
            if (!status)
                check_report(context, &scenarios[i]);
            if (!strict && scenarios[i].flags & FILTERS && !(scenarios[i].flags & MIXED))
                CHECK(warnings == 1 && strstr(context->report.fallback, "compiler"),
                      "%s: %d lines, %s", scenarios[i].name, warnings, context->report.fallback);
            lg_context_destroy(&context);
        }
    unsetenv("LUMAGRAPH_VK_DISABLE");
}

// Figures of the previous run that went with the device are not made up.
static void test_previous(void)
{
    lg_vk_probe probe = {0};
    lg_context *context = open_probed(&probe, false, cache_dir);
    if (!context)
        return;
    lg_image *in = scenario_wrap(context, GREY), *out = NULL;
    lg_plan *plan = NULL;
    lg_error error = {LG_OK, ""};
    CHECK(!scenario_make_plan(context, "threshold:level=@prev.mean", &in->shape, &plan, &error) &&
              !lg_image_create(context, &in->shape, &out, &error) &&
              !lg_plan_run(plan, &in, &out, &error),
          "%s", error.message);
    lg_vk_lose(context->vk, "a test");
    memset(out->data, SCENARIO_UNTOUCHED, out->shape.layer_stride);
    CHECK(lg_plan_run(plan, &in, &out, &error) == LG_ERROR_DEVICE, "made up");
    CHECK(strstr(error.message, "begins anew") &&
              scenario_is_untouched(out->data, out->shape.layer_stride),
          "%s", error.message);
    CHECK(!lg_plan_run(plan, &in, &out, &error), "%s", error.message);
    check_report(context, &(scenario){.name = "previous figures"});
    lg_plan_destroy(&plan);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    lg_context_destroy(&context);
}

int main(void)
{
    if (!test_wants_vulkan()) {
        check_skip("Vulkan is turned off");
        return check_finish("dispatch");
    }
    scenario_make_images();
    CHECK(mkdtemp(cache_dir) != NULL, "%s", cache_dir);
    // One device stays throughout: the loader unloads a driver that nobody uses.
    lg_vk_probe probe = {0};
    lg_context *keeper = open_probed(&probe, false, cache_dir);
    if (keeper) {
        find_expected();
        for (size_t i = 0; i < SCENARIOS; i++)
            check_right(keeper, i, "on the device");
        test_no_compiler();
        test_timeout();
        test_loss_while_timing();
        test_previous();
        test_faults();
    }
    lg_context_destroy(&keeper);
    CHECK(remove_tree(cache_dir), "%s stays", cache_dir);
    return check_finish("dispatch");
}

#else

int main(void)
{
    check_skip("built without Vulkan");
    return check_finish("dispatch");
}

#endif
