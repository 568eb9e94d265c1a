#include <algorithm>
#include <numeric>
#include <utility>

#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/ops/normalization/normalization.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/harness/primitive.h"

// Normalization of few long rows: the library's own engines use one multiprocessor per row. Here
// rows are cut into segments. One call computes the sums of segments and of their squares, one adds
// those of a row, one makes a factor and a term for every row, or channel of a group, and the last
// one applies them.
namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

struct SequenceRows {
  std::int64_t count = 0;
  std::int64_t length = 0;
};

/// A tensor of a call: where it is, and its extents, with the rank of the problem's input.
struct Source {
  std::size_t memory = 0;
  std::int64_t offset = 0;
  Precision precision = Precision::fp32;
  Dims dims;
};

/// A graph of elementwise operations under construction.
class Elementwise {
 public:
  /// All tensors broadcast to the last one, which is the result.
  explicit Elementwise(const std::vector<Source>& tensors) {
    std::vector<Precision> precisions;
    std::vector<Dims> extents;
    for (const Source& tensor : tensors) {
      precisions.push_back(tensor.precision);
      extents.push_back(tensor.dims);
    }
    formats_ = merged_formats(precisions, std::move(extents));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::int64_t begin = tensors[i].offset * element_bytes(tensors[i].precision);
      ids_.push_back(stage_.graph.part(formats_[i], std::gcd(std::int64_t{16}, begin)));
      stage_.tensors.push_back({ids_.back(), tensors[i].memory, tensors[i].offset});
    }
  }

  OperationGraph& graph() { return stage_.graph; }
  Id at(std::size_t tensor) const { return ids_[tensor]; }
  Id scalar(double value) {
    return stage_.graph.scalar(static_cast<float>(value), format().dims.size());
  }
  Id zeros() {
    nvidia::TensorFormat format = this->format();
    format.precision = Precision::fp32;
    return stage_.graph.filled(format, 0);
  }
  /// A virtual tensor of the extents of tensor `like`: the result, or any if it is one element. (Of
  /// others nothing is computed: 9.19, H100. At least one of the operands must have these extents,
  /// too.)
  Id made(cudnnPointwiseMode_t mode, Id a, Id b, std::size_t like) {
    const Id result = stage_.graph.intermediate(formats_[like]);
    stage_.graph.pointwise({mode}, a, b, result);
    return result;
  }
  Chain chain() { return {stage_.graph, format()}; }
  GraphCall::Stage finished() && { return std::move(stage_); }

 private:
  const nvidia::TensorFormat& format() const { return formats_.back(); }

  GraphCall::Stage stage_;
  std::vector<nvidia::TensorFormat> formats_;
  std::vector<Id> ids_;
};

/// The problem's operands behind x that multiply or add one value per row, or per part of a row, as
/// group normalization does per channel.
struct Parameters {
  std::vector<Source> operands;
  std::vector<BinaryKind> kinds;
  /// How many of the problem's steps these are.
  std::size_t steps = 0;
  /// The extents to which they broadcast.
  Dims extents;
};

Parameters parameters(const InstanceNormalization& shape, const harness::Variant& variant) {
  Dims of_channels(shape.input.size(), 1);
  of_channels[1] = shape.input[1];
  Parameters found;
  found.extents = of_channels;
  found.extents[0] = shape.input[0];
  const auto add = [&](BinaryKind kind, std::size_t operand, const Dims& dims) {
    found.operands.push_back({operand, 0, variant.precision, dims});
    found.kinds.push_back(kind);
  };
  if (shape.affine) {
    add(BinaryKind::mul, 1, of_channels);
    add(BinaryKind::add, 2, of_channels);
  }
  std::size_t next = first_step_operand(variant.problem);
  for (const Step& step : variant.problem.epilogue.steps) {
    const auto* combine = std::get_if<Combine>(&step);
    const bool folds = combine != nullptr && combine->y.back() == 1 &&
                       (combine->kind == CombineKind::mul || combine->kind == CombineKind::add);
    if (!folds) break;
    for (std::size_t axis = 0; axis < combine->y.size(); ++axis) {
      found.extents[axis] = std::max(found.extents[axis], combine->y[axis]);
    }
    add(combine->kind == CombineKind::mul ? BinaryKind::mul : BinaryKind::add, next++, combine->y);
    ++found.steps;
  }
  return found;
}

/// Two fp32 tensors of these extents, one behind the other, in the last intermediate.
std::vector<Source> last_two(const GraphCall& sequence, const Dims& extents) {
  const std::size_t memory = sequence.intermediate(sequence.intermediates.size() - 1);
  return {{memory, 0, Precision::fp32, extents},
          {memory, element_count(extents), Precision::fp32, extents}};
}

/// Adds an intermediate of two such tensors of `count` elements.
void add_two(GraphCall& sequence, std::int64_t count) {
  sequence.intermediates.push_back(rows_of_channels(Precision::fp32, 2 * count, 1));
}

/// The sums of x's rows, and of their squares.
void add_sums_of_rows(GraphCall& sequence, Precision precision, const SequenceRows& rows) {
  add_two(sequence, rows.count);
  GraphCall::Stage& stage = sequence.stages.emplace_back();
  const nvidia::TensorFormat data = rows_of_channels(precision, rows.count, rows.length);
  const nvidia::TensorFormat sums = rows_of_channels(Precision::fp32, rows.count, 1);
  const std::int64_t begin = rows.count * element_bytes(Precision::fp32);
  const Id x = stage.graph.tensor(data);
  const Id sum = stage.graph.tensor(sums);
  const Id of_squares = stage.graph.part(sums, std::gcd(std::int64_t{16}, begin));
  const Id squares = stage.graph.intermediate(data);
  stage.graph.pointwise({CUDNN_POINTWISE_MUL}, x, x, squares);
  stage.graph.reduce(CUDNN_REDUCE_TENSOR_ADD, squares, of_squares);
  stage.graph.reduce(CUDNN_REDUCE_TENSOR_ADD, x, sum);
  const std::size_t memory = sequence.intermediate(0);
  stage.tensors = {{x, 0}, {sum, memory}, {of_squares, memory, rows.count}};
}

/// The sums over the segments of every row, of both tensors at once.
void add_sums_of_segments(GraphCall& sequence, std::int64_t rows, std::int64_t segments) {
  add_two(sequence, rows);
  GraphCall::Stage& stage = sequence.stages.emplace_back();
  const Id from = stage.graph.tensor(rows_of_channels(Precision::fp32, 2 * rows, segments));
  const Id to = stage.graph.tensor(rows_of_channels(Precision::fp32, 2 * rows, 1));
  stage.graph.reduce(CUDNN_REDUCE_TENSOR_ADD, from, to);
  stage.tensors = {{from, sequence.intermediate(0)}, {to, sequence.intermediate(1)}};
}

Dims statistic_of(const InstanceNormalization& shape) {
  Dims statistic(shape.input.size(), 1);
  statistic[0] = shape.input[0];
  statistic[1] = shape.input[1];
  return statistic;
}

/// What normalizes x: (x - mean) * inverse.
struct Statistics {
  Id mean;
  Id inverse;
};

/// From the sums and those of the squares; `like` as in made().
Statistics statistics(Elementwise& graph, Id sum, Id of_squares, const SequenceRows& rows,
                      float epsilon, std::size_t like) {
  const Id share = graph.scalar(1 / static_cast<double>(rows.length));
  const Id mean = graph.made(CUDNN_POINTWISE_MUL, sum, share, like);
  const Id square = graph.made(CUDNN_POINTWISE_MUL, of_squares, share, like);
  const Id of_mean = graph.made(CUDNN_POINTWISE_MUL, mean, mean, like);
  const Id variance = graph.made(CUDNN_POINTWISE_SUB, square, of_mean, like);
  const Id shifted =
      graph.made(CUDNN_POINTWISE_ADD, variance, graph.scalar(static_cast<double>(epsilon)), like);
  return {mean, graph.made(CUDNN_POINTWISE_RSQRT, shifted, OperationGraph::none, like)};
}

/// What x is multiplied by, and what is then added: from the sums in the last intermediate and the
/// parameters.
void add_factors(GraphCall& sequence, const InstanceNormalization& shape,
                 const Parameters& parameters, const SequenceRows& rows) {
  const Dims statistic = statistic_of(shape);
  std::vector<Source> tensors = last_two(sequence, statistic);
  tensors.insert(tensors.end(), parameters.operands.begin(), parameters.operands.end());
  add_two(sequence, element_count(parameters.extents));
  const std::vector<Source> results = last_two(sequence, parameters.extents);
  tensors.insert(tensors.end(), results.begin(), results.end());

  Elementwise graph(tensors);
  const std::size_t result = tensors.size() - 1;
  const auto repeated = [&](std::size_t tensor) {
    if (statistic == parameters.extents) return graph.at(tensor);
    return graph.made(CUDNN_POINTWISE_ADD, graph.zeros(), graph.at(tensor), result);
  };
  const auto [mean, inverse] =
      statistics(graph, repeated(0), repeated(1), rows, shape.epsilon, result);
  const Id negative = graph.made(CUDNN_POINTWISE_MUL, mean, graph.scalar(-1), result);
  Chain factors = graph.chain();
  Chain terms = graph.chain();
  factors.add([&, inverse = inverse](Id, Id to) {
    graph.graph().pointwise({CUDNN_POINTWISE_MUL}, inverse, graph.scalar(1), to);
  });
  terms.add([&, inverse = inverse](Id, Id to) {
    graph.graph().pointwise({CUDNN_POINTWISE_MUL}, negative, inverse, to);
  });
  for (std::size_t i = 0; i < parameters.kinds.size(); ++i) {
    const Id operand = graph.at(2 + i);
    if (parameters.kinds[i] == BinaryKind::mul) factors.add(BinaryKind::mul, operand);
    terms.add(parameters.kinds[i], operand);
  }
  factors.finish(graph.at(result - 1));
  terms.finish(graph.at(result));
  sequence.stages.push_back(std::move(graph).finished());
}

/// The result from x and the last intermediate, with the problem's other steps: from factors and
/// terms of these extents or, of a single row without parameters for its parts, from its sums.
void add_application(GraphCall& sequence, const InstanceNormalization& shape,
                     const harness::Variant& variant, const Parameters& parameters,
                     const SequenceRows& rows, bool of_sums) {
  std::vector<Source> tensors = last_two(sequence, parameters.extents);
  tensors.push_back({0, 0, variant.precision, shape.input});
  const std::size_t first = tensors.size();
  if (of_sums) {
    tensors.insert(tensors.end(), parameters.operands.begin(), parameters.operands.end());
  }
  std::size_t next = tensors.size();
  const std::vector<Operand> operands = inputs(variant.problem);
  for (std::size_t i = 1 + parameters.operands.size(); i < operands.size(); ++i) {
    tensors.push_back({i, 0, variant.precision, operands[i].dims});
  }
  tensors.push_back({sequence.result(), 0, variant.precision, shape.input});

  Elementwise graph(tensors);
  Chain chain = graph.chain();
  const auto begin = [&](cudnnPointwiseMode_t mode, Id operand) {
    chain.add([&graph, mode, operand](Id, Id to) {
      graph.graph().pointwise({mode}, graph.at(2), operand, to);
    });
  };
  if (of_sums) {
    const auto [mean, inverse] =
        statistics(graph, graph.at(0), graph.at(1), rows, shape.epsilon, 0);
    begin(CUDNN_POINTWISE_SUB, mean);
    chain.add(BinaryKind::mul, inverse);
    for (std::size_t i = 0; i < parameters.kinds.size(); ++i) {
      chain.add(parameters.kinds[i], graph.at(first + i));
    }
  } else {
    begin(CUDNN_POINTWISE_MUL, graph.at(0));
    chain.add(BinaryKind::add, graph.at(1));
  }
  const std::vector<Step>& steps = variant.problem.epilogue.steps;
  chain.add({steps.begin() + static_cast<std::ptrdiff_t>(parameters.steps), steps.end()},
            [&](const Dims&) { return graph.at(next++); });
  chain.finish(graph.at(tensors.size() - 1));
  sequence.stages.push_back(std::move(graph).finished());
}

GraphCall sequence_of(const InstanceNormalization& shape, const harness::Variant& variant,
                      const SequenceRows& rows, std::int64_t segment) {
  const std::int64_t segments = rows.length / segment;
  GraphCall sequence;
  sequence.stages.clear();
  sequence.prefix =
      segments > 1 ? "segments" + std::to_string(segment) + '.' : std::string("rows.");
  sequence.inputs = dense_inputs(variant);
  sequence.output = dense_output(variant);
  add_sums_of_rows(sequence, variant.precision, {rows.count * segments, segment});
  if (segments > 1) add_sums_of_segments(sequence, rows.count, segments);
  const Parameters found = parameters(shape, variant);
  // The library has no elementwise call for one element.
  const bool of_sums = element_count(found.extents) == 1;
  if (!of_sums) add_factors(sequence, shape, found, rows);
  add_application(sequence, shape, variant, found, rows, of_sums);
  return sequence;
}

/// The longest divisor of `length` up to `most`.
std::int64_t divisor(std::int64_t length, std::int64_t most) {
  while (length % most != 0) --most;
  return most;
}

}  // namespace

std::vector<GraphCall> instance_normalization_sequences(const InstanceNormalization& shape,
                                                        const harness::Variant& variant) {
  if (element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("cuDNN normalizes no 8 bits");
  }
  const std::int64_t count = shape.input[0] * shape.input[1];
  const SequenceRows rows{count, element_count(shape.input) / count};
  std::vector<GraphCall> found;
  // Shorter segments are as fast (H100).
  constexpr std::int64_t longest = 2048;
  constexpr std::int64_t shortest = 64;
  const std::int64_t segment = divisor(rows.length, longest);
  if (segment < rows.length && segment >= shortest) {
    found.push_back(sequence_of(shape, variant, rows, segment));
  }
  found.push_back(sequence_of(shape, variant, rows, rows.length));
  return found;
}

}  // namespace benanza::cudnn
