// mma.sync: a warp's 16x8 product over 32 bytes of K. With g = lane / 4 and t = lane % 4 a word of
// A or B holds the 4 bytes of K that begin at byte 4*t of a 16-byte half:
//   a[0] row g, low half   a[1] row g + 8, low   a[2] row g, high   a[3] row g + 8, high
//   b[0] column g, low     b[1] column g, high
//   d[0], d[1] row g, columns 2*t and 2*t + 1;  d[2], d[3] the same of row g + 8
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"

namespace tw {

// MmaSync<A, B>::Run(d, a, b): d += a * b for operands of these types, four words of A and two of
// B.
template <class A, class B>
struct MmaSync;

template <>
struct MmaSync<f16, f16> {
  static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

template <>
struct MmaSync<bf16, bf16> {
  static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// The operands must be rounded to tf32 before (RoundToTf32): the unit ignores the low bits.
template <>
struct MmaSync<tf32, tf32> {
  static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// Sums wrap.
template <>
struct MmaSync<s8, s8> {
  static TW_DEVICE void Run(int (&d)[4], const uint32* a, const uint32* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// 8-bit floats: from sm_89 on. Hopper has no such instruction but in warpgroups: what the assembler
// makes of it widens an operand again for every product and spills. Here it is widened once.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
// The elements of bytes 0 and 1, and of 2 and 3: exact in f16.
#define TW_WIDEN_FP8(type)                                         \
  TW_DEVICE void WidenFour(type, uint32 word, uint32(&pairs)[2]) { \
    asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\n"      \
        "cvt.rn.f16x2." #type                                      \
        "x2 %0, low;\n"                                            \
        "cvt.rn.f16x2." #type "x2 %1, high;\n}"                    \
        : "=r"(pairs[0]), "=r"(pairs[1])                           \
        : "r"(word));                                              \
  }

TW_WIDEN_FP8(e4m3)
TW_WIDEN_FP8(e5m2)
#undef TW_WIDEN_FP8

// Two products over half of the k each: which half an element counts to is the same for A and B.
template <class A, class B>
struct MmaSync {
  static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {
    uint32 rows[4][2], cols[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      WidenFour(A{}, a[i], rows[i]);
#pragma unroll
    for (int i = 0; i < 2; ++i)
      WidenFour(B{}, b[i], cols[i]);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint32 wide_a[4] = {rows[0][half], rows[1][half], rows[2][half], rows[3][half]};
      const uint32 wide_b[2] = {cols[0][half], cols[1][half]};
      MmaSync<f16, f16>::Run(d, wide_a, wide_b);
    }
  }
};
#else
#define TW_MMA_FP8(A, B)                                                                \
  template <>                                                                           \
  struct MmaSync<A, B> {                                                                \
    static TW_DEVICE void Run(float (&d)[4], const uint32* a, const uint32* b) {        \
      asm volatile("mma.sync.aligned.m16n8k32.row.col.f32." #A "." #B                   \
                   ".f32 "                                                              \
                   "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"    \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                     \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
    }                                                                                   \
  };

TW_MMA_FP8(e4m3, e4m3)
TW_MMA_FP8(e4m3, e5m2)
TW_MMA_FP8(e5m2, e4m3)
TW_MMA_FP8(e5m2, e5m2)
#undef TW_MMA_FP8
#endif

// Nearest, ties away from zero; fp32 bits in, tf32 bits out.
TW_DEVICE uint32 RoundToTf32(uint32 bits) {
  uint32 rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
}

}  // namespace tw
