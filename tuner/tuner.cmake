tw_library(tw_tuner
  SOURCES tune_spec.cc
  PUBLIC tw_core tw_codegen tw_search tw_store)
