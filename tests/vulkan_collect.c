// Kernels that are made together: commands that lack them, texts and pipelines on several threads.
#include "check.h"
#include "device.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

extern const lg_spirv lg_spirv_ceiling_copy, lg_spirv_ceiling_read;

static lg_error error;

// Commands that collect leave out what they lack, others make it; then both do the same.
static void test_commands(lg_vk *vk)
{
    enum { SIZE = 4096 };
    const uint32_t lanes = 16;
    const lg_vk_pipeline *copy = NULL, *read = NULL;
    lg_vk_buffer *from = NULL, *to = NULL, *word = NULL;
    lg_vk_commands *c = NULL, *other = NULL;
    uint32_t host[SIZE / 4], back[SIZE / 4] = {0};
    for (uint32_t i = 0; i < SIZE / 4; i++)
        host[i] = i * 2654435761u;
    CHECK(!lg_vk_buffer_create(vk, SIZE, LG_VK_DEVICE, &from, &error) &&
              !lg_vk_buffer_create(vk, SIZE, LG_VK_DEVICE, &to, &error) &&
              !lg_vk_buffer_create(vk, 16, LG_VK_READBACK, &word, &error) &&
              !lg_vk_commands_create(vk, 0, &c, &error) &&
              !lg_vk_commands_create(vk, 0, &other, &error) &&
              !lg_vk_upload(vk, from, 0, SIZE, host, SIZE, SIZE, 1, &error),
          "%s", error.message);
    const struct {
        uint64_t from, to;
        uint32_t units;
    } push = {from->address, to->address, SIZE / 16}, sum = {from->address, word->address, 1};
    const uint32_t before = lg_vk_pipelines_compiled(vk);
    for (int turn = 0; turn < 2; turn++) {
        lg_vk_collect(vk, c);
        lg_vk_begin(c);
        CHECK(!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_copy, &lanes, 1, 0, &copy, &error), "%s",
              error.message);
        lg_vk_reads(c, push.from, SIZE);
        lg_vk_writes(c, push.to, SIZE);
        lg_vk_dispatch(c, copy, &push, 20, 1, 1, 1);
        lg_vk_barrier(c);
        CHECK(lg_vk_lacks_pipelines(c) == (turn == 0), "turn %d", turn);
        lg_vk_begin(other);
        CHECK(!lg_vk_pipeline_get(vk, &lg_spirv_ceiling_read, &lanes, 1, 0, &read, &error), "%s",
              error.message);
        lg_vk_reads(other, sum.from, 16);
        lg_vk_adds(other, sum.to, 16);
        lg_vk_dispatch(other, read, &sum, 20, 1, 1, 1);
        lg_vk_barrier(other);
        CHECK(!lg_vk_end(other, &error) && !lg_vk_lacks_pipelines(other), "%s", error.message);
        CHECK(!lg_vk_make_collected(vk, LG_OK, &error), "%s", error.message);
    }
    CHECK(lg_vk_pipelines_compiled(vk) - before <= 2, "made twice");
    CHECK(lg_vk_make_collected(vk, LG_ERROR_LIMIT, &error) == LG_ERROR_LIMIT, "a failure is kept");
    CHECK(!lg_vk_end(c, &error) && !lg_vk_submit(vk, c, &error) && !lg_vk_wait(vk, c, &error) &&
              !lg_vk_download(vk, back, SIZE, to, 0, SIZE, SIZE, 1, &error),
          "%s", error.message);
    CHECK(memcmp(host, back, SIZE) == 0, "other bytes");
    lg_vk_commands_destroy(vk, &c);
    lg_vk_commands_destroy(vk, &other);
    lg_vk_buffer_destroy(vk, &from);
    lg_vk_buffer_destroy(vk, &to);
    lg_vk_buffer_destroy(vk, &word);
}

static lg_status note(lg_vk *vk, int number, const char *statement, const lg_vk_pipeline **out)
{
    const lg_spirv *module = NULL;
    char text[400];
    snprintf(text, sizeof text,
             "#version 440\n"
             "#extension GL_EXT_buffer_reference : require\n"
             "layout(local_size_x = 32) in;\n"
             "layout(buffer_reference) buffer words { uint at[]; };\n"
             "layout(push_constant) uniform push { words to; };\n"
             "void main()\n{\n    to.at[gl_GlobalInvocationID.x] = %du;\n%s}\n",
             number, statement);
    const lg_status status = lg_vk_compile(vk, text, "a number", &module, &error);
    return status ? status : lg_vk_pipeline_get(vk, module, NULL, 0, 0, out, &error);
}

// One text that does not compile among others: it fails whenever it is wanted, and the others do not.
static void test_texts(lg_vk *vk)
{
    enum { COUNT = 6 };
    const lg_vk_pipeline *at[COUNT] = {NULL}, *again = NULL, *wrong = NULL;
    if (lg_vk_find_compiler(&error)) {
        check_skip(error.message);
        return;
    }
    const uint32_t texts = lg_vk_shaders_compiled(vk);
    for (int turn = 0; turn < 2; turn++) {
        lg_vk_collect(vk, NULL);
        for (int i = 0; i < COUNT; i++)
            CHECK(!note(vk, i, "", &at[i]), "%s", error.message);
        if (turn == 0)
            CHECK(!note(vk, 7, "nonsense;\n", &wrong), "%s", error.message);
        CHECK(!note(vk, 3, "", &again) && again == at[3], "two for one text");
        const lg_status status = lg_vk_make_collected(vk, LG_OK, &error);
        CHECK(turn ? !status : status == LG_ERROR_DEVICE && strstr(error.message, "nonsense"),
              "turn %d: %d, %s", turn, (int)status, error.message);
        CHECK(lg_vk_shaders_compiled(vk) - texts == COUNT, "turn %d: %d texts", turn,
              (int)(lg_vk_shaders_compiled(vk) - texts));
    }
    CHECK(note(vk, 7, "nonsense;\n", &wrong) == LG_ERROR_DEVICE, "made of nonsense");
    for (int i = 0; i < COUNT; i++)
        CHECK(at[i] && at[i]->handle, "%d was not made", i);
}

int main(void)
{
    lg_vk *vk = NULL;
    const lg_context_params *params = WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN);
    if (!test_wants_vulkan() || device_vk(params, NULL, &vk, &error)) {
        check_skip(test_wants_vulkan() ? error.message : "Vulkan is turned off");
        return check_finish("vulkan_collect");
    }
    lg_pool *pool = lg_pool_create(4);
    lg_vk_use_pool(vk, pool);
    test_commands(vk);
    test_texts(vk);
    lg_vk_destroy(&vk);
    lg_pool_destroy(pool);
    return check_finish("vulkan_collect");
}

#else

int main(void)
{
    check_skip("built without Vulkan");
    return check_finish("vulkan_collect");
}

#endif
