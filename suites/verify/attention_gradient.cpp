#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

using Gradient = AttentionGradient;

/// One query of one head: what its scores need.
class Query {
 public:
  Query(const Gradient& gradient, Operands operands, std::int64_t image, std::int64_t head,
        std::int64_t query)
      : shape_(gradient.forward), operands_(operands), image_(image), head_(head), query_(query) {
    const std::int64_t row = (image * shape_.heads + head) * shape_.queries + query;
    q_ = at(Gradient::q, row * shape_.size);
    output_gradient_ = at(Gradient::output_gradient, row * shape_.value_size);
    const float* const result = at(Gradient::result, row * shape_.value_size);
    for (std::int64_t i = 0; i < shape_.value_size; ++i) {
      const double product =
          static_cast<double>(output_gradient_[i]) * static_cast<double>(result[i]);
      row_sum_.value += product;
      row_sum_.magnitude += std::abs(product);
    }
    logarithm_ = static_cast<double>(*at(Gradient::logarithms, row));
    std::tie(first_, visible_) = shape_.visible_keys(query);
  }

  /// The keys before this one that the window does not hide.
  std::int64_t visible() const { return visible_; }
  double q(std::int64_t i) const { return static_cast<double>(q_[i]); }
  double output_gradient(std::int64_t i) const { return static_cast<double>(output_gradient_[i]); }

  /// e^(score - logarithm); 0 for a key that is hidden.
  double weight(std::int64_t key) const {
    if (key < first_ || key >= visible_) return 0;
    const float* const k = at(Gradient::k, row_of(key) * shape_.size);
    double score = 0;
    for (std::int64_t i = 0; i < shape_.size; ++i) score += q(i) * static_cast<double>(k[i]);
    score *= static_cast<double>(shape_.scale);
    if (!shape_.mask.empty()) {
      score += static_cast<double>(
          *at(Gradient::mask, ravel_broadcast({image_, head_, query_, key}, shape_.mask)));
    }
    return std::exp(score - logarithm_);
  }

  /// The gradient of the score.
  Element score_gradient(std::int64_t key) const {
    const double weight = this->weight(key);
    if (weight == 0) return {};
    const float* const v = at(Gradient::v, row_of(key) * shape_.value_size);
    Element difference{-row_sum_.value, row_sum_.magnitude};
    for (std::int64_t i = 0; i < shape_.value_size; ++i) {
      const double product = output_gradient(i) * static_cast<double>(v[i]);
      difference.value += product;
      difference.magnitude += std::abs(product);
    }
    return {weight * difference.value, weight * difference.magnitude};
  }

  /// The row of K and V.
  std::int64_t row_of(std::int64_t key) const {
    const std::int64_t group = shape_.heads / shape_.kv_heads;
    return (image_ * shape_.kv_heads + head_ / group) * shape_.keys + key;
  }

 private:
  const float* at(std::size_t operand, std::int64_t place) const {
    return operands_[operand].data() + place;
  }

  const Attention& shape_;
  Operands operands_;
  std::int64_t image_;
  std::int64_t head_;
  std::int64_t query_;
  const float* q_ = nullptr;
  const float* output_gradient_ = nullptr;
  Element row_sum_;
  double logarithm_ = 0;
  std::int64_t first_ = 0;
  std::int64_t visible_ = 0;
};

/// A sum of products whose first factors are stored in the precision of the values.
class Sum {
 public:
  void add(const Element& stored, double factor) {
    sum_.value += stored.value * factor;
    sum_.magnitude += stored.magnitude * std::abs(factor);
    squares_ += stored.value * stored.value * factor * factor;
  }
  Element times(double scale) const {
    const double size = std::abs(scale);
    return {sum_.value * scale, sum_.magnitude * size, std::sqrt(squares_) * size};
  }

 private:
  Element sum_;
  double squares_ = 0;
};

Element query_gradient(const Gradient& shape, Operands operands, const Dims& at) {
  const Query query(shape, operands, at[0], at[1], at[2]);
  Sum sum;
  for (std::int64_t key = 0; key < query.visible(); ++key) {
    const std::int64_t place = query.row_of(key) * shape.forward.size + at[3];
    sum.add(query.score_gradient(key),
            static_cast<double>(operands[Gradient::k][static_cast<std::size_t>(place)]));
  }
  return sum.times(static_cast<double>(shape.forward.scale));
}

/// Calls visit(query) for every query that reads a head of the keys.
template <class Visit>
void for_each_query(const Gradient& shape, Operands operands, const Dims& at, Visit visit) {
  const Attention& forward = shape.forward;
  const std::int64_t group = forward.heads / forward.kv_heads;
  for (std::int64_t head = at[1] * group; head < (at[1] + 1) * group; ++head) {
    for (std::int64_t query = 0; query < forward.queries; ++query) {
      visit(Query(shape, operands, at[0], head, query));
    }
  }
}

Element key_gradient(const Gradient& shape, Operands operands, const Dims& at) {
  Sum sum;
  for_each_query(shape, operands, at,
                 [&](const Query& query) { sum.add(query.score_gradient(at[2]), query.q(at[3])); });
  return sum.times(static_cast<double>(shape.forward.scale));
}

Element value_gradient(const Gradient& shape, Operands operands, const Dims& at) {
  Sum sum;
  for_each_query(shape, operands, at, [&](const Query& query) {
    const double weight = query.weight(at[2]);
    sum.add({weight, weight}, query.output_gradient(at[3]));
  });
  return sum.times(1);
}

}  // namespace

Element element(const AttentionGradient& shape, Operands operands, const Dims& at) {
  std::int64_t place = at[0];
  const std::vector<Dims> results = shape.results();
  constexpr std::array of_part{query_gradient, key_gradient, value_gradient};
  for (std::size_t part = 0;; ++part) {
    const std::int64_t count = element_count(results[part]);
    if (place < count) return of_part[part](shape, operands, unravel(place, results[part]));
    place -= count;
  }
}

/// The logarithms are those of sums over as many keys as a query sees, so that P is of the size of
/// a softmax. Queries that see fewer than eight keys count as seeing eight: a key by itself may
/// have a large score, and in fp8 P is not much above 1.
void adjust_inputs(const AttentionGradient& shape, std::vector<std::vector<float>>& values) {
  constexpr std::int64_t fewest_keys = 8;
  const Attention& forward = shape.forward;
  std::vector<float>& logarithms = values[AttentionGradient::logarithms];
  for (std::size_t row = 0; row < logarithms.size(); ++row) {
    const std::int64_t query = static_cast<std::int64_t>(row) % forward.queries;
    const auto [begin, end] = forward.visible_keys(query);
    logarithms[row] += std::log(static_cast<float>(std::max(fewest_keys, end - begin)));
  }
}

}  // namespace benanza::verify
