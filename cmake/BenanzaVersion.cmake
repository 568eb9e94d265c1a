# Sets BENANZA_COMMIT to the commit of this source tree when CMake configures; empty where the tree is
# not a git repository of its own. A package's recipe may say it: -DBENANZA_COMMIT=...

set(BENANZA_COMMIT "" CACHE STRING "Commit for --version; empty: asked of git when CMake configures")
if(NOT BENANZA_COMMIT)
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-toplevel --short=12 HEAD
                    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                    OUTPUT_VARIABLE answer ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" answer "${answer}")
    list(LENGTH answer lines)
    if(lines EQUAL 2)
      list(GET answer 0 top_level)
      file(REAL_PATH ${CMAKE_CURRENT_SOURCE_DIR} here)
      if(top_level STREQUAL here)
        list(GET answer 1 BENANZA_COMMIT)
      endif()
    endif()
  endif()
endif()
