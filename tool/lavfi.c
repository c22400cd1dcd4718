#include "lavfi.h"

#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODES = 65536, HUES = 360, PLANES = 3, GRADES = 3 };

// Counts of codes, of whole numbers of saturation, and of whole degrees of hue.
typedef struct counts {
    uint32_t code[PLANES][CODES];
    uint32_t saturation[CODES];
    uint32_t hue[HUES];
    uint64_t difference[PLANES]; // sums over the frame
    uint64_t size[PLANES];
    uint32_t used[PLANES]; // bits that are set in some sample
} counts;

// The chroma of 8 bits: every pair of codes has its saturation and its hue.
typedef struct chroma_entry {
    uint16_t saturation, hue;
} chroma_entry;

struct lg_lavfi {
    counts now;
    void *before[PLANES]; // codes of the frame before
    size_t room[PLANES];  // bytes of them
    bool has_before;
    chroma_entry *entries; // [Cb * 256 + Cr]
};

lg_lavfi *lg_lavfi_create(void)
{
    return calloc(1, sizeof(lg_lavfi));
}

void lg_lavfi_destroy(lg_lavfi *lavfi)
{
    if (!lavfi)
        return;
    for (int i = 0; i < PLANES; i++)
        free(lavfi->before[i]);
    free(lavfi->entries);
    free(lavfi);
}

bool lg_check_lavfi(const lg_options *options)
{
    if (options->plane >= 0 && (options->lavfi || options->planes)) {
        lg_complain("--plane is one plane, and --%s all of them; leave one of the two out",
                    options->lavfi ? "lavfi" : "planes");
        return false;
    }
    const char *other = options->filters            ? "pipeline"
                        : options->has_region       ? "region"
                        : options->mask             ? "mask"
                        : options->step > 1         ? "step"
                        : options->scale > 0        ? "scale"
                        : options->stack            ? "stack"
                        : options->skip_transparent ? "skip-transparent"
                                                    : NULL;
    if (options->lavfi && options->planes)
        other = "planes";
    else if (options->planes && options->space != LG_SPACE_STORED)
        other = "space";
    const bool planes = options->lavfi || options->planes;
    if (planes && other)
        lg_complain("--%s is of all samples of the planes as they are stored; leave out --%s",
                    options->lavfi ? "lavfi" : "planes", other);
    return !planes || !other;
}

// ---- counting -----------------------------------------------------------------------------------

static void count8(const uint8_t *row, const uint8_t *before, int32_t width, uint32_t *code,
                   uint64_t *difference)
{
    uint64_t sum = 0;
    for (int32_t x = 0; x < width; x++) {
        code[row[x]]++;
        sum += (uint64_t)abs(row[x] - before[x]);
    }
    *difference += sum;
}

static void count16(const uint16_t *row, const uint16_t *before, int32_t width, uint32_t *code,
                    uint64_t *difference)
{
    uint64_t sum = 0;
    for (int32_t x = 0; x < width; x++) {
        code[row[x]]++;
        sum += (uint64_t)abs(row[x] - before[x]);
    }
    *difference += sum;
}

// Room for the plane of the next frame; a first one is compared with itself.
static bool keep_room(lg_lavfi *lavfi, int plane, size_t bytes)
{
    if (lavfi->room[plane] == bytes)
        return true;
    free(lavfi->before[plane]);
    lavfi->before[plane] = malloc(bytes);
    lavfi->room[plane] = lavfi->before[plane] ? bytes : 0;
    lavfi->has_before = false;
    return lavfi->before[plane];
}

static lg_status count_plane(lg_lavfi *lavfi, int index, const lg_image *plane, lg_error *error)
{
    const lg_image_params *s = &plane->shape;
    counts *c = &lavfi->now;
    const size_t bytes = s->row_stride * (size_t)s->height;
    if (!keep_room(lavfi, index, bytes))
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the frame before");
    if (!lavfi->has_before)
        memcpy(lavfi->before[index], plane->data, bytes);
    for (int32_t y = 0; y < s->height; y++) {
        const uint8_t *row = (const uint8_t *)plane->data + (size_t)y * s->row_stride;
        const uint8_t *before = (const uint8_t *)lavfi->before[index] + (size_t)y * s->row_stride;
        if (s->type == LG_U8)
            count8(row, before, s->width, c->code[index], &c->difference[index]);
        else
            count16((const void *)row, (const void *)before, s->width, c->code[index],
                    &c->difference[index]);
    }
    c->size[index] = (uint64_t)s->width * (uint64_t)s->height;
    for (uint32_t i = 0; i < CODES; i++)
        c->used[index] |= c->code[index][i] ? i : 0;
    return LG_OK;
}

static chroma_entry entry_of(int32_t cb, int32_t cr)
{
    const double pi = 3.14159265358979323846;
    const float saturation = (float)sqrt((double)cb * cb + (double)cr * cr);
    chroma_entry out = {.saturation = (uint16_t)saturation};
    const double degrees = floor(180 + atan2(cb, cr) * 180 / pi);
    out.hue = (uint16_t)(degrees >= HUES ? degrees - HUES : degrees);
    return out;
}

static bool make_entries(lg_lavfi *lavfi)
{
    if (!lavfi->entries)
        lavfi->entries = malloc(CODES * sizeof *lavfi->entries);
    for (int i = 0; i < CODES && lavfi->entries; i++)
        lavfi->entries[i] = entry_of(i / 256 - 128, i % 256 - 128);
    return lavfi->entries;
}

static void count_chroma(const lg_lavfi *lavfi, counts *c, int bits, const lg_image *cb,
                         const lg_image *cr)
{
    const int32_t grey = 1 << (bits - 1);
    const size_t stride = cb->shape.row_stride;
    for (int32_t y = 0; y < cb->shape.height; y++)
        for (int32_t x = 0; x < cb->shape.width; x++) {
            const uint8_t *b = (const uint8_t *)cb->data + (size_t)y * stride;
            const uint8_t *r = (const uint8_t *)cr->data + (size_t)y * stride;
            const chroma_entry e = bits == 8
                                       ? lavfi->entries[b[x] * 256 + r[x]]
                                       : entry_of(((const uint16_t *)(const void *)b)[x] - grey,
                                                  ((const uint16_t *)(const void *)r)[x] - grey);
            c->saturation[e.saturation]++;
            c->hue[e.hue]++;
        }
}

static void keep_frame(lg_lavfi *lavfi, lg_image *const planes[PLANES], int count)
{
    for (int i = 0; i < count; i++)
        memcpy(lavfi->before[i], planes[i]->data, lavfi->room[i]);
    lavfi->has_before = true;
}

static lg_status count_frame(lg_lavfi *lavfi, lg_frames *frames, int planes, lg_error *error)
{
    lg_image *plane[PLANES] = {NULL};
    lg_status status = LG_OK;
    memset(&lavfi->now, 0, sizeof lavfi->now);
    for (int i = 0; i < planes && !status; i++) {
        status = lg_frames_plane(frames, i, &plane[i], error);
        if (!status)
            status = count_plane(lavfi, i, plane[i], error);
    }
    const int bits = lg_frames_film(frames)->bits;
    if (!status && planes == PLANES && bits == 8 && !lavfi->entries && !make_entries(lavfi))
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for hues");
    if (!status && planes == PLANES)
        count_chroma(lavfi, &lavfi->now, bits, plane[1], plane[2]);
    if (!status)
        keep_frame(lavfi, plane, planes);
    for (int i = 0; i < planes; i++)
        lg_image_destroy(&plane[i]);
    return status;
}

// ---- figures ------------------------------------------------------------------------------------

typedef struct figures {
    char name[32][12];
    double value[32];
    int count;
} figures;

static void add(figures *f, const char *of, const char *name, double value)
{
    snprintf(f->name[f->count], sizeof f->name[0], "%s%s", of, name);
    f->value[f->count++] = value;
}

// The least value with so many at or below it.
static int32_t value_at(const uint32_t *count, int32_t values, uint64_t rank)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < values; i++) {
        sum += count[i];
        if (sum >= rank && count[i])
            return i;
    }
    return values - 1;
}

static double mean_of(const uint32_t *count, int32_t values, uint64_t size)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < values; i++)
        sum += (uint64_t)count[i] * (uint64_t)i;
    return (double)sum / (double)size;
}

static void add_spread(figures *f, const char *of, const uint32_t *count, uint64_t size)
{
    add(f, of, "MIN", value_at(count, CODES, 1));
    add(f, of, "LOW", value_at(count, CODES, (uint64_t)llrint((double)size * 10 / 100)));
    add(f, of, "AVG", mean_of(count, CODES, size));
    add(f, of, "HIGH", value_at(count, CODES, (uint64_t)llrint((double)size * 90 / 100)));
    add(f, of, "MAX", value_at(count, CODES, size));
}

static int bit_count(uint32_t value)
{
    return __builtin_popcount(value);
}

static void find_figures(const counts *c, int planes, figures *f)
{
    static const char *const names[] = {"Y", "U", "V"};
    *f = (figures){0};
    for (int i = 0; i < planes; i++)
        add_spread(f, names[i], c->code[i], c->size[i]);
    if (planes == PLANES) {
        add_spread(f, "SAT", c->saturation, c->size[1]);
        add(f, "HUE", "MED", value_at(c->hue, HUES, c->size[1] / 2 + 1));
        add(f, "HUE", "AVG", mean_of(c->hue, HUES, c->size[1]));
    }
    for (int i = 0; i < planes; i++)
        add(f, names[i], "DIF", (double)c->difference[i] / (double)c->size[i]);
    for (int i = 0; i < planes; i++)
        add(f, names[i], "BITDEPTH", bit_count(c->used[i]));
}

// ---- reports ------------------------------------------------------------------------------------

static void report_json(lg_session *session, const lg_input_file *file, const figures *f,
                        double scene)
{
    lg_json *json = &session->json;
    lg_json_begin(json, NULL, '{');
    lg_json_text(json, "schema", "lumagraph.lavfi/1");
    lg_json_text(json, "file", file->name);
    lg_json_integer(json, "frame", file->frame);
    lg_json_number(json, "time", lg_frame_time(file) >= 0 ? lg_frame_time(file) : NAN);
    lg_json_begin(json, "figures", '{');
    for (int i = 0; i < f->count; i++)
        lg_json_number(json, f->name[i], f->value[i]);
    lg_json_end(json, '}');
    lg_json_number(json, "scene", scene);
    lg_json_end(json, '}');
}

static void report_csv(lg_session *session, const lg_input_file *file, const figures *f,
                       double scene)
{
    lg_csv *csv = &session->csv;
    if (session->done == 0) {
        lg_report_names_csv(session);
        for (int i = 0; i < f->count; i++)
            lg_csv_text(csv, f->name[i]);
        lg_csv_text(csv, "scene");
        lg_csv_row(csv);
    }
    lg_report_file_csv(session, file);
    for (int i = 0; i < f->count; i++)
        lg_csv_number(csv, f->value[i]);
    lg_csv_number(csv, scene);
    lg_csv_row(csv);
}

// As ffmpeg's filter metadata prints it, with six digits; a line of our own stands at the end.
static void report_text(lg_session *session, const lg_input_file *file, const figures *f,
                        double scene)
{
    FILE *out = session->out;
    const double seconds = lg_frame_time(file);
    fprintf(out, "frame:%-4lld pts:%-7lld pts_time:%.6g\n", (long long)file->frame,
            (long long)(file->time.unit_per ? file->time.ticks : file->frame),
            seconds >= 0 ? seconds : 0);
    for (int i = 0; i < f->count; i++)
        fprintf(out, "lavfi.signalstats.%s=%g\n", f->name[i], f->value[i]);
    fprintf(out, "lumagraph.scene=%.6f\n", scene);
}

lg_status lg_lavfi_measure(lg_session *session, lg_input_file *file, void *priv, lg_error *error)
{
    lg_lavfi *lavfi = priv;
    const lg_film *film = lg_frames_film(file->frames);
    figures f;
    if (!film || !film->planes)
        return lg_set_error(error, LG_ERROR_UNSUPPORTED,
                            "--lavfi is of planes of video: y4m, video files, or raw frames with "
                            "--raw");
    const int planes = film->planes == 1 ? 1 : PLANES;
    if (!file->repeated)
        lavfi->has_before = false;
    const lg_status status = count_frame(lavfi, file->frames, planes, error);
    if (status)
        return status;
    find_figures(&lavfi->now, planes, &f);
    const double most = (double)((1 << film->bits) - 1);
    const double scene = (double)lavfi->now.difference[0] / ((double)lavfi->now.size[0] * most);
    if (session->options->json)
        report_json(session, file, &f, scene);
    else if (session->options->csv)
        report_csv(session, file, &f, scene);
    else
        report_text(session, file, &f, scene);
    if (lg_html_begin(session)) {
        report_json(session, file, &f, scene);
        lg_html_add(session, file, NULL, 0);
    }
    return LG_OK;
}
