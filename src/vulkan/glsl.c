// Kernels whose text is put together at run time: compiled with libshaderc, kept on disk, so that the
// next run needs no compiler.
#include "core/digest.h"
#include "core/module.h"
#include "vulkan/spirv_exact.h"
#include "vulkan/vk_private.h"

#include <stdio.h>
#include <string.h>

static const char kind[] = "texts";

enum { LARGEST_FILE = 64 << 20 }; // bytes; then it starts anew

struct lg_vk_shader {
    lg_spirv spirv; // hash: of the text. It comes first: shader_of
    char name[64];
    char *text;     // NULL: compiled and counted
    double seconds; // that the compiler took
    lg_vk_shader *next;
};

static lg_vk_shader *add(lg_vk *vk, uint64_t hash, const char *name, uint32_t *words, size_t size)
{
    lg_vk_shader *text = lg_alloc(sizeof *text);
    if (!text)
        return NULL;
    snprintf(text->name, sizeof text->name, "%s", name);
    text->spirv = (lg_spirv){text->name, words, size, hash};
    text->next = vk->shaders;
    vk->shaders = text;
    return text;
}

// ---- the file: for every text its hash, the bytes of its module, the module ----------------------

static void load(lg_vk *vk)
{
    if (vk->shaders_loaded)
        return;
    vk->shaders_loaded = true;
    void *payload;
    size_t size;
    if (!lg_vk_cache_read(vk, kind, &payload, &size))
        return;
    const char *p = payload, *end = p + size;
    uint64_t head[2];
    while ((size_t)(end - p) >= sizeof head) {
        memcpy(head, p, sizeof head);
        p += sizeof head;
        if (head[1] > (size_t)(end - p) || head[1] % 4)
            break;
        uint32_t *words = lg_alloc(head[1]);
        if (!words)
            break;
        memcpy(words, p, head[1]);
        if (!add(vk, head[0], "a kept stage", words, head[1])) {
            lg_free(words);
            break;
        }
        p += head[1];
    }
    lg_free(payload);
}

static void save(lg_vk *vk)
{
    size_t size = 0;
    for (const lg_vk_shader *t = vk->shaders; t; t = t->next)
        size += t->spirv.words ? 16 + t->spirv.size : 0;
    char *payload = size <= LARGEST_FILE ? lg_alloc(size) : NULL;
    if (!payload)
        return;
    char *p = payload;
    for (const lg_vk_shader *t = vk->shaders; t; t = t->next) {
        if (!t->spirv.words)
            continue;
        const uint64_t head[2] = {t->spirv.hash, t->spirv.size};
        memcpy(p, head, sizeof head);
        memcpy(p + sizeof head, t->spirv.words, t->spirv.size);
        p += sizeof head + t->spirv.size;
    }
    lg_vk_cache_write(vk, kind, payload, size);
    lg_free(payload);
}

// ---- compiling ----------------------------------------------------------------------------------

#ifdef LG_HAVE_SHADERC

#include "vulkan/shaderc_table.h"

static lg_status load_system(lg_shaderc *s, lg_error *error)
{
    void *library = NULL;
    const lg_status status =
        lg_module_open(LG_MODULE_OF_SYSTEM, "libshaderc.so.1", &library, error);
    if (status)
        return status;
    bool complete = true;
    void *symbol;
#define GET(f)                                                                                     \
    symbol = lg_module_symbol(library, #f);                                                        \
    memcpy(&s->f, &symbol, sizeof symbol);                                                         \
    complete = complete && symbol;
    LG_SHADERC_FUNCTIONS(GET)
#undef GET
    return complete ? LG_OK
                    : lg_fail(error, LG_ERROR_UNSUPPORTED, "libshaderc.so.1 lacks functions");
}

static lg_status load_module(lg_shaderc *s, lg_error *error)
{
    void *library = NULL;
    const lg_status status =
        lg_module_open(LG_MODULE_OF_LUMAGRAPH, "liblumagraph-shaderc.so", &library, error);
    if (status)
        return status;
    const lg_shaderc *table = lg_module_symbol(library, "lg_shaderc_module");
    if (!table)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "liblumagraph-shaderc.so is another's");
    *s = *table;
    return LG_OK;
}

static lg_status load_compiler(lg_shaderc *s, lg_error *error)
{
    lg_error system = {0}, module = {0};
    if (!load_system(s, &system) || !load_module(s, &module))
        return LG_OK;
    const lg_error *memory = system.status == LG_ERROR_MEMORY ? &system : &module;
    if (memory->status == LG_ERROR_MEMORY)
        return lg_fail(error, memory->status, "%s", memory->message);
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "no compiler of filters for Vulkan can be loaded; install "
                   "liblumagraph-shaderc.so, which the "
                   "build makes, or a libshaderc that works (%.120s; %.240s)",
                   system.message, module.message);
}

static lg_status make_exact(const lg_shaderc *s, shaderc_compilation_result_t result,
                            uint32_t **out, size_t *size, lg_error *error)
{
    const uint32_t *words = (const uint32_t *)(const void *)s->shaderc_result_get_bytes(result);
    const size_t count = s->shaderc_result_get_length(result) / sizeof *words;
    const size_t exact = lg_spirv_exact_size(words, count);
    if (!exact)
        return lg_fail(error, LG_ERROR_DEVICE, "libshaderc gave a malformed module");
    *out = lg_alloc(exact * sizeof **out);
    if (!*out)
        return lg_fail_memory(error, exact * sizeof **out, "a module");
    *size = lg_spirv_exact(words, count, *out) * sizeof **out;
    return LG_OK;
}

// The compiler keeps its tables of built-in names between texts. Making them takes longer than most
// texts, so it is kept as long as the device.
struct lg_vk_compiler {
    lg_shaderc fn;
    shaderc_compiler_t handle;
    shaderc_compile_options_t options;
};

static void release_compiler(lg_vk_compiler *c)
{
    if (!c)
        return;
    if (c->options)
        c->fn.shaderc_compile_options_release(c->options);
    if (c->handle)
        c->fn.shaderc_compiler_release(c->handle);
    lg_free(c);
}

static lg_status keep_compiler(lg_vk *vk, lg_error *error)
{
    if (vk->compiler)
        return LG_OK;
    lg_vk_compiler *c = lg_alloc(sizeof *c);
    if (!c)
        return lg_fail_memory(error, sizeof *c, "the compiler of kernels");
    lg_status status = load_compiler(&c->fn, error);
    if (!status) {
        c->handle = c->fn.shaderc_compiler_initialize();
        c->options = c->fn.shaderc_compile_options_initialize();
        if (!c->handle || !c->options)
            status = lg_fail_memory(error, sizeof *c, "the compiler of kernels");
    }
    if (status) {
        release_compiler(c);
        return status;
    }
    c->fn.shaderc_compile_options_set_target_env(c->options, shaderc_target_env_vulkan,
                                                 shaderc_env_version_vulkan_1_2);
    // Optimising merges operations before they are decorated; the driver optimises anyway.
    c->fn.shaderc_compile_options_set_optimization_level(c->options,
                                                         shaderc_optimization_level_zero);
    vk->compiler = c;
    return LG_OK;
}

// On any thread: shaderc_compile_into_spv takes a constant compiler and constant options, and then
// calls may run at the same time.
static lg_status compile(const lg_vk *vk, const char *text, size_t length, const char *name,
                         uint32_t **out, size_t *size, lg_error *error)
{
    lg_status status = LG_OK;
    const lg_shaderc *s = &vk->compiler->fn;
    shaderc_compilation_result_t result =
        s->shaderc_compile_into_spv(vk->compiler->handle, text, length, shaderc_compute_shader,
                                    name, "main", vk->compiler->options);
    if (!result)
        return lg_fail_memory(error, length, "the compiler of kernels");
    if (s->shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success)
        status = lg_fail(error, LG_ERROR_DEVICE, "%s does not compile: %.300s", name,
                         s->shaderc_result_get_error_message(result));
    else
        status = make_exact(s, result, out, size, error);
    s->shaderc_result_release(result);
    return status;
}

static lg_status find_compiler(lg_error *error)
{
    lg_shaderc s = {0};
    return load_compiler(&s, error);
}

#else

static void release_compiler(lg_vk_compiler *c)
{
}

static lg_status find_compiler(lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "this build has no compiler of kernels: build it with libshaderc's headers");
}

static lg_status keep_compiler(lg_vk *vk, lg_error *error)
{
    return find_compiler(error);
}

static lg_status compile(const lg_vk *vk, const char *text, size_t length, const char *name,
                         uint32_t **out, size_t *size, lg_error *error)
{
    return find_compiler(error);
}

#endif

static lg_status check_disabled(lg_error *error)
{
    return lg_vk_disabled("compiler")
               ? lg_fail(error, LG_ERROR_UNSUPPORTED,
                         "the compiler of filters is turned off (LUMAGRAPH_VK_DISABLE=compiler)")
               : LG_OK;
}

lg_status lg_vk_find_compiler(lg_error *error)
{
    const lg_status status = check_disabled(error);
    return status ? status : find_compiler(error);
}

static lg_vk_shader *shader_of(const lg_spirv *spirv)
{
    return spirv->words ? NULL : (lg_vk_shader *)(void *)spirv;
}

lg_status lg_vk_shader_prepare(lg_vk *vk, const lg_spirv *spirv, lg_error *error)
{
    return shader_of(spirv) ? keep_compiler(vk, error) : LG_OK;
}

lg_status lg_vk_shader_make(lg_vk *vk, const lg_spirv *spirv, lg_error *error)
{
    lg_vk_shader *s = shader_of(spirv);
    if (!s)
        return LG_OK;
    const double start = lg_time_seconds();
    uint32_t *words = NULL;
    size_t size = 0;
    const lg_status status = compile(vk, s->text, strlen(s->text), s->name, &words, &size, error);
    if (status)
        return status;
    s->spirv.words = words;
    s->spirv.size = size;
    s->seconds = lg_time_seconds() - start;
    return LG_OK;
}

void lg_vk_shaders_settle(lg_vk *vk)
{
    const uint32_t before = vk->shaders_compiled;
    for (lg_vk_shader *s = vk->shaders; s; s = s->next)
        if (s->text && s->spirv.words) {
            lg_free(s->text);
            s->text = NULL;
            vk->shaders_compiled++;
            lg_log(&vk->log, LG_LOG_DEBUG, "%s compiled in %.1f ms", s->name, s->seconds * 1e3);
        }
    if (vk->shaders_compiled > before)
        save(vk);
}

static lg_status note(lg_vk *vk, const char *text, uint64_t hash, const char *name,
                      lg_vk_shader **out, lg_error *error)
{
    char *copy = lg_strdup(text);
    lg_vk_shader *s = copy ? add(vk, hash, name, NULL, 0) : NULL;
    if (!s) {
        lg_free(copy);
        return lg_fail_memory(error, strlen(text), "a kernel");
    }
    s->text = copy;
    *out = s;
    return LG_OK;
}

lg_status lg_vk_compile(lg_vk *vk, const char *text, const char *name, const lg_spirv **out,
                        lg_error *error)
{
    uint8_t digest[LG_DIGEST_SIZE];
    uint64_t hash;
    lg_digest(text, strlen(text), digest);
    memcpy(&hash, digest, sizeof hash);
    load(vk);
    lg_vk_shader *s = vk->shaders;
    while (s && s->spirv.hash != hash)
        s = s->next;
    lg_status status = s && s->spirv.words ? LG_OK : check_disabled(error);
    if (!status && !s)
        status = note(vk, text, hash, name, &s, error);
    if (!status && !vk->collecting)
        status = lg_vk_shader_prepare(vk, &s->spirv, error);
    if (!status && !vk->collecting)
        status = lg_vk_shader_make(vk, &s->spirv, error);
    lg_vk_shaders_settle(vk);
    if (!status)
        *out = &s->spirv;
    return status;
}

uint32_t lg_vk_shaders_compiled(const lg_vk *vk)
{
    return vk->shaders_compiled;
}

void lg_vk_shaders_destroy(lg_vk *vk)
{
    while (vk->shaders) {
        lg_vk_shader *text = vk->shaders;
        vk->shaders = text->next;
        lg_free((void *)text->spirv.words);
        lg_free(text->text);
        lg_free(text);
    }
    release_compiler(vk->compiler);
    vk->compiler = NULL;
}
