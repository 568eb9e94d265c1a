#include "suites/nvidia/run/conversion.h"

#include <algorithm>
#include <any>
#include <limits>
#include <string>

#include "core/problem/problem.h"
#include "suites/harness/operands.h"

namespace benanza::nvidia {
namespace {

TensorFormat row_major(const TensorFormat& like) {
  return {.precision = like.precision, .dims = like.dims, .strides = dense_strides(like.dims)};
}

TensorFormat format_of(const harness::MemoryFormat& format, const harness::MemoryFormat& other) {
  if (const auto* known = std::any_cast<TensorFormat>(&format.description)) return *known;
  const auto* known = std::any_cast<TensorFormat>(&other.description);
  if (!format.name.empty() || known == nullptr) {
    throw harness::Unsupported("there is no conversion between the formats " + format.name +
                               " and " + other.name);
  }
  return row_major(*known);
}

/// The axes of a tensor from the last to the first, taken off in pieces.
class Axes {
 public:
  explicit Axes(const TensorFormat& format) : format_(&format), left_(format.dims.size()) {
    next();
  }

  /// 1 if there are no more.
  std::int64_t extent() const { return extent_; }
  /// The stride of the innermost `part` of this axis, which is taken off.
  std::int64_t take(std::int64_t part) {
    const std::int64_t stride = stride_;
    extent_ /= part;
    stride_ *= part;
    if (extent_ == 1) next();
    return stride;
  }

 private:
  void next() {
    while (left_ > 0 && extent_ == 1) {
      --left_;
      extent_ = format_->dims[left_];
      stride_ = format_->strides[left_];
    }
  }

  const TensorFormat* format_;
  std::size_t left_;
  std::int64_t extent_ = 1;
  std::int64_t stride_ = 1;
};

}  // namespace

Copy movement_between(const TensorFormat& from, const TensorFormat& to) {
  if (element_count(from.dims) != element_count(to.dims) || from.precision != to.precision) {
    throw harness::Unsupported("there is no conversion between tensors of different size or type");
  }
  Copy copy;
  Axes source(from);
  Axes target(to);
  while (source.extent() > 1 || target.extent() > 1) {
    const std::int64_t part = std::min(source.extent(), target.extent());
    if (part < 2 || source.extent() % part != 0 || target.extent() % part != 0) {
      throw harness::Unsupported("the extents " + join(from.dims, 'x') + " and " +
                                 join(to.dims, 'x') + " have no common refinement");
    }
    copy.dims.insert(copy.dims.begin(), part);
    copy.from.insert(copy.from.begin(), source.take(part));
    copy.to.insert(copy.to.begin(), target.take(part));
  }
  if (copy.dims.empty()) copy = {.dims = {1}, .from = {1}, .to = {1}};
  return copy.canonical();
}

std::unique_ptr<harness::Primitive> make_conversion(harness::Backend& backend,
                                                    const harness::MemoryFormat& from,
                                                    std::byte* source,
                                                    const harness::MemoryFormat& to,
                                                    std::byte* target) {
  const TensorFormat given = format_of(from, to);
  const TensorFormat wanted = format_of(to, from);
  const harness::Variant prototype{
      .problem = {.shape = movement_between(given, wanted), .epilogue = {}},
      .precision = given.precision,
      .layout = Layout::plain,
      .algorithm = {}};
  harness::CopyEnds ends(source, target);
  std::unique_ptr<harness::Primitive> best;
  double least = std::numeric_limits<double>::infinity();
  for (const harness::Way& way : backend.ways(prototype, harness::AlgorithmSet::all)) {
    std::unique_ptr<harness::Primitive> call;
    try {
      call = backend.way({prototype.problem, prototype.precision, prototype.layout, way.name})
                 .make(ends);
    } catch (const harness::Unsupported&) {
      continue;
    }
    constexpr std::int64_t calls = 10;
    backend.stopwatch().time(*call, calls);
    const double seconds = backend.stopwatch().time(*call, calls);
    if (seconds < least) {
      least = seconds;
      best = std::move(call);
    }
  }
  if (!best) {
    throw harness::Unsupported("no call of " + std::string(backend.name()) +
                               " converts between the formats " + from.name + " and " + to.name);
  }
  return best;
}

}  // namespace benanza::nvidia
