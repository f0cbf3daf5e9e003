# Shared by the store and the repro folders.
tw_library(tw_launch_json
  SOURCES launch_json.cc
  PUBLIC tw_core nlohmann_json::nlohmann_json)

tw_library(tw_tuner
  SOURCES
    benchmark_job.cc
    calibrator.cc
    compare_phase.cc
    compile_queue.cc
    compiled_rules.cc
    experience.cc
    finalists.cc
    funnel.cc
    measure_phase.cc
    predict_phase.cc
    run_log.cc
    triage.cc
    tune_context.cc
    tune_spec.cc
    tuner.cc
  ALONE tune_run.cc
  PUBLIC tw_core tw_codegen tw_search tw_store Threads::Threads)
