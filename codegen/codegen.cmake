# tw_codegen: families, source builder, occupancy.
tw_library(tw_codegen
  SOURCES
    families/registry.cc
    families/split_k.cc
    occupancy.cc
    problem_traits.cc
    source_builder.cc
    template_store.cc
  PUBLIC tw_core
  PRIVATE tw_templates)
