#include "generator/fusion/flow.h"

namespace benanza {

Flow::Flow(const std::vector<Layer>& layers) : layers_(&layers), readers_(layers.size(), -1) {
  for (int index = 0; index < size(); ++index) {
    if (layer(index).constant) continue;
    for (const Read& read : layer(index).reads) {
      if (read.producer >= 0) readers_[static_cast<std::size_t>(read.producer)] = index;
    }
  }
}

std::optional<int> Flow::reader(int index) const {
  const Layer& producer = layer(index);
  const int found = readers_[static_cast<std::size_t>(index)];
  if (producer.outputs.size() != 1 || producer.uses != 1 || found < 0) return std::nullopt;
  return found;
}

const Read* Flow::read(int index, const Source& source) const {
  if (source.kind != Source::Kind::input) return nullptr;
  const auto& reads = layer(index).reads;
  const auto place = static_cast<std::size_t>(source.index);
  return place < reads.size() ? &reads[place] : nullptr;
}

bool Flow::is_constant(int index, const Source& source) const {
  const Read* found = read(index, source);
  return found != nullptr && found->constant;
}

bool Flow::comes_from(int index, const Source& source, int producer) const {
  const Read* found = read(index, source);
  return found != nullptr && found->producer == producer;
}

}  // namespace benanza
