#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

/// A copy for every part that somebody reads.
Lowered split(const Site& site) {
  std::vector<Call> calls;
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    if (!site.has_output(index)) continue;
    const View part = split_view(site, index);
    if (part.dims == site.shape(0)) return free_layer("its only part is the whole input");
    if (element_count(part.dims) == 0) continue;
    calls.push_back(copy_call(part, dense_view(part.dims), static_cast<int>(index)));
  }
  return movement(std::move(calls));
}

}  // namespace

void register_split(LoweringTable& table) { table.add("Split", split); }

}  // namespace benanza::onnx::lower
