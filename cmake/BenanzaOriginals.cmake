# The models of the zoo as their authors published them. models/originals holds one content link
# (SHA-256) per model and files.tsv, where each lies in the ONNX model zoo. CMake's ExternalData looks
# for a file in ExternalData_OBJECT_STORES (folders with SHA256/<hash>) and then at BENANZA_ZOO_URL;
# only models that are asked for are fetched, when they are built.

set(BENANZA_ZOO_URL
    "https://media.githubusercontent.com/media/onnx/models/main/%(path)"
    "https://huggingface.co/onnxmodelzoo/legacy_models/resolve/main/%(path)"
    CACHE STRING "Where the original models are fetched from; %(path) is a path of the ONNX model zoo")

# benanza_original_models(<folder> <files> <stamps> <id>...)
# <folder>: with <id>.onnx.sha256 and files.tsv. Sets `files` to the models' files, and `stamps` to
# what depends on them has to depend on: they exist when the files are there and have the right hash.
function(benanza_original_models folder files stamps)
  include(ExternalData)
  cmake_path(ABSOLUTE_PATH folder NORMALIZE)
  cmake_path(GET folder PARENT_PATH ExternalData_SOURCE_ROOT)
  set(ExternalData_BINARY_ROOT ${BENANZA_BINARY_DIR}/models)
  set(ExternalData_URL_TEMPLATES "ExternalDataCustomScript://benanza/%(hash)")
  set(ExternalData_CUSTOM_SCRIPT_benanza ${BENANZA_BINARY_DIR}/models/fetch_original.cmake)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fetch_original.cmake.in
                 ${ExternalData_CUSTOM_SCRIPT_benanza} @ONLY)

  set(all_files)
  set(all_stamps)
  foreach(id IN LISTS ARGN)
    if(NOT EXISTS ${folder}/${id}.onnx.sha256)
      message(FATAL_ERROR "BENANZA_MODELS: ${id} has no original: benanza-zoo --list shows the zoo's "
                          "names")
    endif()
    ExternalData_Expand_Arguments(benanza_originals file DATA{${folder}/${id}.onnx})
    set(stamp ${BENANZA_BINARY_DIR}/models/${id}.verified)
    add_custom_command(
      OUTPUT ${stamp}
      COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DLINK=${folder}/${id}.onnx.sha256 -DSTAMP=${stamp}
              -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/verify_original.cmake
      DEPENDS ${file} ${folder}/${id}.onnx.sha256
      COMMENT "Verifying the original ${id}.onnx"
      VERBATIM)
    list(APPEND all_files ${file})
    list(APPEND all_stamps ${stamp})
  endforeach()
  ExternalData_Add_Target(benanza_originals)
  set(${files} ${all_files} PARENT_SCOPE)
  set(${stamps} ${all_stamps} PARENT_SCOPE)
endfunction()
