// What the Vulkan backend keeps on disk: found again when it is whole, ignored when it is not.
#include "check.h"
#include "device.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

extern const lg_spirv lg_spirv_ceiling_copy, lg_spirv_ceiling_read;

static lg_error error;
static char folder[] = "/tmp/lumagraph-cache-XXXXXX";

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static lg_vk *open_vk(const char *cache_dir)
{
    lg_vk *vk = NULL;
    device_vk(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), cache_dir, &vk, &error);
    return vk;
}

// Makes two pipelines and closes; the number that had to be compiled, -1 on failure.
static int compile(const char *cache_dir)
{
    lg_vk *vk = open_vk(cache_dir);
    if (!vk)
        return -1;
    const lg_vk_pipeline *pipeline;
    const uint32_t lanes = 64;
    int compiled = -1;
    if (!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_copy, &lanes, 1, 0, &pipeline, &error) &&
        !lg_vk_pipeline_get(vk, &lg_spirv_ceiling_read, &lanes, 1, 0, &pipeline, &error))
        compiled = (int)lg_vk_pipelines_compiled(vk);
    lg_vk_destroy(&vk);
    return compiled;
}

static void path_of(const char *kind, char out[512])
{
    out[0] = '\0';
    DIR *all = opendir(folder);
    for (struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all))
        if (strncmp(entry->d_name, kind, strlen(kind)) == 0)
            snprintf(out, 512, "%s/%s", folder, entry->d_name);
    if (all)
        closedir(all);
}

static bytes load(const char *path)
{
    bytes b = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return b;
    fseek(file, 0, SEEK_END);
    b.size = (size_t)ftell(file);
    rewind(file);
    b.data = malloc(b.size + 1);
    if (fread(b.data, 1, b.size, file) != b.size)
        b.size = 0;
    fclose(file);
    return b;
}

static void store(const char *path, const void *data, size_t size)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, 1, size, file) == size, "%s", path);
    if (file)
        fclose(file);
    chmod(path, 0600);
}

static void test_permissions(const char *path)
{
    struct stat info = {0};
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0600, "mode %o", info.st_mode & 0777);
    DIR *all = opendir(folder);
    for (struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all))
        CHECK(!strstr(entry->d_name, ".tmp"), "%s was left", entry->d_name);
    if (all)
        closedir(all);
}

// The reader alone, so that thousands of damages need no device of their own.
static bool readable(lg_vk *vk)
{
    void *payload = NULL;
    size_t size = 0;
    const bool good = lg_vk_cache_read(vk, "pipelines", &payload, &size);
    if (good)
        lg_free(payload);
    return good;
}

static void test_damage(const char *path, const bytes *whole)
{
    lg_vk *vk = open_vk(folder);
    CHECK(vk && readable(vk), "the whole file is not read");
    bytes b = {malloc(whole->size + 1), whole->size};
    for (size_t i = 0; i < whole->size && vk; i += i < 256 ? 1 : 97) {
        memcpy(b.data, whole->data, b.size);
        b.data[i] ^= (uint8_t)(1u << (i % 8));
        store(path, b.data, b.size);
        CHECK(!readable(vk), "byte %zu changed, still read", i);
    }
    memcpy(b.data, whole->data, b.size);
    b.data[b.size] = 0;
    for (size_t size = 0; size < b.size && vk; size += size < 200 ? 1 : 101) {
        store(path, b.data, size);
        CHECK(!readable(vk), "cut at %zu, still read", size);
    }
    store(path, b.data, b.size + 1);
    CHECK(!vk || !readable(vk), "a byte too many, still read");
    free(b.data);
    lg_vk_destroy(&vk);
}

static void test_odd_files(const char *path, const bytes *whole)
{
    char other[600];
    snprintf(other, sizeof other, "%s/elsewhere", folder);
    for (int odd = 0; odd < 5; odd++) {
        unlink(path);
        store(other, whole->data, whole->size);
        if (odd == 0)
            CHECK(symlink(other, path) == 0, "symlink");
        else if (odd == 1)
            CHECK(mkfifo(path, 0600) == 0, "mkfifo");
        else if (odd == 2)
            CHECK(mkdir(path, 0700) == 0, "mkdir");
        else
            store(path, whole->data, whole->size);
        if (odd == 3)
            chmod(path, 0620);
        if (odd == 4)
            chmod(folder, 0770);
        CHECK(compile(folder) == 2, "odd file %d was used", odd);
        chmod(folder, 0700);
        if (odd == 2)
            rmdir(path);
        unlink(path);
    }
    bytes kept = load(other);
    CHECK(kept.size == whole->size && memcmp(kept.data, whole->data, kept.size) == 0,
          "the target of a link was written");
    free(kept.data);
    unlink(other);
}

static void test_pipelines(void)
{
    CHECK(compile(NULL) == 2, "%s", error.message);
    CHECK(compile(folder) == 2, "first run: %s", error.message);
    CHECK(compile(folder) == 0, "second run compiled");
    char path[512];
    path_of("pipelines", path);
    bytes whole = load(path);
    CHECK(whole.size > 120, "%zu bytes in '%s'", whole.size, path);
    test_permissions(path);
    test_damage(path, &whole);
    CHECK(compile(folder) == 2, "damaged, yet nothing was compiled");
    CHECK(compile(folder) == 0, "not written anew");
    test_odd_files(path, &whole);
    CHECK(compile(folder) == 2 && compile(folder) == 0, "not written anew");
    free(whole.data);
    CHECK(compile("/proc/no/such/folder") == 2, "a folder that cannot be");
}

static void test_choices(void)
{
    int32_t value = -7;
    lg_vk *vk = open_vk(folder);
    CHECK(!lg_vk_remembered(vk, "a.b", &value) && value == -7, "remembered from nowhere");
    for (int i = 0; i < 20; i++) {
        char key[32];
        snprintf(key, sizeof key, "kernel.%d", i);
        lg_vk_remember(vk, key, i * 3 - 5);
    }
    lg_vk_remember(vk, "kernel.4", 99);
    char longest[200];
    memset(longest, 'k', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    lg_vk_remember(vk, longest, 1); // too long to keep: forgotten, nothing else
    CHECK(!lg_vk_remembered(vk, longest, &value), "kept");
    lg_vk_destroy(&vk);
    vk = open_vk(folder);
    CHECK(lg_vk_remembered(vk, "kernel.3", &value) && value == 4, "%d", value);
    CHECK(lg_vk_remembered(vk, "kernel.4", &value) && value == 99, "%d", value);
    lg_vk_destroy(&vk);
    char path[512];
    path_of("choices", path);
    bytes whole = load(path);
    CHECK(whole.size > 0, "no file");
    if (whole.size) {
        whole.data[whole.size - 1] ^= 1;
        store(path, whole.data, whole.size);
    }
    free(whole.data);
    vk = open_vk(folder);
    CHECK(!lg_vk_remembered(vk, "kernel.3", &value), "read from a damaged file");
    lg_vk_destroy(&vk);
    vk = open_vk(NULL);
    lg_vk_remember(vk, "kernel.5", 5);
    CHECK(lg_vk_remembered(vk, "kernel.5", &value) && value == 5, "not even in memory");
    lg_vk_destroy(&vk);
}

// Choices whose check sum is right: whole ones, not beyond the most that are kept.
static void test_sizes_of_choices(void)
{
    enum { MOST = 4096 };
    static lg_vk_choice many[MOST + 1] = {{"kernel.0", 3}};
    static const struct {
        size_t size;
        bool read;
    } cases[] = {{sizeof *many, true},
                 {sizeof *many + 1, false},
                 {sizeof *many - 1, false},
                 {MOST * sizeof *many, true},
                 {sizeof many, false}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        int32_t value = -7;
        lg_vk *vk = open_vk(folder);
        CHECK(vk && lg_vk_cache_write(vk, "choices", many, cases[i].size), "not written");
        CHECK(vk && lg_vk_remembered(vk, "kernel.0", &value) == cases[i].read &&
                  value == (cases[i].read ? 3 : -7),
              "%zu bytes: %d", cases[i].size, value);
        lg_vk_destroy(&vk);
    }
}

int main(void)
{
    lg_vk *vk = test_wants_vulkan() ? open_vk(NULL) : NULL;
    if (!vk) {
        check_skip(test_wants_vulkan() ? error.message : "Vulkan is turned off");
        return check_finish("vulkan_cache");
    }
    lg_vk_destroy(&vk);
    CHECK(mkdtemp(folder), "no temporary folder");
    test_pipelines();
    test_choices();
    test_sizes_of_choices();
    CHECK(remove_tree(folder), "%s stays", folder);
    return check_finish("vulkan_cache");
}

#else

int main(void)
{
    check_skip("built without Vulkan");
    return check_finish("vulkan_cache");
}

#endif
