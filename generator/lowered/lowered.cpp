#include "generator/lowered/lowered.h"

namespace benanza {

std::string to_string(const Assumption& assumption) {
  return assumption.tensor + ':' + std::to_string(assumption.axis) + '=' +
         std::to_string(assumption.extent);
}

void set_work(LoweredLayer& layer) {
  layer.problems.clear();
  for (const Call& call : layer.calls) layer.problems.push_back(key(call.problem));
  if (layer.cost == Cost::unsupported) return;
  layer.flops = 0;
  layer.bytes = 0;
  if (layer.cost == Cost::free) return;
  for (const Call& call : layer.calls) {
    const Work done = work(call.problem, Precision::fp32);
    *layer.flops += done.flops;
    *layer.bytes += static_cast<double>(done.bytes());
  }
}

void set_inputs(LoweredLayer& layer) {
  std::set<std::size_t> producers;
  for (const Read& read : layer.reads) {
    if (read.producer) producers.insert(*read.producer);
  }
  layer.inputs = {producers.begin(), producers.end()};
}

}  // namespace benanza
