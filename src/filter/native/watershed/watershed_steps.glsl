// The watershed on a device. Defined before: STEP, NEIGHBORS, FALLING, NONZERO, LINES. Planes of words:
// levels in the order of flooding, heights of the water, steps since it rose to there, labels.
//   STEP LEVELS   image, levels                    STEP HEIGHTS  labels, levels, heights
//   STEP LABELS   markers, levels, labels          STEP STEPS    labels, steps
//   STEP FLOOD    PHASE 0: levels, heights; 1: heights, steps; 2: heights, steps, labels
//   STEP WRITE    steps, labels, image
// Words: height, layers; of FLOOD the turn, of WRITE the turns of a phase; of both the address of a word for
// every turn (2), which is not 0 when a pixel changed; of WRITE also the address of a word of host memory
// (2), which is written when the last turn of a phase changed something.
#include "filter/native/watershed/watershed_rule.h"

#define NONE 0xffffffffu // no height and no steps yet

uint word(uint view, int x, int y, uint z)
{
    return lg_words(lg_row(lg.views[view], uint(y), z)).at[x];
}

void put(uint view, int x, int y, uint z, uint value)
{
    lg_words(lg_row(lg.views[view], uint(y), z)).at[x] = value;
}

const ivec2 neighbor[8] = ivec2[8](ivec2(0, -1), ivec2(-1, 0), ivec2(1, 0), ivec2(0, 1), ivec2(-1, -1),
                                   ivec2(1, -1), ivec2(-1, 1), ivec2(1, 1));

#if STEP == FLOOD

// A workgroup does what it can within a tile, with the pixels around it as they were.
#define SIDE    32
#define FRAME   (SIDE + 2)
#define THREADS (LG_GROUP_X * LG_GROUP_Y)
#define EACH    (SIDE * SIDE / THREADS)
#define ROUNDS  (2 * SIDE)

shared uint heights[FRAME * FRAME], steps[FRAME * FRAME], state[FRAME * FRAME];
shared uint again;

uint inside(uint view, ivec2 p, uint z)
{
    bool there = p.x >= 0 && p.y >= 0 && p.x < int(lg.width) && p.y < int(lg.extra[0]);
    return there ? word(view, p.x, p.y, z) : NONE;
}

void load_tile(ivec2 first, uint z)
{
    for (int i = int(gl_LocalInvocationIndex); i < FRAME * FRAME; i += THREADS) {
        ivec2 p = first + ivec2(i % FRAME, i / FRAME) - 1;
#if PHASE == 0
        state[i] = inside(1, p, z);
#elif PHASE == 1
        heights[i] = inside(0, p, z);
        state[i] = inside(1, p, z);
#else
        heights[i] = inside(0, p, z);
        steps[i] = inside(1, p, z);
        state[i] = inside(2, p, z) - 1u; // what has no label comes last
#endif
    }
}

// What a pixel is by what its neighbours are; all values only fall. Of PHASE 0 `level` is its own.
uint next_of(int at, uint level)
{
    uint value = state[at];
#if PHASE == 0
    uint least = NONE;
    for (int k = 0; k < NEIGHBORS; k++)
        least = min(least, state[at + neighbor[k].y * FRAME + neighbor[k].x]);
    return level == LG_WATERSHED_DRY ? value : min(value, max(level, least));
#else
    if (heights[at] == NONE)
        return value;
    uint height = NONE, step = NONE, least = NONE;
    for (int k = 0; k < NEIGHBORS; k++) {
        int other = at + neighbor[k].y * FRAME + neighbor[k].x;
#if PHASE == 1
        uint reached = state[other] == NONE ? NONE : state[other] + 1u;
        reached = heights[other] < heights[at] ? 1u : heights[other] == heights[at] ? reached : NONE;
        value = min(value, reached);
#else
        bool equal = heights[other] == height && steps[other] == step;
        bool first = heights[other] < height || (heights[other] == height && steps[other] < step);
        least = first ? state[other] : equal ? min(least, state[other]) : least;
        height = first ? heights[other] : height;
        step = first ? steps[other] : step;
#endif
    }
#if PHASE == 2
    value = steps[at] == 0u ? value : min(value, least); // markers keep their label
#endif
    return value;
#endif
}

int in_frame(int i)
{
    int pixel = int(gl_LocalInvocationIndex) + i * THREADS;
    return (pixel / SIDE + 1) * FRAME + pixel % SIDE + 1;
}

void flood_tile(ivec2 first, uint z, lg_words changes, uint turn)
{
    uint levels[EACH];
    bool changed = false;
    barrier();
    load_tile(first, z);
    for (int i = 0; i < EACH; i++) {
        int pixel = int(gl_LocalInvocationIndex) + i * THREADS;
        levels[i] = PHASE == 0 ? inside(0, first + ivec2(pixel % SIDE, pixel / SIDE), z) : 0u;
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint next[EACH];
        bool more = false;
        if (gl_LocalInvocationIndex == 0u)
            again = 0u;
        barrier();
        for (int i = 0; i < EACH; i++) {
            next[i] = next_of(in_frame(i), levels[i]);
            more = more || next[i] != state[in_frame(i)];
        }
        barrier();
        for (int i = 0; i < EACH; i++)
            state[in_frame(i)] = next[i];
        if (more)
            again = 1u;
        changed = changed || more;
        barrier();
        bool go_on = again != 0u;
        barrier();
        if (!go_on)
            break;
    }
    if (!changed)
        return;
    changes.at[turn] = 1u;
    for (int i = 0; i < EACH; i++) {
        int pixel = int(gl_LocalInvocationIndex) + i * THREADS;
        ivec2 p = first + ivec2(pixel % SIDE, pixel / SIDE);
        if (p.x < int(lg.width) && p.y < int(lg.extra[0]))
            put(PHASE == 2 ? 2u : 1u, p.x, p.y, z, state[in_frame(i)] + (PHASE == 2 ? 1u : 0u));
    }
}

void main()
{
    uint turn = lg.extra[2], rows = (lg.extra[0] + SIDE - 1u) / SIDE, columns = (lg.width + SIDE - 1u) / SIDE;
    lg_words changes = lg_words(uvec2(lg.extra[3], lg.extra[4]));
    if (turn > 0u && changes.at[turn - 1u] == 0u)
        return;
    for (uint z = gl_WorkGroupID.z; z < lg.extra[1]; z += gl_NumWorkGroups.z)
        for (uint y = gl_WorkGroupID.y; y < rows; y += gl_NumWorkGroups.y)
            for (uint x = gl_WorkGroupID.x; x < columns; x += gl_NumWorkGroups.x)
                flood_tile(ivec2(x, y) * SIDE, z, changes, turn);
}

#elif STEP == WRITE

float color_of(int x, int y, uint z, int width, int height)
{
    uint label = word(1, x, y, z);
    bool line = false;
    for (int k = 0; k < NEIGHBORS && LINES; k++) {
        ivec2 p = ivec2(x, y) + neighbor[k];
        if (p.x < 0 || p.y < 0 || p.x >= width || p.y >= height)
            continue;
        line = line || watershed_parts(label, word(1, p.x, p.y, z), word(0, p.x, p.y, z) == 0u);
    }
    return line && word(0, x, y, z) != 0u ? 0.0 : watershed_color(label);
}

void main()
{
    if (gl_GlobalInvocationID == uvec3(0u)) {
        lg_words changes = lg_words(uvec2(lg.extra[3], lg.extra[4]));
        uint turns = lg.extra[2];
        uint more = changes.at[turns - 1u] | changes.at[2u * turns - 1u] | changes.at[3u * turns - 1u];
        if (more != 0u)
            lg_words(uvec2(lg.extra[5], lg.extra[6])).at[0] = 1u;
    }
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            float v = color_of(min(x0 + j, width - 1), y, z, width, height);
            lg_pack(result, j, rgba(v, v, v, 1.0));
        }
        lg_flush(result, x0, y, z);
    }
}

#else

void main()
{
    LG_EACH_SPAN(x, y, z) {
#if STEP == LEVELS
        put(1, x, y, z, watershed_level(lg_load_0(x, y, z), FALLING, NONZERO));
#elif STEP == LABELS
        put(2, x, y, z, watershed_marker(lg_load_0(x, y, z), word(1, x, y, z)));
#elif STEP == HEIGHTS
        put(2, x, y, z, word(0, x, y, z) != LG_WATERSHED_NONE ? word(1, x, y, z) : NONE);
#else
        put(1, x, y, z, word(0, x, y, z) != LG_WATERSHED_NONE ? 0u : NONE);
#endif
    }
}

#endif
