# Finds oneDNN, version 2.6 or later or 3: the target DNNL::dnnl. Sets BENANZA_ONEDNN_API to 2 or 3, or to OFF
# where there is none.

set(BENANZA_ONEDNN "" CACHE STRING
    "oneDNN to build with: a version that `scripts/install --onednn VERSION` has unpacked, or the folder that \
one is installed in; empty: the system's")

set(prefix "${BENANZA_ONEDNN}")
if(prefix MATCHES "^[0-9.]+$")
  set(prefix ${BENANZA_SOURCE_DIR}/.onednn/${BENANZA_ONEDNN})
  if(NOT EXISTS ${prefix})
    message(FATAL_ERROR "BENANZA_ONEDNN=${BENANZA_ONEDNN}: not there; scripts/install --onednn "
                        "${BENANZA_ONEDNN} gets it")
  endif()
endif()
# What was found for another value must not be found again.
if(NOT prefix STREQUAL "${BENANZA_ONEDNN_FOUND_IN}")
  unset(dnnl_DIR CACHE)
endif()
set(BENANZA_ONEDNN_FOUND_IN "${prefix}" CACHE INTERNAL "")

if(prefix)
  find_package(dnnl QUIET PATHS ${prefix} NO_DEFAULT_PATH)
  if(NOT dnnl_FOUND)
    message(FATAL_ERROR "BENANZA_ONEDNN=${BENANZA_ONEDNN}: no CMake package dnnl in ${prefix}")
  endif()
else()
  find_package(dnnl QUIET)
endif()

set(BENANZA_ONEDNN_API OFF)
if(dnnl_FOUND AND dnnl_VERSION VERSION_GREATER_EQUAL 2.6 AND dnnl_VERSION VERSION_LESS 4)
  string(REGEX MATCH "^[0-9]+" BENANZA_ONEDNN_API ${dnnl_VERSION})
elseif(prefix)
  message(FATAL_ERROR "BENANZA_ONEDNN=${BENANZA_ONEDNN} is oneDNN ${dnnl_VERSION}: 2.6 or later, or 3, is "
                      "needed")
endif()
