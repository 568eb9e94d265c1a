# Finds the libraries of the NVIDIA suites. Sets BENANZA_HAS_CUDA (CUDA Toolkit with cuBLAS and CUPTI) and
# BENANZA_HAS_CUDNN. Safe to include from several folders.

set(BENANZA_CUDA AUTO CACHE STRING
    "Build the NVIDIA suites: AUTO (where the CUDA Toolkit is found), ON (required), OFF")
set_property(CACHE BENANZA_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT BENANZA_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "BENANZA_CUDA is ${BENANZA_CUDA}: say AUTO, ON or OFF")
endif()

set(BENANZA_HAS_CUDA OFF)
set(BENANZA_HAS_CUDNN OFF)
if(NOT BENANZA_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit 13 QUIET)
  # Only the header: the library is loaded when a user asks for kernels or counters.
  find_path(BENANZA_CUPTI_INCLUDE_DIR cupti.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include)
  mark_as_advanced(BENANZA_CUPTI_INCLUDE_DIR)
  if(TARGET CUDA::cudart_static AND TARGET CUDA::cublas AND TARGET CUDA::cublasLt
     AND BENANZA_CUPTI_INCLUDE_DIR)
    set(BENANZA_HAS_CUDA ON)
    find_package(CUDNN 9 QUIET)
    set(BENANZA_HAS_CUDNN ${CUDNN_FOUND})
  elseif(BENANZA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BENANZA_CUDA=ON, but no CUDA Toolkit 13 with cuBLAS and CUPTI was found: set "
                        "CUDAToolkit_ROOT, or say BENANZA_CUDA=OFF")
  endif()
  if(BENANZA_CUDA STREQUAL "ON" AND NOT BENANZA_HAS_CUDNN)
    message(FATAL_ERROR "BENANZA_CUDA=ON, but no cuDNN 9 was found: set CUDNN_ROOT, or say "
                        "BENANZA_CUDA=AUTO to do without it")
  endif()
endif()

# benanza_add_cuda_suite(<backend> SOURCES <main.cpp>... LIBRARIES <targets>...)
# As benanza_add_suite(... GPU). The program finds the vendor's libraries where it runs, not where
# it was built: one build can be measured against several versions of a library.
function(benanza_add_cuda_suite backend)
  benanza_add_suite(${backend} GPU ${ARGN})
  set_target_properties(bench_${backend} PROPERTIES SKIP_BUILD_RPATH ON)
endfunction()
