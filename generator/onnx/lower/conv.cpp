#include "generator/onnx/filter_bias.h"
#include "generator/onnx/lowering.h"
#include "generator/onnx/product.h"

namespace benanza::onnx::lower {
namespace {

Lowered conv(const Site& site) {
  std::vector<Call> calls{convolution_call(site, {})};
  if (site.has_input(2)) {
    calls.push_back(filter_bias(site, 2, output(calls[0].problem), from_call(0)));
  }
  return measured(std::move(calls));
}

}  // namespace

void register_conv(LoweringTable& table) { table.add("Conv", conv); }

}  // namespace benanza::onnx::lower
