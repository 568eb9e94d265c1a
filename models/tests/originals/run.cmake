# cmake -DWORK=<folder> -DGENERATOR=<generator> -DMAKE_PROGRAM=<program> -P run.cmake
# Originals from an object store, from an address, and what is said when neither has them.

cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
set(links ${WORK}/source/stand_ins)
set(zoo ${WORK}/zoo)

function(stand_in id content)
  file(WRITE ${zoo}/deep/${id}-7.onnx "${content}")
  string(SHA256 hash "${content}")
  file(WRITE ${links}/${id}.onnx.sha256 "${hash}\n")
  file(APPEND ${links}/files.tsv "${id}\t1\tdeep/${id}-7.onnx\n")
  set(${id}_hash ${hash} PARENT_SCOPE)
endfunction()

# build(<name> <exit: 0 or 1> NAMES <id>... URLS <address>... [STORE <folder>] SAYS <text>... [AGAIN])
function(build name expected)
  cmake_parse_arguments(PARSE_ARGV 2 arg "AGAIN" "STORE" "SAYS;URLS;NAMES")
  set(store)
  if(arg_STORE)
    set(store -DExternalData_OBJECT_STORES=${arg_STORE})
  endif()
  if(NOT arg_AGAIN)
    execute_process(
      COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_FUNCTION_LIST_DIR} -B ${WORK}/${name}
              -G "${GENERATOR}" -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DSTAND_INS=${links}
              "-DNAMES=${arg_NAMES}" "-DBENANZA_ZOO_URL=${arg_URLS}" ${store}
      RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${name}: does not configure:\n${text}")
    endif()
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/${name}
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(result EQUAL 0 AND NOT expected EQUAL 0 OR NOT result EQUAL 0 AND expected EQUAL 0)
    message(FATAL_ERROR "${name}: exit status ${result}, expected ${expected}:\n${text}")
  endif()
  # CMake folds long messages, with indentation: one line again.
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  foreach(part IN LISTS arg_SAYS)
    string(FIND "${text}" "${part}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${name}: does not say \"${part}\":\n${text}")
    endif()
  endforeach()
endfunction()

function(expect_content name id content)
  file(READ ${WORK}/${name}/models/stand_ins/${id}.onnx actual)
  if(NOT actual STREQUAL content)
    message(FATAL_ERROR "${name}: ${id} holds ${actual}")
  endif()
endfunction()

stand_in(lion "a lion")
stand_in(bear "a bear")
set(url "file://${zoo}/%(path)")
set(nowhere "file://${WORK}/nowhere/%(path)")

# From an address, and only what is asked for; the second build does nothing.
build(address 0 NAMES lion URLS ${url} SAYS "a lion")
expect_content(address lion "a lion")
if(EXISTS ${WORK}/address/models/stand_ins/bear.onnx)
  message(FATAL_ERROR "address: bear was fetched though nobody asked for it")
endif()
file(REMOVE ${zoo}/deep/lion-7.onnx)
file(TIMESTAMP ${WORK}/address/used before "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
build(address 0 AGAIN)
file(TIMESTAMP ${WORK}/address/used after "%s")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "address: the second build did something")
endif()

# From the second address, where the first one fails.
build(second 0 NAMES bear URLS ${nowhere} ${url} SAYS "a bear")

# From an object store, without any network.
set(store ${WORK}/store)
file(WRITE ${store}/SHA256/${lion_hash} "a lion")
build(store 0 NAMES lion URLS ${nowhere} STORE ${store} SAYS "a lion")

# A file that nobody has, and one with a wrong hash.
build(missing 1 NAMES lion URLS ${nowhere}
      SAYS "cannot fetch the original lion (file://${WORK}/nowhere/deep/lion-7.onnx:"
           "copy deep/lion-7.onnx of the ONNX model zoo to SHA256/${lion_hash} in a folder"
           "-DExternalData_OBJECT_STORES" "-DBENANZA_ZOO=weightless")
file(WRITE ${zoo}/deep/bear-7.onnx "a mouse")
build(wrong 1 NAMES bear URLS ${url}
      SAYS "cannot fetch the original bear" "wrong SHA-256" "-DExternalData_OBJECT_STORES")
file(WRITE ${store}/SHA256/${bear_hash} "a mouse")
build(corrupt 1 NAMES bear URLS ${url} STORE ${store}
      SAYS "bear.onnx: wrong SHA-256" "delete ${store}/SHA256/${bear_hash}, then build again")
