# cmake -DBUILD=<build> -DWORK=<folder> -P deb.cmake
# Packs the build, and looks at what is in the package and what it depends on.

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})

run(cpack -G DEB --config ${BUILD}/CPackConfig.cmake -B ${WORK})
file(GLOB package ${WORK}/benanza_*.deb)
run(dpkg-deb -f ${package} Package Version Depends)
foreach(line "Package: benanza\n" "Version: ${VERSION}\n" "libc6 (")
  expect("${output}" "${line}")
endforeach()
# Their numbers differ between Debian's versions: libonnx1 and libdnnl2 in 12, libonnx1t64 and libdnnl3.6 in 13.
foreach(library "libonnx1(t64)? \\(" "libdnnl[0-9.]+ \\(")
  if(NOT output MATCHES " ${library}")
    message(FATAL_ERROR "\"${library}\" is missing in:\n${output}")
  endif()
endforeach()
if(output MATCHES "-dev")
  message(FATAL_ERROR "Running the programs needs no -dev package:\n${output}")
endif()

run(dpkg-deb -x ${package} ${WORK}/unpacked)
run(${WORK}/unpacked/usr/bin/benanza-zoo mnist -o ${WORK}/own.onnx)
run(${WORK}/unpacked/usr/bin/benanza-generate --unique ${WORK}/own.onnx)
if(NOT EXISTS ${WORK}/unpacked/usr/share/man/man1/benanza-analyze.1)
  message(FATAL_ERROR "The package has no man pages")
endif()
