// lumagraph on a Vulkan device that the program has made: a shader of the program paints a picture, lumagraph
// measures it and makes a mask by Otsu's level, and the next shader of the program reads the mask and both
// figures. All is submitted at once and stays on the device; the host waits for the last point alone.
//
//   glslangValidator -V --vn paint_spirv adopted_device_paint.comp -o paint_spirv.h
//   glslangValidator -V --vn judge_spirv adopted_device_judge.comp -o judge_spirv.h
//   cc adopted_device.c $(pkg-config --cflags --libs lumagraph) -lvulkan
#include <lumagraph/lumagraph.h>
#include <lumagraph/vulkan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge_spirv.h"
#include "paint_spirv.h"

enum { WIDTH = 640, HEIGHT = 360, BYTES = WIDTH * HEIGHT, BEYOND = 256 };

// ---- Vulkan as a program uses it -------------------------------------------------------------------

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkSemaphore timeline;
} vk;

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "adopted_device: %s\n", what);
    exit(1);
}

// Returns false where there is no Vulkan at all.
static int make_instance(void)
{
    const char *validation = getenv("LUMAGRAPH_VK_VALIDATION"); // tests: with the validation layers
    const char *layer = "VK_LAYER_KHRONOS_validation";
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application,
                                       .enabledLayerCount = validation && *validation,
                                       .ppEnabledLayerNames = &layer};
    uint32_t count = 1;
    return vkCreateInstance(&info, NULL, &vk.instance) == VK_SUCCESS &&
           vkEnumeratePhysicalDevices(vk.instance, &count, &vk.physical) >= 0 && count;
}

// The device is made with what lumagraph needs; a program adds its own features to that.
static lg_context *make_device(lg_error *error)
{
    const lg_vulkan_needs *needs = NULL;
    if (lg_vulkan_needs_create(vkGetInstanceProcAddr, vk.instance, vk.physical, VK_API_VERSION_1_2,
                               &needs, error))
        return NULL;
    vk.family = needs->family;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = vk.family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = needs->features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = needs->extension_count,
                                     .ppEnabledExtensionNames = needs->extensions};
    need(vkCreateDevice(vk.physical, &info, NULL, &vk.device) == VK_SUCCESS, "vkCreateDevice");
    vkGetDeviceQueue(vk.device, vk.family, 0, &vk.queue);
    const lg_vulkan_device lent = {.size = sizeof lent,
                                   .get_proc_addr = vkGetInstanceProcAddr,
                                   .instance = vk.instance,
                                   .physical = vk.physical,
                                   .device = vk.device,
                                   .api = VK_API_VERSION_1_2,
                                   .features = needs->features,
                                   .extensions = needs->extensions,
                                   .extension_count = needs->extension_count,
                                   .family = vk.family,
                                   .transfer_family = vk.family};
    lg_context *context = NULL;
    lg_context_create_vulkan(NULL, &lent, &context, error);
    lg_vulkan_needs_destroy(&needs);
    return context;
}

typedef struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    void *map;
} buffer;

// Memory that the host sees, which is enough for an example; a picture is better in device-local memory.
static buffer make_buffer(VkDeviceSize size)
{
    buffer b = {0};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    need(vkCreateBuffer(vk.device, &info, NULL, &b.handle) == VK_SUCCESS, "vkCreateBuffer");
    VkMemoryRequirements wanted;
    VkPhysicalDeviceMemoryProperties types;
    vkGetBufferMemoryRequirements(vk.device, b.handle, &wanted);
    vkGetPhysicalDeviceMemoryProperties(vk.physical, &types);
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(wanted.memoryTypeBits >> type & 1) ||
           (types.memoryTypes[type].propertyFlags & seen) != seen)
        need(++type < types.memoryTypeCount, "memory that the host sees");
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .pNext = &flags,
                                         .allocationSize = wanted.size,
                                         .memoryTypeIndex = type};
    need(vkAllocateMemory(vk.device, &memory, NULL, &b.memory) == VK_SUCCESS &&
             vkBindBufferMemory(vk.device, b.handle, b.memory, 0) == VK_SUCCESS &&
             vkMapMemory(vk.device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map) == VK_SUCCESS,
         "memory");
    memset(b.map, 0, size);
    const VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = b.handle};
    b.address = vkGetBufferDeviceAddress(vk.device, &address);
    return b;
}

static void drop_buffer(buffer *b)
{
    vkDestroyBuffer(vk.device, b->handle, NULL);
    vkFreeMemory(vk.device, b->memory, NULL);
}

typedef struct shader {
    VkShaderModule module;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandBuffer commands;
} shader;

static shader make_shader(const uint32_t *words, size_t size, const void *push, uint32_t push_size,
                          uint32_t groups)
{
    shader s = {0};
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size};
    const VkPipelineLayoutCreateInfo layout = {.sType =
                                                   VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    need(vkCreateShaderModule(vk.device, &module, NULL, &s.module) == VK_SUCCESS &&
             vkCreatePipelineLayout(vk.device, &layout, NULL, &s.layout) == VK_SUCCESS,
         "a shader");
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = s.module,
                  .pName = "main"},
        .layout = s.layout};
    const VkCommandBufferAllocateInfo one = {.sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = vk.pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    need(vkCreateComputePipelines(vk.device, VK_NULL_HANDLE, 1, &pipeline, NULL, &s.pipeline) ==
                 VK_SUCCESS &&
             vkAllocateCommandBuffers(vk.device, &one, &s.commands) == VK_SUCCESS &&
             vkBeginCommandBuffer(s.commands, &begin) == VK_SUCCESS,
         "a pipeline");
    vkCmdBindPipeline(s.commands, VK_PIPELINE_BIND_POINT_COMPUTE, s.pipeline);
    vkCmdPushConstants(s.commands, s.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size, push);
    vkCmdDispatch(s.commands, groups, 1, 1);
    vkCmdPipelineBarrier(s.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
    need(vkEndCommandBuffer(s.commands) == VK_SUCCESS, "commands");
    return s;
}

static void drop_shader(shader *s)
{
    vkDestroyPipeline(vk.device, s->pipeline, NULL);
    vkDestroyPipelineLayout(vk.device, s->layout, NULL);
    vkDestroyShaderModule(vk.device, s->module, NULL);
}

// Waits for the point `from` of the timeline (0: at once) and signals the point `to`.
static void submit(const shader *s, uint64_t from, uint64_t to)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkTimelineSemaphoreSubmitInfo points = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &from,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &to};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &points,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &vk.timeline,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &s->commands,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &vk.timeline};
    need(vkQueueSubmit(vk.queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS, "vkQueueSubmit");
}

static void make_tools(void)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = vk.family};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                             .pNext = &type};
    need(vkCreateCommandPool(vk.device, &pool, NULL, &vk.pool) == VK_SUCCESS &&
             vkCreateSemaphore(vk.device, &semaphore, NULL, &vk.timeline) == VK_SUCCESS,
         "a timeline");
}

// ---- lumagraph -------------------------------------------------------------------------------------

// Otsu's level as the parameter of a threshold, and the mean of the picture, both as figures.
static lg_status make_plan(lg_context *context, const lg_image_params *shape, lg_plan **out,
                           lg_error *error)
{
    lg_graph *graph = NULL;
    lg_node picture, mask;
    lg_status status = lg_graph_create(&graph, error);
    if (!status)
        status = lg_graph_input(graph, "picture", &picture, error);
    if (!status)
        status =
            lg_graph_parse(graph, "luminance_threshold:threshold=@otsu", picture, &mask, error);
    if (!status)
        status = lg_graph_output(graph, mask, error);
    if (!status)
        status = lg_graph_figure(graph, picture, "mean", NULL, error);
    if (!status)
        status = lg_plan_create(context, graph, shape, 1, NULL, out, error);
    lg_graph_destroy(&graph);
    return status;
}

typedef struct verdict {
    float level, mean;
    uint32_t white;
} verdict;

static int is_right(const verdict *v, const unsigned char *picture)
{
    double sum = 0;
    uint32_t white = 0;
    for (int i = 0; i < BYTES; i++) {
        sum += picture[i];
        white += (float)picture[i] / 255 > v->level;
    }
    const double off = v->mean - sum / BYTES / 255;
    return white == v->white && off < 1e-6 && off > -1e-6 && white > 0 && white < BYTES;
}

int main(void)
{
    lg_error error = {LG_OK, ""};
    lg_image *picture = NULL, *mask = NULL, *figures = NULL;
    lg_plan *plan = NULL;
    if (!make_instance()) {
        puts("no Vulkan device here");
        return 0;
    }
    lg_context *context = make_device(&error);
    need(context != NULL, error.message);
    make_tools();
    buffer pixels = make_buffer(BYTES + BEYOND), white = make_buffer(BYTES + BEYOND),
           rows = make_buffer(2 * 16 + BEYOND), result = make_buffer(sizeof(verdict));

    // The same memory as images of lumagraph.
    const lg_image_params shape = {.width = WIDTH,
                                   .height = HEIGHT,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_U8,
                                   .row_stride = WIDTH,
                                   .layer_stride = BYTES};
    const lg_image_params table = {.width = 4,
                                   .height = 2,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_F32,
                                   .row_stride = 16,
                                   .layer_stride = 32};
    need(!lg_image_wrap_buffer(context, &shape, pixels.handle, 0, 0, &picture, &error) &&
             !lg_image_wrap_buffer(context, &shape, white.handle, 0, 0, &mask, &error) &&
             !lg_image_wrap_buffer(context, &table, rows.handle, 0, 0, &figures, &error) &&
             !make_plan(context, &shape, &plan, &error),
         error.message);

    const struct {
        VkDeviceAddress picture;
        uint32_t words_per_row, rows;
    } paint = {pixels.address, WIDTH / 4, HEIGHT};
    const struct {
        VkDeviceAddress figures, mask, verdict;
        uint32_t words;
    } judge = {rows.address, white.address, result.address, BYTES / 4};
    shader first = make_shader(paint_spirv, sizeof paint_spirv, &paint, sizeof paint, BYTES / 256);
    shader last = make_shader(judge_spirv, sizeof judge_spirv, &judge, 28, BYTES / 256);

    // paint -> 1 -> lumagraph -> 2 -> judge -> 3, all of it queued before any of it has ended.
    submit(&first, 0, 1);
    need(!lg_vulkan_wait(context, &(lg_vulkan_point){vk.timeline, 1}, 1, &error) &&
             !lg_plan_submit(plan, &picture, &mask, figures, &error) &&
             !lg_vulkan_signal(context, &(lg_vulkan_point){vk.timeline, 2}, 1, &error),
         error.message);
    submit(&last, 2, 3);
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &vk.timeline,
                                      .pValues = &(uint64_t){3}};
    need(vkWaitSemaphores(vk.device, &wait, UINT64_MAX) == VK_SUCCESS, "vkWaitSemaphores");
    const verdict *v = result.map;
    printf("mean %.9g, Otsu's level %.9g, %u of %d pixels above it\n", (double)v->mean,
           (double)v->level, v->white, BYTES);
    const int right = is_right(v, pixels.map);
    vkDeviceWaitIdle(vk.device); // nobody looks at the timeline any more

    lg_plan_destroy(&plan);
    lg_image_destroy(&picture);
    lg_image_destroy(&mask);
    lg_image_destroy(&figures);
    lg_context_destroy(&context);
    drop_shader(&first);
    drop_shader(&last);
    drop_buffer(&pixels);
    drop_buffer(&white);
    drop_buffer(&rows);
    drop_buffer(&result);
    vkDestroySemaphore(vk.device, vk.timeline, NULL);
    vkDestroyCommandPool(vk.device, vk.pool, NULL);
    vkDestroyDevice(vk.device, NULL);
    vkDestroyInstance(vk.instance, NULL);
    need(right, "these figures are not those of the picture");
    return 0;
}
