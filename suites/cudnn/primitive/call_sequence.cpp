#include "suites/cudnn/primitive/call_sequence.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/problem/name.h"
#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/primitive/execution.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {
namespace {

/// Behind a sequence's name, the number of the one call whose plan is to be built: a process that
/// builds plans sends one for each request.
constexpr std::string_view only = ".only";

/// The names of the engines, without the sequence's prefix.
std::vector<std::string> engines_of(std::string_view algorithm) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t end = algorithm.find(next_engine);
    names.emplace_back(algorithm.substr(0, end));
    if (end == algorithm.npos) return names;
    algorithm.remove_prefix(end + 1);
  }
}

/// A variant's sequence, and its engines.
struct Named {
  CallSequence sequence;
  std::vector<std::string> engines;
  /// The only call that matters.
  std::optional<std::size_t> only;
};

Named named(CallSequences sequences, const harness::Variant& variant) {
  std::string_view name = variant.algorithm;
  Named found;
  if (const std::size_t at = name.rfind(only); at != name.npos) {
    const std::string_view number = name.substr(at + only.size());
    std::from_chars(number.data(), number.data() + number.size(), found.only.emplace());
    name = name.substr(0, at);
  }
  for (CallSequence& sequence : sequences) {
    if (!name.starts_with(sequence.prefix)) continue;
    found.engines = engines_of(name.substr(sequence.prefix.size()));
    if (found.engines.size() != sequence.calls.size() ||
        !found.engines.front().starts_with("engine")) {
      continue;
    }
    found.sequence = std::move(sequence);
    return found;
  }
  throw harness::Unsupported("cuDNN offers no " + std::string(variant.algorithm));
}

/// Throws Unsupported if a graph has no engine.
std::string name_of(CallSequence sequence, GraphPlans& plans) {
  constexpr EngineQuery first{.leading = 1, .most = 1, .most_compiled = 1};
  std::string names;
  for (CallSequence::Call& call : sequence.calls) {
    if (!names.empty()) names += '_';
    names += plans.known(std::move(call.graph), first)->choices.front().name();
  }
  return sequence.prefix + names;
}

class SequencePrimitive final : public CudnnPrimitive {
 public:
  SequencePrimitive(Library& library, const harness::Variant& variant, const CallSequence& sequence,
                    std::vector<PlannedGraph> planned, std::int64_t workspace_bytes)
      : CudnnPrimitive(library, variant, sequence.inputs, sequence.output, workspace_bytes) {
    for (const nvidia::TensorFormat& format : sequence.intermediates) {
      intermediates_.emplace_back(nvidia::span_bytes(format));
    }
    for (std::size_t call = 0; call < planned.size(); ++call) {
      std::vector<Execution::Binding> tensors;
      for (const CallSequence::Tensor& tensor : sequence.calls[call].tensors) {
        tensors.push_back({tensor.id, address(sequence, tensor)});
      }
      calls_.emplace_back(std::move(planned[call]), tensors, workspace(), stream());
    }
  }

  void run() override {
    for (const Execution& call : calls_) call.run(handle());
  }

 private:
  std::byte* address(const CallSequence& sequence, const CallSequence::Tensor& tensor) const {
    const std::size_t operands = sequence.inputs.size();
    if (tensor.memory < operands) {
      return input(tensor.memory) +
             tensor.offset * element_bytes(sequence.inputs[tensor.memory].precision);
    }
    if (tensor.memory == sequence.result()) {
      return output() + tensor.offset * element_bytes(sequence.output.precision);
    }
    const std::size_t index = tensor.memory - sequence.intermediate(0);
    return intermediates_.at(index).data() +
           tensor.offset * element_bytes(sequence.intermediates[index].precision);
  }

  std::vector<nvidia::DeviceMemory> intermediates_;
  std::vector<Execution> calls_;
};

}  // namespace

bool is_sequence(const harness::Algorithm& algorithm) { return library_calls(algorithm) > 1; }

std::vector<harness::Algorithm> sequence_algorithms(CallSequences sequences,
                                                    const harness::Variant& prototype,
                                                    harness::AlgorithmSet set, GraphPlans& plans) {
  std::string graphs = "sequences";
  for (const CallSequence& sequence : sequences) {
    graphs += ' ' + sequence.prefix + sequence.calls.front().graph.signature();
  }
  return plans.names(prototype, set, std::move(graphs), [&](EngineNames& found) {
    for (CallSequence& sequence : sequences) {
      try {
        found.names.push_back(name_of(std::move(sequence), plans));
      } catch (const harness::Unsupported& refusal) {
        if (found.refusal.empty()) found.refusal = refusal.what();
      }
    }
  });
}

void expect_sequence(CallSequences sequences, const harness::Variant& variant, GraphPlans& plans) {
  Named found = named(std::move(sequences), variant);
  for (std::size_t call = 0; call < found.engines.size(); ++call) {
    if (found.only.value_or(call) != call) continue;
    harness::Variant request = variant;
    if (!found.only) request.algorithm += std::string(only) + std::to_string(call);
    expect_named(std::move(found.sequence.calls[call].graph), found.engines[call], plans, variant,
                 request);
  }
}

std::unique_ptr<harness::Primitive> make_sequence_primitive(Library& library,
                                                            CallSequences sequences,
                                                            const harness::Variant& variant) {
  Named found = named(std::move(sequences), variant);
  std::vector<PlannedGraph> planned;
  std::int64_t bytes = 0;
  for (std::size_t call = 0; call < found.engines.size(); ++call) {
    planned.push_back(plan_named(std::move(found.sequence.calls[call].graph), found.engines[call],
                                 library.graph_plans()));
    bytes = std::max(bytes, planned.back().workspace_bytes());
  }
  library.check_workspace(bytes);
  return std::make_unique<SequencePrimitive>(library, variant, found.sequence, std::move(planned),
                                             bytes);
}

}  // namespace benanza::cudnn
