# Finds cuTENSOR 2: target CUTENSOR::cutensor, CUTENSOR_FOUND, CUTENSOR_VERSION (of the header).
# CUTENSOR_ROOT names its folder where it is neither beside the CUDA Toolkit nor where
# `scripts/install --cutensor` unpacks it: that of PyPI's cutensor-cu13 is site-packages/cutensor.

file(GLOB cutensor_unpacked ${BENANZA_SOURCE_DIR}/.cutensor/[0-9]*/cutensor)
list(SORT cutensor_unpacked COMPARE NATURAL ORDER DESCENDING)
find_path(CUTENSOR_INCLUDE_DIR cutensor.h
          HINTS ${CUTENSOR_ROOT} ENV CUTENSOR_ROOT ${cutensor_unpacked} ${CUDAToolkit_INCLUDE_DIRS}
          PATH_SUFFIXES include)
# Debian's packages of NVIDIA have a folder for each version of CUDA. NAMES_PER_DIR: PyPI's folder has no
# libcutensor.so, and that of another folder would not belong to the header.
find_library(CUTENSOR_LIBRARY NAMES cutensor libcutensor.so.2 NAMES_PER_DIR
             HINTS ${CUTENSOR_ROOT} ENV CUTENSOR_ROOT ${cutensor_unpacked} ${CUDAToolkit_LIBRARY_DIR}
             PATH_SUFFIXES lib lib64 lib/13 libcutensor/13)

if(CUTENSOR_INCLUDE_DIR)
  include(${CMAKE_CURRENT_LIST_DIR}/VersionOfHeader.cmake)
  benanza_version_of_header(CUTENSOR_VERSION ${CUTENSOR_INCLUDE_DIR}/cutensor.h CUTENSOR
                            MAJOR MINOR PATCH)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUTENSOR REQUIRED_VARS CUTENSOR_LIBRARY CUTENSOR_INCLUDE_DIR
                                  VERSION_VAR CUTENSOR_VERSION)
mark_as_advanced(CUTENSOR_INCLUDE_DIR CUTENSOR_LIBRARY)

if(CUTENSOR_FOUND AND NOT TARGET CUTENSOR::cutensor)
  add_library(CUTENSOR::cutensor UNKNOWN IMPORTED)
  set_target_properties(CUTENSOR::cutensor PROPERTIES
    IMPORTED_LOCATION ${CUTENSOR_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CUTENSOR_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${CUTENSOR_INCLUDE_DIR})
endif()
