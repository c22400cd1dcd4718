// Medians of 5 x 5 samples of one type. Included with SAMPLE, the type, and NAME(x), the names of what stands
// here. Loops are such that compilers make vectors of them.

// Clang takes minutes where each of the 25 addresses of a window is watched for an overflow.
#define ADDRESSES_UNWATCHED __attribute__((no_sanitize("pointer-overflow")))

#define PUT_IN_ORDER(a, b)                                                                         \
    do {                                                                                           \
        const SAMPLE less = LG_MIN(a, b), more = LG_MAX(a, b);                                     \
        (a) = less;                                                                                \
        (b) = more;                                                                                \
    } while (0)

// Knuth's network for five.
#define SORT_FIVE(v)                                                                               \
    do {                                                                                           \
        PUT_IN_ORDER((v)[0], (v)[1]);                                                              \
        PUT_IN_ORDER((v)[3], (v)[4]);                                                              \
        PUT_IN_ORDER((v)[2], (v)[4]);                                                              \
        PUT_IN_ORDER((v)[2], (v)[3]);                                                              \
        PUT_IN_ORDER((v)[0], (v)[3]);                                                              \
        PUT_IN_ORDER((v)[0], (v)[2]);                                                              \
        PUT_IN_ORDER((v)[1], (v)[4]);                                                              \
        PUT_IN_ORDER((v)[1], (v)[3]);                                                              \
        PUT_IN_ORDER((v)[1], (v)[2]);                                                              \
    } while (0)

// Sorts `count` columns of five lines. Parameters, since compilers forget what does not overlap otherwise.
static void NAME(sort_columns)(const SAMPLE *restrict a, const SAMPLE *restrict b,
                               const SAMPLE *restrict c, const SAMPLE *restrict d,
                               const SAMPLE *restrict e, int count, SAMPLE *restrict p,
                               SAMPLE *restrict q, SAMPLE *restrict r, SAMPLE *restrict s,
                               SAMPLE *restrict t)
{
    for (int i = 0; i < count; i++) {
        SAMPLE v[5] = {a[i], b[i], c[i], d[i], e[i]};
        SORT_FIVE(v);
        p[i] = v[0];
        q[i] = v[1];
        r[i] = v[2];
        s[i] = v[3];
        t[i] = v[4];
    }
}

#define ROW_OF(row, v)                                                                             \
    SAMPLE v[5] = {(row)[i], (row)[i + step], (row)[i + 2 * step], (row)[i + 3 * step],            \
                   (row)[i + 4 * step]};                                                           \
    SORT_FIVE(v)

// The medians of windows whose leftmost columns are those of `sorted`. What of a sorted row is not used,
// compilers leave out.
static inline __attribute__((always_inline)) ADDRESSES_UNWATCHED void
NAME(select)(const SAMPLE *const sorted[5], int step, int count, SAMPLE *restrict to)
{
    const SAMPLE *restrict p = sorted[0], *restrict q = sorted[1], *restrict r = sorted[2];
    const SAMPLE *restrict s = sorted[3], *restrict t = sorted[4];
    for (int i = 0; i < count; i++) {
        ROW_OF(p, a);
        ROW_OF(q, b);
        ROW_OF(r, c);
        ROW_OF(s, d);
        ROW_OF(t, e);
        const SAMPLE low = LG_MAX(a[3], b[2]), low2 = LG_MAX(c[1], d[0]);
        const SAMPLE high = LG_MIN(b[4], c[3]), high2 = LG_MIN(d[2], e[1]);
        SAMPLE v[7] = {LG_MAX(low, low2), a[4], b[3], c[2], d[1], e[0], LG_MIN(high, high2)};
        PUT_IN_ORDER(v[0], v[5]);
        PUT_IN_ORDER(v[0], v[3]);
        PUT_IN_ORDER(v[1], v[6]);
        PUT_IN_ORDER(v[2], v[4]);
        PUT_IN_ORDER(v[0], v[1]);
        PUT_IN_ORDER(v[3], v[5]);
        PUT_IN_ORDER(v[2], v[6]);
        PUT_IN_ORDER(v[2], v[3]);
        PUT_IN_ORDER(v[3], v[6]);
        PUT_IN_ORDER(v[4], v[5]);
        PUT_IN_ORDER(v[1], v[4]);
        PUT_IN_ORDER(v[1], v[3]);
        PUT_IN_ORDER(v[3], v[4]);
        to[i] = v[3];
    }
}

// The columns beside those that sort_columns took: columns first .. end - 1 of the image, or what the border
// has for them, as columns at + first .. of `sorted`.
static void NAME(sort_outside)(const lg_median_job *job, const lg_pixels *in,
                               const SAMPLE *const rows[5], int64_t first, int64_t end, int64_t at,
                               SAMPLE *const sorted[5])
{
    const int64_t step = in->channels;
    for (int64_t x = first; x < end; x++) {
        const int64_t column = lg_border_index(x, in->width, job->border);
        for (int64_t k = 0; k < step; k++) {
            SAMPLE v[5];
            for (int i = 0; i < 5; i++)
                v[i] = column < 0 ? 0 : rows[i][column * step + k];
            SORT_FIVE(v);
            for (int i = 0; i < 5; i++)
                sorted[i][(at + x) * step + k] = v[i];
        }
    }
}

// The sorted columns t->x - 2 .. t->x_end + 1 of five rows.
static void NAME(sort_rows)(const lg_median_job *job, const lg_pixel_tile *t,
                            const SAMPLE *const rows[5], SAMPLE *const sorted[5])
{
    const lg_pixels *in = &t->in;
    const int64_t first = (int64_t)t->x - 2, end = (int64_t)t->x_end + 2, step = in->channels;
    const int64_t inside = LG_MAX(first, 0), inside_end = LG_MIN(end, in->width);
    const int64_t from = inside * step, to = (inside - first) * step;
    NAME(sort_columns)
    (rows[0] + from, rows[1] + from, rows[2] + from, rows[3] + from, rows[4] + from,
     (int)((inside_end - inside) * step), sorted[0] + to, sorted[1] + to, sorted[2] + to,
     sorted[3] + to, sorted[4] + to);
    NAME(sort_outside)(job, in, rows, first, inside, -first, sorted);
    NAME(sort_outside)(job, in, rows, inside_end, end, -first, sorted);
}

// `zeros` has a row of the image.
static const SAMPLE *NAME(row)(const lg_median_job *job, const lg_pixels *in, int64_t y,
                               const SAMPLE *zeros)
{
    const int64_t row = lg_border_index(y, in->height, job->border);
    return row < 0 ? zeros
                   : (const SAMPLE *)(const void *)(in->data + (size_t)row * in->row_stride);
}

static void NAME(filter)(const void *job_pointer, const lg_pixel_tile *t, char *scratch)
{
    const lg_median_job *job = job_pointer;
    const int step = t->in.channels, width = t->x_end - t->x;
    const size_t pitch = line_bytes(job, step, sizeof(SAMPLE)) / sizeof(SAMPLE);
    SAMPLE *sorted[5], *zeros = (SAMPLE *)(void *)scratch + 5 * pitch;
    for (int k = 0; k < 5; k++)
        sorted[k] = (SAMPLE *)(void *)scratch + (size_t)k * pitch;
    memset(zeros, 0, row_bytes(&t->in, sizeof *zeros));
    for (int32_t y = t->y; y < t->y_end; y++) {
        const SAMPLE *rows[5];
        for (int k = 0; k < 5; k++)
            rows[k] = NAME(row)(job, &t->in, (int64_t)y + k - 2, zeros);
        NAME(sort_rows)(job, t, rows, sorted);
        const size_t at = (size_t)(t->x * step);
        SAMPLE *result = (SAMPLE *)(void *)(t->out.data + (size_t)y * t->out.row_stride) + at;
        const SAMPLE *const in_order[5] = {sorted[0], sorted[1], sorted[2], sorted[3], sorted[4]};
        if (step == 1)
            NAME(select)(in_order, 1, width, result);
        else if (step == 4)
            NAME(select)(in_order, 4, 4 * width, result);
        else
            NAME(select)(in_order, step, step * width, result);
        set_alpha(t, (const char *)(rows[2] + at), width, (char *)result);
    }
}

#undef ROW_OF
#undef ADDRESSES_UNWATCHED
#undef SORT_FIVE
#undef PUT_IN_ORDER
