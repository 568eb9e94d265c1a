# cmake -DBUILD=<build> -DWORK=<folder> -P deb.cmake
# Packs the build, and looks at what is in the package and what it depends on.

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: exit status ${result}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

run(cpack -G DEB --config ${BUILD}/CPackConfig.cmake -B ${WORK})
file(GLOB package ${WORK}/benanza_*.deb)
run(dpkg-deb -f ${package} Package Version Depends)
foreach(line "Package: benanza\n" "Version: ${VERSION}\n" "libc6 (" "libonnx1 (" "libdnnl2 (")
  string(FIND "${output}" "${line}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "\"${line}\" is missing in:\n${output}")
  endif()
endforeach()
if(output MATCHES "-dev")
  message(FATAL_ERROR "Running the programs needs no -dev package:\n${output}")
endif()

run(dpkg-deb -x ${package} ${WORK}/root)
run(${WORK}/root/usr/bin/benanza-zoo mnist -o ${WORK}/own.onnx)
run(${WORK}/root/usr/bin/benanza-generate --unique ${WORK}/own.onnx)
if(NOT EXISTS ${WORK}/root/usr/share/man/man1/benanza-analyze.1)
  message(FATAL_ERROR "The package has no man pages")
endif()
