#include <utility>

#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

// The products of a mixture of experts, by one operation for all groups.
namespace benanza::cudnn {
namespace {

std::vector<GraphCall> grouped_graphs(const GroupedGemm& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  const bool is_fp8 = precision == Precision::fp8;
  if (precision != Precision::fp16 && precision != Precision::bf16 && !is_fp8) {
    throw harness::Unsupported("cuDNN multiplies groups of rows at fp16, bf16 and fp8");
  }
  std::vector<GraphCall> found;
  GraphCall& call = found.emplace_back();
  for (const Operand& operand : shape.inputs()) {
    call.inputs.push_back({precision, operand.dims, dense_strides(operand.dims)});
  }
  call.output = {precision, shape.output(), dense_strides(shape.output())};

  OperationGraph& graph = call.graph();
  const auto rows = [&](std::int64_t length) {
    const Dims dims{1, shape.rows(), length};
    return nvidia::TensorFormat{precision, dims, dense_strides(dims)};
  };
  const std::int64_t groups = shape.group_count();
  const std::int64_t elements = shape.k * shape.n;
  const Dims strides = shape.transpose_b ? Dims{elements, 1, shape.k} : Dims{elements, shape.n, 1};
  std::vector<std::int32_t> begins;
  std::int32_t row = 0;
  for (const std::int64_t count : shape.rows_of_groups()) {
    begins.push_back(row);
    row += static_cast<std::int32_t>(count);
  }
  const auto tensor = [&](const nvidia::TensorFormat& format) {
    return graph.tensor(format, graph_type(format.precision));
  };
  const auto x = tensor(rows(shape.k));
  const auto w = tensor({precision, {groups, shape.k, shape.n}, strides});
  const auto y = tensor(rows(shape.n));
  graph.multiply_groups(x, w, graph.integers(std::move(begins), {groups, 1, 1}), y);
  call.bound = {x, w, y};
  return found;
}

}  // namespace

void register_grouped_gemm(WayTable& table) {
  auto family = engines_of<GroupedGemm>(
      [](const GroupedGemm&) { return std::vector{Layout::plain}; }, grouped_graphs);
  // Few engines, and which is the fastest depends on the number of rows more than on their order.
  family.ways = [listed = family.ways](Library& library, const GroupedGemm& shape,
                                       const harness::Variant& prototype,
                                       harness::AlgorithmSet set) {
    using enum harness::AlgorithmSet;
    return listed(library, shape, prototype, set == leading ? all : set);
  };
  family.chooses_leading = true;
  table.add(std::move(family));
}

}  // namespace benanza::cudnn
