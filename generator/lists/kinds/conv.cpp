#include <algorithm>

#include "generator/lists/list.h"

namespace benanza::lists {
namespace {

Convolution forward(const Row& row) {
  const std::int64_t pad_h = row.integer("pad_h", 0);
  const std::int64_t pad_w = row.integer("pad_w", 0);
  const Convolution shape{
      .input = {row.integer("n"), row.integer("c"), row.integer("h"), row.integer("w")},
      .filters = row.integer("k"),
      .window = {.kernel = {row.integer("r"), row.integer("s")},
                 .pads = {pad_h, pad_w, pad_h, pad_w},
                 .strides = {row.integer("stride_h"), row.integer("stride_w")},
                 .dilations = {1, 1}}};
  if (std::ranges::min(shape.output()) < 1) throw row.error("the kernel is larger than the image");
  return shape;
}

Pass pass_of(const Row& row, const std::string& name, const Convolution& shape) {
  if (name == "fwd") return {.name = name, .problem = Problem{shape, {}}};
  if (name == "bwd_data") return {.name = name, .problem = Problem{data_gradient(shape), {}}};
  if (name == "bwd_weights") {
    return {.name = name, .problem = Problem{ConvolutionFilterGradient{shape}, {}}};
  }
  throw row.error("passes are fwd, bwd_data and bwd_weights, not \"" + name + '"');
}

Entry read(const Row& row) {
  const Convolution shape = forward(row);
  Entry entry;
  for (const char* column : {"n", "c", "h", "w", "k", "r", "s"}) {
    entry.sizes += std::string(column) + '=' + row.text(column) + ' ';
  }
  entry.sizes += "pad=" + row.text("pad_h") + ',' + row.text("pad_w") +
                 " stride=" + row.text("stride_h") + ',' + row.text("stride_w");
  for (const std::string& name : row.words("passes")) {
    entry.passes.push_back(pass_of(row, name, shape));
  }
  return entry;
}

}  // namespace

Kind conv_kind() { return {"conv", read}; }

}  // namespace benanza::lists
