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

#define TW_SUMS1 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define TW_SUMS2 TW_SUMS1, "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define TW_SUMS3 TW_SUMS2, "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define TW_SUMS4 TW_SUMS3, "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define TW_SUMS5 TW_SUMS4, "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define TW_SUMS6 TW_SUMS5, "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23])
#define TW_SUMS7 TW_SUMS6, "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define TW_SUMS8 TW_SUMS7, "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define TW_SUMS9 TW_SUMS8, "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35])
#define TW_SUMS10 TW_SUMS9, "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define TW_SUMS11 TW_SUMS10, "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43])
#define TW_SUMS12 TW_SUMS11, "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define TW_SUMS13 TW_SUMS12, "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51])
#define TW_SUMS14 TW_SUMS13, "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#define TW_SUMS15 TW_SUMS14, "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
#define TW_SUMS16 TW_SUMS15, "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define TW_SUMS17 TW_SUMS16, "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define TW_SUMS18 TW_SUMS17, "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define TW_SUMS19 TW_SUMS18, "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75])
#define TW_SUMS20 TW_SUMS19, "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define TW_SUMS21 TW_SUMS20, "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83])
#define TW_SUMS22 TW_SUMS21, "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
#define TW_SUMS23 TW_SUMS22, "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91])
#define TW_SUMS24 TW_SUMS23, "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define TW_SUMS25 TW_SUMS24, "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99])
#define TW_SUMS26 TW_SUMS25, "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103])
#define TW_SUMS27 TW_SUMS26, "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107])
#define TW_SUMS28 TW_SUMS27, "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define TW_SUMS29 TW_SUMS28, "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115])
#define TW_SUMS30 TW_SUMS29, "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119])
#define TW_SUMS31 TW_SUMS30, "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123])
#define TW_SUMS32 TW_SUMS31, "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])

// kN = 8 * i: the descriptors, the predicate and the majors follow the 4 * i sums.
#define TW_WGMMA_16BIT(type, i, a, b, scale, major_a, major_b)                                   \
  template <>                                                                                    \
  struct Wgmma<type, 8 * i> {                                                                    \
    template <bool kMnMajorA, bool kMnMajorB>                                                    \
    static TW_DEVICE void Run(float (&d)[4 * i], uint64 desc_a, uint64 desc_b, int accumulate) { \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #scale                                   \
                   ", 0;\nwgmma.mma_async.sync.aligned.m64n" TW_TIMES_8_##i                      \
                   "k16.f32." #type "." #type " {" TW_TEXT##i                                    \
                   "}, %" #a ", %" #b ", p, 1, 1, %" #major_a ", %" #major_b ";\n}"              \
                   : TW_SUMS##i                                                                  \
                   : "l"(desc_a), "l"(desc_b), "r"(accumulate), "n"(kMnMajorA ? 1 : 0),          \
                     "n"(kMnMajorB ? 1 : 0));                                                    \
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

#define TW_WGMMA_16BIT_ALL(type)                    \
  TW_WGMMA_16BIT(type, 1, 4, 5, 6, 7, 8)            \
  TW_WGMMA_16BIT(type, 2, 8, 9, 10, 11, 12)         \
  TW_WGMMA_16BIT(type, 3, 12, 13, 14, 15, 16)       \
  TW_WGMMA_16BIT(type, 4, 16, 17, 18, 19, 20)       \
  TW_WGMMA_16BIT(type, 5, 20, 21, 22, 23, 24)       \
  TW_WGMMA_16BIT(type, 6, 24, 25, 26, 27, 28)       \
  TW_WGMMA_16BIT(type, 7, 28, 29, 30, 31, 32)       \
  TW_WGMMA_16BIT(type, 8, 32, 33, 34, 35, 36)       \
  TW_WGMMA_16BIT(type, 9, 36, 37, 38, 39, 40)       \
  TW_WGMMA_16BIT(type, 10, 40, 41, 42, 43, 44)      \
  TW_WGMMA_16BIT(type, 11, 44, 45, 46, 47, 48)      \
  TW_WGMMA_16BIT(type, 12, 48, 49, 50, 51, 52)      \
  TW_WGMMA_16BIT(type, 13, 52, 53, 54, 55, 56)      \
  TW_WGMMA_16BIT(type, 14, 56, 57, 58, 59, 60)      \
  TW_WGMMA_16BIT(type, 15, 60, 61, 62, 63, 64)      \
  TW_WGMMA_16BIT(type, 16, 64, 65, 66, 67, 68)      \
  TW_WGMMA_16BIT(type, 17, 68, 69, 70, 71, 72)      \
  TW_WGMMA_16BIT(type, 18, 72, 73, 74, 75, 76)      \
  TW_WGMMA_16BIT(type, 19, 76, 77, 78, 79, 80)      \
  TW_WGMMA_16BIT(type, 20, 80, 81, 82, 83, 84)      \
  TW_WGMMA_16BIT(type, 21, 84, 85, 86, 87, 88)      \
  TW_WGMMA_16BIT(type, 22, 88, 89, 90, 91, 92)      \
  TW_WGMMA_16BIT(type, 23, 92, 93, 94, 95, 96)      \
  TW_WGMMA_16BIT(type, 24, 96, 97, 98, 99, 100)     \
  TW_WGMMA_16BIT(type, 25, 100, 101, 102, 103, 104) \
  TW_WGMMA_16BIT(type, 26, 104, 105, 106, 107, 108) \
  TW_WGMMA_16BIT(type, 27, 108, 109, 110, 111, 112) \
  TW_WGMMA_16BIT(type, 28, 112, 113, 114, 115, 116) \
  TW_WGMMA_16BIT(type, 29, 116, 117, 118, 119, 120) \
  TW_WGMMA_16BIT(type, 30, 120, 121, 122, 123, 124) \
  TW_WGMMA_16BIT(type, 31, 124, 125, 126, 127, 128) \
  TW_WGMMA_16BIT(type, 32, 128, 129, 130, 131, 132)
