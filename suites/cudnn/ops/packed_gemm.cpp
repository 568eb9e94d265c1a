#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/graph_call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/each_group.h"
#include "suites/harness/packed_values.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/tensor_format.h"

// Products with weights of 4 or 8 bits, which engines multiply by their scales on the way from
// memory (9.19, H100: with each scale for a block of a column, for a column, or for all). The
// library has no engine that only unpacks weights.
namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

using harness::packed_operand;

/// Scales lie behind the weights, from a multiple of this.
constexpr std::int64_t scales_alignment_bytes = 256;

/// How weights and scales lie in memory, one after the other.
struct PackedLayout {
  Gemm shape;
  PackedWeights packed;
  Precision precision = Precision::fp16;

  std::int64_t block() const { return harness::block_length(shape, packed); }
  std::int64_t blocks() const { return (shape.k + block() - 1) / block(); }
  bool for_all() const { return harness::has_one_scale(packed); }
  std::int64_t scales() const { return for_all() ? 1 : shape.n * blocks(); }
  std::int64_t scales_at() const {
    const std::int64_t bytes = (shape.n * shape.k * bits_of(packed.type) + 7) / 8;
    return (bytes + scales_alignment_bytes - 1) / scales_alignment_bytes * scales_alignment_bytes;
  }
  std::int64_t bytes() const { return scales_at() + scales() * element_bytes(precision); }

  std::vector<std::byte> stored(std::span<const float> values) const {
    const harness::PackedValues found = harness::packed_values(values, shape, packed);
    std::vector<std::byte> stored;
    if (bits_of(packed.type) == 4) {
      stored = harness::in_halves(found.weights);
    } else {
      const auto integers = std::as_bytes(std::span(found.weights));
      stored.assign(integers.begin(), integers.end());
    }
    stored.resize(static_cast<std::size_t>(scales_at()));
    const auto scales = nvidia::to_storage(
        found.scales, nvidia::tensor_format(precision, {this->scales()}, Layout::plain));
    stored.insert(stored.end(), scales.begin(), scales.end());
    return stored;
  }
};

void refuse_packed(const Gemm& shape, const harness::Variant& variant) {
  const PackedWeights& packed = *variant.problem.packed;
  if (!harness::is_multiplied_packed(packed)) {
    throw harness::Unsupported("no call that multiplies by " + packed.text());
  }
  if (variant.precision != Precision::fp16 && variant.precision != Precision::bf16) {
    throw harness::Unsupported("cuDNN multiplies packed weights at fp16 and bf16");
  }
  if (!shape.batch().empty() || shape.transpose_a) {
    throw harness::Unsupported("packed weights: matrices without a batch, the first row by row");
  }
}

class PackedGraph {
 public:
  PackedGraph(const Gemm& shape, const harness::Variant& variant)
      : shape_(shape),
        variant_(variant),
        layout_{shape, *variant.problem.packed, variant.precision} {
    for (const Operand& operand : inputs(variant.problem)) {
      call_.inputs.push_back({variant.precision, operand.dims, dense_strides(operand.dims)});
    }
    call_.prefix = "packed.";
    call_.inputs[packed_operand] = {Precision::int8, {layout_.bytes()}, {1}};
    call_.encoded = {{packed_operand, [layout = layout_](std::span<const float> values) {
                        return layout.stored(values);
                      }}};
    call_.output = {variant.precision, shape.output(), dense_strides(shape.output())};
  }

  GraphCall take() {
    const Id weights =
        graph().intermediate(columns(shape_.n, shape_.k), storage_type(variant_.precision));
    add_dequantization(weights);
    const Id data = bind(graph().tensor(rows(shape_.m, shape_.k)), 0);
    Chain chain(graph(), rows(shape_.m, shape_.n));
    chain.add([&](Id, Id y) { graph().multiply(data, weights, y); });
    add_epilogue(chain);
    chain.finish(bind(graph().tensor(rows(shape_.m, shape_.n)), call_.result()));
    return std::move(call_);
  }

 private:
  OperationGraph& graph() { return call_.graph(); }
  nvidia::TensorFormat rows(std::int64_t count, std::int64_t length) const {
    return {variant_.precision, {1, count, length}, {count * length, length, 1}};
  }
  /// A matrix of `count` columns, each contiguous.
  nvidia::TensorFormat columns(std::int64_t count, std::int64_t length) const {
    return {variant_.precision, {1, length, count}, {count * length, 1, length}};
  }

  Id bind(Id id, std::size_t memory, std::int64_t offset = 0) {
    call_.stages.front().tensors.push_back({id, memory, offset});
    return id;
  }

  void add_dequantization(Id weights) {
    const bool is_four_bits = bits_of(layout_.packed.type) == 4;
    const Id stored = bind(graph().tensor(columns(shape_.n, shape_.k),
                                          is_four_bits ? CUDNN_DATA_INT4 : CUDNN_DATA_INT8),
                           packed_operand);
    const bool for_all = layout_.for_all();
    const Id scales = bind(graph().tensor(columns(for_all ? 1 : shape_.n, layout_.blocks())),
                           packed_operand, layout_.scales_at());
    // At fp16, the product of an integer and a scale is rounded to fp16 in any case.
    graph().dequantize(stored, scales, weights, {layout_.block(), for_all ? shape_.n : 1},
                       variant_.precision == Precision::fp16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT);
  }

  void add_epilogue(Chain& chain) {
    const Epilogue& epilogue = variant_.problem.epilogue;
    std::size_t operand = packed_operand;
    if (epilogue.bias) {
      chain.add(BinaryKind::add, bind(graph().tensor(rows(1, shape_.n)), ++operand));
    }
    if (epilogue.residual) {
      chain.add(BinaryKind::add, bind(graph().tensor(rows(shape_.m, shape_.n)), ++operand));
    }
    if (epilogue.activation) chain.add(*epilogue.activation, Relu::maximum);
    chain.add(epilogue.steps, [&](const Dims& dims) {
      const std::size_t rank = dims.size();
      const nvidia::TensorFormat beside = rows(rank > 1 ? dims[rank - 2] : 1, dims.back());
      return bind(graph().tensor(beside), ++operand);
    });
  }

  Gemm shape_;
  const harness::Variant& variant_;
  PackedLayout layout_;
  GraphCall call_;
};

std::vector<GraphCall> packed_graphs(const Gemm& shape, const harness::Variant& variant) {
  refuse_packed(shape, variant);
  std::vector<GraphCall> calls;
  calls.push_back(PackedGraph(shape, variant).take());
  return calls;
}

/// The GPU's memory, which outlives every call.
std::shared_ptr<harness::Allocator> allocator_of(Library& library) {
  return {std::shared_ptr<void>(), &library.cuda().allocator()};
}

/// Products of groups of rows, one after the other: no engine has several groups and their scales.
harness::Family<Library, GroupedGemm> packed_groups(const harness::Family<Library, Gemm>& product) {
  static constexpr std::string_view prefix = "each.";
  return {
      .layouts = [](const GroupedGemm&) { return std::vector{Layout::plain}; },
      .ways =
          [ways = product.ways](Library& library, const GroupedGemm& shape,
                                const harness::Variant& prototype, harness::AlgorithmSet set) {
            return harness::each_group(
                shape, prototype,
                [&](const harness::Variant& one) {
                  return ways(library, std::get<Gemm>(one.problem.shape), one, set);
                },
                [&library] { return allocator_of(library); });
          },
      .way = [way = product.way](Library& library, const GroupedGemm& shape,
                                 const harness::Variant& variant) -> std::optional<harness::Way> {
        if (!variant.algorithm.starts_with(prefix)) return std::nullopt;
        const auto named = [&](harness::Variant one) {
          one.algorithm.erase(0, prefix.size());
          auto found = way(library, std::get<Gemm>(one.problem.shape), one);
          return found ? std::vector{*std::move(found)} : std::vector<harness::Way>{};
        };
        return harness::each_group(shape, variant, named,
                                   [&library] { return allocator_of(library); })
            .front();
      },
      .for_packed = true};
}

}  // namespace

void register_packed_gemm(WayTable& table) {
  auto family = engines_of<Gemm>([](const Gemm&) { return std::vector{Layout::plain}; },
                                 packed_graphs, Steps::in_graph);
  family.for_packed = true;
  table.add(packed_groups(family));
  table.add(std::move(family));
}

}  // namespace benanza::cudnn
