tw_test(tuner_test
  SOURCES
    calibrator_test.cc
    compare_test.cc
    compile_queue_test.cc
    compiled_rules_test.cc
    experience_test.cc
    final_round_test.cc
    finalists_test.cc
    funnel_test.cc
    objective_test.cc
    predict_test.cc
    resume_test.cc
    tuner_test.cc
  LIBS tw_tuner)
tw_test(launch_json_test SOURCES launch_json_test.cc LIBS tw_launch_json)
