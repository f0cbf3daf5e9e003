# tw_codegen: families, source builder, occupancy.
