# Which folder may include what: greps #include "…" and a few system headers against the table of
# codegen/README.md, tuner/README.md and server/README.md.
cmake_minimum_required(VERSION 3.25)
set(violations "")

# forbid(GLOB PATTERN WHY): no file that matches GLOB may have an include that matches PATTERN.
function(forbid pattern why)
  foreach(folder ${ARGN})
    file(GLOB_RECURSE files ${SOURCE_DIR}/${folder}/*.h ${SOURCE_DIR}/${folder}/*.cc
                            ${SOURCE_DIR}/${folder}/*.cuh)
    foreach(f ${files})
      file(STRINGS ${f} lines REGEX "^ *#include *[<\"]${pattern}")
      if(lines)
        file(RELATIVE_PATH rel ${SOURCE_DIR} ${f})
        set(violations "${violations}${rel}: ${lines} (${why})\n" PARENT_SCOPE)
        set(violations "${violations}${rel}: ${lines} (${why})\n")
      endif()
    endforeach()
  endforeach()
endfunction()

forbid("(tuner|server|client|proto|codegen/families|codegen/compile|codegen/source|codegen/occ|tw)/" "core is std only" codegen/core)
forbid("(tuner|server|client|proto|tilewright)/" "codegen knows nothing of what uses it" codegen)
forbid("(tuner/device|tuner/measure|tuner/worker|tuner/store|spdlog|tilewright|server|client)" "search is pure" tuner/search)
forbid("(server|client|spdlog|tilewright)" "the store knows neither wire nor log" tuner/store)
forbid("(server|client|spdlog|tilewright|codegen/families|tuner/search)" "measure and device know no families" tuner/measure tuner/device)
forbid("(tuner/device|tuner/measure)" "the daemon never touches a GPU" server)
forbid("(tuner|server)/" "the client talks RPC" client)
forbid("(grpc|google/protobuf|tilewright/)" "protobuf stays in proto, server, client, tuner/worker" codegen tuner/search tuner/store tuner/measure tuner/device)
forbid("grpc" "only server and client speak gRPC" tuner codegen)
forbid("sqlite3.h" "SQLite is the store's" codegen server client tuner/search tuner/measure tuner/device tuner/worker)
forbid("(cuda.h|cuda_runtime|nvml.h)" "CUDA headers are tuner/device's" codegen server client tuner/search tuner/measure tuner/store tuner/worker templates)
forbid("nvrtc.h" "NVRTC is codegen/compile's" server client tuner templates codegen/core codegen/families)
forbid("<" "templates need no header" templates/tw)

if(violations)
  message(FATAL_ERROR "includes against the architecture:\n${violations}")
endif()
