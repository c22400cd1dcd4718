// The Vulkan backend: devices, memory, staging copies, images, pipelines, commands.
#include "check.h"
#include "device.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

extern const lg_spirv lg_spirv_ceiling_copy, lg_spirv_ceiling_read;

static lg_error error;

static lg_vk *open_vk(void)
{
    lg_vk *vk = NULL;
    error.message[0] = '\0';
    device_vk(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL, &vk, &error);
    return vk;
}

// A device of the library itself, whatever else the tests run on.
static lg_vk *open_own(void)
{
    lg_vk *vk = NULL;
    error.message[0] = '\0';
    lg_vk_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL, NULL, &vk,
                 &error);
    return vk;
}

// ---- devices ------------------------------------------------------------------------------------

static void test_list(const lg_vk *vk)
{
    lg_device_info all[8], own;
    char why[256] = "x";
    size_t count = 0;
    CHECK(lg_vk_list(all, 8, &count, why, &error) == LG_OK, "%s", error.message);
    CHECK(count > 0 && !why[0], "%zu devices, '%s'", count, why);
    lg_vk_info(vk, &own);
    CHECK(own.index >= 0 && (size_t)own.index < count, "index %d", own.index);
    CHECK(strcmp(own.name, all[own.index].name) == 0 && all[own.index].usable, "%s", own.name);
    CHECK(own.subgroup_size > 0 && own.memory > 0 && own.api[0] && own.driver[0], "empty fields");
}

static void expect_no_device(const lg_context_params *params, lg_vk_probe *probe, const char *part)
{
    lg_vk *vk = NULL;
    error.message[0] = '\0';
    const lg_status status = lg_vk_create_probed(params, NULL, NULL, probe, &vk, &error);
    CHECK(status == LG_ERROR_DEVICE && !vk, "status %d", (int)status);
    CHECK(strstr(error.message, part) && !strchr(error.message, '\n'), "'%s' does not say '%s'",
          error.message, part);
    lg_vk_destroy(&vk);
}

static void test_absence(void)
{
    const lg_context_params *any = WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN);
    lg_vk_probe no_loader = {.library = "libvulkan-that-is-not-there.so.1"};
    expect_no_device(any, &no_loader, "no Vulkan loader");
    lg_vk_probe no_symbols = {.library = "libm.so.6"};
    expect_no_device(any, &no_symbols, "is no Vulkan loader");
    expect_no_device(WITH_REF(lg_context_params, it.device_index = 1000), NULL,
                     "there is no Vulkan device 1000");
    // VK_DRIVER_FILES is the newer name and wins where both are set.
    static const char *const names[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
    char *kept[2] = {0};
    for (int i = 0; i < 2; i++) {
        kept[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
        setenv(names[i], "/dev/null", 1);
    }
    expect_no_device(any, NULL, "no Vulkan driver");
    char why[256];
    size_t count = 7;
    CHECK(lg_vk_list(NULL, 0, &count, why, &error) == LG_OK && count == 0 && why[0], "%s", why);
    for (int i = 0; i < 2; i++) {
        if (kept[i])
            setenv(names[i], kept[i], 1);
        else
            unsetenv(names[i]);
        free(kept[i]);
    }
}

static void test_masks(void)
{
    setenv("LUMAGRAPH_VK_DISABLE", "float64,int64,float16,float32_atomic_add,subgroup_size_control",
           1);
    lg_vk *vk = open_vk();
    CHECK(vk, "%s", error.message);
    if (vk) {
        const lg_vk_limits *l = lg_vk_get_limits(vk);
        CHECK(!l->float64 && !l->int64 && !l->int64_atomics && !l->float16, "still there");
        CHECK(!l->float32_atomic_add, "still there");
        CHECK(l->subgroup_size_min == l->subgroup_size_max, "subgroup sizes vary");
    }
    lg_vk_destroy(&vk);
    static const char *const required[] = {"bufferDeviceAddress", "scalarBlockLayout",
                                           "timelineSemaphore", "storageBuffer8BitAccess"};
    for (size_t i = 0; i < LG_COUNT(required); i++) {
        setenv("LUMAGRAPH_VK_DISABLE", required[i], 1);
        expect_no_device(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL,
                         required[i]);
    }
    unsetenv("LUMAGRAPH_VK_DISABLE");
}

// ---- memory -------------------------------------------------------------------------------------

static bool overlap(const lg_vk_buffer *a, const lg_vk_buffer *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

static void test_pool(lg_vk *vk)
{
    enum { SLOTS = 150, STEPS = 3000 };
    lg_vk_buffer *held[SLOTS] = {0};
    random_seed(11);
    for (int step = 0; step < STEPS; step++) {
        lg_vk_buffer **slot = &held[random_below(SLOTS)];
        lg_vk_buffer_destroy(vk, slot);
        const size_t size = 1 + random_below(step % 40 ? 20000 : 1500000);
        const lg_vk_memory memory = random_below(8) ? LG_VK_DEVICE : LG_VK_UPLOAD;
        const lg_status status = lg_vk_buffer_create(vk, size, memory, slot, &error);
        CHECK(!status, "%s", error.message);
        if (status)
            break;
        bool apart = true;
        for (int i = 0; i < SLOTS; i++)
            if (held[i] && &held[i] != slot)
                apart = apart && !overlap(held[i], *slot);
        CHECK(apart, "buffers overlap at step %d", step);
        CHECK((*slot)->address % 256 == 0 && (*slot)->size == size, "%zu bytes", size);
        CHECK(!(*slot)->map == (memory == LG_VK_DEVICE), "mapping");
        if ((*slot)->map)
            memset((*slot)->map, step, size);
    }
    for (int i = 0; i < SLOTS; i++)
        lg_vk_buffer_destroy(vk, &held[i]);
}

static void test_too_much(lg_vk *vk)
{
    lg_vk_buffer *buffer = NULL;
    CHECK(lg_vk_buffer_create(vk, 0, LG_VK_DEVICE, &buffer, &error) == LG_ERROR_ARGUMENT, "0");
    if (lg_vk_get_limits(vk)->hardware)
        return;
    const size_t size = (size_t)1 << 45;
    CHECK(lg_vk_buffer_create(vk, size, LG_VK_DEVICE, &buffer, &error) == LG_ERROR_MEMORY, "2^45");
    CHECK(strstr(error.message, "35184372088832") && !buffer, "%s", error.message);
    CHECK(!lg_vk_lost(vk), "a refusal is no loss");
}

// ---- staging copies -----------------------------------------------------------------------------

// Uploads rows into a patterned device buffer, downloads all of it, compares every byte.
static void check_rows(lg_vk *vk, size_t row_bytes, size_t rows, size_t host_pad, size_t device_pad,
                       size_t offset)
{
    const size_t host_stride = row_bytes + host_pad, stride = row_bytes + device_pad;
    const size_t size = offset + rows * stride + 32;
    uint8_t *host = malloc(rows * host_stride), *want = malloc(size), *got = malloc(size);
    uint8_t *rows_back = calloc(rows, host_stride);
    lg_vk_buffer *buffer = NULL;
    random_bytes(host, rows * host_stride);
    random_bytes(want, size);
    CHECK(!lg_vk_buffer_create(vk, size, LG_VK_DEVICE, &buffer, &error), "%s", error.message);
    CHECK(!lg_vk_upload(vk, buffer, 0, size, want, size, size, 1, &error), "%s", error.message);
    CHECK(!lg_vk_upload(vk, buffer, offset, stride, host, host_stride, row_bytes, rows, &error),
          "%s", error.message);
    for (size_t y = 0; y < rows; y++)
        memcpy(want + offset + y * stride, host + y * host_stride, row_bytes);
    CHECK(!lg_vk_download(vk, got, size, buffer, 0, size, size, 1, &error), "%s", error.message);
    CHECK(memcmp(want, got, size) == 0, "upload %zu x %zu +%zu +%zu @%zu", row_bytes, rows,
          host_pad, device_pad, offset);
    CHECK(!lg_vk_download(vk, rows_back, host_stride, buffer, offset, stride, row_bytes, rows,
                          &error),
          "%s", error.message);
    bool same = true;
    for (size_t y = 0; y < rows; y++) {
        same = same && memcmp(rows_back + y * host_stride, host + y * host_stride, row_bytes) == 0;
        for (size_t x = row_bytes; x < host_stride; x++)
            same = same && rows_back[y * host_stride + x] == 0;
    }
    CHECK(same, "download %zu x %zu +%zu +%zu @%zu", row_bytes, rows, host_pad, device_pad, offset);
    lg_vk_buffer_destroy(vk, &buffer);
    free(host);
    free(want);
    free(got);
    free(rows_back);
}

static void test_transfers(lg_vk *vk)
{
    random_seed(5);
    check_rows(vk, 1, 1, 0, 0, 0);
    check_rows(vk, 3, 5000, 5, 13, 7);          // more rows than regions of one slice
    check_rows(vk, 1, 3000, 0, 1000, 3);        // wide gaps
    check_rows(vk, 4099, 4500, 1, 0, 0);        // two slices and a bit
    check_rows(vk, 4096, 10300, 64, 16, 16);    // more slices than the ring has
    check_rows(vk, (9 << 20) + 5, 2, 3, 11, 1); // rows longer than a slice
    for (int i = 0; i < 20; i++)
        check_rows(vk, 1 + random_below(5000), 1 + random_below(300), random_below(70),
                   random_below(70), random_below(100));
    lg_vk_buffer *small = NULL;
    char bytes[64] = {0};
    CHECK(!lg_vk_buffer_create(vk, 64, LG_VK_DEVICE, &small, &error), "%s", error.message);
    CHECK(lg_vk_upload(vk, small, 60, 8, bytes, 8, 8, 1, &error) == LG_ERROR_ARGUMENT,
          "past the end");
    CHECK(lg_vk_download(vk, bytes, 8, small, 0, 4, 8, 2, &error) == LG_ERROR_ARGUMENT, "stride");
    lg_vk_buffer_destroy(vk, &small);
}

static void check_image(lg_vk *vk, int32_t width, int32_t height, int32_t layers, lg_type type,
                        int32_t channels, size_t row_pad, size_t layer_pad)
{
    lg_image_private image = {0};
    lg_image_params *shape = &image.image.shape;
    *shape = (lg_image_params){width, height, layers, channels, type};
    const size_t row = (size_t)width * lg_pixel_size(shape);
    shape->row_stride = row + row_pad;
    shape->layer_stride = shape->row_stride * (size_t)height + layer_pad;
    const size_t size = shape->layer_stride * (size_t)layers;
    uint8_t *data = malloc(size), *want = malloc(size);
    random_bytes(data, size);
    memcpy(want, data, size);
    image.image.data = data;
    lg_vk_buffer *buffer = NULL;
    size_t stride = 0, layer_stride = 0;
    bool temporary = false;
    double seconds = -1;
    CHECK(!lg_vk_image(vk, &image.image, &buffer, &stride, &layer_stride, &temporary, &seconds,
                       &error),
          "%s", error.message);
    CHECK(temporary && seconds >= 0 && stride % 16 == 0 && stride - row < 16, "stride %zu", stride);
    CHECK(layer_stride == stride * (size_t)height, "layer stride %zu", layer_stride);
    CHECK(buffer && buffer->size >= layer_stride * (size_t)layers + 256, "no slack");
    lg_vk_buffer_destroy(vk, &buffer);
    CHECK(!lg_vk_image_upload(vk, &image, &error), "%s", error.message);
    CHECK(!lg_vk_image(vk, &image.image, &buffer, &stride, &layer_stride, &temporary, &seconds,
                       &error) &&
              !temporary && buffer == image.device,
          "the device copy is not used");
    for (int32_t z = 0; z < layers; z++) // pixels change, what lies between them must not
        for (int32_t y = 0; y < height; y++)
            memset(data + (size_t)z * shape->layer_stride + (size_t)y * shape->row_stride, 0, row);
    CHECK(!lg_vk_image_download(vk, &image, &error), "%s", error.message);
    CHECK(memcmp(data, want, size) == 0, "image %dx%dx%d type %d", width, height, layers,
          (int)type);
    lg_vk_image_release(vk, &image);
    CHECK(!image.device, "still there");
    free(data);
    free(want);
}

static void test_images(lg_vk *vk)
{
    check_image(vk, 1, 1, 1, LG_U8, 1, 0, 0);
    check_image(vk, 1, 997, 1, LG_U8, 1, 3, 0);
    check_image(vk, 4097, 3, 2, LG_U16, 4, 0, 10);
    check_image(vk, 640, 480, 3, LG_F32, 4, 0, 0);
    check_image(vk, 333, 77, 5, LG_F16, 2, 6, 4);
    check_image(vk, 3840, 800, 1, LG_U8, 4, 64, 0);
}

// ---- pipelines and commands ---------------------------------------------------------------------

static void test_dispatch(lg_vk *vk)
{
    const size_t sizes[] = {16, 4096, 256 * 8 * 16 + 48, 3000016};
    const uint32_t lanes = 64;
    const lg_vk_pipeline *copy = NULL, *again = NULL, *read = NULL;
    CHECK(!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_copy, &lanes, 1, 0, &copy, &error), "%s",
          error.message);
    CHECK(!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_copy, &lanes, 1, 0, &again, &error) &&
              copy == again,
          "asked twice, got two");
    CHECK(!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_read, &lanes, 1,
                              lg_vk_get_limits(vk)->subgroup_size, &read, &error),
          "%s", error.message);
    CHECK(lg_vk_pipeline_get(vk, &lg_spirv_ceiling_read, &lanes, 1, 3, &again, &error) ==
              LG_ERROR_UNSUPPORTED,
          "subgroups of 3");
    for (size_t s = 0; s < LG_COUNT(sizes) && copy && read; s++) {
        const size_t size = sizes[s];
        uint32_t *host = malloc(size), *back = calloc(1, size), want = 0;
        random_bytes(host, size);
        for (size_t i = 0; i < size / 4; i++)
            want ^= host[i];
        lg_vk_buffer *from = NULL, *to = NULL, *word = NULL;
        lg_vk_commands *c = NULL;
        CHECK(!lg_vk_buffer_create(vk, size, LG_VK_DEVICE, &from, &error) &&
                  !lg_vk_buffer_create(vk, size, LG_VK_DEVICE, &to, &error) &&
                  !lg_vk_buffer_create(vk, 16, LG_VK_READBACK, &word, &error) &&
                  !lg_vk_commands_create(vk, 3, &c, &error) &&
                  !lg_vk_upload(vk, from, 0, size, host, size, size, 1, &error),
              "%s", error.message);
        struct {
            uint64_t from, to;
            uint32_t units;
        } push = {from->address, to->address, (uint32_t)(size / 16)};
        lg_vk_begin(c); // begun twice: the first recording is dropped
        lg_vk_begin(c);
        lg_vk_timestamp(c, 0);
        lg_vk_fill(c, word, 0, 16, 0);
        lg_vk_reads(c, push.from, size);
        lg_vk_writes(c, push.to, size);
        lg_vk_dispatch(c, copy, &push, 20, 5, 1, 1);
        lg_vk_barrier(c);
        lg_vk_timestamp(c, 1);
        push.from = to->address;
        push.to = word->address;
        lg_vk_reads(c, push.from, size);
        lg_vk_adds(c, push.to, 16);
        lg_vk_dispatch(c, read, &push, 20, 3, 1, 1);
        lg_vk_timestamp(c, 2);
        CHECK(!lg_vk_end(c, &error), "%s", error.message);
        const uint32_t before = lg_vk_submissions(vk);
        for (int i = 0; i < 3; i++) // queued again while it runs
            CHECK(!lg_vk_submit(vk, c, &error), "%s", error.message);
        CHECK(!lg_vk_wait(vk, c, &error), "%s", error.message);
        CHECK(lg_vk_submissions(vk) == before + 3, "submissions");
        CHECK(*(uint32_t *)word->map == want, "%zu bytes read", size);
        if (lg_vk_get_limits(vk)->timestamp_period > 0) {
            const double one = lg_vk_elapsed(vk, c, 0, 1), both = lg_vk_elapsed(vk, c, 0, 2);
            CHECK(one >= 0 && both >= one && both < 60, "%g %g", one, both);
        }
        CHECK(!lg_vk_download(vk, back, size, to, 0, size, size, 1, &error) &&
                  memcmp(back, host, size) == 0,
              "%zu bytes copied", size);
        lg_vk_commands_destroy(vk, &c);
        lg_vk_buffer_destroy(vk, &from);
        lg_vk_buffer_destroy(vk, &to);
        lg_vk_buffer_destroy(vk, &word);
        free(host);
        free(back);
    }
}

static void test_misuse(lg_vk *vk)
{
    lg_vk_buffer *buffer = NULL;
    lg_vk_commands *c = NULL;
    CHECK(!lg_vk_buffer_create(vk, 64, LG_VK_DEVICE, &buffer, &error) &&
              !lg_vk_commands_create(vk, 0, &c, &error),
          "%s", error.message);
    CHECK(lg_vk_submit(vk, c, &error) == LG_ERROR_ARGUMENT, "nothing recorded");
    CHECK(lg_vk_end(c, &error) == LG_ERROR_ARGUMENT, "never begun");
    CHECK(!lg_vk_wait(vk, c, &error), "never submitted: nothing to wait for");
    for (int wrong = 0; wrong < 3; wrong++) {
        lg_vk_begin(c);
        if (wrong == 0)
            lg_vk_fill(c, buffer, 2, 8, 0);
        else if (wrong == 1)
            lg_vk_fill(c, buffer, 32, 64, 0);
        else
            lg_vk_copy(c, buffer, 0, buffer, 60, 8);
        CHECK(lg_vk_end(c, &error) == LG_ERROR_ARGUMENT, "misuse %d", wrong);
        CHECK(lg_vk_submit(vk, c, &error) == LG_ERROR_ARGUMENT, "misuse %d", wrong);
    }
    lg_vk_begin(c);
    lg_vk_fill(c, buffer, 0, 64, 7);
    CHECK(!lg_vk_end(c, &error) && !lg_vk_submit(vk, c, &error) && !lg_vk_wait(vk, c, &error), "%s",
          error.message);
    lg_vk_commands_destroy(vk, &c);
    lg_vk_buffer_destroy(vk, &buffer);
}

// ---- barriers -----------------------------------------------------------------------------------

// Two commands on a buffer of 4096 bytes, and what is to be said of them; NULL: nothing.
typedef struct pair {
    const char *name;
    int first, second, distance; // what they do, how many bytes lie between the places
    bool barrier;
    const char *told;
} pair;

enum { DO_READ, DO_WRITE, DO_ADD, DO_FILL, DO_COPY_FROM, DO_COPY_TO, DO_UNNAMED };

// At bytes from .. from + 1023 of the buffer; what else a command needs is elsewhere.
static void record_use(lg_vk_commands *c, const lg_vk_pipeline *copy, lg_vk_buffer *buffer,
                       lg_vk_buffer *other, int what, int order, size_t from)
{
    const size_t aside = (size_t)order * 1024;
    const uint64_t here = buffer->address + from, there = other->address + aside;
    const bool reads = what == DO_READ;
    struct {
        uint64_t from, to;
        uint32_t units;
    } push = {reads ? here : there, reads ? there : here, 1024 / 16};
    if (what == DO_FILL) {
        lg_vk_fill(c, buffer, from, 1024, 0);
    } else if (what == DO_COPY_FROM) {
        lg_vk_copy(c, buffer, from, other, aside, 1024);
    } else if (what == DO_COPY_TO) {
        lg_vk_copy(c, other, aside, buffer, from, 1024);
    } else {
        if (reads)
            lg_vk_writes(c, push.to, 1024);
        else
            lg_vk_reads(c, push.from, 1024);
        if (reads)
            lg_vk_reads(c, push.from, 1024);
        else if (what != DO_UNNAMED)
            (what == DO_ADD ? lg_vk_adds : lg_vk_writes)(c, push.to, 1024);
        lg_vk_dispatch(c, copy, &push, 20, 1, 1, 1);
    }
}

static void check_pair(lg_vk *vk, const lg_vk_pipeline *copy, const pair *p)
{
    lg_vk_buffer *buffer = NULL, *other = NULL;
    lg_vk_commands *c = NULL;
    CHECK(!lg_vk_buffer_create(vk, 4096, LG_VK_DEVICE, &buffer, &error) &&
              !lg_vk_buffer_create(vk, 2048, LG_VK_DEVICE, &other, &error) &&
              !lg_vk_commands_create(vk, 0, &c, &error),
          "%s", error.message);
    lg_vk_begin(c);
    record_use(c, copy, buffer, other, p->first, 0, 256);
    if (p->barrier)
        lg_vk_barrier(c);
    record_use(c, copy, buffer, other, p->second, 1, (size_t)(256 + p->distance));
    const lg_status status = lg_vk_end(c, &error);
    if (p->second == DO_UNNAMED && buffer->address < (uint64_t)1 << 40)
        check_skip("addresses are too low here to tell them from counts");
    else if (p->told)
        CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, p->told), "%s: %d, %s", p->name,
              (int)status, status ? error.message : "nothing");
    else
        CHECK(!status && !lg_vk_submit(vk, c, &error) && !lg_vk_wait(vk, c, &error), "%s: %s",
              p->name, error.message);
    lg_vk_commands_destroy(vk, &c);
    lg_vk_buffer_destroy(vk, &other);
    lg_vk_buffer_destroy(vk, &buffer);
}

// A barrier that is left out, and memory that nobody names, are told.
static void test_barriers(lg_vk *vk)
{
    static const char missing[] = "no barrier lies between";
    static const pair pairs[] = {
        {"read after write", DO_WRITE, DO_READ, 0, false, missing},
        {"write after read", DO_READ, DO_WRITE, 0, false, missing},
        {"write after write", DO_WRITE, DO_WRITE, 0, false, missing},
        {"read after add", DO_ADD, DO_READ, 0, false, missing},
        {"add after write", DO_WRITE, DO_ADD, 0, false, missing},
        {"add after fill", DO_FILL, DO_ADD, 0, false, missing},
        {"fill after read", DO_READ, DO_FILL, 0, false, missing},
        {"copy of what is written", DO_WRITE, DO_COPY_FROM, 0, false, missing},
        {"copy over what is read", DO_READ, DO_COPY_TO, 0, false, missing},
        {"copy of a copy", DO_COPY_TO, DO_COPY_FROM, 0, false, missing},
        {"the last byte", DO_WRITE, DO_READ, 1008, false, "bytes 1264 to 1280 of a buffer of 4096"},
        {"bytes after it", DO_WRITE, DO_READ, 1024, false, NULL},
        {"two reads", DO_READ, DO_READ, 0, false, NULL},
        {"two adds", DO_ADD, DO_ADD, 0, false, NULL},
        {"a barrier", DO_WRITE, DO_READ, 0, true, NULL},
        {"nobody says", DO_READ, DO_UNNAMED, 0, true, "nobody said what it does there"},
        {"behind the end", DO_READ, DO_WRITE, 2832, true, "behind the end of its buffer"},
    };
    const lg_vk_pipeline *copy = NULL;
    const bool before = vk->barriers;
    CHECK(!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_copy, &(uint32_t){64}, 1, 0, &copy, &error),
          "%s", error.message);
    vk->barriers = true;
    for (size_t i = 0; i < LG_COUNT(pairs) && copy; i++)
        check_pair(vk, copy, &pairs[i]);
    vk->barriers = before;
}

static int barriers_seen[3]; // between commands, to the host, others
static PFN_vkCmdPipelineBarrier real_barrier;

static VKAPI_ATTR void VKAPI_CALL count_barrier(
    VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
    VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier *memory, uint32_t buffer_count,
    const VkBufferMemoryBarrier *buffers, uint32_t image_count, const VkImageMemoryBarrier *images)
{
    const VkPipelineStageFlags device =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                        reads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
    const bool after = from == device && count == 1 && memory->srcAccessMask == writes;
    if (after && to == device && memory->dstAccessMask == (reads | writes))
        barriers_seen[0]++;
    else if (after && to == VK_PIPELINE_STAGE_HOST_BIT &&
             memory->dstAccessMask & VK_ACCESS_HOST_READ_BIT)
        barriers_seen[1]++;
    else
        barriers_seen[2]++;
    real_barrier(commands, from, to, flags, count, memory, buffer_count, buffers, image_count,
                 images);
}

// What is counted as a barrier is one: the driver gets it, for all that commands do.
static void test_driver_gets_barriers(lg_vk *vk)
{
    lg_vk_commands *c = NULL;
    lg_vk_buffer *buffer = NULL;
    CHECK(!lg_vk_commands_create(vk, 0, &c, &error), "%s", error.message);
    CHECK(!lg_vk_buffer_create(vk, 64, LG_VK_DEVICE, &buffer, &error), "%s", error.message);
    real_barrier = vk->fn.vkCmdPipelineBarrier;
    vk->fn.vkCmdPipelineBarrier = count_barrier;
    memset(barriers_seen, 0, sizeof barriers_seen);
    lg_vk_begin(c);
    CHECK(barriers_seen[0] == 1, "parts from what was submitted before");
    lg_vk_barrier(c);
    CHECK(barriers_seen[0] == 1, "nothing was recorded since");
    for (int i = 0; i < 2; i++) {
        lg_vk_fill(c, buffer, 0, 64, 0);
        lg_vk_barrier(c);
        lg_vk_barrier(c);
    }
    CHECK(barriers_seen[0] == 3 && barriers_seen[1] == 0, "between commands, once");
    lg_vk_fill(c, buffer, 0, 64, 0);
    CHECK(!lg_vk_end(c, &error), "%s", error.message);
    CHECK(barriers_seen[0] == 3 && barriers_seen[1] == 1 && barriers_seen[2] == 0, "to the host");
    vk->fn.vkCmdPipelineBarrier = real_barrier;
    lg_vk_commands_destroy(vk, &c);
    lg_vk_buffer_destroy(vk, &buffer);
}

// ---- validation layers --------------------------------------------------------------------------

// GPU-assisted validation sees a kernel that reads past the end of even a small buffer.
static void test_past_the_end(lg_vk *vk)
{
    lg_vk_buffer *from = NULL, *to = NULL;
    lg_vk_commands *c = NULL;
    const lg_vk_pipeline *read = NULL;
    CHECK(!lg_vk_buffer_create(vk, 4096, LG_VK_DEVICE, &from, &error) &&
              !lg_vk_buffer_create(vk, 4096, LG_VK_DEVICE, &to, &error) &&
              !lg_vk_commands_create(vk, 0, &c, &error) &&
              !lg_vk_pipeline_get(vk, &lg_spirv_ceiling_read, &(uint32_t){64}, 1, 0, &read, &error),
          "%s", error.message);
    const struct {
        uint64_t from, to;
        uint32_t units;
    } push = {from->address, to->address, 4096 / 16 + 4};
    lg_vk_begin(c);
    lg_vk_reads(c, push.from, 0);
    lg_vk_adds(c, push.to, 0);
    lg_vk_dispatch(c, read, &push, 20, 1, 1, 1);
    CHECK(!lg_vk_end(c, &error) && !lg_vk_submit(vk, c, &error) && !lg_vk_wait(vk, c, &error), "%s",
          error.message);
    CHECK(lg_vk_validation_messages(vk) > 0, "the layer is not watching");
    lg_vk_commands_destroy(vk, &c);
    lg_vk_buffer_destroy(vk, &from);
    lg_vk_buffer_destroy(vk, &to);
}

// The layer sees a mistake in commands that are never submitted.
static void test_mistake(lg_vk *vk, bool of_core)
{
    const uint32_t before = lg_vk_validation_messages(vk);
    lg_vk_buffer *buffer = NULL;
    lg_vk_commands *c = NULL;
    CHECK(!lg_vk_buffer_create(vk, 64, LG_VK_DEVICE, &buffer, &error) &&
              !lg_vk_commands_create(vk, 0, &c, &error),
          "%s", error.message);
    lg_vk_begin(c);
    if (of_core) { // no multiple of 4
        vk->fn.vkCmdFillBuffer(c->handle, buffer->priv->buffer, 0, 30, 1);
    } else { // a missing barrier
        lg_vk_fill(c, buffer, 0, 32, 1);
        lg_vk_copy(c, buffer, 0, buffer, 32, 32);
    }
    const lg_status status = lg_vk_end(c, &error);
    CHECK(!status || vk->barriers, "%s", error.message);
    CHECK(lg_vk_validation_messages(vk) > before, "the layer is not watching");
    lg_vk_commands_destroy(vk, &c);
    lg_vk_buffer_destroy(vk, &buffer);
}

static void test_validation(const char *mode)
{
    setenv("LUMAGRAPH_VK_VALIDATION", mode, 1);
    lg_vk *vk = open_own();
    if (!vk) {
        CHECK(strstr(error.message, "not installed"), "%s", error.message);
        check_skip("the validation layers are not installed");
        unsetenv("LUMAGRAPH_VK_VALIDATION");
        return;
    }
    test_dispatch(vk);
    check_rows(vk, 3, 5000, 5, 13, 7);
    check_image(vk, 333, 77, 5, LG_F16, 2, 6, 4);
    CHECK(lg_vk_validation_messages(vk) == 0, "%u messages (%s)", lg_vk_validation_messages(vk),
          mode);
    test_mistake(vk, true);
    if (strcmp(mode, "sync") == 0)
        test_mistake(vk, false);
    if (strcmp(mode, "gpu") == 0 && !lg_vk_get_limits(vk)->hardware)
        test_past_the_end(vk);
    lg_vk_destroy(&vk);
    unsetenv("LUMAGRAPH_VK_VALIDATION");
}

static void test_validation_absent(void)
{
    setenv("VK_LAYER_PATH", "/nowhere", 1);
    setenv("LUMAGRAPH_VK_VALIDATION", "core", 1);
    expect_no_device(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL,
                     "not installed");
    unsetenv("LUMAGRAPH_VK_VALIDATION");
    expect_no_device(WITH_REF(lg_context_params, it.validation = true), NULL, "not installed");
    unsetenv("VK_LAYER_PATH");
    setenv("LUMAGRAPH_VK_VALIDATION", "loud", 1);
    lg_vk *vk = open_own();
    CHECK(!vk && strstr(error.message, "core, sync or gpu"), "%s", error.message);
    lg_vk_destroy(&vk);
    unsetenv("LUMAGRAPH_VK_VALIDATION");
}

#endif

int main(void)
{
#ifdef LG_HAVE_VULKAN
    lg_vk *vk = test_wants_vulkan() ? open_vk() : NULL;
    if (vk) {
        test_list(vk);
        test_pool(vk);
        test_too_much(vk);
        test_transfers(vk);
        lg_pool *pool = lg_pool_create(3);
        lg_vk_use_pool(vk, pool);
        test_transfers(vk);
        test_images(vk);
        test_dispatch(vk);
        test_misuse(vk);
        test_barriers(vk);
        test_driver_gets_barriers(vk);
        lg_vk_destroy(&vk);
        lg_pool_destroy(pool);
        test_masks();
        test_validation("core");
        test_validation("sync");
        test_validation("gpu");
        test_validation_absent();
    } else {
        check_skip(test_wants_vulkan() ? error.message : "Vulkan is turned off");
    }
    if (test_wants_vulkan())
        test_absence();
#else
    check_skip("built without Vulkan");
#endif
    return check_finish("vulkan_core");
}
