// Labels, last step: the label of every pixel, and sums over the pixels of every component. A thread has a
// word; then the pixels of a tile are written four at a time.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_8bit_storage : require
#include "measure/components/label_tile.glsl"
#include "measure/components/label_scan.glsl"

layout(constant_id = 4) const bool WRITE = true;    // labels are wanted
layout(constant_id = 5) const bool FIGURES = false; // likewise

// Shared memory limits the workgroups that a processor runs at once, so it holds what is usual and
// no more.
const uint LABELS = 1024u; // components of a tile whose labels are kept
shared uint labels[LABELS];
shared uvec2 words[WORDS];
shared uint starts_kept[VALUES == 0u ? 1u : WORDS];

uint starts_at(uint word, uint bits)
{
    return VALUES == 0u ? starts_of(bits) : starts_kept[word];
}

uint bits_before(uvec4 v, uint i)
{
    uint sum = 0u;
    [[unroll]] for (uint k = 0u; k < 4u; k++) {
        const uint below = i >= 32u * k + 32u ? 0xffffffffu : i <= 32u * k ? 0u : (1u << (i - 32u * k)) - 1u;
        sum += bitCount(v[k] & below);
    }
    return sum;
}

// The label of the component that begins with a pixel.
uint label_of(uint pixel)
{
    const uint row = pixel / p.width, column = pixel - row * p.width;
    const uint segment = row * p.segments + column / LG_LABEL_SEGMENT;
    const uint group = segment / RANKED;
    return 1u + plain_words(p.groups).at[LG_LABEL_HEADER + group] +
           plain_words(element(p.ranks, segment, 4u)).at[0] +
           bits_before(mark_vectors(element(p.marks, segment, 16u)).at[0], column % LG_LABEL_SEGMENT);
}

uint component_of(tile_place at, uint run)
{
    return uint(tile_roots(at).at[run]);
}

// For components of a tile that are too many for shared memory: the first pixel of the whole
// component, and once it is known the label.
lg_words_shared begin_of(tile_place at, uint component)
{
    const uint pixel = pixel_number(at, uint(tile_roots(at).at[RUNS + component]));
    return lg_words_shared(element(p.labels, pixel, 4u));
}

uint label_of_component(tile_place at, uint component)
{
    return component < LABELS ? labels[component] : begin_of(at, component).at[0];
}

uint components; // of the tile

#include "measure/components/label_figures.glsl"

void label_components(tile_place at)
{
    for (uint i = thread(); i < components; i += WORDS) {
        const uint pixel = pixel_number(at, uint(tile_roots(at).at[RUNS + i]));
        lg_words_shared begin = lg_words_shared(element(p.labels, pixel, 4u));
        const uint first = begin.at[0], label = label_of(first);
        if (i < LABELS)
            labels[i] = label;
        else
            begin.at[0] = label;
        if (FIGURES && first == pixel)
            begin_figures(label, pixel);
    }
    if (components > LABELS)
        memoryBarrierBuffer();
}

// The labels of four pixels, which may belong to four runs.
uvec4 four_labels_of_values(tile_place at, uvec2 word, uint starts, uint shift)
{
    uvec4 four = uvec4(0u);
    uint label = 0u, before = 0xffffffffu;
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        if ((word.x >> shift & 1u << i) == 0u)
            continue;
        const uint run = run_number(word, starts, shift + i);
        if (run != before)
            label = label_of_component(at, component_of(at, run));
        before = run;
        four[i] = label;
    }
    return four;
}

// The labels of four pixels; runs with bits among them are two at most, unless values matter.
uvec4 four_labels(tile_place at, uvec2 word, uint starts, uint shift)
{
    const uint bits = word.x >> shift & 15u;
    if (bits == 0u)
        return uvec4(0u);
    if (VALUES != 0u)
        return four_labels_of_values(at, word, starts, shift);
    const uint before = bitCount(starts & ((1u << shift) - 1u));
    // The first run continues from before, or starts here.
    const uint goes_on = bits & ~(starts >> shift) & 1u;
    const uint run = first_run(word) + before - goes_on;
    const uint first = bits & ~(bits + (bits & (~bits + 1u))), other = bits ^ first;
    const uint label = label_of_component(at, component_of(at, run));
    const uint next = other == 0u ? 0u : label_of_component(at, component_of(at, run + 1u));
    uvec4 four;
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        four[i] = (first & 1u << i) != 0u ? label : (other & 1u << i) != 0u ? next : 0u;
    return four;
}

// A thread has the same columns of every n-th row.
void write_labels(tile_place at)
{
    const uint quads = COLUMNS / 4u, step = WORDS / quads;
    const uint first = thread() / quads, x = thread() % quads * 4u, column = at.x * COLUMNS + x;
    const uint layer = at.row / p.tiles_y, row = first_row(at.row);
    if (column >= p.width)
        return;
    const uint end = min((layer + 1u) * p.height - row, TILE_ROWS); // rows
    const uvec2 next = lg_mul64(step, uvec2(4u * p.width, 0u));
    uvec2 to = element(p.labels, (row + first) * p.width + column, 4u);
    for (uint y = first; y < end; y += step, to = lg_add64(to, next)) {
        const uint word = y * TILE_WORDS + x / 32u;
        const uvec2 own = words[word];
        const uvec4 four = four_labels(at, own, starts_at(word, own.x), x % 32u);
        if (p.width % 4u == 0u) {
            mark_vectors(to).at[0] = four;
        } else {
            [[unroll]] for (uint k = 0u; k < 4u; k++)
                if (column + k < p.width)
                    plain_words(to).at[k] = four[k];
        }
    }
}

void main()
{
    const tile_place at = tile_place(gl_WorkGroupID.x, gl_WorkGroupID.y);
    const uint word = thread();
    const uvec2 own = tile_words(at).at[word];
    words[word] = own;
    if (VALUES != 0u)
        starts_kept[word] = tile_starts(at).at[word];
    components = own.y >> 16;
    label_components(at);
    if (FIGURES) {
        first_place = 0u;
        clear_sums();
    }
    barrier();
    if (FIGURES)
        sum_components(at, word, own);
    if (WRITE)
        write_labels(at);
}
