#include "generator/fusion/flow.h"

#include <algorithm>

namespace benanza::fusion {
namespace {

bool is_floating(const Output& output) {
  return output.type == "float" || output.type == "float16" || output.type == "bfloat16" ||
         output.type == "double";
}

}  // namespace

Flow::Flow(const std::vector<LoweredLayer>& layers) : layers_(&layers), readers_(layers.size()) {
  for (std::size_t index = 0; index < size(); ++index) {
    if (layer(index).constant) continue;
    for (const Read& read : layer(index).reads) {
      if (read.producer) readers_[*read.producer] = index;
    }
  }
}

std::optional<std::size_t> Flow::reader(std::size_t index) const {
  const LoweredLayer& producer = layer(index);
  if (producer.outputs.size() != 1 || producer.uses != 1) return std::nullopt;
  return readers_[index];
}

bool Flow::passes_on(std::size_t index) const {
  const LoweredLayer& one = layer(index);
  if (one.constant || one.outputs.size() != 1 || !one.outputs[0].shape || one.reads.empty() ||
      !one.reads[0].producer) {
    return false;
  }
  if (one.cost == Cost::free) return one.op != "BitCast";
  if (one.op != "Cast" && one.op != "CastLike") return false;
  const std::vector<Output>& made = layer(*one.reads[0].producer).outputs;
  return is_floating(one.outputs[0]) && std::ranges::all_of(made, is_floating);
}

const Read* Flow::read(std::size_t index, const Source& source) const {
  if (source.kind != Source::Kind::input || !source.is_whole()) return nullptr;
  const auto& reads = layer(index).reads;
  const auto place = static_cast<std::size_t>(source.index);
  return place < reads.size() ? &reads[place] : nullptr;
}

bool Flow::is_constant(std::size_t index, const Source& source) const {
  const Read* found = read(index, source);
  return found != nullptr && found->constant;
}

bool Flow::is_view(std::size_t index) const {
  return layer(index).cost == Cost::free && !layer(index).constant && !layer(index).reads.empty();
}

std::vector<bool> Flow::layers_before(std::size_t index) const {
  std::vector<bool> before(size(), false);
  std::vector<std::size_t> next{index};
  while (!next.empty()) {
    const std::size_t current = next.back();
    next.pop_back();
    for (const Read& read : layer(current).reads) {
      if (!read.producer || before[*read.producer]) continue;
      before[*read.producer] = true;
      next.push_back(*read.producer);
    }
  }
  return before;
}

bool Flow::may_be_overwritten(std::size_t index, const Source& source, std::size_t start) const {
  const Read* found = read(index, source);
  if (found == nullptr || found->constant || !found->producer) return false;
  std::size_t maker = *found->producer;
  while (is_view(maker)) {
    if (!layer(maker).reads[0].producer) return false;
    maker = *layer(maker).reads[0].producer;
  }
  if (layer(maker).constant) return false;
  const std::vector<bool> before = layers_before(start);
  std::vector<bool> same_memory(size(), false);
  std::vector<int> reads(size(), 0);
  same_memory[maker] = true;
  int own_reads = 0;
  for (std::size_t reader = maker + 1; reader < size(); ++reader) {
    if (layer(reader).constant) continue;
    for (const Read& read : layer(reader).reads) {
      if (!read.producer || !same_memory[*read.producer]) continue;
      ++reads[*read.producer];
      if (reader == index) ++own_reads;
      const bool view = is_view(reader) && &read == layer(reader).reads.data();
      if (view) same_memory[reader] = true;
      if (reader != index && !view && !before[reader]) return false;
    }
  }
  for (std::size_t name = 0; name < size(); ++name) {
    // Uses not counted as a layer's reads are the caller's.
    if (same_memory[name] && layer(name).uses != reads[name]) return false;
  }
  return own_reads == 1;
}

bool Flow::comes_from(std::size_t index, const Source& source, std::size_t producer) const {
  const Read* found = read(index, source);
  return found != nullptr && found->producer == producer;
}

}  // namespace benanza::fusion
