// Every allocation, every thread and every call on files of the tool fails
// once, command by command: an error of the right kind, complete outputs or
// none, nothing left behind, no crash, no leak.
#include "check.h"
#include "faults.h"
#include <lumagraph/io.h>

#include <dirent.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef LG_HAVE_JANSSON
#include <jansson.h>
#endif

int lg_tool_main(int argc, char **argv);

enum { MOST_WORDS = 24, EXIT_SOME = 1, EXIT_LIMIT = 3, EXIT_DEVICE = 4, EXIT_IO = 5 };

static char folder[] = "/tmp/lumagraph-faults-tool-XXXXXX";

// ---- what is run --------------------------------------------------------------------------------

// Words are separated by blanks; an underscore inside is a blank of the word.
static const char *const lines[] = {
    "stats --json grey.pgm",
    "stats --threads 3 -o made.txt grey.pgm rgb.ppm",
    "stats --csv --mask mask.pgm stack.npy",
    "histogram --json --space hsv rgb.ppm",
    "histogram --report made.html -p 5,50 rgb.ppm",
    "stats --report made.html film.y4m",
    "label --report made.html -t otsu grey.pgm",
    "histogram --plot made.svg --percentile 1,50 real.pfm",
    "histogram --csv --range 0:1 --bins 7 --stack stack.npy",
    "threshold --method otsu grey.pgm -o made.pgm",
    "threshold --method multi-otsu:4 rgb.ppm -o made.pgm",
    "threshold --method li real.pfm -o made.npy",
    "areasum --json --box 3x4+1+1 --figure sum,mean,variance grey.pgm",
    "areasum --kind ripmap --box 3x4+1+1 --figure min,max,histogram real.pfm -o made.txt",
    "areasum --csv --boxes boxes.csv --figure sum,count rgb.ppm",
    "areasum --json --box 1:3,:,2:9 --figure sum,mean stack.npy",
    "areasum --csv --boxes ranges.csv stack.npy",
    "areasum --json --box 7x5+3+4 --figure smooth --order 2 grey.pgm",
    "areasum --csv --box 7x5+3+4 --angle 30 --parts 3 --figure sum,histogram grey.pgm",
    "areasum --polygons polygons.csv --figure mean grey.pgm",
    "areasum --mask mask.pgm --figure sum grey.pgm",
    "label --csv --preset skimage --intensity self --threshold 120 grey.pgm",
    "label --keep area_>=_2 --fill-holes --no-edge --largest 3 --json mask.pgm -o made.npy",
    "label --colors made.ppm --overlay made2.ppm mask.pgm",
    "label --max-pixels 999 --csv --preset skimage dots.pgm",
    "label --memory 97K --json --largest 90 --keep area_>_0 dots.pgm",
    ("label -q --max-pixels 100 --connectivity 26 --threshold 0.5 --fill-holes --columns "
     "area,surface_area --keep area_>=_2 stack.npy -o made.npy"), // labels and holes in scratch files
    "threshold --max-pixels 100 stack.npy -o made.npy",
    "run --memory 97K layer_gaussian slices.pgm -o made.npy", // layers in a scratch file
    "run gaussian_blur:sigma=2_|_box_blur_|_threshold:level=@otsu grey.pgm -o made.pgm",
    "run --profile bilateral_|_canny_edge_detection rgb.ppm -o made.ppm",
    "run tone_curve:red=0,0;0.5,0.7;1,1_|_median_|_histogram_equalization rgb.ppm -o made.ppm",
    "run label:connectivity=4 mask.pgm -o made.pgm",
    "run --memory 100K color_invert tall.pgm -o made.pgm",
    "run alpha_blend:over=#second rgb.ppm --input second=rgb2.ppm -o made.pam",
#ifdef LG_HAVE_JANSSON
    "run --graph graph.json grey.pgm -o made.pgm",
#endif
    "run --explain sepia_|_swirl rgb.ppm -o made.ppm",
    "stats --csv film.y4m",
    "stats --lavfi --json film.y4m",
    "stats --frames --json film.pgm",
    "threshold --plane y film.y4m -o made.y4m",
    "run copy film.y4m -o made.y4m",
    "run dissolve_blend:over=#in@-1 film.y4m -o made.y4m",
    "run difference_blend --input x=film.y4m film.y4m -o made.y4m",
    "run contrast:contrast=2 --raw 2x2:nv12 film.raw -o made.ppm",
    "filters",
    "filters --json gaussian_blur",
    "filters nonsuch",
    "devices",
    "completion bash",
    "statz",
#ifdef LG_HAVE_VULKAN
    "stats --device vulkan --json grey.pgm",
    "threshold --device vulkan rgb.ppm -o made.pgm",
    "label --device vulkan --csv mask.pgm -o made.npy",
    "run --device vulkan gaussian_blur_|_threshold:level=@otsu grey.pgm -o made.pgm",
#endif
#ifdef LG_HAVE_VIPS
    "run color_invert rgb.png -o made.png",
    "run --memory 100K color_invert tall.pgm -o made.png",
    "stats rgb.png",
#endif
};

typedef struct command {
    char text[256];
    char *word[MOST_WORDS];
    int words;
} command;

static void split(const char *line, command *c)
{
    memset(c, 0, sizeof *c);
    snprintf(c->text, sizeof c->text, "lumagraph %s", line);
    for (char *at = strtok(c->text, " "); at; at = strtok(NULL, " ")) {
        for (char *blank = at; c->words > 0 && (blank = strchr(blank, '_'));)
            if (blank[-1] == '=' || blank[1] == '|' || blank[-1] == '|' || blank[1] == '>' ||
                blank[-1] == '>')
                *blank = ' ';
            else
                blank++;
        c->word[c->words++] = at;
    }
}

// ---- inputs -------------------------------------------------------------------------------------

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    CHECK(file != NULL, "%s", name);
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

static void write_image(lg_context *context, const char *name, lg_image_params shape)
{
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    CHECK(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    for (int z = 0; image && z < shape.layers; z++)
        for (int y = 0; y < shape.height; y++)
            for (int x = 0; x < shape.width * shape.channels; x++) {
                const size_t at =
                    (size_t)z * image->shape.layer_stride + (size_t)y * image->shape.row_stride;
                const bool dot = (x % 9 == 0 && y % 9 == 0) || (x % 50 == 5 && y < 400);
                const int v = strcmp(name, "dots.pgm") == 0 ? dot : (x * 37 + y * 11 + z * 5) % 251;
                if (shape.type == LG_U8)
                    ((uint8_t *)image->data)[at + (size_t)x] =
                        (uint8_t)(strcmp(name, "mask.pgm") == 0 ? v % 3 == 0 ? 255 : 0 : v);
                else
                    ((float *)image->data)[at / 4 + (size_t)x] = (float)v / 250;
            }
    CHECK(!image || !lg_image_write(image, name, NULL, &error), "%s", error.message);
    lg_image_destroy(&image);
}

static void make_inputs(void)
{
    lg_context *context = NULL;
    const lg_image_params grey = {.width = 23, .height = 17, .layers = 1, .channels = 1};
    lg_image_params rgb = grey, real = grey, stack = grey, tall = grey, slices = grey;
    rgb.channels = 4;
    rgb.alpha = LG_ALPHA_OPAQUE;
    real.type = stack.type = LG_F32;
    stack.layers = 3;
    tall.width = 200;
    tall.height = 500;
    slices.width = 1000;
    slices.height = 20;
    slices.layers = 5;
    CHECK(!lg_context_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_CPU, it.threads = 1),
                             &context, NULL),
          "a context");
    write_image(context, "grey.pgm", grey);
    write_image(context, "mask.pgm", grey);
    write_image(context, "tall.pgm", tall);
    write_image(context, "dots.pgm",
                tall); // more components than --memory holds, some of them long
    write_image(context, "rgb.ppm", rgb);
    write_image(context, "rgb2.ppm", rgb);
    write_image(context, "real.pfm", real);
    write_image(context, "stack.npy", stack);
    write_image(context, "slices.pgm", slices);
    lg_context_destroy(&context);
    write_file("ranges.csv", "first_0,first_1,first_2,end_0,end_1,end_2\n0,1,2,3,4,5\n");
    write_file("film.y4m", "YUV4MPEG2 W2 H2 C420jpeg\nFRAME\nabcdefFRAME\nghijkl");
    write_file("film.raw", "abcdefghijkl");
    write_file("film.pgm", "P5 2 1 255\nabP5 2 1 255\ncd");
    write_file("boxes.csv", "x,y,width,height\n0,0,3,4\n2,2,5,5\n");
    write_file("polygons.csv", "polygon,x,y\na,1,1\na,9,2\na,5,9\nb,2,2\nb,12,2\nb,7,11\n");
    write_file("graph.json", "{\"inputs\": [\"in\"], \"nodes\": ["
                             "{\"name\": \"soft\", \"filter\": \"gaussian_blur\", \"in\": \"in\", "
                             "\"params\": {\"sigma\": 1.5}},"
                             "{\"name\": \"hard\", \"filter\": \"threshold\", \"in\": \"soft\", "
                             "\"params\": {\"level\": \"@otsu\"}}], \"outputs\": [\"hard\"]}");
}

#ifdef LG_HAVE_VIPS
// In a process of its own: this one forks, and libvips has threads.
static void make_png(void)
{
    if (fork() == 0) {
        command c;
        if (!freopen("/dev/null", "wb", stdout))
            _exit(99);
        split("run -q color_invert rgb.ppm -o rgb.png", &c);
        _exit(lg_tool_main(c.words, c.word));
    }
    int status = -1;
    wait(&status);
    CHECK(status == 0, "rgb.png cannot be made: %d", status);
}
#endif

// ---- one run ------------------------------------------------------------------------------------

typedef struct report {
    int status; // exit status, -1: the process died
    bool fired;
    int64_t calls, leaked, syncs, folder_syncs;
    int lines; // on standard error
    char message[1600];
    bool claims; // a JSON document on standard output has no error
} report;

// Where a crash happens on a machine without a debugger: places in the program, for addr2line.
static void tell_crash(int number)
{
#ifdef __GLIBC__
    void *at[32];
    backtrace_symbols_fd(at, backtrace(at, 32), STDERR_FILENO);
#endif
    signal(number, SIG_DFL);
    raise(number);
}

static void child(const command *c, faults_kind kind, int64_t at, int64_t file_size, report *out)
{
    if (!freopen("stdout", "wb", stdout) || !freopen("stderr", "wb", stderr))
        _exit(99);
    const struct rlimit limit = {(rlim_t)file_size, (rlim_t)file_size};
    if (file_size >= 0)
        setrlimit(RLIMIT_FSIZE, &limit);
    void (*const teller)(int) = signal(SIGSEGV, tell_crash);
    if (teller != SIG_DFL) // a sanitizer tells more
        signal(SIGSEGV, teller);
    const int64_t before = faults_live();
    faults_arm(kind, at);
    const int status = lg_tool_main(c->words, (char **)c->word);
    out->calls = faults_calls(kind);
    out->fired = faults_disarm();
    out->leaked = faults_live() - before;
    out->syncs = faults_syncs();
    out->folder_syncs = faults_folder_syncs();
    out->status = status;
    fflush(stderr);
    _exit(0);
}

static bool has_document(void)
{
    FILE *file = fopen("stdout", "rb");
    char *line = NULL;
    size_t room = 0;
    bool any = false;
    while (file && getline(&line, &room, file) > 0)
        any |= *line == '{' && !strstr(line, "\"error\":");
    free(line);
    if (file)
        fclose(file);
    return any;
}

static report run(const command *c, faults_kind kind, int64_t at, int64_t file_size)
{
    report *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    report r = {.status = -1};
    if (shared == MAP_FAILED)
        return r;
    *shared = r;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0)
        child(c, kind, at, file_size, shared);
    int status = 0;
    waitpid(pid, &status, 0);
    r = *shared;
    munmap(shared, sizeof *shared);
    FILE *file = fopen("stderr", "rb");
    char text[2000] = "";
    const size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    for (size_t i = 0; i < got; i++)
        r.lines += text[i] == '\n';
    snprintf(r.message, sizeof r.message, "%.390s", text);
    if (file)
        fclose(file);
    r.claims = has_document();
    if (WIFSIGNALED(status))
        snprintf(r.message, sizeof r.message, "signal %d: %.1500s", WTERMSIG(status), text);
    return r;
}

// ---- what is in the folder ----------------------------------------------------------------------

enum { MOST_MADE = 4 };

typedef struct made {
    char name[40];
    uint64_t hash;
} made;

static uint64_t hash_of(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint64_t hash = 1469598103934665603u;
    for (int c; file && (c = fgetc(file)) != EOF;)
        hash = (hash ^ (uint64_t)c) * 1099511628211u;
    if (file)
        fclose(file);
    return hash;
}

// Files that the tool made, removed; a temporary file counts as one.
static int take_made(made *out)
{
    int count = 0;
    DIR *here = opendir(".");
    for (struct dirent *e; here && (e = readdir(here));)
        if ((strncmp(e->d_name, "made", 4) == 0 || strncmp(e->d_name, ".luma", 5) == 0) &&
            count < MOST_MADE) {
            snprintf(out[count].name, sizeof out->name, "%.39s", e->d_name);
            out[count++].hash = hash_of(e->d_name);
        }
    if (here)
        closedir(here);
    for (int i = 0; i < count; i++)
        unlink(out[i].name);
    return count;
}

// Reports have times in them.
static bool is_report(const char *name)
{
    return strstr(name, ".txt") || strstr(name, ".html");
}

static bool is_whole(const made *m, const made *golden, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(golden[i].name, m->name) == 0)
            return is_report(m->name) || golden[i].hash == m->hash;
    return false;
}

// ---- the tests ----------------------------------------------------------------------------------

typedef struct expected {
    const char *line;
    report plain;
    made golden[MOST_MADE];
    int count;
} expected;

static bool is_film(const char *line)
{
    return strstr(line, "film.") != NULL;
}

// Of a film that failed, the frames before are written.
static void check_made(const expected *e, const report *r, const char *what, int64_t at)
{
    made found[MOST_MADE];
    const int count = take_made(found);
    for (int i = 0; i < count; i++)
        CHECK(is_whole(&found[i], e->golden, e->count) ||
                  (is_film(e->line) && r->status == EXIT_SOME && found[i].name[0] == 'm'),
              "%s: %s %d leaves %s", e->line, what, (int)at, found[i].name);
    if (r->status == e->plain.status)
        CHECK(count == e->count, "%s: %s %d: %d files, not %d", e->line, what, (int)at, count,
              e->count);
}

// A call that the command can do without may fail unseen.
static void check_failure(const expected *e, const report *r, int wanted, const char *word,
                          const char *what, int64_t at)
{
    CHECK(r->status >= 0, "%s: %s %d: %s", e->line, what, (int)at, r->message);
    if (r->status < 0)
        return;
    if (r->status != e->plain.status) {
        // Of several inputs or frames one may be done.
        const bool several = strstr(e->line, ".pgm rgb.ppm") || is_film(e->line);
        CHECK(r->status == wanted || (several && r->status == EXIT_SOME),
              "%s: %s %d: exit status %d: %s", e->line, what, (int)at, r->status, r->message);
        CHECK(r->lines == 1 && strstr(r->message, word), "%s: %s %d says: %s", e->line, what,
              (int)at, r->message);
    }
    CHECK(r->leaked == 0, "%s: %s %d: %d blocks leak", e->line, what, (int)at, (int)r->leaked);
}

static bool on_vulkan(const expected *e)
{
    return strstr(e->line, "--device vulkan") != NULL;
}

// What the device cannot do the processor may, with a note: any line will do.
static void check_vulkan_failure(const expected *e, const report *r, const char *what, int64_t at)
{
    CHECK(r->status == e->plain.status ||
              ((r->status == EXIT_LIMIT || r->status == EXIT_DEVICE) && r->lines > 0),
          "%s: %s %d: exit status %d: %s", e->line, what, (int)at, r->status, r->message);
    CHECK(r->leaked == 0, "%s: %s %d: %d blocks leak", e->line, what, (int)at, (int)r->leaked);
}

// Starting a device takes a while: in the usual run a part of the calls, in the full one all. So does every
// allocation under sanitizers, which run the short form. faults_sorted has every call of scratch files.
static void count_down(const expected *e, const command *c, faults_kind kind, int wanted,
                       const char *word, const char *what)
{
    const int64_t step = on_vulkan(e)             ? test_extent(61, 31, 1)
                         : kind == FAULTS_MEMORY  ? test_extent(7, 1, 1)
                         : kind == FAULTS_SCRATCH ? test_extent(7, 1, 1)
                                                  : 1;
    const report plain = run(c, kind, -1, -1);
    made found[MOST_MADE];
    take_made(found);
    for (int64_t at = 0; at < plain.calls; at += step) {
        const report r = run(c, kind, at, -1);
        CHECK(kind != FAULTS_SCRATCH || r.status == e->plain.status || !r.claims,
              "%s: %s %d: a document without the error", e->line, what, (int)at);
        if (on_vulkan(e))
            check_vulkan_failure(e, &r, what, at);
        else
            check_failure(e, &r, wanted, word, what, at);
        check_made(e, &r, what, at);
    }
}

// Files that may not become as large as they are: the limit counts as a full disk does.
static void test_sizes(const expected *e, const command *c)
{
    static const int64_t sizes[] = {0, 1, 20, 150, 300};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const report r = run(c, FAULTS_FILE, -1, sizes[i]);
        CHECK(r.status == EXIT_IO || r.status == e->plain.status, "%s: %d bytes: %d: %s", e->line,
              (int)sizes[i], r.status, r.message);
        CHECK(r.leaked == 0, "%s: %d bytes: %d blocks leak", e->line, (int)sizes[i], (int)r.leaked);
        check_made(e, &r, "size", sizes[i]);
    }
}

static void test_line(const char *line)
{
    expected e = {.line = line};
    command c;
    split(line, &c);
    e.plain = run(&c, FAULTS_MEMORY, -1, -1);
    e.count = take_made(e.golden);
    if (on_vulkan(&e) && (!test_wants_vulkan() || e.plain.status == EXIT_DEVICE)) {
        check_skip(test_wants_vulkan() ? e.plain.message : "Vulkan is turned off");
        return;
    }
    CHECK(e.plain.status ==
                  (strcmp(line, "statz") == 0 || strcmp(line, "filters nonsuch") == 0 ? 2 : 0) &&
              e.plain.leaked == 0,
          "%s: %d: %s, %d blocks leak", line, e.plain.status, e.plain.message, (int)e.plain.leaked);
    if (e.plain.status < 0)
        return;
    CHECK(e.plain.syncs >= e.count && e.plain.folder_syncs >= e.count,
          "%s: %d files, synchronised %d times, their folders %d times", line, e.count,
          (int)e.plain.syncs, (int)e.plain.folder_syncs);
    count_down(&e, &c, FAULTS_MEMORY, EXIT_LIMIT, "memory", "allocation");
    if (on_vulkan(&e))
        return;
    count_down(&e, &c, FAULTS_THREAD, EXIT_LIMIT, "thread", "thread");
    if (e.plain.status != 0)
        return;
    count_down(&e, &c, FAULTS_FILE, EXIT_IO, "cannot", "file");
    count_down(&e, &c, FAULTS_SCRATCH, EXIT_IO, "a scratch file in ", "scratch");
    test_sizes(&e, &c);
}

int main(int argc, char **argv)
{
    // The tool ignores it: a file that reaches its limit is a failed write
    // (cli/part_2_failures.sh).
    signal(SIGXFSZ, SIG_IGN);
#ifdef LG_HAVE_JANSSON
    json_set_alloc_funcs(faults_malloc, faults_free);
#endif
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        CHECK(false, "%s", folder);
        return check_finish("faults_tool");
    }
    setenv("XDG_CACHE_HOME", folder, 1);
    make_inputs();
#ifdef LG_HAVE_VIPS
    make_png();
#endif
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (argc < 2 || strstr(lines[i], argv[1]))
            test_line(lines[i]);
    char remove[128];
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    CHECK(chdir("/") == 0 && system(remove) == 0, "%s", remove);
    return check_finish("faults_tool");
}
