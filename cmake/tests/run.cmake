# What the tests that are CMake scripts have in common.

# Sets `output` to what the command printed; it must succeed.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: exit status ${result}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

function(expect text words)
  string(FIND "${text}" "${words}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "\"${words}\" is missing in:\n${text}")
  endif()
endfunction()
