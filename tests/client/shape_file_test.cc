// SPDX-License-Identifier: Apache-2.0
#include "client/cli/shape_file.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw::cli {
namespace {

constexpr const char* kHeader = "name,m,n,k,batch,dtype,layout\n";

std::string ErrorOf(const std::string& text) {
  return ParseShapes(text, "s.csv", {}).status().message();
}

std::vector<Shape> ThreeShapes() {
  const auto shapes =
      ParseShapes(std::string(kHeader) + "a,1,1,1,1,bf16,nt\nb,2,2,2,1,f32,nn\nc,3,3,3,1,bf16,tn\n",
                  "s.csv", {});
  return shapes.ok() ? *shapes : std::vector<Shape>();
}

std::string NamesOf(const std::vector<Shape>& shapes) {
  std::string names;
  for (const Shape& shape : shapes) {
    names += shape.name;
  }
  return names;
}

TEST(ShapeFile, ReadsThePublicShapes) {
  const std::ifstream file(std::string(TW_SOURCE_DIR) + "/bench/shapes/public.csv");
  std::ostringstream text;
  text << file.rdbuf();
  const auto shapes = ParseShapes(text.str(), "public.csv", {});
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  ASSERT_EQ(shapes->size(), 44U);
  const Shape& attention = shapes->at(28);
  EXPECT_EQ(attention.name, "attn_pv");
  EXPECT_EQ(attention.line, 38);
  const v1::GemmProblem& p = attention.key.problem();
  EXPECT_EQ(p.m(), 1024);
  EXPECT_EQ(p.n(), 128);
  EXPECT_EQ(p.k(), 1024);
  EXPECT_EQ(p.batch(), 64);
  EXPECT_EQ(p.a().type(), v1::DATA_TYPE_F16);
  EXPECT_EQ(LayoutText(p.a().major(), p.b().major()), "nn");
}

TEST(ShapeFile, ColumnsComeInAnyOrderAndSetWhatTheFlagsSet) {
  ProblemFlags base;
  base.objective = "warm";
  base.bias = "col";
  const auto shapes = ParseShapes(
      "layout,dtype,batch,k,n,m,name,bias,lda,stride_b,align_d,out_dtype,act\r\n"
      "# a comment\r\n\r\n"
      "tn,f16,2,5,4,3,x,row,7,0,8,f32,relu\r\n"
      "tn,f16,2,5,4,3,y,,,,,,",  // no newline at the end
      "s.csv", base);
  ASSERT_TRUE(shapes.ok()) << shapes.status().message();
  ASSERT_EQ(shapes->size(), 2U);
  const v1::Key& x = shapes->at(0).key;
  EXPECT_EQ(shapes->at(0).line, 4);
  EXPECT_EQ(x.problem().m(), 3);
  EXPECT_EQ(x.problem().bias(), v1::BIAS_ROW);
  EXPECT_EQ(x.problem().a().leading_dimension(), 7);
  EXPECT_EQ(x.problem().b().batch_stride(), 0);
  EXPECT_TRUE(x.problem().b().has_batch_stride());
  EXPECT_EQ(x.problem().d().align_bytes(), 8);
  EXPECT_EQ(x.problem().d().type(), v1::DATA_TYPE_F32);
  EXPECT_EQ(x.problem().activation(), "relu");
  EXPECT_EQ(x.objective(), v1::OBJECTIVE_WARM);
  const v1::Key& y = shapes->at(1).key;
  EXPECT_EQ(y.problem().bias(), v1::BIAS_COLUMN) << "an empty cell leaves the default";
  EXPECT_FALSE(y.problem().a().has_leading_dimension());
  EXPECT_EQ(y.problem().d().type(), v1::DATA_TYPE_UNSPECIFIED);
}

TEST(ShapeFile, ErrorsNameFileLineFieldValueAndRule) {
  const struct {
    std::string rows, error;
  } rows[] = {
      {"# c\nx,1,2y,3,1,bf16,nt\n", "s.csv:3: n = 2y: must be a whole number"},
      {"x,1,2,-3,1,bf16,nt\n", "s.csv:2: k = -3: must be >= 0"},
      {"x,1,2,3,-1,bf16,nt\n", "s.csv:2: batch = -1: must be >= 0"},
      {"x,1,2,3,1,bf61,nt\n",
       "s.csv:2: dtype = bf61: must be one of f64, f32, tf32, f16, bf16, e4m3, e5m2, s8, s32"},
      {"x,1,2,3,1,bf16,rr\n", "s.csv:2: layout = rr: must be one of nn, nt, tn, tt"},
      {"x,1,2,3,1,bf16\n", "s.csv:2: 6 fields where the header has 7"},
      {"x,1,2,3,1,bf16,nt,\n", "s.csv:2: 8 fields where the header has 7"},
      {"x,1,2,3,,bf16,nt\n", "s.csv:2: batch = : must not be empty"},
      {",1,2,3,1,bf16,nt\n", "s.csv:2: name = : must not be empty"},
      {"\"x\",1,2,3,1,bf16,nt\n", "s.csv:2: a quotation mark: quoted fields are not supported"},
      {"x,1,2,3,1,bf16,nt\nx,4,5,6,1,bf16,nt\n", "s.csv:3: name = x: is line 2's too"},
      {"# nothing\n", "s.csv: has no shapes below its header"},
  };

  for (const auto& row : rows) {
    EXPECT_EQ(ErrorOf(kHeader + row.rows), row.error);
  }
}

TEST(ShapeFile, HeadersAreClosed) {
  EXPECT_EQ(ErrorOf(""), "s.csv: has no header");
  EXPECT_EQ(ErrorOf("name,m,n,k,batch,dtype\n"),
            "s.csv:1: column = layout: is missing from the header");
  EXPECT_EQ(ErrorOf("name,m,n,k,batch,dtype,layout,m\n"),
            "s.csv:1: column = m: stands twice in the header");
  EXPECT_TRUE(ErrorOf("name,m,n,k,batch,dtype,layout,epilogue\n")
                  .starts_with("s.csv:1: column = epilogue: must be one of name, m, n, k,"));
}

TEST(ShapeFile, SelectsByNameAndType) {
  const auto names = [](const ShapeFilter& filter) {
    const auto selected = SelectShapes(ThreeShapes(), filter);
    return selected.ok() ? NamesOf(*selected) : selected.status().message();
  };
  EXPECT_EQ(names({}), "abc");
  EXPECT_EQ(names({.names = "c,a", .dtypes = ""}), "ac");
  EXPECT_EQ(names({.names = "", .dtypes = "f32"}), "b");
  EXPECT_EQ(names({.names = "a,b", .dtypes = "bf16"}), "a");
  EXPECT_EQ(names({.names = "a,z", .dtypes = ""}), "names = z: is in no row of the file");
  EXPECT_EQ(names({.names = "", .dtypes = "f64"}), "dtypes = f64: is in no row of the file");
  EXPECT_EQ(names({.names = "b", .dtypes = "bf16"}),
            "no row of the file has one of these names and one of these types");
}

TEST(ShapeFile, SplitsAtEveryComma) {
  using Cells = std::vector<std::string>;
  EXPECT_EQ(SplitAtCommas("a,,b"), (Cells{"a", "", "b"}));
  EXPECT_EQ(SplitAtCommas(""), (Cells{""}));
  EXPECT_EQ(SplitAtCommas(","), (Cells{"", ""}));
}

}  // namespace
}  // namespace tw::cli
