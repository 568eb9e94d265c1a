// Fuzzes the path from a file's bytes to a model.
#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "generator/onnx/read/read.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    benanza::onnx::parse_model({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const benanza::Error&) {
  }
  return 0;
}
