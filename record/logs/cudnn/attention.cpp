#include "record/logs/cudnn/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

#include "core/base/text.h"
#include "record/logs/cudnn/graph.h"

namespace benanza::record {
namespace {

/// A tensor of an operation, "xDesc".
class TensorOf {
 public:
  TensorOf(const Entry& operation, std::string_view name) : entry_(operation), name_(name) {}

  std::string_view uid() const { return value(".uid"); }
  Dims extents() const { return dims(value(".dimA")); }
  bool exists() const { return !extents().empty(); }
  /// Known to the graph, not in memory.
  bool is_number() const { return value(".isByVal") == "true"; }
  bool in_memory() const { return value(".isVirtual") == "false" && !is_number(); }
  std::optional<double> number() const {
    const std::string text(value(".value"));
    if (!is_number() || text.empty()) return std::nullopt;
    return std::strtod(text.c_str(), nullptr);
  }

 private:
  std::string_view value(std::string_view field) const {
    return entry_.value(name_ + std::string(field));
  }
  const Entry& entry_;
  std::string name_;
};

std::string_view mode_of(const Entry& operation) {
  return text::between(operation.value("pwDesc.mode"), "CUDNN_POINTWISE_", " ");
}

bool is_product(const Entry& operation) { return operation_name(operation) == "MATMUL"; }

/// From the product of queries and transposed keys; values have as many elements as keys until the
/// second product is known.
std::optional<Attention> scores_of(const Entry& product) {
  const Dims q = TensorOf(product, "aDesc").extents();
  const Dims k = TensorOf(product, "bDesc").extents();
  if (q.size() != 4 || k.size() != 4 || q[0] != k[0] || q[3] != k[2]) return std::nullopt;
  if (k[1] < 1 || q[1] % k[1] != 0) return std::nullopt;
  return Attention{.batch = q[0],
                   .heads = q[1],
                   .queries = q[2],
                   .size = q[3],
                   .kv_heads = k[1],
                   .keys = k[3],
                   .value_size = q[3],
                   .mask = {}};
}

/// What happens to the scores between the products, operation by operation.
class Scores {
 public:
  Scores(const Attention& shape, std::string_view uid) : shape_(shape), current_(uid) {}

  /// False if the operation is none that an attention has here.
  bool take(const Entry& operation) {
    if (operation_name(operation) == "REDUCTION") return reduce(operation);
    if (operation_name(operation) != "POINTWISE") return false;
    const std::string_view mode = mode_of(operation);
    const TensorOf x(operation, "xDesc");
    const TensorOf y(operation, "yDesc");
    if (mode == "GEN_INDEX") {
      indices_.insert(y.uid());
      return x.uid() == current_;
    }
    if (mode == "CMP_GE") {
      compared_ = y.uid();
      return indices_.contains(x.uid()) && indices_.contains(TensorOf(operation, "bDesc").uid());
    }
    if (indices_.contains(x.uid())) return shift(operation, mode);
    if (x.uid() == sum_ && mode == "LOG") {
      logarithm_ = y.uid();
      return true;
    }
    // What a gradient needs of the softmax.
    if (x.uid() == largest_ && mode == "ADD") {
      return TensorOf(operation, "bDesc").uid() == logarithm_;
    }
    return x.uid() == current_ && step(operation, mode);
  }

  /// The attention, if the scores have passed through a softmax.
  std::optional<Attention> finish(std::string_view uid) && {
    const bool caps = capped_ == 2;
    if (uid != current_ || step_ != Step::divided || capped_ == 1) return std::nullopt;
    shape_.scale = static_cast<float>(caps ? inside_ * factor_ : factor_);
    if (caps) shape_.soft_cap = static_cast<float>(factor_);
    return shape_;
  }

 private:
  enum class Step { scores, shifted, exponential, divided };

  bool reduce(const Entry& operation) {
    if (TensorOf(operation, "xDesc").uid() != current_) return false;
    (step_ == Step::scores ? largest_ : sum_) = TensorOf(operation, "yDesc").uid();
    return step_ == Step::scores || step_ == Step::exponential;
  }

  /// Of the queries' indices: for a causal mask that ends at the lower right.
  bool shift(const Entry& operation, std::string_view mode) {
    const auto by = TensorOf(operation, "bDesc").number();
    if (mode != "ADD" || !by) return false;
    offset_ += static_cast<std::int64_t>(*by);
    indices_.insert(TensorOf(operation, "yDesc").uid());
    return true;
  }

  bool step(const Entry& operation, std::string_view mode) {
    const TensorOf b(operation, "bDesc");
    current_ = TensorOf(operation, "yDesc").uid();
    if (step_ == Step::scores && mode == "SUB") {
      step_ = Step::shifted;
      return b.uid() == largest_;
    }
    if (step_ == Step::shifted && mode == "EXP") {
      step_ = Step::exponential;
      return true;
    }
    if (step_ == Step::exponential && mode == "DIV") {
      step_ = Step::divided;
      return b.uid() == sum_;
    }
    return step_ == Step::scores && change(operation, mode, b);
  }

  /// Before the softmax.
  bool change(const Entry& operation, std::string_view mode, const TensorOf& b) {
    if (mode == "MUL" && b.is_number()) {
      factor_ *= b.number().value_or(1);
      if (capped_ == 1) capped_ = 2;
      return shape_.mask.empty() && !shape_.causal;
    }
    if (mode == "TANH_FWD" && capped_ == 0) {
      inside_ = factor_;
      factor_ = capped_ = 1;
      return true;
    }
    if (mode == "BINARY_SELECT" && TensorOf(operation, "tDesc").uid() == compared_) {
      shape_.causal = true;
      return offset_ == shape_.keys - shape_.queries;
    }
    if (mode != "ADD" || !b.in_memory() || !shape_.mask.empty()) return false;
    shape_.mask = b.extents();
    return shape_.mask.size() == 4 &&
           broadcasts_to(shape_.mask, {shape_.batch, shape_.heads, shape_.queries, shape_.keys});
  }

  Attention shape_;
  Step step_ = Step::scores;
  std::string_view current_;
  std::set<std::string_view> indices_;
  std::string_view compared_;
  std::string_view largest_;
  std::string_view sum_;
  std::string_view logarithm_;
  std::int64_t offset_ = 0;
  /// Of all multiplications so far; those before a cap's tangent, and how far the cap is.
  double factor_ = 1;
  double inside_ = 1;
  int capped_ = 0;
};

/// One operation for all. Tensors that it does not have are empty.
std::optional<Attention> unified(const Entry& operation) {
  const Dims q = TensorOf(operation, "qDesc").extents();
  const Dims k = TensorOf(operation, "kDesc").extents();
  const Dims v = TensorOf(operation, "vDesc").extents();
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || k[1] < 1 || q[1] % k[1] != 0) {
    return std::nullopt;
  }
  for (const char* other :
       {"blockMaskDesc", "pageTableKDesc", "pageTableVDesc", "seqLenQDesc", "seqLenKVDesc"}) {
    if (TensorOf(operation, other).exists()) return std::nullopt;
  }
  return Attention{.batch = q[0],
                   .heads = q[1],
                   .queries = q[2],
                   .size = q[3],
                   .kv_heads = k[1],
                   .keys = k[2],
                   .value_size = v[3],
                   .scale = 1 / std::sqrt(static_cast<float>(q[3])),
                   .mask = {}};
}

}  // namespace

std::optional<Attention> attention_of(const std::vector<Entry>& operations) {
  if (operations.empty()) return std::nullopt;
  if (operations.size() == 1 && operation_name(operations[0]) == "SDPA_FWD") {
    return unified(operations[0]);
  }
  if (operations.size() < 3 || !is_product(operations.front()) || !is_product(operations.back())) {
    return std::nullopt;
  }
  auto shape = scores_of(operations.front());
  const Dims values = TensorOf(operations.back(), "bDesc").extents();
  if (!shape || values.size() != 4) return std::nullopt;
  shape->value_size = values[3];
  Scores scores(*shape, TensorOf(operations.front(), "cDesc").uid());
  for (std::size_t at = 1; at + 1 < operations.size(); ++at) {
    if (!scores.take(operations[at])) return std::nullopt;
  }
  return std::move(scores).finish(TensorOf(operations.back(), "aDesc").uid());
}

std::optional<AttentionGradient> attention_gradient_of(const std::vector<Entry>& operations) {
  constexpr std::ptrdiff_t products = 5;
  if (std::ranges::count_if(operations, is_product) != products) return std::nullopt;
  constexpr std::array<std::string_view, 8> known{"MUL", "SUB",           "GEN_INDEX", "CMP_GE",
                                                  "EXP", "BINARY_SELECT", "IDENTITY",  ""};
  std::optional<Attention> shape;
  std::optional<double> scale;
  for (const Entry& operation : operations) {
    const std::string_view name = operation_name(operation);
    if (name != "MATMUL" && name != "POINTWISE" && name != "REDUCTION" && name != "RESHAPE") {
      return std::nullopt;
    }
    const std::string_view mode = name == "POINTWISE" ? mode_of(operation) : "";
    if (std::ranges::find(known, mode) == known.end()) return std::nullopt;
    if (name == "MATMUL" && !shape) {
      shape = scores_of(operation);
      if (!shape) return std::nullopt;
    } else if (name == "MATMUL" && TensorOf(operation, "aDesc").in_memory() &&
               TensorOf(operation, "bDesc").in_memory()) {
      // The result's gradient by transposed values.
      const Dims gradient = TensorOf(operation, "aDesc").extents();
      if (gradient.size() != 4) return std::nullopt;
      shape->value_size = gradient[3];
    } else if (shape && mode == "MUL" && !scale) {
      scale = TensorOf(operation, "bDesc").number();
    } else if (shape && mode == "CMP_GE") {
      shape->causal = true;
    }
  }
  if (shape->causal && shape->queries != shape->keys) return std::nullopt;
  shape->scale = static_cast<float>(scale.value_or(1));
  return AttentionGradient{*shape};
}

}  // namespace benanza::record
