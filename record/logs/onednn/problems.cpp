#include "record/logs/onednn/problems.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "core/base/text.h"

namespace benanza::record::onednn {
namespace {

struct Kind {
  std::string_view name;
  Problems (*problems)(const CallFields& call);
  bool moves = false;
  /// Its result may be wider than its operands.
  bool is_product = false;
};

constexpr Kind kinds[] = {{"convolution", convolution_problems, false, true},
                          {"deconvolution", deconvolution_problems, false, true},
                          {"inner_product", inner_product_problems, false, true},
                          {"matmul", matmul_problems, false, true},
                          {"pooling", pooling_problems},
                          {"pooling_v2", pooling_problems},
                          {"eltwise", eltwise_problems},
                          {"eltwise_v2", eltwise_problems},
                          {"binary", binary_problems},
                          {"prelu", prelu_problems},
                          {"sum", sum_problems},
                          {"softmax", softmax_problems},
                          {"softmax_v2", softmax_problems},
                          {"logsoftmax", softmax_problems},
                          {"logsoftmax_v2", softmax_problems},
                          {"batch_normalization", batch_normalization_problems},
                          {"batch_normalization_v2", batch_normalization_problems},
                          {"layer_normalization", layer_normalization_problems},
                          {"layer_normalization_v2", layer_normalization_problems},
                          {"lrn", lrn_problems},
                          {"reduction", reduction_problems},
                          {"resampling", resampling_problems},
                          {"rnn", rnn_problems},
                          {"reorder", reorder_problems, true},
                          {"concat", concat_problems, true}};

float value(const PostOperation& operation, std::size_t at) {
  if (at >= operation.values.size()) return 0;
  const std::string& text = operation.values[at];
  if (const auto number = text::number<float>(text)) return *number;
  throw Unsaid("post-operation " + operation.kind + ':' + text);
}

Step step(const PostOperation& operation, const Dims& result) {
  if (operation.kind == "sum") {
    // The values are scale and zero point.
    if ((!operation.values.empty() && value(operation, 0) != 1) || value(operation, 1) != 0) {
      throw Unsaid("post-operation sum with a scale");
    }
    return Combine{.kind = CombineKind::add, .y = result};
  }
  if (operation.kind.starts_with("eltwise_")) {
    if (operation.values.size() > 2 && value(operation, 2) != 1) {
      throw Unsaid("post-operation " + operation.kind + " with a scale");
    }
    const auto function = activation(operation.kind, value(operation, 0), value(operation, 1));
    if (function) return *function;
  }
  constexpr std::pair<std::string_view, CombineKind> combines[] = {
      {"binary_add", CombineKind::add}, {"binary_sub", CombineKind::sub},
      {"binary_mul", CombineKind::mul}, {"binary_div", CombineKind::div},
      {"binary_max", CombineKind::max}, {"binary_min", CombineKind::min}};
  for (const auto& [name, kind] : combines) {
    if (operation.kind != name) continue;
    // The type, then a mask with a bit for every axis that the tensor has.
    const auto mask = static_cast<std::uint64_t>(value(operation, 1));
    Dims y = result;
    for (std::size_t axis = 0; axis < y.size(); ++axis) {
      if ((mask >> axis & 1) == 0) y[axis] = 1;
    }
    return Combine{.kind = kind, .y = y};
  }
  throw Unsaid("post-operation " + operation.kind);
}

/// An axis of a format as blocks, from the outermost, each with its extent and stride.
struct Blocks {
  std::vector<std::pair<std::int64_t, std::int64_t>> list{};
};

/// The blocks of every axis; empty if the format pads an axis or is not understood.
std::optional<std::vector<Blocks>> blocks_of(const Dims& dims, const TensorText& tensor) {
  // From the left: whole axes in order, then inner blocks with their sizes.
  struct Place {
    std::size_t axis;
    std::int64_t extent;
    bool inner;
  };
  std::vector<Place> places;
  std::vector<std::int64_t> inner(dims.size(), 1);
  std::string_view rest = tensor.tag;
  while (!rest.empty()) {
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const bool is_inner = error == std::errc{};
    if (is_inner) rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    if (rest.empty()) return std::nullopt;
    const char letter = rest.front();
    rest.remove_prefix(1);
    const bool upper = letter >= 'A' && letter <= 'Z';
    const int axis = letter - (upper ? 'A' : 'a');
    if (axis < 0 || static_cast<std::size_t>(axis) >= dims.size()) return std::nullopt;
    const auto at = static_cast<std::size_t>(axis);
    if (is_inner && size < 1) return std::nullopt;
    if (is_inner) inner[at] *= size;
    places.push_back({at, is_inner ? size : 0, is_inner});
  }
  std::set<std::size_t> outer;
  for (Place& place : places) {
    if (place.inner) continue;
    if (dims[place.axis] % inner[place.axis] != 0) return std::nullopt;
    place.extent = dims[place.axis] / inner[place.axis];
    outer.insert(place.axis);
  }
  if (outer.size() != dims.size()) return std::nullopt;
  if (!tensor.strides.empty() && tensor.strides.size() != dims.size()) return std::nullopt;
  std::vector<Blocks> axes(dims.size());
  std::int64_t stride = 1;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    // Strides are printed for the outer axes only.
    const std::int64_t own =
        place->inner || tensor.strides.empty() ? stride : tensor.strides[place->axis];
    axes[place->axis].list.insert(axes[place->axis].list.begin(), {place->extent, own});
    stride *= place->extent;
  }
  return axes;
}

/// The distance between elements that are `step` apart on the axis.
std::int64_t stride_at(const Blocks& blocks, std::int64_t step) {
  std::int64_t below = 1;
  for (auto block = blocks.list.rbegin(); block != blocks.list.rend(); ++block) {
    if (step < below * block->first || std::next(block) == blocks.list.rend()) {
      return block->second * (step / below);
    }
    below *= block->first;
  }
  return 0;
}

/// The sizes of the blocks, each including all inner ones, from the innermost: 1, 4, 16, ...
std::set<std::int64_t> borders(const Blocks& blocks) {
  std::set<std::int64_t> list;
  std::int64_t below = 1;
  for (auto block = blocks.list.rbegin(); block != blocks.list.rend(); ++block) {
    list.insert(below);
    below *= block->first;
  }
  return list;
}

/// The layout whose format the first tensor has; of the library's own formats, with blocks, `any`.
/// Empty for tensors that are no images.
std::optional<Layout> layout_of(const CallFields& call) {
  if (call.tensors.empty()) return std::nullopt;
  const std::string& tag = call.tensors.front().tag;
  if (std::ranges::any_of(tag, [](unsigned char letter) { return std::isupper(letter) != 0; })) {
    return Layout::any;
  }
  if (tag == "abc" || tag == "abcd" || tag == "abcde") return Layout::nchw;
  if (tag == "acb" || tag == "acdb" || tag == "acdeb") return Layout::nhwc;
  return std::nullopt;
}

}  // namespace

std::optional<Copy> movement(const Dims& dims, const TensorText& from, const TensorText& to) {
  const auto source = blocks_of(dims, from);
  const auto target = blocks_of(dims, to);
  if (!source || !target) return std::nullopt;
  Copy copy;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    std::set<std::int64_t> cuts = borders((*source)[axis]);
    cuts.merge(borders((*target)[axis]));
    cuts.insert(dims[axis]);
    if (cuts.size() == 1) cuts.insert(1);
    // From the outermost piece; each must be a multiple of the next.
    for (auto cut = cuts.rbegin(); std::next(cut) != cuts.rend(); ++cut) {
      const std::int64_t below = *std::next(cut);
      if (*cut % below != 0) return std::nullopt;
      copy.dims.push_back(*cut / below);
      copy.from.push_back(stride_at((*source)[axis], below));
      copy.to.push_back(stride_at((*target)[axis], below));
    }
  }
  if (copy.dims.empty()) return Copy{{1}, {1}, {1}};
  return copy;
}

namespace {

/// Throws Unsaid if the operation reads another type than the call writes or, of floats, works on.
void check_type(const PostOperation& operation, const CallFields& call) {
  const bool is_sum = operation.kind == "sum";
  const std::size_t place = is_sum ? 2 : 0;
  const bool is_typed = is_sum || operation.kind.starts_with("binary_");
  if (!is_typed || operation.values.size() <= place) return;
  const std::string& type = operation.values[place];
  const TensorText* const result = call.tensor({"dst"});
  const bool is_of_floats = call.precision() && *call.precision() != Precision::int8;
  const std::string wanted = is_sum && result != nullptr ? result->type : std::string(call.type());
  if ((is_sum || is_of_floats) && type != wanted) {
    throw Unsaid("post-operation " + operation.kind + " of " + type);
  }
}

}  // namespace

Problem with_post_operations(Problem problem, const CallFields& call) {
  for (const PostOperation& operation : read_post_operations(call.text.attributes)) {
    if (!takes_steps(problem.shape)) throw Unsaid("post-operation " + operation.kind);
    check_type(operation, call);
    const Dims result = output(problem);
    problem = with_step(std::move(problem), step(operation, result));
  }
  return problem;
}

CallProblems problems_of(const CallText& text) {
  CallProblems result;
  try {
    const CallFields call(text);
    result.precision = call.precision();
    const Kind* known = nullptr;
    for (const Kind& kind : kinds) {
      if (kind.name == text.kind) known = &kind;
    }
    if (known == nullptr) throw Unsaid("no problem is known for it");
    if (!result.precision && !call.type().empty()) {
      throw Unsaid("operands of " + std::string(call.type()) + ", which is no precision's type");
    }
    result.moves = known->moves;
    result.layout = layout_of(call);
    // A reorder's strides are part of its problem.
    result.taken_as_dense = text.kind != "reorder" && call.is_strided();
    const bool is_reorder = text.kind == "reorder";
    if (const std::string unsaid = unsaid_of(call); !unsaid.empty()) throw Unsaid(unsaid);
    result.taken_as_operands = !is_reorder && call.has_other_result();
    if (result.taken_as_operands && !known->is_product) {
      throw Unsaid("a result of another type than " + std::string(call.type()));
    }
    Problems problems = known->problems(call);
    if (const std::string unread = call.unread_auxiliary(); !is_reorder && !unread.empty()) {
      throw Unsaid(unread);
    }
    const auto* const converted =
        problems.size() == 1 ? std::get_if<Quantization>(&problems[0].shape) : nullptr;
    if (converted != nullptr && converted->kind == QuantizationKind::dequantize) {
      result.precision = precision_of(call.tensor({"dst"})->type);
    }
    for (const Problem& problem : problems) {
      if (!(parse(key(problem)) == problem)) throw Unsaid("no key says it: " + key(problem));
    }
    result.problems = std::move(problems);
  } catch (const std::exception& reason) {
    result.reason = text.kind + ' ' + text.prop_kind + ' ' + text.problem + ": " + reason.what();
  }
  return result;
}

}  // namespace benanza::record::onednn
