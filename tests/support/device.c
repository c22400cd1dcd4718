#include "device.h"

#include "adopted.h"
#include "check.h"
#include "cpu/cpu.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned errors_logged, choices_logged;

// Why a device may leave work to the CPU. Anything else, such as a kernel that does not compile or
// memory that it does not get, would make a comparison one of the CPU with itself.
static const char *const lacks[] = {"the compiler of filters is turned off",
                                    "there is no kernel for",
                                    "devices do not fill holes",
                                    "a range of subnormal numbers on this device",
                                    "luma next to zero on a device",
                                    "a ripmap has samples of f64",
                                    "because of the number of axes",
                                    "the water winds too far for the device",
                                    "a device in software ends the loops too early",
                                    "have waited for each other in vain",
                                    "VK_LAYER_KHRONOS_validation"};

static bool is_known(const char *message)
{
    for (size_t i = 0; i < LG_COUNT(lacks); i++)
        if (strstr(message, lacks[i]))
            return true;
    return false;
}

static void listen(void *priv, lg_log_level level, const char *message)
{
    if (level == LG_LOG_ERROR || (level == LG_LOG_WARN && !is_known(message))) {
        errors_logged++;
        printf("logged: %s\n", message);
    } else if (level == LG_LOG_WARN) {
        check_skip(message);
    } else if (strstr(message, "chosen by measurement")) {
        choices_logged++;
    }
}

unsigned device_choices(void)
{
    return choices_logged;
}

lg_context *device_open_level(lg_cpu_level level, int threads)
{
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    if (level != LG_CPU_BEST && lg_cpu_built(level) != level)
        return NULL;
    if (level != LG_CPU_BEST && !lg_cpu_runs(level)) {
        check_skip("a CPU level that this processor does not run");
        return NULL;
    }
    NEED(lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU,
                                    it.use_cache = false, it.threads = threads,
                                    it.cpu_level = level),
                           &context, &error) == LG_OK,
         "%s", error.message);
    return context;
}

lg_context *device_open_strict(void)
{
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    if (test_wants_vulkan() &&
        lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN,
                                   it.strict = true, it.use_cache = false, it.threads = 1),
                          &context, &error))
        check_skip(error.message);
    return context;
}

lg_context *device_open_threads(int threads)
{
    return device_open_level(LG_CPU_BEST, threads);
}

lg_context *device_open_cpu(void)
{
    return device_open_threads(lg_context_params_default().threads);
}

lg_context *device_open(const char *cache_dir, const char *without)
{
    if (!test_wants_vulkan()) {
        check_skip("Vulkan is turned off");
        return NULL;
    }
    const char *kept = getenv("LUMAGRAPH_VK_DISABLE");
    char *copy = kept ? strdup(kept) : NULL;
    char list[256];
    snprintf(list, sizeof list, "%s,%s", kept ? kept : "", without ? without : "");
    setenv("LUMAGRAPH_VK_DISABLE", list, 1);
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    const lg_context_params params =
        WITH(lg_context_params, it.device = LG_DEVICE_VULKAN, it.log = listen,
             it.cache_dir = cache_dir, it.use_cache = cache_dir != NULL);
    const struct lg_vulkan_device *lent = adopted_is_wished() ? adopted_device() : NULL;
    if (lg_context_make(&params, lent, &context, &error) != LG_OK)
        check_skip(error.message);
    if (copy)
        setenv("LUMAGRAPH_VK_DISABLE", copy, 1);
    else
        unsetenv("LUMAGRAPH_VK_DISABLE");
    free(copy);
    return context;
}

bool device_is_slow(const lg_context *context)
{
    return context->vk && !test_is_full() && !lg_vk_get_limits(context->vk)->hardware;
}

lg_status device_vk(const lg_context_params *params, const char *cache_dir, lg_vk **out,
                    lg_error *error)
{
    const struct lg_vulkan_device *lent = adopted_is_wished() ? adopted_device() : NULL;
    return lent ? lg_vk_adopt(params, lent, NULL, cache_dir, out, error)
                : lg_vk_create(params, NULL, cache_dir, out, error);
}

void device_close(lg_context **context)
{
    if (!*context)
        return;
    const struct lg_vk *vk = (*context)->vk;
    CHECK(!lg_vk_lost(vk), "the device was lost");
    CHECK(lg_vk_validation_messages(vk) == 0, "%u messages of the validation layers",
          lg_vk_validation_messages(vk));
    lg_context_destroy(context);
    CHECK(errors_logged == 0, "%u errors or unknown warnings were logged", errors_logged);
    errors_logged = 0;
}

int device_open_both(lg_context *contexts[2], const char *what)
{
    char text[80];
    contexts[0] = device_open_cpu();
    contexts[1] = test_wants_vulkan() ? device_open(NULL, NULL) : NULL;
    snprintf(text, sizeof text, "%s on Vulkan", what);
    if (!contexts[1])
        check_skip(text);
    return contexts[1] ? 2 : 1;
}

void device_close_both(lg_context *contexts[2])
{
    device_close(&contexts[1]);
    lg_context_destroy(&contexts[0]);
}

int device_main(const char *name, lg_context **context, void (*run)(void))
{
    *context = device_open(NULL, NULL);
    if (*context)
        run();
    device_close(context);
    return check_finish(name);
}
