# Finds cuDNN 8 or later: target CUDNN::cudnn, CUDNN_FOUND, CUDNN_VERSION (of the header).
# CUDNN_ROOT names its folder where it is not beside the CUDA Toolkit.

find_path(CUDNN_INCLUDE_DIR cudnn_version.h
          HINTS ${CUDNN_ROOT} ENV CUDNN_ROOT ${CUDAToolkit_INCLUDE_DIRS}
          PATH_SUFFIXES include)
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9
             HINTS ${CUDNN_ROOT} ENV CUDNN_ROOT ${CUDAToolkit_LIBRARY_DIR}
             PATH_SUFFIXES lib lib64)

if(CUDNN_INCLUDE_DIR)
  include(${CMAKE_CURRENT_LIST_DIR}/VersionOfHeader.cmake)
  benanza_version_of_header(CUDNN_VERSION ${CUDNN_INCLUDE_DIR}/cudnn_version*.h CUDNN MAJOR MINOR PATCHLEVEL)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDNN REQUIRED_VARS CUDNN_LIBRARY CUDNN_INCLUDE_DIR
                                  VERSION_VAR CUDNN_VERSION)
mark_as_advanced(CUDNN_INCLUDE_DIR CUDNN_LIBRARY)

if(CUDNN_FOUND AND NOT TARGET CUDNN::cudnn)
  add_library(CUDNN::cudnn UNKNOWN IMPORTED)
  set_target_properties(CUDNN::cudnn PROPERTIES
    IMPORTED_LOCATION ${CUDNN_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR})
endif()
