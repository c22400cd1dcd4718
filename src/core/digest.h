// BLAKE2b: a digest that tells a damaged file from a whole one.
#ifndef LG_DIGEST_H
#define LG_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define LG_DIGEST_SIZE 32

// BLAKE2b-256 without a key (RFC 7693) of size bytes.
void lg_digest(const void *data, size_t size, uint8_t out[LG_DIGEST_SIZE]);

#endif
