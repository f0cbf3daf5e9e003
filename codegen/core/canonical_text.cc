// The key text of a problem and its parser.
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <string>

#include "codegen/core/gemm_problem.h"
#include "codegen/core/problem_names.h"

namespace tw {
namespace {

// A change of meaning or of fields needs a new version: old rows then no longer match.
constexpr std::string_view kVersion = "gemm1";
constexpr std::string_view kPackedWord = "packed";

struct Shape {
  std::int64_t rows, cols;
};

std::int64_t PackedStride(const Operand& op, Shape shape) {
  // Wraps like two's complement where the problem was not normalised.
  const std::int64_t lines = op.major == Major::kRow ? shape.rows : shape.cols;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lines) *
                                   static_cast<std::uint64_t>(op.ld));
}

std::string CountText(std::int64_t value, std::int64_t packed) {
  return value == packed ? std::string(kPackedWord) : std::to_string(value);
}

void AppendField(std::string& text, std::string_view name, std::string_view value) {
  text.append(" ").append(name).append("=").append(value);
}

std::string OperandText(const Operand& op, Shape shape) {
  std::string text(Name(op.type));
  text.append(",").append(EnumName(op.major));
  text.append(",ld=").append(CountText(op.ld, PackedLd(shape.rows, shape.cols, op.major)));
  text.append(",bs=").append(CountText(op.batch_stride, PackedStride(op, shape)));
  text.append(",al=").append(std::to_string(op.align_bytes));
  return text;
}

// Reads "NAME=VALUE" fields in a fixed order; remembers the first that does not fit.
class FieldReader {
 public:
  FieldReader(std::string_view text, char separator) : rest_(text), separator_(separator) {}

  // The next field without its name; empty after a failure.
  std::string_view Take(std::string_view name) {
    const std::string_view field = TakeWord();
    if (field.size() <= name.size() || field.substr(0, name.size()) != name ||
        field[name.size()] != '=') {
      Fail(name);
      return {};
    }
    return field.substr(name.size() + 1);
  }

  std::string_view TakeWord() {
    const std::size_t at = rest_.find(separator_);
    const std::string_view word = rest_.substr(0, at);
    rest_ = at == std::string_view::npos ? std::string_view() : rest_.substr(at + 1);
    return word;
  }

  void TakeInt(std::string_view name, std::int64_t& value) {
    const std::string_view text = Take(name);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      Fail(name);
  }

  // An integer or "packed".
  void TakeCount(std::string_view name, std::int64_t& value) {
    FieldReader packed = *this;
    if (packed.Take(name) == kPackedWord) {
      rest_ = packed.rest_;
      value = kPacked;
    } else {
      TakeInt(name, value);
    }
  }

  template <class T>
  void Store(std::string_view name, std::optional<T> parsed, T& value) {
    if (parsed)
      value = *parsed;
    else
      Fail(name);
  }

  template <class Enum>
  void TakeEnum(std::string_view name, Enum& value) {
    Store(name, ParseEnum<Enum>(Take(name)), value);
  }

  void Fail(std::string_view name) {
    if (failed_.empty())
      failed_ = name;
  }

  // Name of the first field that does not fit; empty if all do.
  [[nodiscard]] std::string_view failed() const { return failed_; }

 private:
  std::string_view rest_;
  char separator_;
  std::string_view failed_;
};

void TakeOperand(FieldReader& fields, std::string_view name, Operand& op) {
  FieldReader parts(fields.Take(name), ',');
  parts.Store(name, ParseDType(parts.TakeWord()), op.type);
  parts.Store(name, ParseEnum<Major>(parts.TakeWord()), op.major);
  parts.TakeCount("ld", op.ld);
  parts.TakeCount("bs", op.batch_stride);
  parts.TakeInt("al", op.align_bytes);
  if (!parts.failed().empty())
    fields.Fail(name);
}

GemmProblem TakeProblem(FieldReader& fields) {
  GemmProblem p;
  fields.TakeInt("m", p.m);
  fields.TakeInt("n", p.n);
  fields.TakeInt("k", p.k);
  fields.TakeInt("batch", p.batch);
  TakeOperand(fields, "a", p.a);
  TakeOperand(fields, "b", p.b);
  TakeOperand(fields, "c", p.c);
  TakeOperand(fields, "d", p.d);
  fields.Store("acc", ParseDType(fields.Take("acc")), p.acc);
  fields.TakeEnum("alpha", p.alpha);
  fields.TakeEnum("beta", p.beta);
  fields.TakeEnum("bias", p.epilogue.bias);
  p.epilogue.activation = fields.Take("act");
  fields.TakeEnum("scale", p.epilogue.scale);
  p.fp8_fast_accumulate = fields.Take("fp8fast") == "1";
  return p;
}

Status Malformed(std::string_view text, std::string_view rule) {
  return InvalidField("problem", text, rule);
}

}  // namespace

std::string CanonicalText(const GemmProblem& p) {
  std::string text(kVersion);
  AppendField(text, "m", std::to_string(p.m));
  AppendField(text, "n", std::to_string(p.n));
  AppendField(text, "k", std::to_string(p.k));
  AppendField(text, "batch", std::to_string(p.batch));
  AppendField(text, "a", OperandText(p.a, {p.m, p.k}));
  AppendField(text, "b", OperandText(p.b, {p.k, p.n}));
  AppendField(text, "c", OperandText(p.c, {p.m, p.n}));
  AppendField(text, "d", OperandText(p.d, {p.m, p.n}));
  AppendField(text, "acc", Name(p.acc));
  AppendField(text, "alpha", EnumName(p.alpha));
  AppendField(text, "beta", EnumName(p.beta));
  AppendField(text, "bias", EnumName(p.epilogue.bias));
  AppendField(text, "act", p.epilogue.activation);
  AppendField(text, "scale", EnumName(p.epilogue.scale));
  AppendField(text, "fp8fast", p.fp8_fast_accumulate ? "1" : "0");
  return text;
}

Result<GemmProblem> ParseCanonicalText(std::string_view text) {
  FieldReader fields(text, ' ');
  if (fields.TakeWord() != kVersion)
    return Malformed(text, "must start with " + std::string(kVersion));
  const GemmProblem written = TakeProblem(fields);
  if (!fields.failed().empty())
    return Malformed(text, "cannot read field " + std::string(fields.failed()));
  Result<GemmProblem> problem = Normalize(written);
  if (!problem.ok())
    return Malformed(text, problem.status().message());
  // Whatever the reader was lenient about (signs, leading zeros, trailing text) fails here.
  if (CanonicalText(*problem) != text)
    return Malformed(text, "not the canonical text of a problem");
  return problem;
}

}  // namespace tw
