// Images and semaphores that others use, too (lumagraph/share.h): another context, another process that gets
// the descriptor by a socket, the failure of every call, and no descriptor that is left open.
#include "check.h"
#include "device.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

static lg_error error;

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

enum { W = 333, H = 57, LAYERS = 2 };

static const lg_image_params shape = {
    .width = W, .height = H, .layers = LAYERS, .channels = 1, .type = LG_U16};

static int open_descriptors(void)
{
    DIR *list = opendir("/proc/self/fd");
    int count = 0;
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count;
}

// An image with random pixels on the host.
static lg_image *picture(lg_context *context)
{
    lg_image *image = NULL;
    GOOD(lg_image_create(context, &shape, &image, &error));
    for (int y = 0; image && y < H * LAYERS; y++)
        random_bytes((char *)image->data + (size_t)y * image->shape.row_stride, 2 * W);
    return image;
}

static bool equal(const lg_image *a, const lg_image *b)
{
    bool same = true;
    for (int y = 0; y < H * LAYERS; y++)
        same &= memcmp((const char *)a->data + (size_t)y * a->shape.row_stride,
                       (const char *)b->data + (size_t)y * b->shape.row_stride, 2 * W) == 0;
    return same;
}

static lg_plan *make_plan(lg_context *context, const char *text)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, out;
    GOOD(lg_graph_create(&graph, &error));
    GOOD(lg_graph_input(graph, "in", &in, &error));
    out = in;
    if (text)
        GOOD(lg_graph_parse(graph, text, in, &out, &error));
    GOOD(lg_graph_output(graph, out, &error));
    GOOD(lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error));
    lg_graph_destroy(&graph);
    return plan;
}

// Writes the picture to shared memory on the device.
static lg_status write_shared(lg_context *context, lg_image *from, lg_image *to)
{
    lg_plan *plan = make_plan(context, NULL);
    const lg_status status = plan ? lg_plan_run(plan, &from, &to, &error) : LG_ERROR_MEMORY;
    lg_plan_destroy(&plan);
    return status;
}

// ---- two contexts -----------------------------------------------------------------------------------

static void test_contexts(lg_context *a)
{
    lg_context *b = device_open(NULL, NULL), *cpu = device_open_cpu();
    lg_image *host = picture(cpu), *theirs = NULL, *ours = NULL, *result = NULL, *wanted = NULL;
    lg_shared_memory memory;
    lg_moments here[LAYERS], there[LAYERS];
    GOOD(lg_image_create_shared(a, &shape, &theirs, &error));
    GOOD(write_shared(a, host, theirs));
    GOOD(lg_image_export(theirs, &memory, &error));
    CHECK(memory.row_stride == 672 && memory.layer_stride == (size_t)672 * H &&
              memory.size >= memory.layer_stride * LAYERS,
          "rows of %zu bytes", memory.row_stride);
    GOOD(lg_image_import(b, &shape, &memory, &ours, &error));
    close(memory.fd);
    CHECK(lg_image_export(ours, &memory, &error) == LG_ERROR_ARGUMENT, "an import of an import");
    memset(here, 0, sizeof here);
    memset(there, 0, sizeof there);
    GOOD(lg_measure_moments(cpu, host, NULL, here, LAYERS, &error));
    GOOD(lg_measure_moments(b, ours, NULL, there, LAYERS, &error));
    CHECK(memcmp(here, there, sizeof here) == 0, "other moments");
    // What one of them writes the other one sees, also when the first one is gone.
    lg_plan *plan = make_plan(a, "box_blur:radius=2"), *same = make_plan(cpu, "box_blur:radius=2");
    GOOD(lg_image_create(cpu, &shape, &wanted, &error));
    GOOD(lg_image_create(b, &shape, &result, &error));
    GOOD(lg_plan_run(same, &host, &wanted, &error));
    GOOD(lg_plan_run(plan, &host, &theirs, &error));
    lg_image_destroy(&theirs);
    GOOD(lg_image_download(b, ours, &error));
    CHECK(ours && ours->data && equal(ours, wanted), "other pixels");
    lg_plan_destroy(&plan);
    lg_plan_destroy(&same);
    lg_image_destroy(&host);
    lg_image_destroy(&theirs);
    lg_image_destroy(&ours);
    lg_image_destroy(&result);
    lg_image_destroy(&wanted);
    lg_context_destroy(&cpu);
    device_close(&b);
}

static void test_mistakes(lg_context *context)
{
    lg_context *cpu = device_open_cpu();
    lg_image *image = NULL, *host = picture(context), *other = NULL;
    lg_shared_memory memory = {.fd = -1}, wrong;
    lg_image_params narrow = shape, packed = shape;
    narrow.width--;
    packed.channels = 3;
    CHECK(lg_image_create_shared(cpu, &shape, &image, &error) == LG_ERROR_UNSUPPORTED, "CPU");
    CHECK(lg_image_create_shared(context, &packed, &image, &error) == LG_ERROR_ARGUMENT, "RGB");
    CHECK(lg_image_export(host, &memory, &error) == LG_ERROR_ARGUMENT && memory.fd == -1, "host");
    GOOD(lg_image_upload(context, host, &error));
    CHECK(lg_image_export(host, &memory, &error) == LG_ERROR_ARGUMENT && memory.fd == -1, "own");
    GOOD(lg_image_create_shared(context, &shape, &image, &error));
    GOOD(lg_image_export(image, &memory, &error));
    CHECK(fcntl(memory.fd, F_GETFD) >= 0, "no descriptor");
    narrow.height = 9;
    CHECK(lg_image_import(context, &narrow, &memory, &other, &error) == LG_ERROR_ARGUMENT, "%s",
          error.message);
    wrong = memory;
    wrong.device[3] ^= 1;
    CHECK(lg_image_import(context, &shape, &wrong, &other, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "another device"),
          "%s", error.message);
    wrong = memory;
    wrong.fd = 12345;
    CHECK(lg_image_import(context, &shape, &wrong, &other, &error) == LG_ERROR_ARGUMENT, "%s",
          error.message);
    CHECK(!other, "a failed import gave an image");
    close(memory.fd);
    lg_image_destroy(&image);
    lg_image_destroy(&host);
    lg_context_destroy(&cpu);
    setenv("LUMAGRAPH_VK_DISABLE", "memory_fd,semaphore_fd", 1);
    lg_context *without = device_open(NULL, "memory_fd,semaphore_fd");
    lg_semaphore *semaphore = NULL;
    int fd = -1;
    CHECK(lg_image_create_shared(without, &shape, &image, &error) == LG_ERROR_UNSUPPORTED, "%s",
          error.message);
    GOOD(lg_semaphore_create(without, &semaphore, &error));
    CHECK(lg_semaphore_export(semaphore, &fd, &error) == LG_ERROR_UNSUPPORTED && fd == -1, "%s",
          error.message);
    lg_semaphore_destroy(&semaphore);
    unsetenv("LUMAGRAPH_VK_DISABLE");
    device_close(&without);
}

// ---- two processes ----------------------------------------------------------------------------------

// What one process tells the other, with the descriptor beside it.
static bool send_memory(int socket, const lg_shared_memory *memory)
{
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {(void *)(uintptr_t)memory, sizeof *memory};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &memory->fd, sizeof(int));
    return sendmsg(socket, &message, 0) == sizeof *memory;
}

static bool receive_memory(int socket, lg_shared_memory *memory)
{
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {memory, sizeof *memory};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != sizeof *memory || !CMSG_FIRSTHDR(&message))
        return false;
    memcpy(&memory->fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    return true;
}

// The other process: measures what it imports, then blurs it in place of what was there.
static int other_process(int socket)
{
    lg_shared_memory memory;
    lg_context *context = NULL;
    lg_image *image = NULL, *copy = NULL;
    lg_moments moments[LAYERS];
    memset(moments, 0, sizeof moments);
    const lg_context_params params = WITH(lg_context_params, it.device = LG_DEVICE_VULKAN,
                                          it.strict = true, it.use_cache = false);
    lg_status s = receive_memory(socket, &memory) ? LG_OK : LG_ERROR_IO;
    if (!s)
        s = lg_context_create(&params, &context, &error);
    if (!s)
        s = lg_image_import(context, &shape, &memory, &image, &error);
    if (!s)
        s = lg_measure_moments(context, image, NULL, moments, LAYERS, &error);
    if (!s)
        s = lg_image_create_device(context, &shape, &copy, &error);
    if (!s)
        s = write_shared(context, image, copy);
    lg_plan *plan = s ? NULL : make_plan(context, "box_blur:radius=1");
    if (!s)
        s = lg_plan_run(plan, &copy, &image, &error);
    if (s)
        fprintf(stderr, "the other process: %s\n", error.message);
    lg_plan_destroy(&plan);
    lg_image_destroy(&copy);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    return s || write(socket, moments, sizeof moments) != sizeof moments;
}

static void test_processes(lg_context *context)
{
    int sockets[2], status = -1;
    lg_context *cpu = device_open_cpu();
    lg_image *host = picture(cpu), *image = NULL, *wanted = NULL;
    lg_shared_memory memory;
    lg_moments here[LAYERS], there[LAYERS];
    memset(here, 0, sizeof here);
    NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "a socket");
    char number[16], program[2048];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    NEED(length > 0, "this program");
    program[length] = '\0';
    snprintf(number, sizeof number, "%d", sockets[1]);
    const pid_t child = fork();
    if (child == 0) { // a forked process has no device: a new program
        execl(program, program, "--other", number, (char *)NULL);
        _exit(3);
    }
    close(sockets[1]);
    GOOD(lg_image_create_shared(context, &shape, &image, &error));
    GOOD(write_shared(context, host, image));
    GOOD(lg_image_export(image, &memory, &error));
    CHECK(send_memory(sockets[0], &memory), "the descriptor was not sent");
    close(memory.fd);
    CHECK(read(sockets[0], there, sizeof there) == sizeof there, "no answer");
    waitpid(child, &status, 0);
    CHECK(status == 0, "the other process ended with %d", status);
    GOOD(lg_measure_moments(cpu, host, NULL, here, LAYERS, &error));
    CHECK(memcmp(here, there, sizeof here) == 0, "the other process measured something else");
    lg_plan *plan = make_plan(cpu, "box_blur:radius=1");
    GOOD(lg_image_create(cpu, &shape, &wanted, &error));
    GOOD(lg_plan_run(plan, &host, &wanted, &error));
    GOOD(lg_image_download(context, image, &error));
    CHECK(image && image->data && equal(image, wanted), "the other process wrote something else");
    close(sockets[0]);
    lg_plan_destroy(&plan);
    lg_image_destroy(&host);
    lg_image_destroy(&image);
    lg_image_destroy(&wanted);
    lg_context_destroy(&cpu);
}

// ---- semaphores -------------------------------------------------------------------------------------

// More semaphores than one submission takes: each of them is waited for, the last value of each.
static void test_many_semaphores(lg_context *context)
{
    enum { COUNT = 40 };
    lg_semaphore *all[COUNT] = {NULL}, *end = NULL;
    bool reached = true;
    GOOD(lg_semaphore_create(context, &end, &error));
    for (int i = 0; i < COUNT; i++) {
        GOOD(lg_semaphore_create(context, &all[i], &error));
        GOOD(lg_semaphore_queue_wait(all[i], 2, &error));
        GOOD(lg_semaphore_queue_wait(all[i], 1, &error)); // less: 2 holds
    }
    GOOD(lg_semaphore_queue_signal(end, 1, &error));
    for (int i = 0; i < COUNT; i++)
        GOOD(lg_semaphore_signal(all[i], i % 8 ? 2 : 1, &error));
    for (int i = 0; i < COUNT; i += 8) {
        GOOD(lg_semaphore_wait(end, 1, 0.005, &reached, &error));
        CHECK(!reached, "the device did not wait for semaphore %d", i);
        GOOD(lg_semaphore_signal(all[i], 2, &error));
    }
    GOOD(lg_semaphore_wait(end, 1, 60, &reached, &error));
    CHECK(reached, "the device waits for something else");
    // Behind a wait that was not submitted yet, the host waits for what it has called.
    lg_image *image = NULL;
    lg_moments found[4];
    GOOD(lg_image_create_device(context, &shape, &image, &error));
    GOOD(lg_semaphore_queue_wait(all[0], 3, &error));
    GOOD(lg_semaphore_signal(all[0], 3, &error));
    GOOD(lg_measure_moments(context, image, NULL, found, 4, &error));
    lg_image_destroy(&image);
    GOOD(lg_semaphore_queue_wait(all[0], 3, &error));
    for (int i = 0; i < COUNT; i++)
        lg_semaphore_destroy(&all[i]);
    lg_semaphore_destroy(&end);
}

static void test_semaphores(lg_context *context)
{
    lg_semaphore *a = NULL, *b = NULL;
    lg_image *host = picture(context), *image = NULL;
    bool reached = true;
    int fd = -1;
    GOOD(lg_semaphore_create(context, &a, &error));
    GOOD(lg_semaphore_wait(a, 0, 0, &reached, &error));
    CHECK(reached, "0 is where it begins");
    GOOD(lg_semaphore_wait(a, 1, 0.01, &reached, &error));
    CHECK(!reached, "nobody signalled 1");
    GOOD(lg_semaphore_queue_wait(a, 1, &error));
    GOOD(lg_semaphore_queue_signal(a, 2, &error));
    GOOD(lg_semaphore_wait(a, 2, 0.01, &reached, &error));
    CHECK(!reached, "the device did not wait for 1");
    GOOD(lg_semaphore_signal(a, 1, &error));
    GOOD(lg_semaphore_wait(a, 2, 60, &reached, &error));
    CHECK(reached, "the device did not signal 2");
    CHECK(lg_semaphore_signal(a, 2, &error) == LG_ERROR_ARGUMENT, "values grow");
    test_many_semaphores(context);
    GOOD(lg_image_create_device(context, &shape, &image, &error));
    const lg_status status = lg_semaphore_export(a, &fd, &error);
    if (status == LG_ERROR_UNSUPPORTED) {
        check_skip("semaphores of this device cannot be shared");
    } else {
        GOOD(lg_semaphore_import(context, fd, &b, &error));
        GOOD(lg_semaphore_queue_signal(a, 3, &error));
        GOOD(lg_semaphore_wait(b, 3, 60, &reached, &error));
        CHECK(reached, "both are one");
        close(fd);
    }
    lg_semaphore_destroy(&a);
    lg_semaphore_destroy(&b);
    lg_semaphore_destroy(&b);
    lg_image_destroy(&host);
    lg_image_destroy(&image);
}

// ---- failures ---------------------------------------------------------------------------------------

#ifdef LG_HAVE_VULKAN

static lg_status round_trip(lg_context *context)
{
    lg_image *image = NULL, *again = NULL;
    lg_shared_memory memory = {.fd = -1};
    lg_status s = lg_image_create_shared(context, &shape, &image, &error);
    if (!s)
        s = lg_image_export(image, &memory, &error);
    if (!s)
        s = lg_image_import(context, &shape, &memory, &again, &error);
    CHECK(s || (again && memory.fd >= 0), "an import that gave nothing");
    if (memory.fd >= 0)
        close(memory.fd);
    lg_image_destroy(&image);
    lg_image_destroy(&again);
    return s;
}

// Each call of the driver and each allocation fails once: no object and no descriptor is left.
static void test_failures(lg_context *context)
{
    lg_vk *vk = context->vk;
    lg_vk_probe count = {.fail_at = -1};
    GOOD(round_trip(context));
    vk->probe = &count;
    GOOD(round_trip(context));
    vk->probe = NULL;
    const int before = open_descriptors();
    CHECK(count.calls > 5 && count.created == count.destroyed, "%d calls", (int)count.calls);
    for (int64_t at = 1; at <= count.calls; at++) {
        lg_vk_probe probe = {.fail_at = at, .result = VK_ERROR_OUT_OF_DEVICE_MEMORY};
        vk->probe = &probe;
        const lg_status status = round_trip(context);
        vk->probe = NULL;
        CHECK(status == LG_ERROR_MEMORY && probe.created == probe.destroyed,
              "call %d (%s): status %d, %d of %d objects are left", (int)at, probe.failed,
              (int)status, (int)(probe.created - probe.destroyed), (int)probe.created);
    }
    for (int64_t at = 0; at < 6; at++) {
        lg_alloc_fail_after(at);
        const lg_status status = round_trip(context);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY || !status, "allocation %d: status %d", (int)at,
              (int)status);
    }
    GOOD(round_trip(context));
    CHECK(open_descriptors() == before, "%d descriptors, %d before", open_descriptors(), before);
}

#endif

static void run(lg_context **context)
{
    lg_image *probe = NULL;
    if (lg_image_create_shared(*context, &shape, &probe, &error) == LG_ERROR_UNSUPPORTED) {
        check_skip(error.message);
        return;
    }
    lg_image_destroy(&probe);
    test_contexts(*context);
    test_mistakes(*context);
    test_processes(*context);
    test_semaphores(*context);
#ifdef LG_HAVE_VULKAN
    test_failures(*context);
#endif
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--other") == 0)
        return other_process(atoi(argv[2]));
    lg_context *context = device_open(NULL, NULL);
    random_seed(8);
    const int before = open_descriptors();
    if (context)
        run(&context);
    CHECK(open_descriptors() == before, "%d descriptors, %d before", open_descriptors(), before);
    device_close(&context);
    return check_finish("share");
}
