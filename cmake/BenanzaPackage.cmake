# Debian packages: `cpack -G DEB` in the build folder. benanza has all that needs no GPU; benanza-nvidia
# has the suites of NVIDIA's libraries, where they were built, which find these libraries where they run.

set(CPACK_PACKAGE_NAME benanza)
set(CPACK_PACKAGE_VENDOR "The Benanza authors")
set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR}" CACHE STRING "Maintainer of the packages")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL benanza)
if(TARGET bench_cublas)
  list(APPEND CPACK_COMPONENTS_ALL nvidia)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_BENANZA_PACKAGE_NAME benanza)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_BENANZA_DESCRIPTION "Reads ONNX models, measures every distinct layer with every algorithm of \
oneDNN, and says how fast the model could be on this machine and where a framework loses time.")
set(CPACK_DEBIAN_BENANZA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_BENANZA_PACKAGE_DEPENDS "python3 (>= 3.9)")
# To build suites of one's own with find_package(Benanza).
set(CPACK_DEBIAN_BENANZA_PACKAGE_SUGGESTS
    "g++, cmake (>= 3.25), nlohmann-json3-dev, libsimdjson-dev, libbenchmark-dev, zlib1g-dev")
set(CPACK_DEBIAN_NVIDIA_PACKAGE_NAME benanza-nvidia)
set(CPACK_DEBIAN_NVIDIA_DESCRIPTION "The suites of cuDNN, cuBLAS and NCCL.")
# No package of Debian's has their libraries.
set(CPACK_DEBIAN_NVIDIA_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_NVIDIA_PACKAGE_DEPENDS "benanza (= ${PROJECT_VERSION})")
include(CPack)
