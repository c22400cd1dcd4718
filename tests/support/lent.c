#include "lent.h"

#include "adopted.h"
#include "check.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

lg_context *lent_context, *lent_plain;
lg_vk *lent_vk;

static lg_error error;

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

enum { MARK = 0x5b };

// ---- buffers --------------------------------------------------------------------------------------

// Every byte of the buffer around and between rows is MARK.
lent_image lent_open(int width, int height, int layers, int channels, lg_type type, int gap)
{
    lent_image m = {.offset = LENT_OFFSET};
    lg_image_params shape = {.width = width,
                             .height = height,
                             .layers = layers,
                             .channels = channels,
                             .type = type,
                             .alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE};
    const size_t row = (size_t)width * (size_t)channels * lg_type_size(type);
    GOOD(lg_image_create(lent_plain, &shape, &m.host, &error));
    m.stride = lg_align_up(row, 16) + (size_t)gap;
    shape.row_stride = m.stride;
    shape.layer_stride = m.stride * (size_t)height;
    m.size = LENT_OFFSET + shape.layer_stride * (size_t)layers + 256;
    GOOD(lg_vk_allocate(lent_vk, m.size, LG_VK_DEVICE, true, &m.memory, &error));
    char *bytes = malloc(m.size);
    memset(bytes, MARK, m.size);
    for (int y = 0; y < height * layers; y++) {
        char *to = (char *)m.host->data + (size_t)y * m.host->shape.row_stride;
        for (size_t i = 0; i < row / lg_type_size(type); i++) {
            const uint16_t half = (uint16_t)(0x3000 + random_below(0x800));
            const float number = (float)random_unit();
            if (type == LG_U8)
                to[i] = (char)random_below(256);
            else if (type == LG_F32)
                memcpy(to + 4 * i, &number, 4);
            else
                memcpy(to + 2 * i, &half, 2);
        }
        memcpy(bytes + LENT_OFFSET + (size_t)y * m.stride, to, row);
    }
    lg_vk_buffer *whole = NULL;
    uint64_t handle = 0;
    memcpy(&handle, &m.memory.buffer, sizeof m.memory.buffer);
    GOOD(lg_vk_buffer_wrap(lent_vk, handle, 0, m.size, m.memory.address, &whole, &error));
    GOOD(lg_vk_upload(lent_vk, whole, 0, m.size, bytes, m.size, m.size, 1, &error));
    lg_vk_buffer_destroy(lent_vk, &whole);
    GOOD(lg_image_wrap_buffer(lent_context, &shape, m.memory.buffer, LENT_OFFSET,
                              gap ? m.memory.address : 0, &m.image, &error));
    free(bytes);
    return m;
}

void lent_check(const lent_image *m, const lg_image *host, const char *what)
{
    const lg_image_params *s = &host->shape;
    const size_t row = (size_t)s->width * lg_pixel_size(s), padded = lg_align_up(row, 16);
    char *bytes = malloc(m->size);
    lg_vk_buffer *whole = NULL;
    uint64_t handle = 0;
    size_t wrong = 0, around = 0;
    memcpy(&handle, &m->memory.buffer, sizeof m->memory.buffer);
    GOOD(lg_vk_buffer_wrap(lent_vk, handle, 0, m->size, 0, &whole, &error));
    GOOD(lg_vk_download(lent_vk, bytes, m->size, whole, 0, m->size, m->size, 1, &error));
    lg_vk_buffer_destroy(lent_vk, &whole);
    for (size_t i = 0; i < m->offset; i++)
        around += bytes[i] != MARK;
    for (int y = 0; y < s->height * s->layers; y++) {
        const char *at = bytes + m->offset + (size_t)y * m->stride;
        wrong += memcmp(at, (const char *)host->data + (size_t)y * s->row_stride, row) != 0;
        for (size_t i = padded; i < m->stride; i++)
            around += at[i] != MARK;
    }
    for (size_t i = m->size - 256; i < m->size; i++)
        around += bytes[i] != MARK;
    CHECK(wrong == 0 && around == 0, "%s: %zu rows differ, %zu bytes beside them", what, wrong,
          around);
    free(bytes);
}

void lent_close(lent_image *m)
{
    lg_image_destroy(&m->image);
    lg_image_destroy(&m->host);
    lg_vk_release(lent_vk, &m->memory);
}

// ---- textures -------------------------------------------------------------------------------------

lent_texture lent_texture_open(VkFormat format, uint32_t width, uint32_t height, uint32_t layers)
{
    lent_texture t = {0};
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {width, height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = layers,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_OPTIMAL,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                             VK_IMAGE_USAGE_SAMPLED_BIT};
    VkMemoryRequirements need;
    NEED(!LENT_DEVICE(vkCreateImage)(lent_vk->device, &info, NULL, &t.image), "an image of %d",
         (int)format);
    LENT_DEVICE(vkGetImageMemoryRequirements)(lent_vk->device, t.image, &need);
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = need.size,
        .memoryTypeIndex = lg_vk_memory_type(lent_vk, need.memoryTypeBits, LG_VK_DEVICE)};
    NEED(!LENT_DEVICE(vkAllocateMemory)(lent_vk->device, &memory, NULL, &t.memory) &&
             !LENT_DEVICE(vkBindImageMemory)(lent_vk->device, t.image, t.memory, 0),
         "its memory");
    return t;
}

void lent_texture_close(lent_texture *t)
{
    lg_vk_idle(lent_vk);
    LENT_DEVICE(vkDestroyImage)(lent_vk->device, t->image, NULL);
    LENT_DEVICE(vkFreeMemory)(lent_vk->device, t->memory, NULL);
}

// ---- plans ----------------------------------------------------------------------------------------

lg_plan *lent_plan(lg_context *context, const char *text, const lg_image_params *shape,
                   const char *const *figures, bool outputs)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in = 0, out = 0;
    GOOD(lg_graph_create(&graph, &error));
    GOOD(lg_graph_input(graph, "in", &in, &error));
    out = in;
    if (text)
        GOOD(lg_graph_parse(graph, text, in, &out, &error));
    if (outputs)
        GOOD(lg_graph_output(graph, out, &error));
    for (int i = 0; figures && figures[i]; i++) {
        char name[24];
        snprintf(name, sizeof name, "figure.%d", i);
        GOOD(lg_graph_figure(graph, i % 2 ? out : in, figures[i], name, &error));
    }
    GOOD(lg_plan_create(context, graph, shape, 1, NULL, &plan, &error));
    lg_graph_destroy(&graph);
    return plan;
}

int lent_main(const char *name, void (*run)(const struct lg_vulkan_device *lent))
{
    setenv("LUMAGRAPH_TEST_ADOPT", "1", 1);
    const lg_vulkan_device *lent = test_wants_vulkan() ? adopted_device() : NULL;
    lent_context = lent ? device_open(NULL, NULL) : NULL;
    lent_plain = device_open_cpu();
    lent_vk = lent_context ? lent_context->vk : NULL;
    random_seed(3);
    if (lent_context)
        run(lent);
    device_close(&lent_context);
    lg_context_destroy(&lent_plain);
    return check_finish(name);
}

#else

int lent_main(const char *name, void (*run)(const struct lg_vulkan_device *lent))
{
    (void)run;
    check_skip("this build is without Vulkan");
    return check_finish(name);
}

#endif
