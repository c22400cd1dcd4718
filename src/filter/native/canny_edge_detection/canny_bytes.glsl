// Bytes to weak and strong pixels in one dispatch. A tile is 124 x 32 pixels, plus the columns and
// rows around it that each step needs. A word holds two columns, 16 bits each.
//
// Defined before: BORDER; TAPS of the Gaussian on either side; LUMA: 0 one channel, 1 grey and alpha, 2 red
// and green, 3 four channels; RING: magnitudes go to the last view for GPUImage's hysteresis. Words
// behind those of the maps: the Gaussian's weights, whose sum is 2^16.
#define TILE    124 // columns of the result; two more on either side
#define PAIRS   64
#define ROWS    32
#define PARTS   (LG_GROUP_X / PAIRS) // parts of a column, one thread each
#define HEIGHT  (ROWS + 4)           // rows of blurred luminance, from -2 on
#define WEIGHTS 4

#define LUMA_ROWS  (HEIGHT + 2 * TAPS)
#define LEFT       ((TAPS + 5) / 4 * 4) // columns of luminance before the tile
#define LUMA_WORDS ((LEFT + TAPS + 129) / 4 + 1)
#define LUMA_PITCH ((LUMA_WORDS + 6) / 4 * 4) // of a row, that begins with up to three words more
#define FIRST      (LEFT - 2 - TAPS) // the first column that the first blurred one needs

// An odd number of words: threads with rows below each other use different banks.
#define LINE_PITCH (2 * LUMA_WORDS + 1)
#define PITCH      (PAIRS + 1)

// First luminance and pairs of its column sums, then magnitudes: rows from -1 on, 128 columns each.
#define LINES (LUMA_ROWS * LUMA_PITCH)
#define GRADIENT_WORDS ((ROWS + 2) * 2 * PAIRS)
#define AREA max(LINES + HEIGHT * LINE_PITCH, GRADIENT_WORDS)

shared uint area[AREA]; // words, as an array of vectors takes a tenth more time
shared uint blurred[HEIGHT * PITCH];
shared ivec2 limits;

uint weight(int k)
{
    return lg.extra[WEIGHTS + k];
}

// ---- luminance ----------------------------------------------------------------------------------

uint luma_of(uint r, uint g, uint b)
{
    return lg_luma_integer(r, g, b, 13926u, 46885u, 4725u);
}

uint luma_of_pixel(uint v)
{
#if LUMA == 2
    return luma_of(v & 255u, v >> 8 & 255u, 0u);
#elif LUMA == 3
    return luma_of(v & 255u, v >> 8 & 255u, v >> 16 & 255u);
#else
    return v & 255u;
#endif
}

uint luma_at(uvec2 row, int x)
{
    int column = lg_border_index(x, lg_param_int(5), BORDER);
    if (column < 0)
        return 0u;
#if LUMA == 0
    return lg_words(row).at[column >> 2] >> (8 * (column & 3)) & 255u;
#elif LUMA == 3
    return luma_of_pixel(lg_words(row).at[column]);
#else
    return luma_of_pixel(lg_words(row).at[column >> 1] >> (16 * (column & 1)));
#endif
}

// Four pixels of a row from column x on, a multiple of four, all inside.
uint luma_inside(uvec2 row, int x)
{
#if LUMA == 0
    return lg_words(row).at[x >> 2];
#elif LUMA == 3
    uvec4 v = lg_vectors(row).at[x >> 2];
    return luma_of_pixel(v.x) | luma_of_pixel(v.y) << 8 | luma_of_pixel(v.z) << 16 |
           luma_of_pixel(v.w) << 24;
#else
    uint v = lg_words(row).at[x >> 1], w = lg_words(row).at[(x >> 1) + 1];
    return luma_of_pixel(v) | luma_of_pixel(v >> 16) << 8 | luma_of_pixel(w) << 16 |
           luma_of_pixel(w >> 16) << 24;
#endif
}

// Sixteen pixels, x a multiple of sixteen.
uvec4 luma_vector(uvec2 row, int x)
{
#if LUMA == 0
    return lg_vectors(row).at[x >> 4];
#else
    return uvec4(luma_inside(row, x), luma_inside(row, x + 4), luma_inside(row, x + 8),
                 luma_inside(row, x + 12));
#endif
}

uint luma_anywhere(int x, int y, uint z)
{
    int line = lg_border_index(y, lg_param_int(6), BORDER);
    if (line < 0)
        return 0u;
    uvec2 row = lg_row(lg.views[0], uint(line), z);
    if (x >= 0 && x + 3 < lg_param_int(5))
        return luma_inside(row, x);
    uint word = 0u;
    [[dont_unroll]] for (int k = 0; k < 4; k++)
        word |= luma_at(row, x + k) << (8 * k);
    return word;
}

// Luminance of the tile at x0, y0, from a multiple of sixteen columns on; returns the word of a row
// with which the tile begins. Inside the image there are no branches, so that a thread issues all
// its loads before it waits for one.
int take_luma(int x0, int y0, uint z, int thread)
{
    const int vectors = LUMA_PITCH / 4, all = LUMA_ROWS * vectors;
    const int each = (all + LG_GROUP_X - 1) / LG_GROUP_X;
    int start = x0 - LEFT, left = start & ~15, top = y0 - 2 - TAPS;
    bool inside = left >= 0 && top >= 0 && left + 4 * LUMA_PITCH <= lg_param_int(5) &&
                  top + LUMA_ROWS <= lg_param_int(6);
    if (inside) {
        uvec4 v[each];
        uvec2 base = lg_row(lg.views[0], uint(top), z);
        uint stride = lg.views[0].row_stride;
        [[unroll]] for (int k = 0; k < each; k++) {
            uint i = min(uint(thread + k * LG_GROUP_X), uint(all - 1)), row = i / vectors;
            v[k] = luma_vector(lg_add64(base, uvec2(row * stride, 0u)),
                               left + 16 * int(i - row * vectors));
        }
        [[unroll]] for (int k = 0; k < each; k++) {
            int to = 4 * min(thread + k * LG_GROUP_X, all - 1);
            [[unroll]] for (int i = 0; i < 4; i++)
                area[to + i] = v[k][i];
        }
    } else {
        for (int i = thread; i < LUMA_ROWS * LUMA_PITCH; i += LG_GROUP_X)
            area[i] = luma_anywhere(left + i % LUMA_PITCH * 4, top + i / LUMA_PITCH, z);
    }
    return (start & 15) / 4;
}

// ---- the Gaussian, as gaussian_blur has it ------------------------------------------------------------

#if TAPS == 0
// Pairs of luminance in 32nds of a grey level, for there is nothing to add up.
void blur(int luma, int thread)
{
    for (int i = thread; i < HEIGHT * PAIRS; i += LG_GROUP_X) {
        int row = i / PAIRS, pair = i % PAIRS, column = FIRST + 2 * pair;
        uint v = area[luma + row * LUMA_PITCH + column / 4] >> (8 * (column & 3));
        blurred[row * PITCH + pair] = (v & 255u) << 5 | (v & 0xff00u) << 13;
    }
}
#else
#define DOWN_ROWS 6 // of a column, for one thread

// Sums down the columns of a word of luminance, for DOWN_ROWS rows from `first` on, in 64ths of a
// grey level, halves up. 2^16 times a byte is 1024 times such a sum.
void sum_columns(int luma, int word, int first)
{
    uint words[DOWN_ROWS + 2 * TAPS];
    int to = LINES + first * LINE_PITCH + 2 * word;
    [[unroll]] for (int i = 0; i < DOWN_ROWS + 2 * TAPS; i++)
        words[i] = area[luma + (first + i) * LUMA_PITCH + word];
    [[unroll]] for (int c = 0; c < 4; c += 2) {
        uint sums[2][DOWN_ROWS];
        [[unroll]] for (int k = 0; k < 2; k++) {
            uint bytes[DOWN_ROWS + 2 * TAPS];
            [[unroll]] for (int i = 0; i < DOWN_ROWS + 2 * TAPS; i++)
                bytes[i] = words[i] >> (8 * (c + k)) & 255u;
            [[unroll]] for (int j = 0; j < DOWN_ROWS; j++) {
                uint sum = bytes[j + TAPS] * weight(0) + 512u;
                [[unroll]] for (int i = 1; i <= TAPS; i++)
                    sum += (bytes[j + TAPS - i] + bytes[j + TAPS + i]) * weight(i);
                sums[k][j] = sum >> 10;
            }
        }
        [[unroll]] for (int j = 0; j < DOWN_ROWS; j++)
            area[to + j * LINE_PITCH + c / 2] = sums[0][j] | sums[1][j] << 16;
    }
}

#define SEGMENTS (PAIRS / 4) // of eight columns

// Sums along a row of these, in 32nds of a grey level, halves up.
void sum_row(int row, int segment)
{
    const int words = (FIRST % 2 + 8 + 2 * TAPS + 1) / 2;
    uint samples[2 * words], sums[8];
    int from = LINES + row * LINE_PITCH + 4 * segment + FIRST / 2, to = row * PITCH + 4 * segment;
    [[unroll]] for (int i = 0; i < words; i++) {
        uint v = area[from + i];
        samples[2 * i] = v & 0xffffu;
        samples[2 * i + 1] = v >> 16;
    }
    [[unroll]] for (int i = 0; i < 8; i++) {
        int centre = FIRST % 2 + TAPS + i;
        uint sum = samples[centre] * weight(0) + 65536u;
        [[unroll]] for (int k = 1; k <= TAPS; k++)
            sum += (samples[centre - k] + samples[centre + k]) * weight(k);
        sums[i] = sum >> 17;
    }
    [[unroll]] for (int i = 0; i < 4; i++)
        blurred[to + i] = sums[2 * i] | sums[2 * i + 1] << 16;
}

void blur(int luma, int thread)
{
    for (int i = thread; i < LUMA_WORDS * (HEIGHT / DOWN_ROWS); i += LG_GROUP_X)
        sum_columns(luma, i % LUMA_WORDS, i / LUMA_WORDS * DOWN_ROWS);
    barrier();
    for (int i = thread; i < HEIGHT * SEGMENTS; i += LG_GROUP_X)
        sum_row(i % HEIGHT, i / HEIGHT);
}
#endif

// ---- what stands beyond the edges of the image ------------------------------------------------------

// Columns -1 and `width`, rows -1 and `height`, of the tile at x0, y0 in a plane of 128 columns.
// With the border `wrap` the steps before have computed them.
#define FIX_SIDES(name, rows, first_row, GET, SET)                                                 \
    void name(int x0, int y0, int thread)                                                          \
    {                                                                                              \
        int width = lg_param_int(5), height = lg_param_int(6);                                             \
        bool left = x0 == 0, right = width - x0 < TILE + 2;                                        \
        bool top = y0 == 0, bottom = height - y0 < rows + first_row;                               \
        if (!(left || right || top || bottom))                                                     \
            return;                                                                                \
        const int border = BORDER;                                                                 \
        if (border == 2)                                                                           \
            return;                                                                                \
        if (left || right) {                                                                       \
            for (int r = thread; r < rows; r += LG_GROUP_X) {                                      \
                if (left)                                                                          \
                    SET(r, 1, border == 3 ? 0u : GET(r, 2));                                       \
                if (right)                                                                         \
                    SET(r, width - x0 + 2, border == 3 ? 0u : GET(r, width - x0 + 1));             \
            }                                                                                      \
            barrier();                                                                             \
        }                                                                                          \
        if (top || bottom) {                                                                       \
            for (int c = 2 * thread; c < 128; c += 2 * LG_GROUP_X)                                 \
                [[unroll]] for (int i = 0; i < 2; i++) {                                           \
                    int r = -1 - first_row, s = height - y0 - first_row;                           \
                    if (top)                                                                       \
                        SET(r, c + i, border == 3 ? 0u : GET(r + 1, c + i));                       \
                    if (bottom)                                                                    \
                        SET(s, c + i, border == 3 ? 0u : GET(s - 1, c + i));                       \
                }                                                                                  \
            barrier();                                                                             \
        }                                                                                          \
    }

// The two columns of a pair always belong to one thread.
#define GET_BLURRED(r, c) (blurred[(r) * PITCH + ((c) >> 1)] >> (16 * ((c) & 1)) & 0xffffu)
#define SET_BLURRED(r, c, v)                                                                       \
    blurred[(r) * PITCH + ((c) >> 1)] =                                                            \
        (blurred[(r) * PITCH + ((c) >> 1)] & 0xffff0000u >> (16 * ((c) & 1))) |                    \
        (v) << (16 * ((c) & 1))
#define GET_GRADIENT(r, c)    area[(r) * 2 * PAIRS + (c)]
#define SET_GRADIENT(r, c, v) area[(r) * 2 * PAIRS + (c)] = (v)

FIX_SIDES(fix_blurred, HEIGHT, -2, GET_BLURRED, SET_BLURRED)
FIX_SIDES(fix_gradient, (ROWS + 2), -1, GET_GRADIENT, SET_GRADIENT)

// ---- gradients ----------------------------------------------------------------------------------

// For a row and two columns: right - left + 8192, and left + 2 centre + right.
uvec2 row_sums(int row, int pair)
{
    int at = row * PITCH + pair;
    uint c = blurred[at], before = blurred[max(at - 1, 0)];
    uint behind = blurred[min(at + 1, HEIGHT * PITCH - 1)];
    uint left = before >> 16 | c << 16, right = c >> 16 | behind << 16;
    return uvec2(right + 0x20002000u - left, left + 2u * c + right);
}

// Sobel, each lane with 32768 added.
uvec2 sobel(uvec2 above, uvec2 here, uvec2 below)
{
    return uvec2(above.x + 2u * here.x + below.x, below.y + 0x80008000u - above.y);
}

ivec2 lane(uvec2 gradient, int i)
{
    return ivec2(gradient >> (16 * i) & 0xffffu) - 32768;
}

int square(ivec2 g)
{
    return g.x * g.x + g.y * g.y;
}

void store_squares(int row, int pair, uvec2 gradient)
{
    int at = row * 2 * PAIRS + 2 * pair;
    area[at] = uint(square(lane(gradient, 0)));
    area[at + 1] = uint(square(lane(gradient, 1)));
}

#define OWN (ROWS / PARTS) // rows of a thread

// From rows of blurred luminance, starting at `part` OWN + 1, to gradients of the thread's rows.
// The first and the last thread of a column also process the rows around the tile.
void take_gradients(int pair, int part, out uvec2 gradients[OWN])
{
    uvec2 above = row_sums(part * OWN + 1, pair), here = row_sums(part * OWN + 2, pair);
    if (part == 0)
        store_squares(0, pair, sobel(row_sums(0, pair), above, here));
    [[unroll]] for (int j = 0; j < OWN; j++) {
        uvec2 below = row_sums(part * OWN + j + 3, pair);
        gradients[j] = sobel(above, here, below);
        store_squares(part * OWN + j + 1, pair, gradients[j]);
        above = here;
        here = below;
    }
    if (part == PARTS - 1)
        store_squares(ROWS + 1, pair, sobel(above, here, row_sums(ROWS + 3, pair)));
}

// The offset of the first neighbour along the gradient.
int first_neighbour(ivec2 g)
{
    int ax = abs(g.x), ay = abs(g.y);
    int step = (g.x ^ g.y) < 0 ? 1 - 2 * PAIRS : -1 - 2 * PAIRS;
    step = ax <= (ay * 27146) >> 16 ? -2 * PAIRS : step;
    return ay <= (ax * 27146) >> 16 ? -1 : step;
}

bool largest(ivec2 g, int at)
{
    int m = square(g), step = first_neighbour(g);
    int first = int(area[at + step]), second = int(area[at - step]);
    return m > max(first, second - 1);
}

#if RING
// Values from 0 to 1 of kept pixels.
void store_values(int pair, int part, uvec2 gradients[OWN], int x0, int y0, uint z)
{
    if (pair < 1 || pair > TILE / 2)
        return;
    float lower = lower_threshold(), upper = lg_param_float(UPPER);
    for (int j = 0; j < OWN; j++)
        for (int i = 0; i < 2; i++) {
            int r = part * OWN + j, x = x0 + 2 * pair - 2 + i, y = y0 + r;
            if (x >= lg_param_int(5) || y >= lg_param_int(6))
                continue;
            ivec2 g = lane(gradients[j], i);
            uint m = uint(square(g));
            float v = 0.0;
            if (int(m) > limits.x && largest(g, (r + 1) * 2 * PAIRS + 2 * pair + i)) {
                // One rounding: both parts are exact.
                precise float whole = float(m >> 16) * 65536.0;
                whole = whole + float(m & 0xffffu);
                precise float magnitude = lg_sqrt(whole) * (1.0 / 8160.0);
                v = lg_smoothstep(lower, upper, magnitude);
            }
            lg_words(lg_row(lg.views[1], uint(y), z)).at[x] = floatBitsToUint(v);
        }
}
#else
// Bits of the thread's rows: weak of both columns, strong of both. If there are any, all rows are
// tested without branches, which takes less time than waiting for one after the other.
uint suppress(int pair, int part, uvec2 gradients[OWN])
{
    uint bits = 0u;
    if (pair < 1 || pair > TILE / 2)
        return bits;
    int low = limits.x, high = limits.y, at = (part * OWN + 1) * 2 * PAIRS + 2 * pair;
    [[unroll]] for (int j = 0; j < OWN; j++)
        [[unroll]] for (int i = 0; i < 2; i++) {
            int m = int(area[at + 2 * PAIRS * j + i]);
            bits |= m > low ? 1u << (8 * i + j) : 0u;
            bits |= m >= high ? 0x10000u << (8 * i + j) : 0u;
        }
    if (bits == 0u)
        return bits;
    uint kept = 0u;
    [[unroll]] for (int j = 0; j < OWN; j++)
        [[unroll]] for (int i = 0; i < 2; i++)
            kept |= largest(lane(gradients[j], i), at + 2 * PAIRS * j + i) ? 0x10001u << (8 * i + j)
                                                                          : 0u;
    return bits & kept;
}

void store_words(int thread, int x0, int y0, uint z)
{
    int width = lg_param_int(5), height = lg_param_int(6);
    if (thread >= TILE || x0 + thread >= width)
        return;
    uint weak = 0u, strong = 0u;
    [[unroll]] for (int p = 0; p < PARTS; p++) {
        uint bits = blurred[p * PAIRS + (thread + 2) / 2] >> (8 * (thread & 1));
        weak |= (bits & 255u) << (8 * p);
        strong |= (bits >> 16 & 255u) << (8 * p);
    }
    uint inside = height - y0 < 32 ? (1u << (height - y0)) - 1u : ~0u;
    uint row = uint(y0) / 32u;
    lg_words(map_row(0u, row, z)).at[x0 + thread] = weak & inside;
    lg_words(map_row(1u, row, z)).at[x0 + thread] = strong & inside;
}
#endif

void main()
{
    int x0 = int(gl_WorkGroupID.x) * TILE, y0 = int(gl_WorkGroupID.y) * ROWS;
    uint z = gl_WorkGroupID.z;
    int thread = int(gl_LocalInvocationIndex), pair = thread % PAIRS, part = thread / PAIRS;
    if (thread == 0)
        limits = whole_limits();
    // Values beside a row may be anything that does not carry into the next lane.
    if (thread < HEIGHT)
        blurred[thread * PITCH + PAIRS] = 0u;
    int luma = take_luma(x0, y0, z, thread);
    barrier();
    blur(luma, thread);
    barrier();
    fix_blurred(x0, y0, thread);
    uvec2 gradients[OWN];
    take_gradients(pair, part, gradients);
    barrier();
    fix_gradient(x0, y0, thread);
#if RING
    store_values(pair, part, gradients, x0, y0, z);
#else
    blurred[part * PAIRS + pair] = suppress(pair, part, gradients);
    barrier();
    store_words(thread, x0, y0, z);
#endif
}
