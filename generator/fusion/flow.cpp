#include "generator/fusion/flow.h"

namespace benanza::fusion {

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

const Read* Flow::read(std::size_t index, const Source& source) const {
  if (source.kind != Source::Kind::input) return nullptr;
  const auto& reads = layer(index).reads;
  const auto place = static_cast<std::size_t>(source.index);
  return place < reads.size() ? &reads[place] : nullptr;
}

bool Flow::is_constant(std::size_t index, const Source& source) const {
  const Read* found = read(index, source);
  return found != nullptr && found->constant;
}

bool Flow::comes_from(std::size_t index, const Source& source, std::size_t producer) const {
  const Read* found = read(index, source);
  return found != nullptr && found->producer == producer;
}

}  // namespace benanza::fusion
