# Project-wide target helpers.

add_library(tw_options INTERFACE)
target_compile_features(tw_options INTERFACE cxx_std_20)
target_include_directories(tw_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(tw_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Wimplicit-fallthrough $<$<BOOL:${TW_WERROR}>:-Werror>)
# The loader must find a library's own libraries too: RPATH does, RUNPATH does not.
target_link_options(tw_options INTERFACE -Wl,--disable-new-dtags)
# A hundred test programs are linked: one took 0.5 s instead of 1.8.
find_program(TW_GOLD ld.gold)
if(TW_GOLD)
  target_link_options(tw_options INTERFACE -fuse-ld=gold)
endif()
if(TW_SANITIZE)
  target_compile_options(tw_options INTERFACE -fsanitize=${TW_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(tw_options INTERFACE -fsanitize=${TW_SANITIZE})
endif()

# All presets but dev compile a target's sources in batches of eight, as one unit each: most of a unit's
# time goes into headers. ALONE names sources that repeat names of their neighbours' unnamed
# namespaces: any neighbour's, for batches shift; -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 finds them all.
function(tw_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tw_library(NAME SOURCES… [ALONE source…] [PUBLIC lib…] [PRIVATE lib…])
function(tw_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;ALONE;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES} ${arg_ALONE})
  tw_alone(${arg_ALONE})
  target_link_libraries(${name} PUBLIC tw_options ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
endfunction()

# tw_executable(NAME SOURCES… LIBS…): bin/NAME
function(tw_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE tw_options ${arg_LIBS})
endfunction()

# tw_test(NAME SOURCES… [ALONE source…] LIBS… [LABELS…] [TIMEOUT seconds]): bin/NAME, every TEST a ctest case.
# Labels: gpu (needs one), toolchain (has the CUDA compiler check templates: nothing for a sanitizer
# to see).
function(tw_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;ALONE;LIBS;LABELS;DEFINITIONS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES} ${arg_ALONE})
  tw_alone(${arg_ALONE})
  target_link_libraries(${name} PRIVATE tw_options ${arg_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TW_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             TW_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" ${arg_DEFINITIONS})
  if("gpu" IN_LIST arg_LABELS)
    set_property(GLOBAL APPEND PROPERTY TW_GPU_TESTS ${name})
  elseif(NOT "toolchain" IN_LIST arg_LABELS)
    set_property(GLOBAL APPEND PROPERTY TW_HOST_TESTS ${name})
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
