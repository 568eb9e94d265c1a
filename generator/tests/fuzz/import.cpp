// Fuzzes the path from a file's bytes to a graph: reading, binding, shapes, folding, lowering,
// fusion. Most inputs are mutated models, some are single nodes, some are mutated bytes.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/problem/problem.h"
#include "generator/generate.h"
#include "generator/onnx/import.h"
#include "generator/onnx/read/read.h"
#include "generator/tests/fuzz/mutate.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace benanza;

/// Aborts if an invariant of all models is violated.
void demand(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "ERROR: %s\n", what.c_str());
  std::abort();
}

void check(const LoweredGraph& graph) {
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    for (const std::size_t input : graph.layers[index].inputs) {
      demand(input < index, "an input that is no layer before");
    }
    for (const Call& call : graph.layers[index].calls) {
      const std::string text = key(call.problem);
      demand(key(parse(text)) == text, "a key that parses to another: " + text);
      demand(work(call.problem, Precision::fp32).flops >= 0, "negative work: " + text);
    }
  }
  for (const std::string& text : problems_of(make_graph(graph))) {
    demand(key(parse(text)) == text, "a key that parses to another: " + text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  benanza::onnx::Binding binding;
  if (size % 4 != 0) binding.batch = static_cast<std::int64_t>(size % 4);
  // Measures CPU time, because libFuzzer's own limit includes the time used by other processes.
  constexpr double most_seconds = 5;
  const std::clock_t begin = std::clock();
  try {
    check(benanza::onnx::import_model(
        benanza::onnx::parse_model({reinterpret_cast<const char*>(data), size}, "fuzz"), "fuzz",
        binding, "fuzz"));
  } catch (const Error&) {
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  demand(seconds <= most_seconds, "a hang of " + std::to_string(seconds) + " s");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  ::onnx::ModelProto model;
  const auto kind = random() % 8;
  if (kind == 0) {
    model = fuzz::single_node(random);
  } else if (kind < 3 || !model.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, most);
  }
  for (auto changes = 1 + random() % 4; changes > 0; --changes) fuzz::mutate(model, random);
  const std::size_t bytes = model.ByteSizeLong();
  if (bytes > most || !model.SerializeToArray(data, static_cast<int>(bytes))) {
    return LLVMFuzzerMutate(data, size, most);
  }
  return bytes;
}
