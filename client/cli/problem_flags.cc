// SPDX-License-Identifier: Apache-2.0
#include "client/cli/problem_flags.h"

#include <CLI/App.hpp>

#include "client/cli/parse.h"

namespace tw::cli {
namespace {

struct OperandNames {
  std::string letter;  // "a"
  OperandFlags& flags;
};

void AddOperandFlags(CLI::App& command, const OperandNames& operand) {
  const std::string& letter = operand.letter;
  const std::string of = " of " + std::string(1, static_cast<char>(letter[0] - 'a' + 'A'));
  command.add_option("--ld" + letter, operand.flags.leading_dimension,
                     "leading dimension" + of + " in elements (default: packed)");
  command.add_option("--stride-" + letter, operand.flags.batch_stride,
                     "batch stride" + of + " in elements (default: packed; 0 broadcasts)");
  command.add_option("--align-" + letter, operand.flags.align_bytes,
                     "alignment" + of + "'s base pointer in bytes (default: 16)");
}

Status FillOperand(v1::Operand& operand, const std::string& letter, const OperandFlags& flags) {
  if (!flags.leading_dimension.empty()) {
    TW_ASSIGN_OR_RETURN(const auto value, ParseInt64("ld" + letter, flags.leading_dimension));
    operand.set_leading_dimension(value);
  }
  if (!flags.batch_stride.empty()) {
    TW_ASSIGN_OR_RETURN(const auto value, ParseInt64("stride_" + letter, flags.batch_stride));
    operand.set_batch_stride(value);
  }
  if (!flags.align_bytes.empty()) {
    TW_ASSIGN_OR_RETURN(const auto value, ParseInt64("align_" + letter, flags.align_bytes));
    operand.set_align_bytes(value);
  }
  return OkStatus();
}

Status FillSizes(v1::GemmProblem& problem, const ProblemFlags& flags) {
  TW_ASSIGN_OR_RETURN(const std::int64_t m, ParseInt64("m", flags.m));
  TW_ASSIGN_OR_RETURN(const std::int64_t n, ParseInt64("n", flags.n));
  TW_ASSIGN_OR_RETURN(const std::int64_t k, ParseInt64("k", flags.k));
  problem.set_m(m);
  problem.set_n(n);
  problem.set_k(k);
  if (!flags.batch.empty()) {
    TW_ASSIGN_OR_RETURN(const std::int64_t batch, ParseInt64("batch", flags.batch));
    problem.set_batch(batch);
  }
  return OkStatus();
}

Status FillTypes(v1::GemmProblem& problem, const ProblemFlags& flags) {
  TW_ASSIGN_OR_RETURN(const v1::DataType a, ParseDataType("dtype", flags.dtype));
  problem.mutable_a()->set_type(a);
  problem.mutable_b()->set_type(a);
  if (!flags.dtype_b.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::DataType b, ParseDataType("dtype_b", flags.dtype_b));
    problem.mutable_b()->set_type(b);
  }
  if (!flags.accumulate.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::DataType acc, ParseDataType("acc", flags.accumulate));
    problem.set_accumulate(acc);
  }
  if (!flags.out_dtype.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::DataType out, ParseDataType("out_dtype", flags.out_dtype));
    problem.mutable_c()->set_type(out);
    problem.mutable_d()->set_type(out);
  }
  return OkStatus();
}

Status FillLayouts(v1::GemmProblem& problem, const ProblemFlags& flags) {
  TW_ASSIGN_OR_RETURN(const OperandLayouts layouts, ParseLayout("layout", flags.layout));
  problem.mutable_a()->set_major(layouts.a);
  problem.mutable_b()->set_major(layouts.b);
  if (!flags.layout_c.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::MatrixMajor c, ParseMajor("layout_c", flags.layout_c));
    problem.mutable_c()->set_major(c);
  }
  if (!flags.layout_d.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::MatrixMajor d, ParseMajor("layout_d", flags.layout_d));
    problem.mutable_d()->set_major(d);
  }
  TW_RETURN_IF_ERROR(FillOperand(*problem.mutable_a(), "a", flags.a));
  TW_RETURN_IF_ERROR(FillOperand(*problem.mutable_b(), "b", flags.b));
  TW_RETURN_IF_ERROR(FillOperand(*problem.mutable_c(), "c", flags.c));
  return FillOperand(*problem.mutable_d(), "d", flags.d);
}

// A kernel is specialised on whether a scalar is 0 or 1, not on any other value.
Result<v1::ScalarKind> KindOf(std::string_view field, const std::string& text) {
  TW_ASSIGN_OR_RETURN(const double value, ParseNumber(field, text));
  if (value == 0) {
    return v1::SCALAR_KIND_ZERO;
  }
  return value == 1 ? v1::SCALAR_KIND_ONE : v1::SCALAR_KIND_OTHER;
}

Status FillEpilogue(v1::GemmProblem& problem, const ProblemFlags& flags) {
  if (!flags.alpha.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::ScalarKind alpha, KindOf("alpha", flags.alpha));
    problem.set_alpha(alpha);
  }
  if (!flags.beta.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::ScalarKind beta, KindOf("beta", flags.beta));
    problem.set_beta(beta);
  }
  if (!flags.bias.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::Bias bias, ParseBias("bias", flags.bias));
    problem.set_bias(bias);
  }
  if (!flags.activation.empty()) {
    TW_ASSIGN_OR_RETURN(std::string activation, ParseActivation("act", flags.activation));
    problem.set_activation(activation);
  }
  if (!flags.scale.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::Scale scale, ParseScale("scale", flags.scale));
    problem.set_scale(scale);
  }
  return OkStatus();
}

Status FillContract(v1::Key& key, const ProblemFlags& flags) {
  const std::string& fp8 = flags.fp8_accumulate;
  if (!fp8.empty() && fp8 != "precise" && fp8 != "fast") {
    return NotOneOf("fp8_accumulate", fp8, "precise, fast");
  }
  key.mutable_problem()->set_fp8_fast_accumulate(fp8 == "fast");
  key.mutable_contract()->set_deterministic(!flags.nondeterministic);
  key.mutable_contract()->set_batch_invariant(flags.batch_invariant);
  if (!flags.objective.empty()) {
    TW_ASSIGN_OR_RETURN(const auto objective, ParseObjective("objective", flags.objective));
    key.set_objective(objective);
  }
  return OkStatus();
}

void AddTypeFlags(CLI::App& command, ProblemFlags& flags) {
  command.add_option("--dtype", flags.dtype, "type of A and B")->capture_default_str();
  command.add_option("--dtype-b", flags.dtype_b, "type of B where it differs from A's");
  command.add_option("--acc", flags.accumulate, "type of the accumulator (default: A's usual one)");
  command.add_option("--out-dtype", flags.out_dtype, "type of C and D (default: A's usual one)");
  command.add_option("--layout", flags.layout, "A and B: nn, nt, tn, tt; t is stored transposed")
      ->capture_default_str();
  command.add_option("--layout-c", flags.layout_c, "row or col");
  command.add_option("--layout-d", flags.layout_d, "row or col");
}

void AddEpilogueFlags(CLI::App& command, ProblemFlags& flags) {
  command.add_option("--alpha", flags.alpha, "0, 1 or any other value (default: 1)");
  command.add_option("--beta", flags.beta, "0, 1 or any other value (default: 0)");
  command.add_option("--bias", flags.bias, "none, col (one value per column of D) or row");
  command.add_option("--act", flags.activation, "none, relu, gelu_erf, gelu_tanh or silu");
  command.add_option("--scale", flags.scale,
                     "none, tensor or row-col (block128 is refused so far)");
}

}  // namespace

void AddTargetFlags(CLI::App& command, ProblemFlags& flags) {
  command.add_option("--arch", flags.arch, "sm_90a, …: the reference device of that architecture");
  command.add_option("--device", flags.device, "UUID of the GPU (default: the first one)");
  command.add_option("--objective", flags.objective, "cold (default), warm, pdl or graph");
  command.add_option("--fp8-accumulate", flags.fp8_accumulate, "precise (default) or fast");
  auto* loose = command.add_flag("--nondeterministic", flags.nondeterministic,
                                 "the bits of D may differ from run to run");
  command.add_flag("--batch-invariant", flags.batch_invariant, "a row's bits must not depend on m")
      ->excludes(loose);
}

void AddProblemFlags(CLI::App& command, ProblemFlags& flags) {
  command.add_option("-m", flags.m, "rows of A and D")->required();
  command.add_option("-n", flags.n, "columns of B and D")->required();
  command.add_option("-k", flags.k, "columns of A, rows of B")->required();
  command.add_option("--batch", flags.batch, "independent products (default: 1)");
  AddTypeFlags(command, flags);
  AddOperandFlags(command, {"a", flags.a});
  AddOperandFlags(command, {"b", flags.b});
  AddOperandFlags(command, {"c", flags.c});
  AddOperandFlags(command, {"d", flags.d});
  AddEpilogueFlags(command, flags);
  AddTargetFlags(command, flags);
}

Result<v1::Key> BuildKey(const ProblemFlags& flags) {
  v1::Key key;
  v1::GemmProblem& problem = *key.mutable_problem();
  TW_RETURN_IF_ERROR(FillSizes(problem, flags));
  TW_RETURN_IF_ERROR(FillTypes(problem, flags));
  TW_RETURN_IF_ERROR(FillLayouts(problem, flags));
  TW_RETURN_IF_ERROR(FillEpilogue(problem, flags));
  TW_RETURN_IF_ERROR(FillContract(key, flags));
  key.set_arch(flags.arch);
  key.set_device_uuid(flags.device);
  return key;
}

}  // namespace tw::cli
