// The watershed on a device. Defined before: STEP, NEIGHBORS, VOLUME, SIDE_X, SIDE_Y, SIDE_Z (pixels of a
// tile), FALLING, NONZERO, LINES. Planes of words: levels in the order of flooding, heights of the water,
// steps since it rose to there, labels.
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

#if VOLUME // faces, edges, corners
const ivec3 neighbor[26] = ivec3[26](
    ivec3(0, 0, -1), ivec3(0, -1, 0), ivec3(-1, 0, 0), ivec3(1, 0, 0), ivec3(0, 1, 0), ivec3(0, 0, 1),
    ivec3(0, -1, -1), ivec3(-1, 0, -1), ivec3(1, 0, -1), ivec3(0, 1, -1), ivec3(-1, -1, 0), ivec3(1, -1, 0),
    ivec3(-1, 1, 0), ivec3(1, 1, 0), ivec3(0, -1, 1), ivec3(-1, 0, 1), ivec3(1, 0, 1), ivec3(0, 1, 1),
    ivec3(-1, -1, -1), ivec3(1, -1, -1), ivec3(-1, 1, -1), ivec3(1, 1, -1), ivec3(-1, -1, 1),
    ivec3(1, -1, 1), ivec3(-1, 1, 1), ivec3(1, 1, 1));
#else
const ivec3 neighbor[8] = ivec3[8](ivec3(0, -1, 0), ivec3(-1, 0, 0), ivec3(1, 0, 0), ivec3(0, 1, 0),
                                   ivec3(-1, -1, 0), ivec3(1, -1, 0), ivec3(-1, 1, 0), ivec3(1, 1, 0));
#endif

bool is_inside(ivec3 p)
{
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < int(lg.width) && p.y < int(lg.extra[0]) &&
           p.z < int(lg.extra[1]);
}

#if STEP == FLOOD

// A workgroup does what it can within a tile, with the pixels around it as they were.
#define FRAME_X (SIDE_X + 2)
#define FRAME_Y (SIDE_Y + 2)
#define SHEET   (FRAME_X * FRAME_Y)
#define FRAME   (SHEET * (SIDE_Z + 2 * VOLUME))
#define THREADS (LG_GROUP_X * LG_GROUP_Y)
#define EACH    (SIDE_X * SIDE_Y * SIDE_Z / THREADS)
#define ROUNDS  (2 * SIDE_X)

shared uint heights[FRAME], steps[FRAME], state[FRAME];
shared uint again;

uint inside(uint view, ivec3 p)
{
    return is_inside(p) ? word(view, p.x, p.y, uint(p.z)) : NONE;
}

void load_tile(ivec3 first)
{
    for (int i = int(gl_LocalInvocationIndex); i < FRAME; i += THREADS) {
        ivec3 p = first + ivec3(i % FRAME_X, i / FRAME_X % FRAME_Y, i / SHEET) - ivec3(1, 1, VOLUME);
#if PHASE == 0
        state[i] = inside(1, p);
#elif PHASE == 1
        heights[i] = inside(0, p);
        state[i] = inside(1, p);
#else
        heights[i] = inside(0, p);
        steps[i] = inside(1, p);
        state[i] = inside(2, p) - 1u; // what has no label comes last
#endif
    }
}

int beside(int at, int k)
{
    return at + neighbor[k].z * SHEET + neighbor[k].y * FRAME_X + neighbor[k].x;
}

// What a pixel is by what its neighbours are; all values only fall. Of PHASE 0 `level` is its own.
uint next_of(int at, uint level)
{
    uint value = state[at];
#if PHASE == 0
    uint least = NONE;
    for (int k = 0; k < NEIGHBORS; k++)
        least = min(least, state[beside(at, k)]);
    return level == LG_WATERSHED_DRY ? value : min(value, max(level, least));
#else
    if (heights[at] == NONE)
        return value;
    uint height = NONE, step = NONE, least = NONE;
    for (int k = 0; k < NEIGHBORS; k++) {
        int other = beside(at, k);
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

// The i-th pixel of a thread.
ivec3 in_tile(int i)
{
    int pixel = int(gl_LocalInvocationIndex) + i * THREADS;
    return ivec3(pixel % SIDE_X, pixel / SIDE_X % SIDE_Y, pixel / (SIDE_X * SIDE_Y));
}

int in_frame(int i)
{
    ivec3 p = in_tile(i) + ivec3(1, 1, VOLUME);
    return p.z * SHEET + p.y * FRAME_X + p.x;
}

void flood_tile(ivec3 first, lg_words changes, uint turn)
{
    uint levels[EACH];
    bool changed = false;
    barrier();
    load_tile(first);
    for (int i = 0; i < EACH; i++)
        levels[i] = PHASE == 0 ? inside(0, first + in_tile(i)) : 0u;
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
        ivec3 p = first + in_tile(i);
        if (is_inside(p))
            put(PHASE == 2 ? 2u : 1u, p.x, p.y, uint(p.z), state[in_frame(i)] + (PHASE == 2 ? 1u : 0u));
    }
}

void main()
{
    uint turn = lg.extra[2];
    uvec3 tiles = uvec3((lg.width + SIDE_X - 1u) / SIDE_X, (lg.extra[0] + SIDE_Y - 1u) / SIDE_Y,
                        (lg.extra[1] + SIDE_Z - 1u) / SIDE_Z);
    lg_words changes = lg_words(uvec2(lg.extra[3], lg.extra[4]));
    if (turn > 0u && changes.at[turn - 1u] == 0u)
        return;
    for (uint z = gl_WorkGroupID.z; z < tiles.z; z += gl_NumWorkGroups.z)
        for (uint y = gl_WorkGroupID.y; y < tiles.y; y += gl_NumWorkGroups.y)
            for (uint x = gl_WorkGroupID.x; x < tiles.x; x += gl_NumWorkGroups.x)
                flood_tile(ivec3(x, y, z) * ivec3(SIDE_X, SIDE_Y, SIDE_Z), changes, turn);
}

#elif STEP == WRITE

float color_of(int x, int y, uint z)
{
    uint label = word(1, x, y, z);
    bool line = false;
    for (int k = 0; k < NEIGHBORS && LINES; k++) {
        ivec3 p = ivec3(x, y, z) + neighbor[k];
        if (!is_inside(p))
            continue;
        bool marks = word(0, p.x, p.y, uint(p.z)) == 0u;
        line = line || watershed_parts(label, word(1, p.x, p.y, uint(p.z)), marks);
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
            float v = color_of(min(x0 + j, width - 1), y, z);
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
