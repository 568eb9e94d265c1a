# From models to registrations: what benanza_add_model() collects is generated once, at build time,
# into <build>/generated and compiled into the library benanza_registrations. Graph files of models that
# were asked for earlier stay there; graphs.txt names those of now.

include(${CMAKE_CURRENT_LIST_DIR}/BenanzaOriginals.cmake)

set(BENANZA_ZOO "weightless" CACHE STRING
    "Files of the zoo's models: weightless (built here), original (fetched, up to 575 MB each)")
set_property(CACHE BENANZA_ZOO PROPERTY STRINGS weightless original)
if(NOT BENANZA_ZOO MATCHES "^(weightless|original)$")
  message(FATAL_ERROR "BENANZA_ZOO is ${BENANZA_ZOO}: say weightless or original")
endif()
set(BENANZA_BATCH_SIZES "1" CACHE STRING "Batch sizes, e.g. \"1;8\"")
set(BENANZA_DIMS "" CACHE STRING
    "Dimensions that models leave open: NAME=N or TENSOR:AXIS=N, e.g. \"tokens=128;scores:0=100\"")
set(BENANZA_INPUTS "" CACHE STRING
    "Values of inputs that decide what models do: NAME=VALUE[,VALUE...], e.g. \"use_cache_branch=true\"")
set(BENANZA_EXPERT_LOAD "" CACHE STRING
    "Tokens of each expert of a mixture: balanced, power_law:ALPHA or N,N,... (benanza-generate --expert-load)")
option(BENANZA_PADDED "Also measure products and convolutions padded to sizes that fast kernels like" OFF)
set(BENANZA_TRAINING "" CACHE STRING "Training steps by this optimizer instead of inference: sgd adam")
set(BENANZA_ALGORITHMS "all" CACHE STRING "Algorithms that the tests measure: best leading all with-reference search")
set(BENANZA_PRECISIONS "fp32" CACHE STRING "Precisions: fp32 tf32 fp16 bf16 int8 fp8")
option(BENANZA_SKIP_REFUSED
       "Build without the models that cannot be read (generated/refused.txt) instead of failing" OFF)

# benanza_add_model(<model>...)
# A model is the path of an .onnx file (relative to the current source folder), a name of the zoo
# (`benanza-zoo --list`), `zoo` for all of them, or a set of a list of problems: deepbench/training, or
# the path <folder of tables>/<set> (`benanza-generate --list`). May be called from any folder, and by a project
# that includes this one or finds its package.
function(benanza_add_model)
  foreach(model IN LISTS ARGN)
    if(model STREQUAL "zoo")
      benanza_zoo_names(model)
    elseif(model MATCHES "\\.onnx$")
      cmake_path(ABSOLUTE_PATH model BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
      if(NOT EXISTS ${model})
        message(FATAL_ERROR "benanza_add_model: ${model}: no such file")
      endif()
    elseif(model MATCHES "/")
      benanza_find_list(${model} list)
      set_property(GLOBAL APPEND PROPERTY BENANZA_LIST_LIST ${list})
      continue()
    endif()
    set_property(GLOBAL APPEND PROPERTY BENANZA_MODEL_LIST ${model})
  endforeach()
endfunction()

# <list>/<set> to the path of it: a folder of tables beside the zoo, or of one's own.
function(benanza_find_list list path)
  cmake_path(GET list PARENT_PATH folder)
  cmake_path(GET list FILENAME set)
  foreach(base ${BENANZA_LISTS} ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${base} NORMALIZE OUTPUT_VARIABLE found)
    file(GLOB tables CONFIGURE_DEPENDS ${found}/*.tsv)
    if(tables)
      set(${path} ${found}/${set} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "benanza_add_model: ${list}: neither an .onnx file, nor a zoo name, nor a list of "
                      "problems (deepbench/training, or a folder of tables and a set)")
endfunction()

# Sets `names` to the names of every model of the zoo.
function(benanza_zoo_names names)
  set(table ${BENANZA_ORIGINALS}/files.tsv)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows)
  list(POP_FRONT rows)
  list(TRANSFORM rows REPLACE "\t.*" "")
  set(${names} ${rows} PARENT_SCOPE)
endfunction()

# Builds the weightless file of a zoo model in the build tree; sets `path` to it.
function(benanza_zoo_model name path)
  set(file ${BENANZA_BINARY_DIR}/models/${name}.onnx)
  add_custom_command(
    OUTPUT ${file}
    COMMAND Benanza::zoo ${name} -o ${file}
    DEPENDS Benanza::zoo
    COMMENT "Writing ${name}.onnx"
    VERBATIM)
  set(${path} ${file} PARENT_SCOPE)
endfunction()

# Called once, after every folder has had its say.
function(benanza_generate_registrations)
  get_property(models GLOBAL PROPERTY BENANZA_MODEL_LIST)
  get_property(lists GLOBAL PROPERTY BENANZA_LIST_LIST)
  get_property(backends GLOBAL PROPERTY BENANZA_BACKENDS)
  if(NOT models AND NOT lists AND NOT backends)
    return()
  endif()
  list(REMOVE_DUPLICATES models)
  list(REMOVE_DUPLICATES lists)
  if(NOT models AND NOT lists)
    message(FATAL_ERROR "No models to benchmark: name zoo models or .onnx files, e.g. "
                        "-DBENANZA_MODELS=\"resnet50_v1;my.onnx\", or all of the zoo: "
                        "-DBENANZA_MODELS=zoo; a project of your own calls benanza_add_model(my.onnx)")
  endif()

  file(MAKE_DIRECTORY ${BENANZA_BINARY_DIR}/models)
  set(files ${models})
  list(FILTER files INCLUDE REGEX "\\.onnx$")
  list(FILTER models EXCLUDE REGEX "\\.onnx$")
  set(stamps)
  if(models AND BENANZA_ZOO STREQUAL "original")
    benanza_original_models(${BENANZA_ORIGINALS} originals stamps ${models})
    list(APPEND files ${originals})
  else()
    foreach(model IN LISTS models)
      benanza_zoo_model(${model} file)
      list(APPEND files ${file})
    endforeach()
  endif()

  list(JOIN BENANZA_PRECISIONS "," precisions)
  list(JOIN BENANZA_BATCH_SIZES "," batch_sizes)
  set(batch_option)
  if(batch_sizes)
    set(batch_option --batch ${batch_sizes})
  endif()
  set(dim_options ${BENANZA_DIMS})
  list(TRANSFORM dim_options PREPEND "--dim=")
  set(input_options ${BENANZA_INPUTS})
  list(TRANSFORM input_options PREPEND "--input=")
  set(expert_option)
  if(BENANZA_EXPERT_LOAD)
    set(expert_option --expert-load=${BENANZA_EXPERT_LOAD})
  endif()
  set(padded_option)
  if(BENANZA_PADDED)
    set(padded_option --padded)
  endif()
  set(training_option)
  if(BENANZA_TRAINING)
    set(training_option --training=${BENANZA_TRAINING})
  endif()
  set(list_options ${lists})
  list(TRANSFORM list_options PREPEND "--list=")
  set(tables)
  foreach(list IN LISTS lists)
    cmake_path(GET list PARENT_PATH folder)
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.tsv)
    list(APPEND tables ${found})
  endforeach()
  set(out ${BENANZA_BINARY_DIR}/generated)
  set(skip_option)
  if(BENANZA_SKIP_REFUSED)
    set(skip_option --skip-refused ${out}/refused.txt)
  endif()
  add_custom_command(
    OUTPUT ${out}/stamp
    BYPRODUCTS ${out}/problems.cpp ${out}/tests.cmake ${out}/graphs.txt
    COMMAND Benanza::generate ${batch_option} ${dim_options} ${input_options} ${skip_option}
            ${expert_option} ${padded_option} ${training_option}
            --precision ${precisions} --out ${out} ${list_options} ${files}
    COMMAND ${CMAKE_COMMAND} -E touch ${out}/stamp
    DEPENDS Benanza::generate ${files} ${stamps} ${tables}
    COMMENT "Generating registrations"
    VERBATIM)
  add_custom_target(benanza_generated ALL DEPENDS ${out}/stamp)

  add_library(benanza_registrations STATIC ${out}/problems.cpp)
  add_dependencies(benanza_registrations benanza_generated)
  target_link_libraries(benanza_registrations PRIVATE Benanza::harness)
  if(COMMAND benanza_target)
    benanza_target(benanza_registrations)
  endif()

  benanza_generate_tests()
endfunction()
