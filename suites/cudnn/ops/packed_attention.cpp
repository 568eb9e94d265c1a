#include <string>
#include <utility>

#include "core/problem/stored_types.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/ops/attention.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

// Attention over a cache of 8-bit floats, read as it is stored: queries are rounded to that type
// before the call, and its result is converted behind it.
namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

void refuse_packed_attention(const harness::Variant& variant) {
  const PackedWeights& packed = *variant.problem.packed;
  if (packed.type != PackedType::fp8) {
    throw harness::Unsupported("no call reads keys and values stored as " +
                               std::string(to_string(packed.type)));
  }
  if (element_bytes(variant.precision) != 2) {
    throw harness::Unsupported("keys and values of 8 bits are multiplied for results of 16 bits");
  }
}

nvidia::TensorFormat dense(Precision precision, const Dims& dims) {
  return {precision, dims, dense_strides(dims)};
}

/// Converts memory `from` to memory `to`, with a factor as an adjustable scale is.
void add_conversion(GraphCall::Stage& stage, std::int64_t count, Precision source, std::size_t from,
                    Precision result, std::size_t to) {
  const std::vector<std::int64_t> widths = identity_widths(count);
  if (widths.empty()) throw harness::Unsupported("conversions of rows of 32 elements alone");
  const nvidia::TensorFormat rows = rows_of(source, count, widths.front());
  const nvidia::TensorFormat made = rows_of(result, count, widths.front());
  OperationGraph& graph = stage.graph;
  const Id x = graph.tensor(rows, graph_type(source));
  const Id y = graph.tensor(made, graph_type(result));
  identity_product(graph, rows, x, graph.scalar(1, rows.dims.size()), y);
  stage.tensors = {{x, from}, {y, to}};
}

std::vector<GraphCall> packed_attention(const Attention& shape, const harness::Variant& variant) {
  refuse_packed_attention(variant);
  harness::Variant in_bytes = variant;
  in_bytes.precision = Precision::fp8;
  GraphCall product = std::move(attention_graphs(shape, in_bytes).back());

  std::vector<GraphCall> found(1);
  GraphCall& call = found.front();
  call.prefix = "converted.";
  const std::vector<Operand> operands = shape.inputs();
  call.inputs = {dense(variant.precision, operands[0].dims),
                 dense(Precision::fp8, operands[1].dims), dense(Precision::fp8, operands[2].dims)};
  call.output = dense(variant.precision, shape.output());
  call.intermediates = {dense(Precision::fp8, operands[0].dims),
                        dense(Precision::fp8, shape.output())};
  const std::size_t queries = call.intermediate(0);
  const std::size_t result = call.intermediate(1);

  add_conversion(call.stages.front(), element_count(operands[0].dims), variant.precision, 0,
                 Precision::fp8, queries);
  GraphCall::Stage& between = call.stages.emplace_back(std::move(product.stages.front()));
  between.tensors = {{product.bound[0], queries},
                     {product.bound[1], 1},
                     {product.bound[2], 2},
                     {product.bound[3], result}};
  for (const GraphCall::Own& ignored : product.ignored_results) {
    between.tensors.push_back({ignored.id, call.intermediate(call.intermediates.size())});
    call.intermediates.push_back(ignored.format);
  }
  add_conversion(call.stages.emplace_back(), element_count(shape.output()), Precision::fp8, result,
                 variant.precision, call.result());
  return found;
}

}  // namespace

void register_packed_attention(WayTable& table) {
  auto family = engines_of<Attention>([](const Attention&) { return std::vector{Layout::plain}; },
                                      packed_attention);
  family.for_packed = true;
  table.add(std::move(family));
}

}  // namespace benanza::cudnn
