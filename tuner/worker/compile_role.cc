#include "tuner/worker/compile_role.h"

#include <memory>
#include <optional>
#include <utility>

#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/compile/ptxas_log.h"
#include "tuner/worker/convert.h"
#include "tuner/worker/fake_compiler.h"
#include "tuner/worker/frame.h"

namespace tw {
namespace {

constexpr std::size_t kMaxCubinBytes = 16U << 20;

struct CompilerAndName {
  std::unique_ptr<Compiler> compiler;
  std::string name;
};

Result<CompilerAndName> MakeCompiler(const CompileRoleOptions& options, int fd) {
  if (!options.fake.empty())
    return CompilerAndName{.compiler = MakeFakeCompiler(options.fake, fd), .name = "fake 1.0"};
  TW_ASSIGN_OR_RETURN(NvrtcApi api, LoadNvrtc(options.nvrtc));
  auto compiler = std::make_unique<NvrtcCompiler>(std::move(api));
  std::string name = compiler->Version();
  return CompilerAndName{.compiler = std::move(compiler), .name = std::move(name)};
}

Result<CompiledKernel> CompileOne(Compiler& compiler, const KernelSource& source, int cpu_s) {
  TW_RETURN_IF_ERROR(AllowCpuSeconds(cpu_s));
  TW_ASSIGN_OR_RETURN(CompiledKernel kernel, compiler.Compile(source, {}));
  if (kernel.cubin.size() > kMaxCubinBytes) {
    return Status(StatusCode::kInvalidArgument, source.entry + ": " +
                                                    std::to_string(kernel.cubin.size()) +
                                                    " bytes of machine code: more than 16 MiB");
  }
  return kernel;
}

Status Answer(const wire::Request& request,
              const Result<CompilerAndName>& compiler,
              const CompileRoleOptions& options,
              wire::Reply* reply) {
  if (!compiler.ok())
    return compiler.status();
  if (request.has_describe_compiler()) {
    reply->mutable_describe_compiler()->set_compiler(compiler->name);
    return OkStatus();
  }
  if (!request.has_compile())
    return {StatusCode::kUnimplemented, "not a request to the compile role"};
  TW_ASSIGN_OR_RETURN(
      const CompiledKernel kernel,
      CompileOne(*compiler->compiler, FromProto(request.compile().source()), options.limits.cpu_s));
  *reply->mutable_compile()->mutable_kernel() = ToProto(kernel);
  return OkStatus();
}

}  // namespace

Status RunCompileRole(int fd, const CompileRoleOptions& options) {
  TW_RETURN_IF_ERROR(ConfineCompiler(options.limits));
  const Result<CompilerAndName> compiler = MakeCompiler(options, fd);
  for (;;) {
    wire::Request request;
    const Status read = ReadFrame(fd, &request);
    if (read.code() == StatusCode::kUnavailable)
      return OkStatus();
    TW_RETURN_IF_ERROR(read);
    wire::Reply reply;
    const Status status = Answer(request, compiler, options, &reply);
    SetStatus(Status(status.code(), TrimLog(status.message(), kMaxLogBytes)), &reply);
    reply.set_seq(request.seq());
    TW_RETURN_IF_ERROR(WriteFrame(fd, reply));
  }
}

}  // namespace tw
