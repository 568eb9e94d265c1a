# What `cmake --install` installs: the programs with their man pages and completions, and the package
# Benanza by which other projects add models and suites of their own.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

option(BENANZA_INSTALL "Install the programs and the CMake package Benanza" ${PROJECT_IS_TOP_LEVEL})
# Packages are made of components: `benanza`, and `nvidia` for the suites of NVIDIA's libraries.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME benanza)
set(BENANZA_INSTALL_HEADERS include/benanza)
set(BENANZA_INSTALL_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/Benanza)
set(BENANZA_INSTALL_DATA ${CMAKE_INSTALL_DATADIR}/benanza)
set(BENANZA_INSTALLED_SCRIPTS bench best-plan gpu-resources plan-values profile-onnxruntime profile-pytorch serve)

# benanza_export(<target> <name>)
# The target's name is Benanza::<name> in this build and in projects that find the package.
function(benanza_export target name)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    add_executable(Benanza::${name} ALIAS ${target})
  else()
    add_library(Benanza::${name} ALIAS ${target})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(BENANZA_INSTALL)
    install(TARGETS ${target} EXPORT BenanzaTargets)
  endif()
endfunction()

# benanza_install_pages(<program> [COMPONENT <name>])
# The program writes its man page and its completions when it is built.
function(benanza_install_pages program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPONENT" "")
  if(NOT BENANZA_INSTALL)
    return()
  endif()
  set(pages ${BENANZA_BINARY_DIR}/pages)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DNAME=${program} -DOUT=${pages}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_pages.cmake
    VERBATIM)
  set(component)
  if(arg_COMPONENT)
    set(component COMPONENT ${arg_COMPONENT})
  endif()
  benanza_install_written_pages(${program} ${pages} "${component}")
endfunction()

function(benanza_install_written_pages program pages component)
  # OPTIONAL: a suite whose library is missing here cannot start.
  install(FILES ${pages}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL ${component})
  install(FILES ${pages}/${program}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${program} OPTIONAL ${component})
  install(FILES ${pages}/${program}.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
          RENAME _${program} OPTIONAL ${component})
endfunction()

# benanza_install_suite(<program> [COMPONENT <name>])
function(benanza_install_suite program)
  if(BENANZA_INSTALL)
    install(TARGETS ${program} RUNTIME ${ARGN})
    benanza_install_pages(${program} ${ARGN})
  endif()
endfunction()

# The command `benanza`: in the build folder with the scripts of the sources, installed with copies of those that need
# no sources.
function(benanza_add_command)
  set(command ${BENANZA_SOURCE_DIR}/scripts/command)
  set(scripts ${BENANZA_SOURCE_DIR}/scripts)
  configure_file(${command}/launcher.py.in ${BENANZA_BINARY_DIR}/bin/benanza @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
  if(NOT BENANZA_INSTALL)
    return()
  endif()
  set(launcher ${command}/launcher.py.in)
  set(command ../${BENANZA_INSTALL_DATA}/command)
  set(scripts ../${BENANZA_INSTALL_DATA}/scripts)
  configure_file(${launcher} ${BENANZA_BINARY_DIR}/command/benanza @ONLY)
  install(PROGRAMS ${BENANZA_BINARY_DIR}/command/benanza DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Its pages name the questions of benanza-analyze.
  set(pages ${BENANZA_BINARY_DIR}/pages)
  file(GLOB modules CONFIGURE_DEPENDS scripts/command/benanza/*.py)
  add_custom_command(OUTPUT ${pages}/benanza.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=${BENANZA_BINARY_DIR}/bin/benanza -DNAME=benanza -DOUT=${pages}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_pages.cmake
    DEPENDS benanza-analyze benanza-generate ${modules}
    VERBATIM)
  add_custom_target(benanza_pages ALL DEPENDS ${pages}/benanza.1)
  benanza_install_written_pages(benanza ${pages} "")
  install(DIRECTORY scripts/command/benanza DESTINATION ${BENANZA_INSTALL_DATA}/command
          FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
  list(TRANSFORM BENANZA_INSTALLED_SCRIPTS PREPEND scripts/ OUTPUT_VARIABLE programs)
  file(GLOB modules CONFIGURE_DEPENDS scripts/onnx*_*.* scripts/plan_*.py scripts/profile_*.py scripts/pytorch_*.py)
  install(PROGRAMS ${programs} DESTINATION ${BENANZA_INSTALL_DATA}/scripts)
  install(FILES ${modules} scripts/requirements.txt DESTINATION ${BENANZA_INSTALL_DATA}/scripts)
endfunction()

# Headers, CMake files and data, once.
function(benanza_install_package)
  if(NOT BENANZA_INSTALL)
    return()
  endif()
  foreach(room core suites/harness suites/verify)
    install(DIRECTORY ${room}/ DESTINATION ${BENANZA_INSTALL_HEADERS}/${room}
            FILES_MATCHING PATTERN "*.h" PATTERN tests EXCLUDE)
  endforeach()
  install(DIRECTORY ${BENANZA_BINARY_DIR}/headers/ DESTINATION ${BENANZA_INSTALL_HEADERS})
  install(DIRECTORY models/originals models/deepbench DESTINATION ${BENANZA_INSTALL_DATA})
  install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY cmake/tests/stranger DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
          FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
          REGEX "/docs/results/[^/]+/[a-z][^/]*$" EXCLUDE)  # of the results, the pages

  configure_package_config_file(cmake/BenanzaConfig.cmake.in ${BENANZA_BINARY_DIR}/cmake/BenanzaConfig.cmake
    INSTALL_DESTINATION ${BENANZA_INSTALL_CMAKE} PATH_VARS BENANZA_INSTALL_DATA CMAKE_INSTALL_BINDIR)
  write_basic_package_version_file(${BENANZA_BINARY_DIR}/cmake/BenanzaConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${BENANZA_BINARY_DIR}/cmake/BenanzaConfig.cmake
                ${BENANZA_BINARY_DIR}/cmake/BenanzaConfigVersion.cmake
                cmake/BenanzaModel.cmake cmake/BenanzaOriginals.cmake cmake/BenanzaSuite.cmake
                cmake/fetch_original.cmake.in cmake/verify_original.cmake ctest/tests.cmake.in
          DESTINATION ${BENANZA_INSTALL_CMAKE})
  install(EXPORT BenanzaTargets NAMESPACE Benanza:: DESTINATION ${BENANZA_INSTALL_CMAKE})
endfunction()
