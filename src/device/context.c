#include "core/core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/cpu.h"
#include "device/spill.h"
#include "device/workspace.h"
#include "vulkan/vk.h"

// The level to compute with: what was asked, lowered by LUMAGRAPH_CPU.
static lg_status choose_level(lg_cpu_level asked, lg_cpu_level *out, lg_error *error)
{
    lg_cpu_level level = asked == LG_CPU_BEST ? lg_cpu_level_best() : asked;
    const char *name = getenv("LUMAGRAPH_CPU");
    if (name && *name) {
        int forced = 0;
        while (forced < LG_CPU_LEVELS && strcmp(name, lg_cpu_level_name((lg_cpu_level)forced)) != 0)
            forced++;
        if (forced == LG_CPU_LEVELS)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "LUMAGRAPH_CPU=%s is not a level: base, v2, v3, v4 or neon", name);
        if (asked == LG_CPU_BEST || forced < (int)level)
            level = (lg_cpu_level)forced;
    }
    if ((unsigned)level >= LG_CPU_LEVELS || lg_cpu_built(level) != level || !lg_cpu_runs(level))
        return lg_fail(error, LG_ERROR_DEVICE,
                       "this processor or build has no level %s; the best one here is %s",
                       lg_cpu_level_name(level), lg_cpu_level_name(lg_cpu_level_best()));
    *out = level;
    return LG_OK;
}

static void trim(char *text)
{
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = '\0';
}

static void cpu_name(char *out, size_t size)
{
    snprintf(out, size, "CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && colon[1] == ' ' && strncmp(line, "model name", 10) == 0) {
            snprintf(out, size, "%.200s", colon + 2);
            trim(out);
            break;
        }
    }
    fclose(file);
}

// Only where somebody asks: the compiler is a large library. `why`: what is
// wrong with it, or nothing.
static void name_compiler(lg_device_info *info, const lg_error *why)
{
    info->compiler = info->kind == LG_DEVICE_CPU || why->status == LG_OK;
    snprintf(info->no_compiler, sizeof info->no_compiler, "%.255s",
             info->compiler ? "" : why->message);
}

static void cpu_info(lg_device_info *out, lg_cpu_level level, int threads)
{
    *out = (lg_device_info){
        .kind = LG_DEVICE_CPU, .index = -1, .usable = true, .hardware = true, .threads = threads};
    cpu_name(out->name, sizeof out->name);
    snprintf(out->driver, sizeof out->driver, "SIMD %s, %d threads", lg_cpu_level_name(level),
             threads);
#if defined(__x86_64__)
    snprintf(out->api, sizeof out->api, "x86-64");
#elif defined(__aarch64__)
    snprintf(out->api, sizeof out->api, "AArch64");
#else
    snprintf(out->api, sizeof out->api, "other");
#endif
}

// Makes `path` and its parents, private to the user.
static bool make_folder(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static char *cache_folder(const lg_context_params *params)
{
    if (!params->use_cache)
        return NULL;
    char path[4096];
    const char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
    int length;
    if (params->cache_dir)
        length = snprintf(path, sizeof path, "%s", params->cache_dir);
    else if (xdg && xdg[0] == '/')
        length = snprintf(path, sizeof path, "%s/lumagraph", xdg);
    else if (home && home[0] == '/')
        length = snprintf(path, sizeof path, "%s/.cache/lumagraph", home);
    else
        return NULL;
    if (length <= 0 || (size_t)length >= sizeof path || !make_folder(path))
        return NULL;
    return lg_strdup(path);
}

// Attaches a Vulkan device. With LG_DEVICE_AUTO a failure is a log line, not an error, and software
// Vulkan is passed over: the CPU kernels are faster than a CPU that plays a GPU.
static lg_status attach_vulkan(lg_context *context, const struct lg_vulkan_device *lent,
                               lg_error *error)
{
    const bool automatic = context->params.device == LG_DEVICE_AUTO;
    if (context->params.device == LG_DEVICE_CPU)
        return LG_OK;
    lg_error why = {0};
    lg_vk *vk = NULL;
    const lg_status status =
        lent ? lg_vk_adopt(&context->params, lent, &context->log, context->cache_dir, &vk, &why)
             : lg_vk_create(&context->params, &context->log, context->cache_dir, &vk, &why);
    if (status && automatic) {
        lg_log(&context->log, LG_LOG_WARN, "computing on the CPU: %s", why.message);
        return LG_OK;
    }
    if (status) {
        if (error)
            *error = why;
        return status;
    }
    if (automatic && !lg_vk_get_limits(vk)->hardware) {
        lg_log(&context->log, LG_LOG_WARN,
               "computing on the CPU: the only Vulkan device is software");
        lg_vk_destroy(&vk);
        return LG_OK;
    }
    context->vk = context->attached = vk;
    lg_vk_use_pool(vk, context->pool);
    lg_vk_info(vk, &context->info);
    return LG_OK;
}

lg_status lg_context_check(const lg_context *context, lg_error *error)
{
    if (!context)
        return lg_fail_null(error, "a context");
    if (context->process != getpid())
        return lg_fail(error, LG_ERROR_DEVICE,
                       "this context was made by process %d, which process %d was forked from; "
                       "create a context after fork()",
                       context->process, (int)getpid());
    return LG_OK;
}

static lg_status check_params(const lg_context_params *params, lg_error *error)
{
    if ((unsigned)params->device > LG_DEVICE_VULKAN)
        return lg_fail(error, LG_ERROR_ARGUMENT, "device %d is none of auto, cpu, vulkan",
                       (int)params->device);
    if (params->threads != -1 && (params->threads < 1 || params->threads > LG_MAX_THREADS))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%d threads were asked for; allowed are 1 to %d, and -1 for one per "
                       "processor",
                       params->threads, LG_MAX_THREADS);
    if (params->cpu_level < LG_CPU_BEST || params->cpu_level >= LG_CPU_LEVELS)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "CPU level %d is none of best, base, v2, v3, v4, "
                       "neon",
                       (int)params->cpu_level);
    if (params->device_index < -1)
        return lg_fail(error, LG_ERROR_ARGUMENT, "device_index is -1 or at least 0, not %d",
                       params->device_index);
    return LG_OK;
}

lg_status lg_context_make(const lg_context_params *params, const struct lg_vulkan_device *lent,
                          lg_context **out, lg_error *error)
{
    lg_context_params taken = lg_context_params_default();
    const lg_context_params *wish = &taken;
    if (!out)
        return lg_fail_null(error, "a place for the context");
    lg_cpu_level level = LG_CPU_BASE;
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_context_params, strict), &taken, error);
    if (!status)
        status = check_params(wish, error);
    if (!status)
        status = choose_level(wish->cpu_level, &level, error);
    if (status)
        return status;
    lg_context *context = lg_alloc(sizeof *context);
    if (!context)
        return lg_fail_memory(error, sizeof *context, "a context");
    context->process = (int)getpid();
    context->params = *wish;
    context->params.cache_dir = NULL; // the caller's text need not outlive the call
    if (lent)
        context->params.device = LG_DEVICE_VULKAN;
    context->log = (lg_logger){wish->log, wish->log_priv};
    context->cpu_level = level;
    context->cache_dir = cache_folder(wish);
    context->pool = lg_pool_create(
        wish->threads > 0 ? wish->threads : LG_MIN(lg_processor_count(), LG_MAX_THREADS));
    if (!context->pool) {
        lg_context_destroy(&context);
        return lg_fail_memory(error, sizeof(void *), "the thread pool");
    }
    cpu_info(&context->processor, level, lg_pool_threads(context->pool));
    context->info = context->processor;
    status = attach_vulkan(context, lent, error);
    if (status) {
        lg_context_destroy(&context);
        return status;
    }
    lg_pool_watch(context->pool, wish->progress, wish->progress_priv, LG_PROGRESS_SECONDS);
    snprintf(context->report.device, sizeof context->report.device, "%s", context->info.name);
    snprintf(context->report.driver, sizeof context->report.driver, "%s", context->info.driver);
    context->report.upload = context->report.compute = context->report.download = -1;
    *out = context;
    return LG_OK;
}

lg_status lg_context_create(const lg_context_params *params, lg_context **out, lg_error *error)
{
    return lg_context_make(params, NULL, out, error);
}

void lg_context_destroy(lg_context **context)
{
    if (!context || !*context)
        return;
    lg_workspace_destroy(*context);
    lg_vk_destroy(&(*context)->attached);
    lg_pool_destroy((*context)->pool);
    lg_free((*context)->cache_dir);
    lg_free((*context)->cpu_pairs);
    lg_spill_destroy(*context);
    lg_free(*context);
    *context = NULL;
}

lg_status lg_devices_list(lg_device_info *out, size_t capacity, size_t *count, char *why_no_vulkan,
                          lg_error *error)
{
    if (!count || (capacity && !out))
        return lg_fail_null(error, "a place for the count, and one for the devices");
    char why[256] = "";
    size_t found = 0;
    const size_t room = capacity > 1 ? capacity - 1 : 0;
    lg_error cause, no_compiler = {LG_OK, ""};
    if (lg_vk_find_compiler(&no_compiler) == LG_ERROR_MEMORY)
        return lg_fail(error, LG_ERROR_MEMORY, "%s", no_compiler.message);
    const lg_status status = lg_vk_list(room ? out + 1 : NULL, room, &found, why, &cause);
    if (status == LG_ERROR_MEMORY)
        return lg_fail(error, status, "%s", cause.message);
    if (status) {
        found = 0;
        if (!why[0])
            snprintf(why, sizeof why, "%.250s", cause.message);
    }
    if (capacity > 0)
        cpu_info(out, lg_cpu_level_best(), lg_processor_count());
    if (why_no_vulkan)
        memcpy(why_no_vulkan, why, sizeof why);
    *count = 1 + found;
    for (size_t i = 0; i < LG_MIN(*count, capacity); i++)
        name_compiler(&out[i], &no_compiler);
    return LG_OK;
}

void lg_context_device(const lg_context *context, lg_device_info *out)
{
    if (!context || !out)
        return;
    lg_error no_compiler = {LG_OK, ""};
    if (context->info.kind != LG_DEVICE_CPU)
        lg_vk_find_compiler(&no_compiler);
    *out = context->info;
    name_compiler(out, &no_compiler);
}

void lg_context_report(const lg_context *context, lg_engine_report *out)
{
    if (context && out)
        *out = context->report;
}
