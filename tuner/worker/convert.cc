#include "tuner/worker/convert.h"

#include "codegen/core/problem_names.h"
#include "tuner/worker/convert_text.h"

namespace tw {
namespace {

Result<Objective> ParseObjective(const std::string& name) {
  if (const auto objective = ParseEnum<Objective>(name))
    return *objective;
  return Damaged("objective '" + name + "'");
}

}  // namespace

wire::DeviceSpec ToProto(const DeviceSpec& device) {
  wire::DeviceSpec out;
  out.set_name(device.name);
  out.set_uuid(device.uuid);
  out.set_cc_major(device.cc_major);
  out.set_cc_minor(device.cc_minor);
  out.set_arch(device.arch);
  out.set_sm_count(device.sm_count);
  out.set_memory_bytes(device.memory_bytes);
  out.set_mig_profile(device.mig_profile);
  out.set_max_threads_per_block(device.max_threads_per_block);
  out.set_max_threads_per_sm(device.max_threads_per_sm);
  out.set_max_blocks_per_sm(device.max_blocks_per_sm);
  out.set_regs_per_sm(device.regs_per_sm);
  out.set_regs_per_block(device.regs_per_block);
  out.set_max_regs_per_thread(device.max_regs_per_thread);
  out.set_smem_per_sm(device.smem_per_sm);
  out.set_smem_per_block_optin(device.smem_per_block_optin);
  out.set_smem_reserved_per_block(device.smem_reserved_per_block);
  out.set_l2_bytes(device.l2_bytes);
  out.set_dram_bytes_per_s(device.dram_bytes_per_s);
  out.set_sm_clock_hz(device.sm_clock_hz);
  out.set_fma_f32(device.fma_f32);
  out.set_fma_f64(device.fma_f64);
  out.set_fma_s8(device.fma_s8);
  out.set_mma_f16(device.mma_f16);
  out.set_mma_tf32(device.mma_tf32);
  out.set_mma_s8(device.mma_s8);
  out.set_mma_fp8(device.mma_fp8);
  out.set_mma_f64(device.mma_f64);
  out.set_driver_version(device.driver_version);
  out.set_l2_bytes_per_clock_per_sm(device.l2_bytes_per_clock_per_sm);
  out.set_launch_s(device.launch_s);
  return out;
}

DeviceSpec FromProto(const wire::DeviceSpec& device) {
  return {.name = device.name(),
          .uuid = device.uuid(),
          .cc_major = device.cc_major(),
          .cc_minor = device.cc_minor(),
          .arch = device.arch(),
          .sm_count = device.sm_count(),
          .memory_bytes = device.memory_bytes(),
          .mig_profile = device.mig_profile(),
          .max_threads_per_block = device.max_threads_per_block(),
          .max_threads_per_sm = device.max_threads_per_sm(),
          .max_blocks_per_sm = device.max_blocks_per_sm(),
          .regs_per_sm = device.regs_per_sm(),
          .regs_per_block = device.regs_per_block(),
          .max_regs_per_thread = device.max_regs_per_thread(),
          .smem_per_sm = device.smem_per_sm(),
          .smem_per_block_optin = device.smem_per_block_optin(),
          .smem_reserved_per_block = device.smem_reserved_per_block(),
          .l2_bytes = device.l2_bytes(),
          .dram_bytes_per_s = device.dram_bytes_per_s(),
          .sm_clock_hz = device.sm_clock_hz(),
          .l2_bytes_per_clock_per_sm = device.l2_bytes_per_clock_per_sm(),
          .launch_s = device.launch_s(),
          .fma_f32 = device.fma_f32(),
          .fma_f64 = device.fma_f64(),
          .fma_s8 = device.fma_s8(),
          .mma_f16 = device.mma_f16(),
          .mma_tf32 = device.mma_tf32(),
          .mma_s8 = device.mma_s8(),
          .mma_fp8 = device.mma_fp8(),
          .mma_f64 = device.mma_f64(),
          .driver_version = device.driver_version()};
}

wire::Calibration ToProto(const Calibration& calibration) {
  wire::Calibration out;
  out.set_device_uuid(calibration.device_uuid);
  out.set_driver_version(calibration.driver_version);
  out.set_dram_bytes_per_s(calibration.dram_bytes_per_s);
  out.set_l2_bytes_per_clock_per_sm(calibration.l2_bytes_per_clock_per_sm);
  out.set_sm_clock_hz(calibration.sm_clock_hz);
  out.set_launch_s(calibration.launch_s);
  return out;
}

Calibration FromProto(const wire::Calibration& calibration) {
  return {.device_uuid = calibration.device_uuid(),
          .driver_version = calibration.driver_version(),
          .dram_bytes_per_s = calibration.dram_bytes_per_s(),
          .l2_bytes_per_clock_per_sm = calibration.l2_bytes_per_clock_per_sm(),
          .sm_clock_hz = calibration.sm_clock_hz(),
          .launch_s = calibration.launch_s()};
}

wire::KernelSource ToProto(const KernelSource& source) {
  wire::KernelSource out;
  out.set_entry(source.entry);
  out.set_text(source.text);
  out.set_arch(source.arch);
  for (const std::string& option : source.options)
    out.add_options(option);
  out.set_digest(source.digest);
  return out;
}

KernelSource FromProto(const wire::KernelSource& source) {
  return {.entry = source.entry(),
          .text = source.text(),
          .arch = source.arch(),
          .options = {source.options().begin(), source.options().end()},
          .digest = source.digest()};
}

wire::CompiledKernel ToProto(const CompiledKernel& kernel) {
  wire::CompiledKernel out;
  out.set_arch(kernel.arch);
  out.set_cubin(kernel.cubin);
  for (const EntryResources& entry : kernel.entries) {
    wire::EntryResources* row = out.add_entries();
    row->set_entry(entry.entry);
    row->set_registers(entry.registers);
    row->set_spill_store_bytes(entry.spill_store_bytes);
    row->set_spill_load_bytes(entry.spill_load_bytes);
    row->set_stack_bytes(entry.stack_bytes);
    row->set_static_smem_bytes(entry.static_smem_bytes);
  }
  for (const std::string& warning : kernel.warnings)
    out.add_warnings(Ascii(warning));
  out.set_compiler(kernel.compiler);
  out.set_compile_seconds(kernel.compile_seconds);
  return out;
}

CompiledKernel FromProto(const wire::CompiledKernel& kernel) {
  CompiledKernel out;
  out.arch = kernel.arch();
  out.cubin = kernel.cubin();
  out.warnings = {kernel.warnings().begin(), kernel.warnings().end()};
  out.compiler = kernel.compiler();
  out.compile_seconds = kernel.compile_seconds();
  for (const wire::EntryResources& row : kernel.entries()) {
    out.entries.push_back({.entry = row.entry(),
                           .registers = row.registers(),
                           .spill_store_bytes = row.spill_store_bytes(),
                           .spill_load_bytes = row.spill_load_bytes(),
                           .stack_bytes = row.stack_bytes(),
                           .static_smem_bytes = row.static_smem_bytes()});
  }
  return out;
}

wire::Candidate ToProto(const CandidateRun& candidate) {
  wire::Candidate out;
  out.set_id(candidate.candidate_id);
  *out.mutable_kernel() = ToProto(candidate.kernel);
  *out.mutable_launch() = ToProto(candidate.launch);
  return out;
}

Result<CandidateRun> FromProto(const wire::Candidate& candidate) {
  TW_ASSIGN_OR_RETURN(LaunchPlan launch, FromProto(candidate.launch()));
  return CandidateRun{.candidate_id = candidate.id(),
                      .kernel = FromProto(candidate.kernel()),
                      .launch = std::move(launch)};
}

wire::MeasureOptions ToProto(const MeasureOptions& options) {
  wire::MeasureOptions out;
  out.set_objective(std::string(Name(options.objective)));
  out.set_min_samples(options.min_samples);
  out.set_max_samples(options.max_samples);
  out.set_max_seconds(options.max_seconds);
  out.set_warmup_seconds(options.warmup_seconds);
  out.set_seed(options.seed);
  return out;
}

Result<MeasureOptions> FromProto(const wire::MeasureOptions& options) {
  TW_ASSIGN_OR_RETURN(const Objective objective, ParseObjective(options.objective()));
  return MeasureOptions{.objective = objective,
                        .min_samples = options.min_samples(),
                        .max_samples = options.max_samples(),
                        .max_seconds = options.max_seconds(),
                        .warmup_seconds = options.warmup_seconds(),
                        .seed = options.seed()};
}

wire::Conditions ToProto(const Conditions& conditions) {
  wire::Conditions out;
  out.set_sm_clock_mhz(conditions.sm_clock_mhz);
  out.set_temperature_c(conditions.temperature_c);
  out.set_power_w(conditions.power_w);
  out.set_power_limit_w(conditions.power_limit_w);
  out.set_throttle_reasons(conditions.throttle_reasons);
  return out;
}

Conditions FromProto(const wire::Conditions& conditions) {
  return {.sm_clock_mhz = conditions.sm_clock_mhz(),
          .temperature_c = conditions.temperature_c(),
          .power_w = conditions.power_w(),
          .power_limit_w = conditions.power_limit_w(),
          .throttle_reasons = conditions.throttle_reasons()};
}

wire::Measurement ToProto(const Measurement& measurement) {
  wire::Measurement out;
  for (const double sample : measurement.samples_ns)
    out.add_samples_ns(sample);
  out.set_median_ns(measurement.median_ns);
  out.set_ci_low_ns(measurement.ci_low_ns);
  out.set_ci_high_ns(measurement.ci_high_ns);
  out.set_min_ns(measurement.min_ns);
  out.set_discarded(measurement.discarded);
  *out.mutable_conditions() = ToProto(measurement.conditions);
  return out;
}

Measurement FromProto(const wire::Measurement& measurement) {
  return {.samples_ns = {measurement.samples_ns().begin(), measurement.samples_ns().end()},
          .median_ns = measurement.median_ns(),
          .ci_low_ns = measurement.ci_low_ns(),
          .ci_high_ns = measurement.ci_high_ns(),
          .min_ns = measurement.min_ns(),
          .discarded = measurement.discarded(),
          .conditions = FromProto(measurement.conditions())};
}

wire::Outcome ToProto(const BenchmarkOutcome& outcome) {
  wire::Outcome out;
  out.set_kind(std::string(Name(outcome.kind)));
  out.set_rule(outcome.rule);
  out.set_detail(Ascii(outcome.detail));
  out.set_error_ratio(outcome.error_ratio);
  if (outcome.measurement)
    *out.mutable_measurement() = ToProto(*outcome.measurement);
  out.set_verify_seconds(outcome.verify_seconds);
  out.set_measure_seconds(outcome.measure_seconds);
  return out;
}

Result<BenchmarkOutcome> FromProto(const wire::Outcome& outcome) {
  const std::optional<OutcomeKind> kind = ParseOutcomeKind(outcome.kind());
  if (!kind)
    return Damaged("outcome kind '" + outcome.kind() + "'");
  BenchmarkOutcome out;
  out.kind = *kind;
  out.rule = outcome.rule();
  out.detail = outcome.detail();
  out.error_ratio = outcome.error_ratio();
  out.verify_seconds = outcome.verify_seconds();
  out.measure_seconds = outcome.measure_seconds();
  if (outcome.has_measurement())
    out.measurement = FromProto(outcome.measurement());
  return out;
}

wire::OpenJobRequest ToProto(const BenchmarkJob& job) {
  wire::OpenJobRequest out;
  out.set_device_uuid(job.device_uuid);
  out.set_problem(CanonicalText(job.problem));
  *out.mutable_support() = ToProto(job.support);
  *out.mutable_options() = ToProto(job.options);
  out.set_check_determinism(job.check_determinism);
  return out;
}

Result<BenchmarkJob> FromProto(const wire::OpenJobRequest& job) {
  TW_ASSIGN_OR_RETURN(GemmProblem problem, ParseCanonicalText(job.problem()));
  TW_ASSIGN_OR_RETURN(MeasureOptions options, FromProto(job.options()));
  return BenchmarkJob{.device_uuid = job.device_uuid(),
                      .problem = std::move(problem),
                      .support = FromProto(job.support()),
                      .options = options,
                      .check_determinism = job.check_determinism()};
}

void SetStatus(const Status& status, wire::Reply* reply) {
  reply->set_status_code(static_cast<int>(status.code()));
  reply->set_status_message(Ascii(status.message()));
}

Status StatusOf(const wire::Reply& reply) {
  if (reply.status_code() == 0)
    return OkStatus();
  const bool known =
      reply.status_code() > 0 && reply.status_code() <= static_cast<int>(StatusCode::kDataLoss);
  return {known ? static_cast<StatusCode>(reply.status_code()) : StatusCode::kUnknown,
          reply.status_message()};
}

}  // namespace tw
