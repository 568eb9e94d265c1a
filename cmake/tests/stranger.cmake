# cmake -DBUILD=<build> -DSOURCE=<source> -DWORK=<folder> -DCONFIG=... -DGENERATOR=... -DCOMPILER=...
#       -DFLAGS=... -P stranger.cmake
# Installs the build, moves it elsewhere, and builds and runs the stranger's project with it.

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${WORK}/moved)
set(bin ${WORK}/moved/bin)

# Nothing that is installed knows where it was built.
file(GLOB_RECURSE texts ${WORK}/moved/*.cmake ${WORK}/moved/share/man/*)
foreach(file IN LISTS texts)
  file(READ ${file} text)
  foreach(folder ${SOURCE} ${BUILD} ${WORK}/installed)
    string(FIND "${text}" "${folder}/" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

foreach(program benanza-generate benanza-analyze benanza-record benanza-regress benanza-zoo)
  run(${bin}/${program} --version)
  expect("${output}" "${program} ")
  foreach(page man/man1/${program}.1 bash-completion/completions/${program}
               zsh/site-functions/_${program})
    if(NOT EXISTS ${WORK}/moved/share/${page})
      message(FATAL_ERROR "share/${page} is not installed")
    endif()
  endforeach()
endforeach()

run(${bin}/benanza-zoo mnist -o ${WORK}/own.onnx)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/stranger -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
    -DCMAKE_PREFIX_PATH=${WORK}/moved -DMODEL=${WORK}/own.onnx)
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
set(own ${WORK}/build/benanza)
run(${own}/bin/bench_loops --version)
expect("${output}" "\nloops 1.0\n")
# Smoke, bench and analysis tests of the model's operators.
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure)
expect("${output}" "smoke.loops")
expect("${output}" "bench.loops.relu.fp32")

run(${bin}/benanza-analyze bound --graph ${own}/generated/own_b1.graph.json --results ${own}/results)
expect("${output}" "plain/loops/loop")
expect("${output}" "loops has no conv")

# Another model instead: the graph of the first one stays, and is none of the build's any more.
run(${bin}/benanza-zoo squeezenet_v1.1 -o ${WORK}/other.onnx)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/stranger -B ${WORK}/build -DMODEL=${WORK}/other.onnx)
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG} --target benanza_generated)
file(STRINGS ${own}/generated/graphs.txt graphs)
if(NOT graphs STREQUAL "other_b1.graph.json;mnist_b1.graph.json")
  message(FATAL_ERROR "graphs.txt has ${graphs}")
endif()
run(${bin}/benanza-analyze bound --graph ${own}/generated/own_b1.graph.json --results ${own}/results)
expect("${output}" "plain/loops/loop")
