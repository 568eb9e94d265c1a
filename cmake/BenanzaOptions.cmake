# The options of a build (those of models are in BenanzaModel.cmake), and the compiler settings of every
# target.

set(BENANZA_MODELS "resnet50_v1;googlenet" CACHE STRING
    "Models to benchmark: names of the zoo (benanza-zoo --list), zoo for all, paths of .onnx files, and \
sets of lists of problems (deepbench/training)")
option(BENANZA_BUILD_SUITES "Build the generator, the zoo and the benchmark suites" ON)
option(BENANZA_UNITY "Compile files of a target together: faster full builds" ON)
option(BENANZA_WERROR "Warnings of our own code are errors, as in scripts/test" OFF)
option(BENANZA_PRECOMPILE "Precompile headers of other libraries: faster full builds" ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)

find_program(BENANZA_CCACHE ccache)
if(BENANZA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these ccache keeps nothing that was compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${BENANZA_CCACHE})
endif()

# Warnings of one of our own targets. g++ 12 to 14 warn of copies inside the standard library where vectors,
# strings and maps are inlined (GCC bugs 105651, 105329, 104475), and of optional values that are not there (GCC bug
# 80635); g++ 13 and 14 of a reference into what was searched if the name searched for was a temporary.
function(benanza_target target)
  # Fewer garbage collections of the compiler: a tenth of its time, for a fifth more memory.
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${BENANZA_WERROR}>:-Werror>
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=400000>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-dangling-pointer;-Wno-maybe-uninitialized>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference;-Wno-stringop-overread>)
endfunction()

# A target whose files may be compiled together.
function(benanza_unity)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ${BENANZA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# Headers of other libraries that most files of a target need, parsed once. Not for our own: a change
# would compile everything again.
function(benanza_precompile target)
  if(BENANZA_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    benanza_precompiled_with_ccache(${target})
  endif()
endfunction()

function(benanza_precompiled_with_ccache target)
  if(BENANZA_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# The precompiled headers of another target, which must be compiled alike.
function(benanza_reuse_precompiled target from)
  if(BENANZA_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${from})
    benanza_precompiled_with_ccache(${target})
  endif()
endfunction()

# The JSON library, precompiled once for all targets that say so.
function(benanza_precompile_json target)
  if(BENANZA_PRECOMPILE AND NOT TARGET benanza_json)
    find_package(nlohmann_json 3.11 REQUIRED)
    file(CONFIGURE OUTPUT ${BENANZA_BINARY_DIR}/json.cpp CONTENT "")
    add_library(benanza_json OBJECT ${BENANZA_BINARY_DIR}/json.cpp)
    benanza_target(benanza_json)
    target_link_libraries(benanza_json PRIVATE nlohmann_json::nlohmann_json)
    benanza_precompile(benanza_json <algorithm> <filesystem> <fstream> <functional> <map> <memory>
                       <optional> <set> <sstream> <string> <vector> <nlohmann/json.hpp>)
  endif()
  benanza_reuse_precompiled(${target} benanza_json)
endfunction()

# Tests spend their time in what they test.
function(benanza_unoptimised)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  endforeach()
endfunction()

option(BENANZA_TESTS_APART "Each unit test is one for CTest; OFF: each program, which starts fewer processes" ON)

# A GoogleTest program of a room: label `unit`, needs no GPU, ends in seconds. With LABEL gpu its tests
# need one, one at a time, and skip themselves where there is none.
function(benanza_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LIBRARIES;DEFINITIONS")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT BUILD_TESTING)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  benanza_target(${name})
  benanza_unity(${name})
  benanza_unoptimised(${name})
  if(BENANZA_PRECOMPILE AND NOT TARGET benanza_gtest)
    file(CONFIGURE OUTPUT ${BENANZA_BINARY_DIR}/gtest.cpp CONTENT "")
    add_library(benanza_gtest OBJECT ${BENANZA_BINARY_DIR}/gtest.cpp)
    benanza_target(benanza_gtest)
    benanza_unoptimised(benanza_gtest)
    target_link_libraries(benanza_gtest PRIVATE GTest::gmock GTest::gtest_main)
    benanza_precompile(benanza_gtest <algorithm> <filesystem> <fstream> <functional> <map> <memory>
                       <optional> <string> <vector> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  # Files compiled for OpenMP cannot use headers precompiled without it.
  if(NOT "OpenMP::OpenMP_CXX" IN_LIST arg_LIBRARIES)
    benanza_reuse_precompiled(${name} benanza_gtest)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  if(BENANZA_TESTS_APART)
    include(GoogleTest)
    gtest_discover_tests(${name} PROPERTIES LABELS ${arg_LABEL} DISCOVERY_TIMEOUT 60)
  else()
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL})
  endif()
endfunction()

# Gives a test program the files of cases in a folder, as CASES, and what tests them. The list of
# tests follows the files.
function(benanza_case_tests name folder)
  if(NOT TARGET ${name})
    return()
  endif()
  cmake_path(ABSOLUTE_PATH folder NORMALIZE)
  file(GLOB cases CONFIGURE_DEPENDS ${folder}/*.cases)
  target_sources(${name} PRIVATE ${BENANZA_SOURCE_DIR}/suites/tests/cases/case_tests.cpp)
  target_compile_definitions(${name} PRIVATE CASES="${folder}")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${cases})
endfunction()
