# Lowerings and references against the ONNX project's own operator tests (Debian: libonnx-testdata).
find_path(BENANZA_ONNX_TESTDATA node/test_relu/model.onnx PATHS /usr/share/libonnx-testdata/data)
if(BENANZA_ONNX_TESTDATA)
  benanza_unit_test(onnx_node_tests SOURCES ${CMAKE_CURRENT_LIST_DIR}/onnx_node_test.cpp
                            ${CMAKE_CURRENT_LIST_DIR}/onnx_fold_test.cpp
                    LIBRARIES benanza_onnx benanza_verify
                    DEFINITIONS ONNX_TESTDATA="${BENANZA_ONNX_TESTDATA}"
                                TEST_DATA="${CMAKE_CURRENT_LIST_DIR}/data")
else()
  message(WARNING "onnx_node_tests are left out: install libonnx-testdata")
endif()
