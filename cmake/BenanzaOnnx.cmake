# Finds the onnx package. Sets BENANZA_ONNX (the operators' schemas) and BENANZA_ONNX_PROTO (the messages of
# its files) to its targets, which have a namespace from version 1.13 on (Debian 13), and none before (Debian 12).

find_package(Protobuf REQUIRED) # the targets of ONNX link to it
find_package(ONNX REQUIRED)
if(TARGET ONNX::onnx)
  set(BENANZA_ONNX ONNX::onnx)
  set(BENANZA_ONNX_PROTO ONNX::onnx_proto)
else()
  set(BENANZA_ONNX onnx)
  set(BENANZA_ONNX_PROTO onnx_proto)
endif()
foreach(target ${BENANZA_ONNX} ${BENANZA_ONNX_PROTO})
  if(NOT TARGET ${target})
    message(FATAL_ERROR "The package ONNX in ${ONNX_DIR} has no target ${target}: libonnx-dev of Debian 12 or "
                        "13 has it")
  endif()
endforeach()
