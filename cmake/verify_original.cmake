# cmake -DFILE=... -DLINK=... -DSTAMP=... -P: an object store is trusted by ExternalData, but not by us.

file(STRINGS "${LINK}" expected)
file(SHA256 "${FILE}" actual)
if(NOT actual STREQUAL expected)
  file(REAL_PATH "${FILE}" object)
  cmake_path(GET FILE FILENAME name)
  file(REMOVE "${STAMP}")
  message(FATAL_ERROR "${name}: wrong SHA-256 ${actual}: delete ${object}, then build again to fetch it")
endif()
file(TOUCH "${STAMP}")
