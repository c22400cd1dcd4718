// Medians of 5 x 5 samples of one type. Included with SAMPLE, the type, and NAME(x), the names of what stands
// here. Loops are such that compilers make vectors of them.

// Clang takes minutes where each address of a window is watched for an overflow.
#define ADDRESSES_UNWATCHED __attribute__((no_sanitize("pointer-overflow")))

#define PUT_IN_ORDER(a, b)                                                                         \
    do {                                                                                           \
        const SAMPLE less = LG_MIN(a, b), more = LG_MAX(a, b);                                     \
        (a) = less;                                                                                \
        (b) = more;                                                                                \
    } while (0)

#define SORT_FOUR(v)                                                                               \
    do {                                                                                           \
        PUT_IN_ORDER((v)[0], (v)[1]);                                                              \
        PUT_IN_ORDER((v)[2], (v)[3]);                                                              \
        PUT_IN_ORDER((v)[0], (v)[2]);                                                              \
        PUT_IN_ORDER((v)[1], (v)[3]);                                                              \
        PUT_IN_ORDER((v)[1], (v)[2]);                                                              \
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

// Batcher's merges: of two and two, four and four, eight and eight samples in order. What is not used of the
// results, compilers leave out.
#define MERGE_TWO(a, b, c, d, to)                                                                  \
    SAMPLE to[4] = {a, b, c, d};                                                                   \
    PUT_IN_ORDER((to)[0], (to)[2]);                                                                \
    PUT_IN_ORDER((to)[1], (to)[3]);                                                                \
    PUT_IN_ORDER((to)[1], (to)[2])

#define MERGE_FOUR(p, q, first, step, to)                                                          \
    MERGE_TWO((p)[first], (p)[(first) + 2 * (step)], (q)[first], (q)[(first) + 2 * (step)],        \
              even_##to);                                                                          \
    MERGE_TWO((p)[(first) + (step)], (p)[(first) + 3 * (step)], (q)[(first) + (step)],             \
              (q)[(first) + 3 * (step)], odd_##to);                                                \
    INTERLEAVE_EIGHT(even_##to, odd_##to, to)

#define INTERLEAVE_EIGHT(even, odd, to)                                                            \
    SAMPLE to[8] = {(even)[0], (odd)[0], (even)[1], (odd)[1],                                      \
                    (even)[2], (odd)[2], (even)[3], (odd)[3]};                                     \
    PUT_IN_ORDER((to)[1], (to)[2]);                                                                \
    PUT_IN_ORDER((to)[3], (to)[4]);                                                                \
    PUT_IN_ORDER((to)[5], (to)[6])

// The median of 25 samples, of which `middle` are the six that can be it and five are a row.
#define MEDIAN_WITH(middle, row, to)                                                               \
    SAMPLE row_of_##to[5] = {(row)[i], (row)[i + step], (row)[i + 2 * step], (row)[i + 3 * step],  \
                             (row)[i + 4 * step]};                                                 \
    SORT_FIVE(row_of_##to);                                                                        \
    SAMPLE to = (middle)[5];                                                                       \
    for (int k = 0; k < 5; k++) {                                                                  \
        const SAMPLE more = LG_MAX((middle)[4 - k], row_of_##to[k]);                               \
        to = LG_MIN(to, more);                                                                     \
    }

// Sorts columns of four lines. Parameters, since compilers forget what does not overlap otherwise.
static void NAME(sort_columns)(const SAMPLE *restrict a, const SAMPLE *restrict b,
                               const SAMPLE *restrict c, const SAMPLE *restrict d, int count,
                               SAMPLE *restrict to)
{
    for (int i = 0; i < count; i++) {
        SAMPLE v[4] = {a[i], b[i], c[i], d[i]};
        SORT_FOUR(v);
        for (int k = 0; k < 4; k++)
            to[k * PITCH + i] = v[k];
    }
}

// Each column and the next one, as eight samples in order.
static inline __attribute__((always_inline)) void
NAME(merge_columns)(const SAMPLE *restrict columns, int step, int count, SAMPLE *restrict to)
{
    for (int i = 0; i < count; i++) {
        SAMPLE p[4], q[4];
        for (int k = 0; k < 4; k++) {
            p[k] = columns[k * PITCH + i];
            q[k] = columns[k * PITCH + i + step];
        }
        MERGE_FOUR(p, q, 0, 1, v);
        for (int k = 0; k < 8; k++)
            to[k * PITCH + i] = v[k];
    }
}

// The medians of two rows. The 8th to the 13th of the 20 samples of five columns are those of two pairs of
// columns, their 4th to 13th, and of these with the last column the 5th to the 10th.
static inline __attribute__((always_inline)) ADDRESSES_UNWATCHED void
NAME(select)(const SAMPLE *restrict pairs, const SAMPLE *restrict columns,
             const SAMPLE *restrict above, const SAMPLE *restrict below, int step, int count,
             SAMPLE *restrict to, SAMPLE *restrict next)
{
    for (int i = 0; i < count; i++) {
        SAMPLE p[8], q[8], c[4];
        for (int k = 0; k < 8; k++) {
            p[k] = pairs[k * PITCH + i];
            q[k] = pairs[k * PITCH + i + 2 * step];
        }
        for (int k = 0; k < 4; k++)
            c[k] = columns[k * PITCH + i + 4 * step];
        MERGE_FOUR(p, q, 0, 2, even);
        MERGE_FOUR(p, q, 1, 2, odd);
        SAMPLE v[10] = {odd[1],  even[2], odd[2],  even[3], odd[3],
                        even[4], odd[4],  even[5], odd[5],  even[6]};
        for (int k = 0; k < 10; k += 2)
            PUT_IN_ORDER(v[k], v[k + 1]);
        // The places of `v` with even and with odd numbers take every other one of the column.
        PUT_IN_ORDER(v[0], c[0]);
        PUT_IN_ORDER(v[4], c[0]);
        PUT_IN_ORDER(v[8], c[0]);
        PUT_IN_ORDER(v[2], c[2]);
        PUT_IN_ORDER(v[6], c[2]);
        PUT_IN_ORDER(v[2], v[4]);
        PUT_IN_ORDER(v[6], v[8]);
        PUT_IN_ORDER(c[2], c[0]);
        PUT_IN_ORDER(v[1], c[1]);
        PUT_IN_ORDER(v[5], c[1]);
        PUT_IN_ORDER(v[9], c[1]);
        PUT_IN_ORDER(v[3], c[3]);
        PUT_IN_ORDER(v[7], c[3]);
        PUT_IN_ORDER(v[3], v[5]);
        PUT_IN_ORDER(v[7], v[9]);
        const SAMPLE middle[6] = {LG_MAX(v[3], v[4]), LG_MIN(v[5], v[6]), LG_MAX(v[5], v[6]),
                                  LG_MIN(v[7], v[8]), LG_MAX(v[7], v[8]), LG_MIN(v[9], c[2])};
        MEDIAN_WITH(middle, above, first);
        MEDIAN_WITH(middle, below, second);
        to[i] = first;
        next[i] = second;
    }
}

#undef MEDIAN_WITH
#undef ADDRESSES_UNWATCHED
#undef INTERLEAVE_EIGHT
#undef MERGE_FOUR
#undef MERGE_TWO
#undef SORT_FIVE
#undef SORT_FOUR
#undef PUT_IN_ORDER

// The medians of two rows, whose windows begin with the columns at `rows`. Rows and results go on for what is
// computed in vain.
static inline __attribute__((always_inline)) void
NAME(part)(const SAMPLE *const rows[6], int step, int count, SAMPLE *scratch, SAMPLE *const to[2])
{
    SAMPLE *columns = scratch, *pairs = columns + 4 * PITCH;
    NAME(sort_columns)(rows[1], rows[2], rows[3], rows[4], count + BLOCK, columns);
    NAME(merge_columns)(columns, step, count + BLOCK / 2, pairs);
    NAME(select)(pairs, columns, rows[0], rows[5], step, count, to[0], to[1]);
}

// Columns first .. end - 1 of a row, or what the border has for them.
static void NAME(copy)(const lg_median_job *job, const lg_pixels *in, const SAMPLE *row,
                       int64_t first, int64_t end, SAMPLE *to)
{
    const int64_t step = in->channels, inside = LG_MAX(first, 0);
    const int64_t inside_end = LG_MAX(LG_MIN(end, in->width), inside);
    memcpy(to + (inside - first) * step, row + inside * step,
           (size_t)((inside_end - inside) * step) * sizeof *to);
    for (int64_t x = first; x < end; x++) {
        if (x == inside)
            x = inside_end;
        if (x == end)
            break;
        const int64_t column = lg_border_index(x, in->width, job->border);
        for (int64_t k = 0; k < step; k++)
            to[(x - first) * step + k] = column < 0 ? 0 : row[column * step + k];
    }
}

// How many pixels from x on are computed together, and whether their windows lie where the image has them.
static int NAME(cut)(const lg_pixel_tile *t, int32_t x, bool *inside)
{
    const int step = t->in.channels, left = t->x_end - x;
    const int64_t room = ((int64_t)t->in.width - x + 2) * step - BLOCK;
    const int64_t fits = x < 2 ? 0 : LG_MIN(LG_MIN(room, PART), (int64_t)left * step);
    *inside = fits >= BLOCK;
    return *inside ? (int)(fits / BLOCK * BLOCK) / step
                   : LG_MIN(left, (x < 2 ? BLOCK : 4 * BLOCK) / step);
}

// Asks for what the next two rows of results need of two rows more.
static void NAME(ask)(const lg_pixels *in, int64_t y, size_t at, size_t count)
{
    for (int64_t row = y; row < LG_MIN(y + 2, (int64_t)in->height); row++) {
        const char *from = in->data + (size_t)row * in->row_stride + at * sizeof(SAMPLE);
        for (size_t i = 0; i < count * sizeof(SAMPLE); i += 64)
            __builtin_prefetch(from + i);
    }
}

// Two rows of results from row y on, or the last one.
static void NAME(rows)(const lg_median_job *job, const lg_pixel_tile *t, int32_t y,
                       const SAMPLE *zeros, SAMPLE *scratch)
{
    const lg_pixels *in = &t->in, *out = &t->out;
    const int step = in->channels, lines = LG_MIN(2, t->y_end - y);
    const SAMPLE *rows[6], *from[6];
    SAMPLE *copies = scratch + 12 * PITCH, *results = copies + 6 * PITCH;
    for (int k = 0; k < 6; k++) {
        const int64_t row = lg_border_index((int64_t)y + k - 2, in->height, job->border);
        rows[k] = row < 0 ? zeros
                          : (const SAMPLE *)(const void *)(in->data + (size_t)row * in->row_stride);
    }
    bool inside;
    for (int32_t x = t->x, count; x < t->x_end; x += count) {
        count = NAME(cut)(t, x, &inside);
        const int samples = count * step, rounded = (samples + BLOCK - 1) / BLOCK * BLOCK;
        const size_t at = (size_t)x * (size_t)step;
        SAMPLE *image[2], *to[2];
        for (int k = 0; k < 6; k++) {
            from[k] = inside ? rows[k] + at - 2 * step : copies + k * PITCH;
            if (!inside)
                NAME(copy)
            (job, in, rows[k], (int64_t)x - 2, (int64_t)x + count + 2, copies + k * PITCH);
        }
        NAME(ask)(in, (int64_t)y + 4, at, (size_t)samples);
        for (int k = 0; k < 2; k++) {
            char *row = out->data + ((size_t)y + (size_t)LG_MIN(k, lines - 1)) * out->row_stride;
            image[k] = (SAMPLE *)(void *)row + at;
            to[k] = inside && k < lines ? image[k] : results + k * PITCH;
        }
        if (step == 1)
            NAME(part)(from, 1, rounded, scratch, to);
        else if (step == 4)
            NAME(part)(from, 4, rounded, scratch, to);
        else
            NAME(part)(from, step, rounded, scratch, to);
        for (int k = 0; k < lines; k++) {
            if (!inside)
                memcpy(image[k], to[k], (size_t)samples * sizeof(SAMPLE));
            set_alpha(t, (const char *)(rows[2 + k] + at), count, (char *)image[k]);
        }
    }
}

static void NAME(filter)(const void *job, const lg_pixel_tile *t, char *scratch)
{
    SAMPLE *memory = (SAMPLE *)(void *)scratch, *zeros = memory + LINES * PITCH;
    memset(memory, 0, (size_t)LINES * PITCH * sizeof *memory);
    memset(zeros, 0, row_bytes(&t->in, sizeof *zeros));
    for (int32_t y = t->y; y < t->y_end; y += 2)
        NAME(rows)(job, t, y, zeros, memory);
}
