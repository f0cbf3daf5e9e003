// SPDX-License-Identifier: Apache-2.0
#include "server/daemon.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codegen/compile/artifact_cache.h"
#include "codegen/core/clock.h"
#include "codegen/template_store.h"
#include "server/activity.h"
#include "server/admission.h"
#include "server/calibrated_tune.h"
#include "server/convert.h"
#include "server/rpc_server.h"
#include "tuner/calibrator.h"
#include "tuner/store/sqlite_store.h"
#include "tuner/tuner.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/gpu_pool.h"

namespace tw {
namespace {

constexpr std::chrono::milliseconds kCallGrace{2'000};
constexpr std::string_view kAnyTemplate = "tw/base.cuh";  // tells a template directory from others

std::filesystem::path BesideStore(const Config& config, std::string_view name) {
  return std::filesystem::path(config.store).parent_path() / name;
}

GpuPoolOptions GpuOptions(const Config& config, const Log& log) {
  GpuPoolOptions options;
  options.worker_path = config.workers.binary;
  options.enabled = config.gpus.enabled;
  options.uuids = config.gpus.uuids;
  if (!config.gpus.fake_script.empty())
    options.extra_args.push_back("--fake=" + config.gpus.fake_script);
  options.repro_dir = BesideStore(config, "repro");
  options.on_repro_trouble = [&log](const Status& status) {
    log.Write(LogLevel::kWarn, {{"event", "repro_not_kept"}, {"error", status.ToString()}});
  };
  return options;
}

CompilePoolOptions CompileOptionsOf(const Config& config, bool beside_gpu) {
  CompilePoolOptions options;
  options.worker_path = config.workers.binary;
  options.children = CompileChildren(config, beside_gpu);
  for (const std::string& directory : config.workers.cuda_dirs) {
    options.extra_args.push_back("--cuda-dir=" + directory);
    options.extra_args.push_back("--cuda-dir=" + directory + "/lib64");
  }
  return options;
}

Toolchain::Compiler CompilerOf(CompilePool& pool) {
  auto version = pool.Version();
  if (version.ok())
    return {*std::move(version), ""};
  return {"", version.status().message()};
}

TemplateStore TemplatesOf(const Config& config) {
  return config.template_dir.empty() ? TemplateStore() : TemplateStore(config.template_dir);
}

}  // namespace

// Members in the order in which they need each other.
class Daemon::Impl {
 public:
  Impl(const Config& config,
       const Log& log,
       std::unique_ptr<SqliteStore> store,
       ArtifactCache artifacts)
      : log_(log),
        store_(std::move(store)),
        artifacts_(std::move(artifacts)),
        templates_(TemplatesOf(config)),
        gpus_(GpuOptions(config, log)),
        devices_(
            [this] {
              return DiscoveredDevices{gpus_.Devices(), gpus_.Note()};
            },
            [this](const DeviceSpec& device) { return calibrator_.Apply(device); }),
        compile_pool_(CompileOptionsOf(config, !devices_.List()->devices.empty())),
        toolchain_(CompilerOf(compile_pool_), templates_, !config.template_dir.empty()),
        caching_(MakeCachingCompiler(compile_pool_, artifacts_, toolchain_.compiler().version)),
        calibrator_({templates_, *caching_, gpus_, *store_, clock_}),
        tuner_({templates_, *caching_, gpus_, *store_, clock_}),
        reader_(*store_, devices_, toolchain_),
        activity_(clock_),
        hub_(clock_),
        queue_({*store_, hub_, clock_,
                CalibrateFirst(TuneWithTuner(), calibrator_, devices_, LogCalibrations()),
                LogJobs()}),
        admission_({*store_, hub_, queue_, reader_, toolchain_,
                    [this](const std::string& body) { return DecodeTuneRequest(body, devices_); }}),
        deps_{*store_,    reader_,     artifacts_, devices_, toolchain_, hub_,           queue_,
              admission_, calibrator_, activity_,  clock_,   log_,       FactsOf(config)} {}

  Status Serve(const Config& config) {
    TW_ASSIGN_OR_RETURN(const int resumed, admission_.Resume());
    TW_ASSIGN_OR_RETURN(rpc_, RpcServer::Start(deps_, config.listen));
    const Toolchain::Compiler& compiler = toolchain_.compiler();
    log_.Write(LogLevel::kInfo,
               {{"event", "serving"},
                {"version", deps_.facts.version},
                {"address", rpc_->addresses().front().Text()},
                {"store", config.store},
                {"devices", std::to_string(devices_.List()->devices.size())},
                {"note", devices_.List()->note},
                {"compiler", compiler.version.empty() ? compiler.note : compiler.version},
                {"resumed_jobs", std::to_string(resumed)}});
    return OkStatus();
  }

  [[nodiscard]] const std::vector<ListenAddress>& addresses() const { return rpc_->addresses(); }

  std::chrono::nanoseconds IdleFor() {
    const JobCounts jobs = queue_.counts();
    if (jobs.queued + jobs.running > 0)
      activity_.Touch();
    return activity_.IdleFor();
  }

  void Stop() {
    rpc_->SetNotServing();
    queue_.Drain();
    hub_.Close();
    rpc_->Shutdown(kCallGrace);
    log_.Write(LogLevel::kInfo, {{"event", "stopped"}});
  }

 private:
  TuneFunction TuneWithTuner() {
    return [this](const TuneSpec& spec, const auto& observer, const std::stop_token& stop) {
      auto result = tuner_.Tune(spec, observer, stop);
      // The device may be gone.
      if (!result.ok() && result.status().code() == StatusCode::kUnavailable)
        devices_.Refresh();
      return result;
    };
  }

  CalibrationTrouble LogCalibrations() {
    return [this](const std::string& uuid, const Status& status) {
      log_.Write(LogLevel::kWarn,
                 {{"device", uuid}, {"event", "not_calibrated"}, {"error", status.ToString()}});
    };
  }

  JobObserver LogJobs() {
    JobObserver observer;
    observer.changed = [this](const Operation& operation) {
      log_.Write(LogLevel::kInfo, {{"op", operation.id},
                                   {"event", "job_" + std::string(Name(operation.state))},
                                   {"attempts", std::to_string(operation.attempts)},
                                   {"key", Text(operation.key)},
                                   {"error", operation.error.message()}});
    };
    observer.trouble = [this](const std::string& id, const Status& status) {
      log_.Write(LogLevel::kError,
                 {{"op", id}, {"event", "job_not_stored"}, {"error", status.ToString()}});
    };
    return observer;
  }

  DaemonFacts FactsOf(const Config& config) const {
    return {TW_VERSION, config.store, compile_pool_.Parallelism(), clock_.Now()};
  }

  const Log& log_;
  SteadyClock clock_;
  std::unique_ptr<SqliteStore> store_;
  ArtifactCache artifacts_;
  TemplateStore templates_;
  GpuPool gpus_;
  DeviceInventory devices_;
  CompilePool compile_pool_;
  Toolchain toolchain_;
  std::unique_ptr<Compiler> caching_;
  Calibrator calibrator_;
  Tuner tuner_;
  ResultReader reader_;
  Activity activity_;
  OperationHub hub_;
  JobQueue queue_;
  Admission admission_;
  ServerDeps deps_;
  std::unique_ptr<RpcServer> rpc_;
};

Daemon::Daemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::Start(const Config& config, const Log& log) {
  if (auto probe = TemplatesOf(config).Read(kAnyTemplate); !probe.ok())
    return probe.status().WithContext("--template-dir = " + config.template_dir);
  TW_ASSIGN_OR_RETURN(std::unique_ptr<SqliteStore> store, SqliteStore::Open(config.store));
  TW_ASSIGN_OR_RETURN(ArtifactCache artifacts,
                      ArtifactCache::Open(BesideStore(config, "artifacts")));
  auto impl = std::make_unique<Impl>(config, log, std::move(store), std::move(artifacts));
  TW_RETURN_IF_ERROR(impl->Serve(config));
  return std::unique_ptr<Daemon>(new Daemon(std::move(impl)));
}

const std::vector<ListenAddress>& Daemon::addresses() const {
  return impl_->addresses();
}

std::chrono::nanoseconds Daemon::IdleFor() const {
  return impl_->IdleFor();
}

void Daemon::Stop() {
  impl_->Stop();
}

}  // namespace tw
