// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_device.h"

#include <bit>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/device/cublaslt_library.h"
#include "tuner/device/cuda_error.h"
#include "tuner/device/cuda_launch.h"
#include "tuner/device/cuda_memory.h"
#include "tuner/device/device_buffer.h"
#include "tuner/device/probe.h"

namespace tw {
namespace {

constexpr int kScratchL2s = 3;
constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING

class CudaModule final : public LoadedModule {
 public:
  CudaModule(const DriverApi& driver, CudaCheck check, CuModule module)
      : driver_(driver), check_(std::move(check)), module_(module) {}

  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  ~CudaModule() override {
    static_cast<void>(check_("cuModuleUnload", driver_.module_unload(module_)));
  }

  Result<KernelHandle> GetKernel(const std::string& entry,
                                 std::uint32_t dynamic_smem_bytes) override {
    // Above this a kernel must ask for it; static shared memory counts towards the 48 KiB, so ask
    // always.
    CuFunction function = nullptr;
    TW_RETURN_IF_ERROR(check_("cuModuleGetFunction " + entry,
                              driver_.module_function(&function, module_, entry.c_str())));
    if (dynamic_smem_bytes > 0) {
      TW_RETURN_IF_ERROR(
          check_("cuFuncSetAttribute of " + std::to_string(dynamic_smem_bytes) +
                     " bytes of dynamic shared memory for " + entry,
                 driver_.function_set_attribute(function, kCuFuncMaxDynamicSharedBytes,
                                                static_cast<int>(dynamic_smem_bytes))));
    }
    return KernelHandle{std::bit_cast<std::uintptr_t>(function)};
  }

 private:
  const DriverApi& driver_;
  CudaCheck check_;
  CuModule module_;
};

// A pair of events and what lies between them.
class CudaGraph final : public LaunchGraph {
 public:
  CudaGraph(const DriverApi& driver, CudaCheck check, CuStream stream)
      : driver_(driver), check_(std::move(check)), stream_(stream) {}

  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  ~CudaGraph() override {
    if (exec_ != nullptr)
      static_cast<void>(check_("cuGraphExecDestroy", driver_.graph_exec_destroy(exec_)));
    for (CuEvent event : {start_, stop_}) {
      if (event != nullptr)
        static_cast<void>(check_("cuEventDestroy", driver_.event_destroy(event)));
    }
  }

  // Takes what the stream has captured since capture_begin.
  Status Build(CuGraph graph) {
    Status status = check_("cuGraphInstantiate", driver_.graph_instantiate(&exec_, graph, 0));
    static_cast<void>(check_("cuGraphDestroy", driver_.graph_destroy(graph)));
    TW_RETURN_IF_ERROR(status);
    TW_RETURN_IF_ERROR(check_("cuEventCreate", driver_.event_create(&start_, 0)));
    return check_("cuEventCreate", driver_.event_create(&stop_, 0));
  }

  Result<ReplayTime> RunTimed() override {
    constexpr double kNsPerMs = 1e6;
    using Clock = std::chrono::steady_clock;
    const Clock::time_point asked = Clock::now();
    TW_RETURN_IF_ERROR(check_("cuEventRecord", driver_.event_record(start_, stream_)));
    TW_RETURN_IF_ERROR(check_("cuGraphLaunch", driver_.graph_launch(exec_, stream_)));
    TW_RETURN_IF_ERROR(check_("cuEventRecord", driver_.event_record(stop_, stream_)));
    TW_RETURN_IF_ERROR(check_("cuEventSynchronize", driver_.event_synchronize(stop_)));
    const std::chrono::duration<double, std::nano> host = Clock::now() - asked;
    float milliseconds = 0;
    TW_RETURN_IF_ERROR(
        check_("cuEventElapsedTime", driver_.event_elapsed(&milliseconds, start_, stop_)));
    return ReplayTime{.device_ns = kNsPerMs * static_cast<double>(milliseconds),
                      .host_ns = host.count()};
  }

 private:
  const DriverApi& driver_;
  CudaCheck check_;
  CuStream stream_;
  CuGraphExec exec_ = nullptr;
  CuEvent start_ = nullptr;
  CuEvent stop_ = nullptr;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const DriverApi& driver, CuDevice device, CublasLtSearch library)
      : driver_(driver),
        device_(device),
        library_search_(std::move(library)),
        memory_(driver, Check()) {}

  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  ~CudaDevice() override {
    scratch_ = DeviceBuffer();  // while there is a context
    for (CuStream stream : {stream_, beside_}) {
      if (stream != nullptr)
        static_cast<void>(driver_.stream_destroy(stream));
    }
    if (context_ != nullptr)
      static_cast<void>(driver_.context_release(device_));
  }

  Status Open(const NvmlApi* nvml) {
    TW_ASSIGN_OR_RETURN(spec_, ProbeDevice(driver_, device_));
    TW_RETURN_IF_ERROR(
        Checked("cuDevicePrimaryCtxRetain", driver_.context_retain(&context_, device_)));
    TW_RETURN_IF_ERROR(Checked("cuCtxSetCurrent", driver_.context_set_current(context_)));
    TW_RETURN_IF_ERROR(Checked("cuStreamCreate", driver_.stream_create(&stream_, 0)));
    memory_.UseStream(stream_);
    if (nvml != nullptr) {
      nvml_ = nvml;
      nvml_device_ = FindNvmlDevice(*nvml, spec_.uuid);
    }
    return OkStatus();
  }

  [[nodiscard]] const DeviceSpec& Spec() const override { return spec_; }

  DeviceMemory& Memory() override { return memory_; }

  Result<std::unique_ptr<LoadedModule>> Load(const std::string& image) override {
    CuModule module = nullptr;
    TW_RETURN_IF_ERROR(Checked("cuModuleLoadData", driver_.module_load(&module, image.data())));
    return std::unique_ptr<LoadedModule>(std::make_unique<CudaModule>(driver_, Check(), module));
  }

  Status Launch(const KernelCall& call) override {
    return LaunchCudaKernel(driver_, Check(), stream_, call);
  }

  Status Synchronize() override {
    if (beside_ != nullptr)
      TW_RETURN_IF_ERROR(Checked("cuStreamSynchronize", driver_.stream_synchronize(beside_)));
    return Checked("cuStreamSynchronize", driver_.stream_synchronize(stream_));
  }

  Result<std::unique_ptr<LaunchGraph>> Capture(const std::function<Status()>& enqueue) override {
    TW_RETURN_IF_ERROR(
        Checked("cuStreamBeginCapture", driver_.capture_begin(stream_, kCuCaptureThreadLocal)));
    Status launched = enqueue();
    CuGraph graph = nullptr;
    Status ended = Checked("cuStreamEndCapture", driver_.capture_end(stream_, &graph));
    if (!launched.ok() || !ended.ok()) {
      if (graph != nullptr)
        static_cast<void>(driver_.graph_destroy(graph));
      return launched.ok() ? ended : launched;
    }
    auto result = std::make_unique<CudaGraph>(driver_, Check(), stream_);
    TW_RETURN_IF_ERROR(result->Build(graph));
    return std::unique_ptr<LaunchGraph>(std::move(result));
  }

  DeviceReading ReadConditions() override {
    return nvml_device_ == nullptr ? DeviceReading{} : ReadNvml(*nvml_, nvml_device_);
  }

  Result<std::unique_ptr<GemmLibrary>> OpenGemmLibrary(const GemmProblem& problem) override {
    if (!library_) {
      TW_ASSIGN_OR_RETURN(library_, LoadCublasLt(library_search_));
    }
    return OpenCublasLt(*library_, stream_, problem);
  }

  Result<DeviceSpan> Scratch() override {
    if (scratch_.bytes() == 0) {
      TW_ASSIGN_OR_RETURN(DeviceBuffer zeros,
                          DeviceBuffer::Allocate(memory_, kScratchL2s * spec_.l2_bytes));
      TW_RETURN_IF_ERROR(memory_.Set(zeros.address(), 0, zeros.bytes()));
      scratch_ = std::move(zeros);
    }
    return DeviceSpan{scratch_.address(), scratch_.bytes()};
  }

  Result<TensorMapBytes> EncodeTensorMap(const TensorMapRecipe& recipe,
                                         DeviceAddress address) override {
    return EncodeCudaTensorMap(driver_, Check(), recipe, address);
  }

  Status LaunchBeside(const KernelCall& call) override {
    if (beside_ == nullptr)
      TW_RETURN_IF_ERROR(Checked("cuStreamCreate", driver_.stream_create(&beside_, kNonBlocking)));
    return LaunchCudaKernel(driver_, Check(), beside_, call);
  }

  void Pause(std::chrono::nanoseconds duration) override { std::this_thread::sleep_for(duration); }

 private:
  Status Checked(std::string_view what, CuResult code) {
    NoteError(code);
    return CudaStatus(driver_, what, code);
  }

  CudaCheck Check() {
    return [this](std::string_view what, CuResult code) { return Checked(what, code); };
  }

  const DriverApi& driver_;
  CuDevice device_;
  CublasLtSearch library_search_;
  std::optional<CublasLtApi> library_;
  CudaMemory memory_;
  DeviceSpec spec_;
  DeviceBuffer scratch_;  // empty until it is asked for
  CuContext context_ = nullptr;
  CuStream stream_ = nullptr;
  CuStream beside_ = nullptr;  // from its first use
  const NvmlApi* nvml_ = nullptr;
  NvmlHandle nvml_device_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Device>> OpenCudaDevice(const DriverApi& driver,
                                               const NvmlApi* nvml,
                                               const std::string& uuid,
                                               CublasLtSearch library) {
  TW_ASSIGN_OR_RETURN(CuDevice handle, FindCudaDevice(driver, uuid));
  auto device = std::make_unique<CudaDevice>(driver, handle, std::move(library));
  TW_RETURN_IF_ERROR(device->Open(nvml));
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace tw
