// Processes: a context that was made before fork() is refused in the child, at once, and can be
// destroyed there; a new one works; threads leave signals to the caller; two contexts
// of one process write the same cache files.
#include "check.h"
#include "core/temporary.h"
#include "device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif

enum { SIDE = 300, PATIENCE = 240 }; // seconds: a child that hangs, not one that is slow

static const lg_image_params shape = {
    .width = SIDE, .height = SIDE, .layers = 1, .channels = 1, .type = LG_U8};

typedef struct objects {
    lg_context *context;
    lg_image *image, *out;
    lg_graph *graph;
    lg_plan *plan;
    lg_labels *labels;
    lg_areasum *sums;
} objects;

static void make(objects *o, lg_context *context)
{
    lg_error e = {LG_OK, ""};
    lg_node node;
    lg_area_array array;
    *o = (objects){.context = context};
    lg_moments m;
    CHECK(!lg_image_create(context, &shape, &o->image, &e) &&
              !lg_image_create(context, &shape, &o->out, &e) &&
              !lg_image_upload(context, o->image, &e) && !lg_graph_create(&o->graph, &e) &&
              !lg_graph_input(o->graph, "in", &node, &e) &&
              !lg_graph_parse(o->graph, "gaussian_blur | median | color_invert", node, &node, &e) &&
              !lg_graph_output(o->graph, node, &e) &&
              !lg_plan_create(context, o->graph, &shape, 1, (lg_type[]){LG_U8}, &o->plan, &e) &&
              !lg_label_image(context, o->image, NULL, NULL, &o->labels, NULL, &e) &&
              !lg_area_array_of_image(o->image, &array, &e) &&
              !lg_areasum_create(context, &array, NULL, &o->sums, &e) &&
              !lg_measure_moments(context, o->image, NULL, &m, 1, &e),
          "%s", e.message);
}

static void drop(objects *o)
{
    lg_areasum_destroy(&o->sums);
    lg_labels_destroy(&o->labels);
    lg_plan_destroy(&o->plan);
    lg_graph_destroy(&o->graph);
    lg_image_destroy(&o->out);
    lg_image_destroy(&o->image);
    lg_context_destroy(&o->context);
}

// Runs `job` in a child; what it returns is checked.
static void in_child(int (*job)(objects *), objects *o, const char *what)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE);
        _exit(job(o));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    CHECK(!WIFSIGNALED(status), "%s: the child ended by signal %d", what, WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the child failed at call %d", what,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

// Every kind of work; the first that is not refused ends it.
static int use(objects *o)
{
    lg_error e[12] = {{LG_OK, ""}};
    lg_moments m;
    lg_histogram *h = NULL;
    lg_threshold t;
    lg_image *i = NULL;
    lg_labels *l = NULL;
    double sum;
    static const int32_t box[] = {0, 0, 4, 4};
    const lg_status got[] = {
        lg_measure_moments(o->context, o->image, NULL, &m, 1, &e[0]),
        lg_measure_histogram(o->context, o->image, NULL, &h, &e[1]),
        lg_threshold_image(o->context, o->image, NULL, &t, 1, NULL, &e[2]),
        lg_label_image(o->context, o->image, NULL, NULL, &l, NULL, &e[3]),
        lg_areasum_query(o->context, o->sums, LG_AREA_SUM, box, 1, &sum, &e[4]),
        lg_image_create(o->context, &shape, &i, &e[5]),
        lg_image_upload(o->context, o->image, &e[6]),
        lg_image_download(o->context, o->image, &e[7]),
        lg_labels_download(o->context, o->labels, &e[8]),
        lg_plan_create(o->context, o->graph, &shape, 1, NULL, &(lg_plan *){NULL}, &e[9]),
        lg_plan_run(o->plan, &o->image, &o->out, &e[10]),
        lg_image_changed(o->image, &e[11]),
    };
    for (int k = 0; k < 12; k++)
        if (got[k] != LG_ERROR_DEVICE || !strstr(e[k].message, "fork"))
            return k + 1;
    return 0;
}

static int destroy(objects *o)
{
    drop(o);
    return 0;
}

static int destroy_context_first(objects *o)
{
    lg_context_destroy(&o->context);
    return o->context != NULL;
}

static int use_and_destroy(objects *o)
{
    const int refused = use(o);
    drop(o);
    return refused;
}

// A new context beside the old one.
static int new_context(objects *o)
{
    lg_context *context = NULL;
    lg_image *image = NULL;
    lg_moments m = {0};
    if (lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 4),
                          &context, NULL) ||
        lg_image_create(context, &shape, &image, NULL))
        return 1;
    memset(image->data, 7, image->shape.layer_stride);
    const int wrong = lg_measure_moments(context, image, NULL, &m, 1, NULL) || m.mean != 7;
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    lg_context_destroy(&o->context);
    return wrong;
}

static void test_forks(lg_context *context, const char *what)
{
    objects o;
    if (!context)
        return;
    make(&o, context);
    in_child(use, &o, what);
    in_child(destroy, &o, what);
    in_child(destroy_context_first, &o, what);
    in_child(use_and_destroy, &o, what);
#ifdef THREAD_SANITIZER
    (void)new_context;
    check_skip("the thread sanitizer starts no threads after fork");
#else
    in_child(new_context, &o, what);
#endif
    lg_error e = {LG_OK, ""};
    CHECK(!lg_plan_run(o.plan, &o.image, &o.out, &e), "the parent goes on: %s", e.message);
    drop(&o);
}

// The pool by itself: in a child the caller does what workers would.
static void count_jobs(void *arg, size_t index, int worker)
{
    (void)worker;
    __atomic_add_fetch((size_t *)arg, index + 1, __ATOMIC_RELAXED);
}

static void test_pool(void)
{
    lg_pool *pool = lg_pool_create(4);
    size_t sum = 0;
    lg_pool_run(pool, 100, count_jobs, &sum);
    CHECK(sum == 5050, "%zu", sum);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE);
        sum = 0;
        lg_pool_run(pool, 100, count_jobs, &sum);
        lg_pool_destroy(pool);
        _exit(sum != 5050);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK(status == 0, "the child ends with %d", status);
    lg_pool_destroy(pool);
}

// ---- signals ------------------------------------------------------------------------------------

typedef struct masks {
    pthread_t caller;
    int workers, open;
} masks;

static void look_at_mask(void *arg, size_t index, int worker)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGXCPU, SIGVTALRM, SIGWINCH};
    masks *m = arg;
    (void)index;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (worker == 0) {
        usleep(2000); // the others take their share
        return;
    }
    __atomic_add_fetch(&m->workers, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < LG_COUNT(numbers); i++)
        if (!sigismember(&mask, numbers[i]))
            __atomic_add_fetch(&m->open, 1, __ATOMIC_RELAXED);
    if (sigismember(&mask, SIGSEGV)) // a fault of its own has to be seen
        __atomic_add_fetch(&m->open, 1, __ATOMIC_RELAXED);
}

static void test_masks(void)
{
    lg_pool *pool = lg_pool_create(3);
    masks m = {.caller = pthread_self()};
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    while (m.workers == 0) // until a worker got one: this machine may be busy
        lg_pool_run(pool, 50, look_at_mask, &m);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK(m.open == 0, "%d signals may reach a worker", m.open);
    CHECK(sigismember(&before, SIGINT) == sigismember(&after, SIGINT), "the caller's mask changed");
    lg_pool_destroy(pool);
}

// ---- files of one writer ------------------------------------------------------------------------

static void test_temporary(void)
{
    char folder[] = "/tmp/lumagraph-forks-XXXXXX", path[64], other[64];
    CHECK(mkdtemp(folder) != NULL, "%s", folder);
    snprintf(path, sizeof path, "%s/a.tmp", folder);
    snprintf(other, sizeof other, "%s/b.tmp", folder);
    const int first = lg_temporary_create(AT_FDCWD, path, 0600);
    CHECK(first >= 0, "%s: %s", path, strerror(errno));
    CHECK(write(first, "abc", 3) == 3, "%s", strerror(errno));
    CHECK(lg_temporary_create(AT_FDCWD, path, 0600) == -1 && errno == EEXIST,
          "a file that is being written was taken");
    struct stat info;
    CHECK(stat(path, &info) == 0 && info.st_size == 3, "and was emptied");
    close(first); // as the system does when a process is killed
    const int second = lg_temporary_create(AT_FDCWD, path, 0600);
    CHECK(second >= 0 && fstat(second, &info) == 0 && info.st_size == 0,
          "a file that was left is not made anew");
    CHECK(symlink(path, other) == 0 && lg_temporary_create(AT_FDCWD, other, 0600) == -1 &&
              errno == EEXIST && lstat(other, &info) == 0 && S_ISLNK(info.st_mode),
          "a link was followed or removed");
    unlink(other);
    CHECK(mkfifo(other, 0600) == 0 && lg_temporary_create(AT_FDCWD, other, 0600) == -1 &&
              stat(other, &info) == 0,
          "a pipe was removed");
    close(second);
    unlink(other);
    unlink(path);
    CHECK(rmdir(folder) == 0, "%s", strerror(errno));
}

#ifdef LG_HAVE_VULKAN

// Both write the same files, over and over; each is whole at any time.
static void *write_cache(void *arg)
{
    lg_vk *vk = arg;
    static uint8_t payload[100000];
    size_t failures = 0;
    for (int i = 0; i < 40; i++) {
        void *back = NULL;
        size_t size = 0;
        failures += !lg_vk_cache_write(vk, "forks", payload, sizeof payload);
        failures += !lg_vk_cache_read(vk, "forks", &back, &size) || size != sizeof payload;
        lg_free(back);
    }
    return (void *)failures;
}

static void test_cache(void)
{
    char folder[] = "/tmp/lumagraph-forks-XXXXXX";
    CHECK(mkdtemp(folder) != NULL, "%s", folder);
    lg_context *a = device_open(folder, NULL), *b = device_open(folder, NULL);
    if (a && b) {
        pthread_t other;
        void *failures = NULL;
        CHECK(pthread_create(&other, NULL, write_cache, b->vk) == 0, "a thread");
        const size_t mine = (size_t)write_cache(a->vk);
        pthread_join(other, &failures);
        CHECK(mine == 0 && failures == NULL, "%zu and %zu files were not written or not whole",
              mine, (size_t)failures);
    }
    device_close(&a);
    device_close(&b);
    int left = 0;
    DIR *files = opendir(folder);
    for (struct dirent *e; files && (e = readdir(files));)
        left += strstr(e->d_name, ".tmp") != NULL;
    if (files)
        closedir(files);
    CHECK(left == 0, "%d temporary files were left", left);
    CHECK(remove_tree(folder), "%s stays", folder);
}

#else

static void test_cache(void)
{
    check_skip("built without Vulkan");
}

#endif

int main(void)
{
    test_pool();
    test_masks();
    test_temporary();
    test_forks(device_open_threads(4), "CPU");
    test_forks(device_open(NULL, NULL), "Vulkan");
    test_cache();
    return check_finish("forks");
}
