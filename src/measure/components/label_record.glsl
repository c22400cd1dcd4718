// Records of components: lg_label_record of label_device.h, zero before.
layout(constant_id = 6) const bool VOLUME = false;  // components extend over layers
layout(constant_id = 7) const bool MOMENTS = false; // second moments too
layout(constant_id = 8) const uint INTENSITY = 0;   // bytes of a sample of p.pixels to sum; or 0

const uint RECORD_WORDS = MOMENTS || INTENSITY > 0u ? 40u : VOLUME ? 16u : 12u;
const uint AREA = 0u, FIRST = 1u, X = 2u, Y = 4u, LEFT = 6u, RIGHT = 7u, BOTTOM = 8u, TOP = 9u, BACK = 10u,
           Z = 12u, XX = 16u, YY = 18u, XY = 20u, ZZ = 22u, XZ = 24u, YZ = 26u, LOW = 28u, HIGH = 29u,
           SUM = 30u, SQUARES = 32u, MX = 34u, MY = 36u, MZ = 38u; // its words

lg_words_shared record_of(uint component)
{
    return lg_words_shared(element(p.figures, component - 1u, 4u * RECORD_WORDS));
}

// The record of the tile's largest component that is not whole; FIRST names the component, 0: there
// is none. It replaces the tile's words, which are no longer needed.
lg_words_shared tile_record(uint tile)
{
    return lg_words_shared(lg_add64(p.words, lg_mul64(tile, uvec2(TILE_BYTES, 0u))));
}

void begin_figures(uint component, uint pixel)
{
    if (component <= p.capacity)
        record_of(component).at[FIRST] = pixel;
}

// `plain`: no other thread adds to the record.
void add_64(lg_words_shared to, uint at, uvec2 sum, bool plain)
{
    if (plain) {
        to.at[at] = sum.x;
        to.at[at + 1u] = sum.y;
        return;
    }
    const uint before = sum.x == 0u ? 0u : atomicAdd(to.at[at], sum.x);
    sum.y += before + sum.x < before ? 1u : 0u;
    if (sum.y != 0u)
        atomicAdd(to.at[at + 1u], sum.y);
}

void add_32(lg_words_shared to, uint at, uint sum, bool plain)
{
    if (plain)
        to.at[at] = sum;
    else
        atomicAdd(to.at[at], sum);
}

// `before` was read first: most tiles change nothing, as numbers only grow.
void raise_from(uint before, lg_words_shared to, uint at, uint value, bool plain)
{
    if (plain)
        to.at[at] = value;
    else if (before < value)
        atomicMax(to.at[at], value);
}

void raise(lg_words_shared to, uint at, uint value, bool plain)
{
    raise_from(plain ? 0u : to.at[at], to, at, value, plain);
}
