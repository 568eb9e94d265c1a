#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/body.h"
#include "generator/onnx/largest/table.h"

/// Operators with bodies whose way through them the data decide.
namespace benanza::onnx::largest {
namespace {

/// The larger of what the branches make, axis by axis.
std::vector<std::optional<Largest>> conditional(const Site& site) {
  const std::vector<Tensor> first = stated_outputs(site.node(), "then_branch");
  const std::vector<Tensor> second = stated_outputs(site.node(), "else_branch");
  std::vector<std::optional<Largest>> results;
  for (std::size_t index = 0; index < std::min(first.size(), second.size()); ++index) {
    auto& result = results.emplace_back();
    const std::optional<Dims>& a = first[index].shape;
    const std::optional<Dims>& b = second[index].shape;
    if (!a || !b || a->size() != b->size() || first[index].type != second[index].type) continue;
    result = Largest{first[index].type, {}, {}};
    for (std::size_t axis = 0; axis < a->size(); ++axis) {
      result->shape.push_back(std::max((*a)[axis], (*b)[axis]));
      if ((*a)[axis] != (*b)[axis]) result->open.push_back(axis);
    }
  }
  return results;
}

/// A loop that may stop early collects at most one for every round.
std::vector<std::optional<Largest>> loop(const Site& site) {
  if (!site.has_input(0) || !site.input(0).literal) throw NotExpressible("no limit of rounds");
  const Dims limit = site.integers(0);
  if (limit.size() != 1) throw Error("wants one number of rounds");
  const std::int64_t rounds = std::max<std::int64_t>(0, limit[0]);
  const std::vector<Tensor> stated = stated_outputs(site.node(), "body");
  const std::size_t carried = site.input_count() < 2 ? 0 : site.input_count() - 2;
  std::vector<std::optional<Largest>> results;
  for (std::size_t index = 1; index < stated.size(); ++index) {  // the first: whether to go on
    auto& result = results.emplace_back();
    if (!stated[index].shape || index <= carried) continue;
    result = Largest{stated[index].type, *stated[index].shape, {0}};
    result->shape.insert(result->shape.begin(), rounds);
  }
  return results;
}

}  // namespace

void register_body(LargestTable& table) {
  table.add("If", conditional);
  table.add("Loop", loop);
}

}  // namespace benanza::onnx::largest
