// neon.h -- the kernels for 64-bit ARM, whose CPUs all have NEON with fused products, in
// single precision; see kernels.h for what each does.
//
// A vector is two registers, and each operation rounds as that of AVX2 does. So sums have
// the same order, and results the same bits, as on x86.

#ifndef OPN_NEON_H
#define OPN_NEON_H

#include "math/simd/declare.h"

#if defined(__ARM_NEON) && defined(__AARCH64EL__) && !defined(OPN_REAL_DOUBLE)
#    define OPN_HAS_NEON

#    include <arm_neon.h>

OPN_K_DECLARE_KERNELS(neon)

// What math/simd asks for; avx2.h says what each does.
#    define KERNEL(name) opn_k_neon_##name
#    define NARROW(name) opn_k_neon_##name // for what is narrower than a vector
typedef struct vec {
    float32x4_t low, high;
} vec;
typedef struct ints {
    int32x4_t low, high;
} ints;
enum { VEC = 8, MOST_VECTORS = OPN_SLICE / VEC };

#    define OF_TWO(name, intrinsic)                          \
        INLINE vec name(vec a, vec b)                        \
        {                                                    \
            return (vec){.low = intrinsic(a.low, b.low),     \
                         .high = intrinsic(a.high, b.high)}; \
        }
#    define OF_THREE(name, intrinsic)                                \
        INLINE vec name(vec a, vec b, vec c)                         \
        {                                                            \
            return (vec){.low = intrinsic(a.low, b.low, c.low),      \
                         .high = intrinsic(a.high, b.high, c.high)}; \
        }
#    define OF_INTS(name, intrinsic)                          \
        INLINE ints name(ints a, ints b)                      \
        {                                                     \
            return (ints){.low = intrinsic(a.low, b.low),     \
                          .high = intrinsic(a.high, b.high)}; \
        }

// ---- halves, where one instruction does not do what that of x86 does

// Of NaN and a number, and of 0 and -0, the second operand.
INLINE float32x4_t half_min(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

INLINE float32x4_t half_max(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

INLINE float32x4_t half_fma(float32x4_t a, float32x4_t b, float32x4_t c)
{
    return vfmaq_f32(c, a, b);
}

INLINE float32x4_t half_fms(float32x4_t a, float32x4_t b, float32x4_t c)
{
    return vfmaq_f32(vnegq_f32(c), a, b);
}

INLINE float32x4_t half_fnma(float32x4_t a, float32x4_t b, float32x4_t c)
{
    return vfmsq_f32(c, a, b);
}

INLINE float32x4_t half_pair_low(float32x4_t a, float32x4_t b)
{
    return vcombine_f32(vget_low_f32(a), vget_low_f32(b));
}

INLINE float32x4_t half_pair_high(float32x4_t a, float32x4_t b)
{
    return vcombine_f32(vget_high_f32(a), vget_high_f32(b));
}

INLINE float32x4_t half_where(uint32x4_t is, float32x4_t x)
{
    return vreinterpretq_f32_u32(vandq_u32(is, vreinterpretq_u32_f32(x)));
}

// ---- vectors

OF_TWO(v_add, vaddq_f32)
OF_TWO(v_sub, vsubq_f32)
OF_TWO(v_mul, vmulq_f32)
OF_TWO(v_div, vdivq_f32)
OF_TWO(v_min, half_min)
OF_TWO(v_max, half_max)
OF_TWO(v_unpack_low, vzip1q_f32)
OF_TWO(v_unpack_high, vzip2q_f32)
OF_TWO(v_pair_low, half_pair_low)
OF_TWO(v_pair_high, half_pair_high)
OF_TWO(v_evens, vuzp1q_f32)
OF_TWO(v_odds, vuzp2q_f32)
OF_THREE(v_fma, half_fma)
OF_THREE(v_fms, half_fms)
OF_THREE(v_fnma, half_fnma)
OF_INTS(i_add, vaddq_s32)
OF_INTS(i_sub, vsubq_s32)
OF_INTS(i_and, vandq_s32)

INLINE vec v_set1(float x)
{
    return (vec){.low = vdupq_n_f32(x), .high = vdupq_n_f32(x)};
}

INLINE vec v_zero(void)
{
    return v_set1(0.0f);
}

INLINE ints i_set1(int32_t x)
{
    return (ints){.low = vdupq_n_s32(x), .high = vdupq_n_s32(x)};
}

INLINE vec v_sqrt(vec x)
{
    return (vec){.low = vsqrtq_f32(x.low), .high = vsqrtq_f32(x.high)};
}

INLINE vec v_ramp(vec x)
{
    return v_max(v_zero(), x); // in this order NaN stays NaN
}

// ---- memory

INLINE vec v_load(const float *from)
{
    return (vec){.low = vld1q_f32(from), .high = vld1q_f32(from + 4)};
}

INLINE ints i_load(const int32_t *from)
{
    return (ints){.low = vld1q_s32(from), .high = vld1q_s32(from + 4)};
}

INLINE void v_store(float *to, vec x)
{
    vst1q_f32(to, x.low);
    vst1q_f32(to + 4, x.high);
}

INLINE vec v_load_fours(const float *from, size_t apart)
{
    return (vec){.low = vld1q_f32(from), .high = vld1q_f32(from + apart)};
}

INLINE void v_store_fours(float *to, size_t apart, vec x)
{
    vst1q_f32(to, x.low);
    vst1q_f32(to + apart, x.high);
}

INLINE void add_four(double *to, float32x4_t x)
{
    vst1q_f64(to, vaddq_f64(vld1q_f64(to), vcvt_f64_f32(vget_low_f32(x))));
    vst1q_f64(to + 2, vaddq_f64(vld1q_f64(to + 2), vcvt_high_f64_f32(x)));
}

INLINE void v_add_fours(double *to, size_t apart, vec x)
{
    add_four(to, x.low);
    add_four(to + apart, x.high);
}

INLINE vec v_load_pairs(const float *a, const float *b, const float *c, const float *d)
{
    return (vec){.low = vcombine_f32(vld1_f32(a), vld1_f32(b)),
                 .high = vcombine_f32(vld1_f32(c), vld1_f32(d))};
}

// ---- integers

INLINE vec v_bits(ints x)
{
    return (vec){.low = vreinterpretq_f32_s32(x.low),
                 .high = vreinterpretq_f32_s32(x.high)};
}

INLINE ints i_bits(vec x)
{
    return (ints){.low = vreinterpretq_s32_f32(x.low),
                  .high = vreinterpretq_s32_f32(x.high)};
}

INLINE vec v_from(ints x)
{
    return (vec){.low = vcvtq_f32_s32(x.low), .high = vcvtq_f32_s32(x.high)};
}

INLINE ints i_from(vec x)
{
    return (ints){.low = vcvtnq_s32_f32(x.low), .high = vcvtnq_s32_f32(x.high)};
}

#    define i_shift_left(x, n) \
        ((ints){.low = vshlq_n_s32((x).low, n), .high = vshlq_n_s32((x).high, n)})
#    define i_shift_right(x, n) \
        ((ints){.low = vshrq_n_s32((x).low, n), .high = vshrq_n_s32((x).high, n)})

// ---- lanes

INLINE vec v_mask(int is, vec x)
{
    const uint32x4_t all = vreinterpretq_u32_s32(vdupq_n_s32(-is));
    return (vec){.low = half_where(all, x.low), .high = half_where(all, x.high)};
}

INLINE vec v_lanes(uint8_t byte, vec x)
{
    static const uint32_t bit[VEC] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint32x4_t all = vdupq_n_u32(byte);
    return (vec){.low = half_where(vtstq_u32(all, vld1q_u32(bit)), x.low),
                 .high = half_where(vtstq_u32(all, vld1q_u32(bit + 4)), x.high)};
}

INLINE vec v_kept(const uint8_t *bytes, uint64_t place, vec x)
{
    return v_lanes(bytes[place / 8], x);
}

INLINE vec v_where(vec active, vec x)
{
    return (vec){.low = half_where(vcgtzq_f32(active.low), x.low),
                 .high = half_where(vcgtzq_f32(active.high), x.high)};
}

INLINE vec v_where_equal(ints a, ints b, vec x)
{
    return (vec){.low = half_where(vceqq_s32(a.low, b.low), x.low),
                 .high = half_where(vceqq_s32(a.high, b.high), x.high)};
}

INLINE vec v_where_natural(ints a, vec x)
{
    return (vec){.low = half_where(vcgezq_s32(a.low), x.low),
                 .high = half_where(vcgezq_s32(a.high), x.high)};
}

INLINE vec v_choose_positive(vec x, vec a, vec b)
{
    return (vec){.low = vbslq_f32(vcgtzq_f32(x.low), a.low, b.low),
                 .high = vbslq_f32(vcgtzq_f32(x.high), a.high, b.high)};
}

INLINE bool i_any_natural(ints a)
{
    return vmaxvq_s32(vmaxq_s32(a.low, a.high)) >= 0;
}

INLINE int64_t v_count_above(vec x, vec bound)
{
    const uint32x4_t low = vcgtq_f32(x.low, bound.low); // -1 where it is
    const uint32x4_t high = vcgtq_f32(x.high, bound.high);
    return -(int64_t)vaddvq_s32(vreinterpretq_s32_u32(vaddq_u32(low, high)));
}

INLINE uint32_t v_bits_below(vec x, vec bound)
{
    static const uint32_t bit[VEC] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint32x4_t low = vandq_u32(vcltq_f32(x.low, bound.low), vld1q_u32(bit));
    const uint32x4_t high = vandq_u32(vcltq_f32(x.high, bound.high), vld1q_u32(bit + 4));
    return vaddvq_u32(vaddq_u32(low, high));
}

INLINE vec v_total(vec x)
{
    float32x4_t sum = vaddq_f32(x.low, x.high);
    sum = vaddq_f32(sum, vextq_f32(sum, sum, 2));
    sum = vaddq_f32(sum, vrev64q_f32(sum));
    return (vec){.low = sum, .high = sum};
}

#endif

#endif // OPN_NEON_H
