tw_test(tuner_test
  SOURCES
    compare_test.cc
    compile_queue_test.cc
    compiled_rules_test.cc
    finalists_test.cc
    funnel_test.cc
    resume_test.cc
    tuner_test.cc
  LIBS tw_tuner)
