// byte_order.h -- the host's byte order, and byte swapping.

#ifndef OPN_BYTE_ORDER_H
#define OPN_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool opn_i_host_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static inline uint16_t opn_i_swap_16(uint16_t x)
{
    return (uint16_t)(x >> 8 | x << 8);
}

static inline uint32_t opn_i_swap_32(uint32_t x)
{
    return (uint32_t)opn_i_swap_16((uint16_t)x) << 16 |
           opn_i_swap_16((uint16_t)(x >> 16));
}

static inline uint64_t opn_i_swap_64(uint64_t x)
{
    return (uint64_t)opn_i_swap_32((uint32_t)x) << 32 |
           opn_i_swap_32((uint32_t)(x >> 32));
}

// Unaligned little-endian reads, as npy files need them.
static inline uint32_t opn_i_get_le16(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8;
}

static inline uint32_t opn_i_get_le32(const unsigned char *from)
{
    return opn_i_get_le16(from) | opn_i_get_le16(from + 2) << 16;
}

// The same big-endian, as idx files need them.
static inline uint32_t opn_i_get_be32(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 |
           (uint32_t)from[3];
}

static inline void opn_i_put_le16(unsigned char *to, uint16_t x)
{
    to[0] = (unsigned char)x;
    to[1] = (unsigned char)(x >> 8);
}

static inline void opn_i_put_le32(unsigned char *to, uint32_t x)
{
    for (int c = 0; c < 4; c++)
        to[c] = (unsigned char)(x >> (8 * c));
}

#endif // OPN_BYTE_ORDER_H
