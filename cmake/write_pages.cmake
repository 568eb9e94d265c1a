# cmake -DPROGRAM=<file> -DNAME=<name> -DOUT=<folder> -P write_pages.cmake
# <name>.1, <name>.bash and <name>.zsh as the program writes them; none where it cannot start.

cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${OUT})

function(write_page suffix)
  set(file ${OUT}/${NAME}.${suffix})
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE status OUTPUT_FILE ${file} ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    file(REMOVE ${file})
    message(STATUS "${NAME} does not start here, and has no ${NAME}.${suffix}: ${said}")
  endif()
endfunction()

write_page(1 --man)
write_page(bash --completion bash)
write_page(zsh --completion zsh)
