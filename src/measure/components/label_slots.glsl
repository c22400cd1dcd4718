// Slots in shared memory for the components of a tile that come first. A kernel that has none for a
// component adds to its record.
const uint SLOTS = 64u, PROBES = 4u;
shared uint keys[SLOTS]; // label; 0: free

// The slot of a label; SLOTS: there is none.
uint slot_of(uint label)
{
    for (uint i = 0u; i < PROBES; i++) {
        const uint slot = (label + i) % SLOTS, key = atomicCompSwap(keys[slot], 0u, label);
        if (key == 0u || key == label)
            return slot;
    }
    return SLOTS;
}
