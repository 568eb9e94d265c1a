# benanza_registry(<out> FOLDER <folder> HEADER <header> TYPE <type> FUNCTION <name>
#                  [NAMESPACE <namespace>] DECLARATION <text> CALL <text>)
# Writes a source that defines `<type> <name>()`, declared in <header>, which fills a table from the
# files of <folder>, in <namespace> (default: benanza): for every X.cpp it has both texts, in which <X> stands for X.
# Sets <out> to these files and the source. So a new operator, command or importer is a new file, and
# nothing else.
function(benanza_registry out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER;HEADER;TYPE;FUNCTION;NAMESPACE;DECLARATION;CALL" "")
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE benanza)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${arg_FOLDER}/*.cpp)
  set(declarations "")
  set(calls "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    string(REPLACE "<X>" ${name} declaration "${arg_DECLARATION}")
    string(REPLACE "<X>" ${name} call "${arg_CALL}")
    string(APPEND declarations "${declaration}\n")
    string(APPEND calls "  ${call}\n")
  endforeach()
  set(registry ${CMAKE_CURRENT_BINARY_DIR}/${arg_FOLDER}/registry.cpp)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/registry.cpp.in ${registry} @ONLY)
  set_source_files_properties(${registry} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(${out} ${sources} ${registry} PARENT_SCOPE)
endfunction()
