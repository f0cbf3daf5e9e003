// The registers of wgmma by their number, for the files that define its products. The text and the
// operands of the first 4 * i registers are those of i - 1 and four more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define TW_TEXT1 "%0, %1, %2, %3"
#define TW_TEXT2 TW_TEXT1 ", %4, %5, %6, %7"
#define TW_TEXT3 TW_TEXT2 ", %8, %9, %10, %11"
#define TW_TEXT4 TW_TEXT3 ", %12, %13, %14, %15"
#define TW_TEXT5 TW_TEXT4 ", %16, %17, %18, %19"
#define TW_TEXT6 TW_TEXT5 ", %20, %21, %22, %23"
#define TW_TEXT7 TW_TEXT6 ", %24, %25, %26, %27"
#define TW_TEXT8 TW_TEXT7 ", %28, %29, %30, %31"
#define TW_TEXT9 TW_TEXT8 ", %32, %33, %34, %35"
#define TW_TEXT10 TW_TEXT9 ", %36, %37, %38, %39"
#define TW_TEXT11 TW_TEXT10 ", %40, %41, %42, %43"
#define TW_TEXT12 TW_TEXT11 ", %44, %45, %46, %47"
#define TW_TEXT13 TW_TEXT12 ", %48, %49, %50, %51"
#define TW_TEXT14 TW_TEXT13 ", %52, %53, %54, %55"
#define TW_TEXT15 TW_TEXT14 ", %56, %57, %58, %59"
#define TW_TEXT16 TW_TEXT15 ", %60, %61, %62, %63"
#define TW_TEXT17 TW_TEXT16 ", %64, %65, %66, %67"
#define TW_TEXT18 TW_TEXT17 ", %68, %69, %70, %71"
#define TW_TEXT19 TW_TEXT18 ", %72, %73, %74, %75"
#define TW_TEXT20 TW_TEXT19 ", %76, %77, %78, %79"
#define TW_TEXT21 TW_TEXT20 ", %80, %81, %82, %83"
#define TW_TEXT22 TW_TEXT21 ", %84, %85, %86, %87"
#define TW_TEXT23 TW_TEXT22 ", %88, %89, %90, %91"
#define TW_TEXT24 TW_TEXT23 ", %92, %93, %94, %95"
#define TW_TEXT25 TW_TEXT24 ", %96, %97, %98, %99"
#define TW_TEXT26 TW_TEXT25 ", %100, %101, %102, %103"
#define TW_TEXT27 TW_TEXT26 ", %104, %105, %106, %107"
#define TW_TEXT28 TW_TEXT27 ", %108, %109, %110, %111"
#define TW_TEXT29 TW_TEXT28 ", %112, %113, %114, %115"
#define TW_TEXT30 TW_TEXT29 ", %116, %117, %118, %119"
#define TW_TEXT31 TW_TEXT30 ", %120, %121, %122, %123"
#define TW_TEXT32 TW_TEXT31 ", %124, %125, %126, %127"

#define TW_SUMS1 TW_SUM(d[0]), TW_SUM(d[1]), TW_SUM(d[2]), TW_SUM(d[3])
#define TW_SUMS2 TW_SUMS1, TW_SUM(d[4]), TW_SUM(d[5]), TW_SUM(d[6]), TW_SUM(d[7])
#define TW_SUMS3 TW_SUMS2, TW_SUM(d[8]), TW_SUM(d[9]), TW_SUM(d[10]), TW_SUM(d[11])
#define TW_SUMS4 TW_SUMS3, TW_SUM(d[12]), TW_SUM(d[13]), TW_SUM(d[14]), TW_SUM(d[15])
#define TW_SUMS5 TW_SUMS4, TW_SUM(d[16]), TW_SUM(d[17]), TW_SUM(d[18]), TW_SUM(d[19])
#define TW_SUMS6 TW_SUMS5, TW_SUM(d[20]), TW_SUM(d[21]), TW_SUM(d[22]), TW_SUM(d[23])
#define TW_SUMS7 TW_SUMS6, TW_SUM(d[24]), TW_SUM(d[25]), TW_SUM(d[26]), TW_SUM(d[27])
#define TW_SUMS8 TW_SUMS7, TW_SUM(d[28]), TW_SUM(d[29]), TW_SUM(d[30]), TW_SUM(d[31])
#define TW_SUMS9 TW_SUMS8, TW_SUM(d[32]), TW_SUM(d[33]), TW_SUM(d[34]), TW_SUM(d[35])
#define TW_SUMS10 TW_SUMS9, TW_SUM(d[36]), TW_SUM(d[37]), TW_SUM(d[38]), TW_SUM(d[39])
#define TW_SUMS11 TW_SUMS10, TW_SUM(d[40]), TW_SUM(d[41]), TW_SUM(d[42]), TW_SUM(d[43])
#define TW_SUMS12 TW_SUMS11, TW_SUM(d[44]), TW_SUM(d[45]), TW_SUM(d[46]), TW_SUM(d[47])
#define TW_SUMS13 TW_SUMS12, TW_SUM(d[48]), TW_SUM(d[49]), TW_SUM(d[50]), TW_SUM(d[51])
#define TW_SUMS14 TW_SUMS13, TW_SUM(d[52]), TW_SUM(d[53]), TW_SUM(d[54]), TW_SUM(d[55])
#define TW_SUMS15 TW_SUMS14, TW_SUM(d[56]), TW_SUM(d[57]), TW_SUM(d[58]), TW_SUM(d[59])
#define TW_SUMS16 TW_SUMS15, TW_SUM(d[60]), TW_SUM(d[61]), TW_SUM(d[62]), TW_SUM(d[63])
#define TW_SUMS17 TW_SUMS16, TW_SUM(d[64]), TW_SUM(d[65]), TW_SUM(d[66]), TW_SUM(d[67])
#define TW_SUMS18 TW_SUMS17, TW_SUM(d[68]), TW_SUM(d[69]), TW_SUM(d[70]), TW_SUM(d[71])
#define TW_SUMS19 TW_SUMS18, TW_SUM(d[72]), TW_SUM(d[73]), TW_SUM(d[74]), TW_SUM(d[75])
#define TW_SUMS20 TW_SUMS19, TW_SUM(d[76]), TW_SUM(d[77]), TW_SUM(d[78]), TW_SUM(d[79])
#define TW_SUMS21 TW_SUMS20, TW_SUM(d[80]), TW_SUM(d[81]), TW_SUM(d[82]), TW_SUM(d[83])
#define TW_SUMS22 TW_SUMS21, TW_SUM(d[84]), TW_SUM(d[85]), TW_SUM(d[86]), TW_SUM(d[87])
#define TW_SUMS23 TW_SUMS22, TW_SUM(d[88]), TW_SUM(d[89]), TW_SUM(d[90]), TW_SUM(d[91])
#define TW_SUMS24 TW_SUMS23, TW_SUM(d[92]), TW_SUM(d[93]), TW_SUM(d[94]), TW_SUM(d[95])
#define TW_SUMS25 TW_SUMS24, TW_SUM(d[96]), TW_SUM(d[97]), TW_SUM(d[98]), TW_SUM(d[99])
#define TW_SUMS26 TW_SUMS25, TW_SUM(d[100]), TW_SUM(d[101]), TW_SUM(d[102]), TW_SUM(d[103])
#define TW_SUMS27 TW_SUMS26, TW_SUM(d[104]), TW_SUM(d[105]), TW_SUM(d[106]), TW_SUM(d[107])
#define TW_SUMS28 TW_SUMS27, TW_SUM(d[108]), TW_SUM(d[109]), TW_SUM(d[110]), TW_SUM(d[111])
#define TW_SUMS29 TW_SUMS28, TW_SUM(d[112]), TW_SUM(d[113]), TW_SUM(d[114]), TW_SUM(d[115])
#define TW_SUMS30 TW_SUMS29, TW_SUM(d[116]), TW_SUM(d[117]), TW_SUM(d[118]), TW_SUM(d[119])
#define TW_SUMS31 TW_SUMS30, TW_SUM(d[120]), TW_SUM(d[121]), TW_SUM(d[122]), TW_SUM(d[123])
#define TW_SUMS32 TW_SUMS31, TW_SUM(d[124]), TW_SUM(d[125]), TW_SUM(d[126]), TW_SUM(d[127])

// TW_SUM(x) is "+f"(x) or "+r"(x), by the type of the sums. kN = 8 * i: the descriptors, the
// predicate and the majors follow the 4 * i sums.
#define TW_WGMMA_16BIT(type, same, i, a, b, scale, major_a, major_b)                             \
  template <>                                                                                    \
  struct Wgmma<type, same, 8 * i> {                                                              \
    template <bool kMnMajorA, bool kMnMajorB>                                                    \
    static TW_DEVICE void Run(float (&d)[4 * i], uint64 desc_a, uint64 desc_b, int accumulate) { \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #scale                                   \
                   ", 0;\nwgmma.mma_async.sync.aligned.m64n" TW_TIMES_8_##i                      \
                   "k16.f32." #type "." #same " {" TW_TEXT##i                                    \
                   "}, %" #a ", %" #b ", p, 1, 1, %" #major_a ", %" #major_b ";\n}"              \
                   : TW_SUMS##i                                                                  \
                   : "l"(desc_a), "l"(desc_b), "r"(accumulate), "n"(kMnMajorA ? 1 : 0),          \
                     "n"(kMnMajorB ? 1 : 0));                                                    \
    }                                                                                            \
  };

// Of types that have no majors. `kind`: depth and types of the instruction; `signs`: what follows
// the predicate.
#define TW_WGMMA_K_MAJOR(A, B, Sum, kind, signs, i, a, b, scale)                                 \
  template <>                                                                                    \
  struct Wgmma<A, B, 8 * i> {                                                                    \
    template <bool kMnMajorA, bool kMnMajorB>                                                    \
    static TW_DEVICE void Run(Sum (&d)[4 * i], uint64 desc_a, uint64 desc_b, int accumulate) {   \
      static_assert(!kMnMajorA && !kMnMajorB, "K-major operands only");                          \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #scale                                   \
                   ", 0;\nwgmma.mma_async.sync.aligned.m64n" TW_TIMES_8_##i kind " {" TW_TEXT##i \
                   "}, %" #a ", %" #b ", p" signs ";\n}"                                         \
                   : TW_SUMS##i                                                                  \
                   : "l"(desc_a), "l"(desc_b), "r"(accumulate));                                 \
    }                                                                                            \
  };

#define TW_TIMES_8_1 "8"
#define TW_TIMES_8_2 "16"
#define TW_TIMES_8_3 "24"
#define TW_TIMES_8_4 "32"
#define TW_TIMES_8_5 "40"
#define TW_TIMES_8_6 "48"
#define TW_TIMES_8_7 "56"
#define TW_TIMES_8_8 "64"
#define TW_TIMES_8_9 "72"
#define TW_TIMES_8_10 "80"
#define TW_TIMES_8_11 "88"
#define TW_TIMES_8_12 "96"
#define TW_TIMES_8_13 "104"
#define TW_TIMES_8_14 "112"
#define TW_TIMES_8_15 "120"
#define TW_TIMES_8_16 "128"
#define TW_TIMES_8_17 "136"
#define TW_TIMES_8_18 "144"
#define TW_TIMES_8_19 "152"
#define TW_TIMES_8_20 "160"
#define TW_TIMES_8_21 "168"
#define TW_TIMES_8_22 "176"
#define TW_TIMES_8_23 "184"
#define TW_TIMES_8_24 "192"
#define TW_TIMES_8_25 "200"
#define TW_TIMES_8_26 "208"
#define TW_TIMES_8_27 "216"
#define TW_TIMES_8_28 "224"
#define TW_TIMES_8_29 "232"
#define TW_TIMES_8_30 "240"
#define TW_TIMES_8_31 "248"
#define TW_TIMES_8_32 "256"

// DEFINE(A, B, i, a, b, scale, major_a, major_b) for every width.
#define TW_WGMMA_EACH(DEFINE, A, B)         \
  DEFINE(A, B, 1, 4, 5, 6, 7, 8)            \
  DEFINE(A, B, 2, 8, 9, 10, 11, 12)         \
  DEFINE(A, B, 3, 12, 13, 14, 15, 16)       \
  DEFINE(A, B, 4, 16, 17, 18, 19, 20)       \
  DEFINE(A, B, 5, 20, 21, 22, 23, 24)       \
  DEFINE(A, B, 6, 24, 25, 26, 27, 28)       \
  DEFINE(A, B, 7, 28, 29, 30, 31, 32)       \
  DEFINE(A, B, 8, 32, 33, 34, 35, 36)       \
  DEFINE(A, B, 9, 36, 37, 38, 39, 40)       \
  DEFINE(A, B, 10, 40, 41, 42, 43, 44)      \
  DEFINE(A, B, 11, 44, 45, 46, 47, 48)      \
  DEFINE(A, B, 12, 48, 49, 50, 51, 52)      \
  DEFINE(A, B, 13, 52, 53, 54, 55, 56)      \
  DEFINE(A, B, 14, 56, 57, 58, 59, 60)      \
  DEFINE(A, B, 15, 60, 61, 62, 63, 64)      \
  DEFINE(A, B, 16, 64, 65, 66, 67, 68)      \
  DEFINE(A, B, 17, 68, 69, 70, 71, 72)      \
  DEFINE(A, B, 18, 72, 73, 74, 75, 76)      \
  DEFINE(A, B, 19, 76, 77, 78, 79, 80)      \
  DEFINE(A, B, 20, 80, 81, 82, 83, 84)      \
  DEFINE(A, B, 21, 84, 85, 86, 87, 88)      \
  DEFINE(A, B, 22, 88, 89, 90, 91, 92)      \
  DEFINE(A, B, 23, 92, 93, 94, 95, 96)      \
  DEFINE(A, B, 24, 96, 97, 98, 99, 100)     \
  DEFINE(A, B, 25, 100, 101, 102, 103, 104) \
  DEFINE(A, B, 26, 104, 105, 106, 107, 108) \
  DEFINE(A, B, 27, 108, 109, 110, 111, 112) \
  DEFINE(A, B, 28, 112, 113, 114, 115, 116) \
  DEFINE(A, B, 29, 116, 117, 118, 119, 120) \
  DEFINE(A, B, 30, 120, 121, 122, 123, 124) \
  DEFINE(A, B, 31, 124, 125, 126, 127, 128) \
  DEFINE(A, B, 32, 128, 129, 130, 131, 132)
