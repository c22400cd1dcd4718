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

const uint POOL = RUNS / 2u + RUNS + (FIGURES ? RUNS / 4u : 0u);
shared uint pool[POOL];
shared uvec2 words[WORDS];

uint bits_before(uvec4 v, uint i)
{
    uint sum = 0u;
    [[unroll]] for (uint k = 0u; k < 4u; k++) {
        const uint below = i >= 32u * k + 32u ? 0xffffffffu : i <= 32u * k ? 0u : (1u << (i - 32u * k)) - 1u;
        sum += bitCount(v[k] & below);
    }
    return sum;
}

// Of the component that begins with a pixel.
uint label_of(uint pixel)
{
    const uint row = pixel / p.width, column = pixel - row * p.width;
    const uint segment = row * p.segments + column / SEGMENT;
    const uint group = segment / RANKED;
    return 1u + plain_words(p.groups).at[HEADER + group] +
           plain_words(element(p.ranks, segment, 4u)).at[0] +
           bits_before(mark_vectors(element(p.marks, segment, 16u)).at[0], column % SEGMENT);
}

// The components of two runs each, then a label for each component, then sums.
uint labels_at, components;

uint component_of(uint run)
{
    return pool[run / 2u] >> (run % 2u * 16u) & 0xffffu;
}

uint label_of_run(uint run)
{
    return pool[labels_at + component_of(run)];
}

#include "measure/components/label_figures.glsl"

void load_components(tile_place at, uint runs)
{
    lg_words pairs = lg_words(uvec2(tile_roots(at)));
    for (uint i = thread(); 2u * i < runs; i += WORDS)
        pool[i] = pairs.at[i];
}

void label_components(tile_place at)
{
    root_places places = tile_roots(at);
    for (uint i = thread(); i < components; i += WORDS) {
        const uint pixel = pixel_number(at, uint(places.at[RUNS + i]));
        const uint first = plain_words(element(p.labels, pixel, 4u)).at[0], label = label_of(first);
        pool[labels_at + i] = label;
        if (FIGURES && first == pixel)
            begin_figures(label, pixel);
    }
}

// The labels of four pixels; runs with bits among them are two at most.
uvec4 four_labels(uvec2 word, uint shift)
{
    const uint bits = word.x >> shift & 15u;
    if (bits == 0u)
        return uvec4(0u);
    const uint first = bits & ~(bits + (bits & (~bits + 1u))), other = bits ^ first;
    const uint a = run_number(word, shift + findLSB(bits));
    const uint label_a = label_of_run(a), label_b = other == 0u ? 0u : label_of_run(a + 1u);
    uvec4 labels;
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        labels[i] = (first >> i & 1u) != 0u ? label_a : (other >> i & 1u) != 0u ? label_b : 0u;
    return labels;
}

void write_labels(tile_place at)
{
    const uint quads = COLUMNS / 4u, layer = at.row / p.tiles_y, row = first_row(at.row);
    const uint end = (layer + 1u) * p.height; // rows
    for (uint i = thread(); i < quads * TILE_ROWS; i += WORDS) {
        const uint y = row + i / quads, x = at.x * COLUMNS + i % quads * 4u;
        if (y >= end || x >= p.width)
            continue;
        const uvec4 labels = four_labels(words[i / 8u], i % 8u * 4u);
        const uvec2 to = element(p.labels, y * p.width + x, 4u);
        if (p.width % 4u == 0u) {
            mark_vectors(to).at[0] = labels;
        } else {
            [[unroll]] for (uint k = 0u; k < 4u; k++)
                if (x + k < p.width)
                    plain_words(to).at[k] = labels[k];
        }
    }
}

void main()
{
    const tile_place at = tile_place(gl_WorkGroupID.x, gl_WorkGroupID.y);
    const uint word = thread();
    const uvec2 own = tile_words(at).at[word];
    words[word] = own;
    components = own.y >> 16;
    barrier();
    const uvec2 last = words[WORDS - 1u];
    const uint runs = first_run(last) + bitCount(starts_of(last.x));
    labels_at = (runs + 1u) / 2u;
    load_components(at, runs);
    label_components(at);
    if (FIGURES)
        clear_sums();
    barrier();
    if (FIGURES) {
        add_runs(at, word, own);
        barrier();
        find_largest(at);
        barrier();
        add_up(at);
    }
    if (WRITE)
        write_labels(at);
}
