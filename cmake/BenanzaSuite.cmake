# Suites (one per backend) and the tests that run them.

# benanza_add_suite(<backend> SOURCES <main.cpp>... LIBRARIES <targets>... [GPU] [HERE_ONLY])
# Adds the program bench_<backend>, its smoke test, and one bench test per operator and precision
# that the models need. GPU: the tests take one GPU each and are skipped where there is none. HERE_ONLY: it
# is compiled for this processor, and not installed.
function(benanza_add_suite backend)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GPU;HERE_ONLY" "" "SOURCES;LIBRARIES")
  add_executable(bench_${backend} ${arg_SOURCES})
  target_link_libraries(bench_${backend} PRIVATE ${arg_LIBRARIES} Benanza::harness
                                                 benanza_registrations)
  set_target_properties(bench_${backend} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${BENANZA_BINARY_DIR}/bin)
  if(COMMAND benanza_target) # one of our own
    benanza_target(bench_${backend})
    set(component benanza)
    if(arg_GPU)
      set(component nvidia)
    endif()
    if(NOT arg_HERE_ONLY)
      benanza_install_suite(bench_${backend} COMPONENT ${component})
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY BENANZA_BACKENDS ${backend})
  if(arg_GPU)
    set_property(GLOBAL APPEND PROPERTY BENANZA_GPU_BACKENDS ${backend})
  endif()
endfunction()

# Which tests there are is known only after generation: CTest reads the generated list when it runs.
function(benanza_generate_tests)
  get_property(backends GLOBAL PROPERTY BENANZA_BACKENDS)
  get_property(gpu_backends GLOBAL PROPERTY BENANZA_GPU_BACKENDS)
  # Everything that a measurement needs, and the programs that the documents call by hand, without the tests and
  # what runs plans.
  set(programs ${backends})
  list(TRANSFORM programs PREPEND bench_)
  if(TARGET benanza-first-bound)
    add_custom_target(first-bound DEPENDS ${programs} benanza-first-bound)
  endif()
  foreach(program benanza-analyze benanza-record benanza-regress)
    if(TARGET ${program})
      list(APPEND programs ${program})
    endif()
  endforeach()
  add_custom_target(benchmarks DEPENDS ${programs})

  set(generated ${BENANZA_BINARY_DIR}/generated)
  set(programs ${BENANZA_BINARY_DIR}/bin)
  set(tools ${BENANZA_TOOLS})
  set(results ${BENANZA_BINARY_DIR}/results)
  set(plans ${BENANZA_BINARY_DIR}/plans)
  file(MAKE_DIRECTORY ${plans})
  configure_file(${BENANZA_TEST_LIST} ${BENANZA_BINARY_DIR}/ctest/tests.cmake @ONLY)
  set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY TEST_INCLUDE_FILES
               ${BENANZA_BINARY_DIR}/ctest/tests.cmake)
endfunction()
