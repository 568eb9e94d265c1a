# benanza_registry(<out> FOLDER <folder> HEADER <header> TYPE <type> FUNCTION <name>
#                  DECLARATION <text> CALL <text> [OWN_FOLDERS])
# Writes a source that defines `<type> <name>()`, declared in <header>, which fills a table from the
# files of <folder>: for every X.cpp it has both texts, in which <X> stands for X.
# OWN_FOLDERS: the same for every X/X.cpp; the other files of X belong to it.
# Sets <out> to these files and the source. So a new operator, command or importer is a new file, and
# nothing else.
function(benanza_registry out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_FOLDERS" "FOLDER;HEADER;TYPE;FUNCTION;DECLARATION;CALL" "")
  file(GLOB entries CONFIGURE_DEPENDS ${arg_FOLDER}/*.cpp)
  set(sources ${entries})
  if(arg_OWN_FOLDERS)
    file(GLOB nested CONFIGURE_DEPENDS ${arg_FOLDER}/*/*.cpp)
    list(APPEND sources ${nested})
    foreach(source IN LISTS nested)
      cmake_path(GET source STEM name)
      if(source MATCHES "/${name}/${name}\\.cpp$")
        list(APPEND entries ${source})
      endif()
    endforeach()
  endif()
  set(declarations "")
  set(calls "")
  foreach(source IN LISTS entries)
    cmake_path(GET source STEM name)
    string(REPLACE "<X>" ${name} declaration "${arg_DECLARATION}")
    string(REPLACE "<X>" ${name} call "${arg_CALL}")
    string(APPEND declarations "${declaration}\n")
    string(APPEND calls "  ${call}\n")
  endforeach()
  set(registry ${CMAKE_CURRENT_BINARY_DIR}/${arg_FOLDER}/registry.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/registry.cpp.in ${registry} @ONLY)
  set(${out} ${sources} ${registry} PARENT_SCOPE)
endfunction()
