# tw_codegen: families, source builder, occupancy.
tw_library(tw_codegen
  SOURCES
    calibration_source.cc
    families/common.cc
    families/mma_sync.cc
    families/mma_sync_space.cc
    families/registry.cc
    families/split_k.cc
    families/wgmma_tma_grid.cc
    families/wgmma_tma_maps.cc
    families/wgmma_tma_rules.cc
    families/wgmma_tma_text.cc
    occupancy.cc
    problem_traits.cc
    source_builder.cc
    source_text.cc
    support_source.cc
    template_store.cc
  ALONE
    families/simt.cc
    families/simt_space.cc
    families/wgmma_tma.cc
    families/wgmma_tma_space.cc
  PUBLIC tw_core
  PRIVATE tw_templates)
