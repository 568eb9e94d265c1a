#include "generator/fusion/attention_masks.h"

#include <algorithm>
#include <utility>

#include "core/problem/epilogue.h"

namespace benanza::fusion {
namespace {

Dims scores_of(const Attention& shape) {
  return {shape.batch, shape.heads, shape.queries, shape.keys};
}

/// True if the triangle is one of the queries and keys of scores of extents `scores`.
bool fits(const Triangle& triangle, const Dims& scores) {
  return scores.size() >= 2 && scores.end()[-2] == triangle.queries &&
         scores.end()[-1] == triangle.keys;
}

bool is_causal(const ScoreMasks::Mask& mask, const Attention& shape) {
  return mask.triangle && mask.hidden <= hidden_score && fits(*mask.triangle, mask.extents) &&
         fits(*mask.triangle, mask.scores) && fits(*mask.triangle, scores_of(shape));
}

/// The mask as batch, heads, queries, keys; a constant mask may be repeated for every image.
std::optional<Dims> mask_extents(const ScoreMasks::Mask& mask, const Attention& shape) {
  const Dims scores = scores_of(shape);
  if (auto extents = refitted(mask.extents, mask.scores, scores)) return extents;
  if (!mask.constant || mask.scores.size() < scores.size()) return std::nullopt;
  Dims repeated = mask.extents;
  std::copy(mask.scores.begin(), mask.scores.end() - 3, repeated.begin());
  return refitted(repeated, mask.scores, scores);
}

void scale_operand(ScoreMasks::Mask& mask, std::optional<double> factor) {
  if (!factor) mask.operand.reset();
  if (mask.operand) mask.operand->scale *= *factor;
}

/// What a mask of extents `extents` adds to the scores, repeated for every image if it is constant.
std::optional<FlowOperand> added(const ScoreMasks::Mask& mask, const Dims& extents) {
  const std::int64_t whole = element_count(extents);
  const std::int64_t own = element_count(mask.extents);
  if (own != whole && !(mask.constant && own > 0 && whole % own == 0)) return std::nullopt;
  return mask.operand;
}

void add_triangle(const Triangle& triangle, Attention& shape) {
  shape.causal = true;
  if (triangle.window == 0 || triangle.window >= shape.keys) return;
  shape.window = shape.window == 0 ? triangle.window : std::min(shape.window, triangle.window);
}

}  // namespace

std::optional<FlowOperand> added_tensor(const Read& read, double sign) {
  const bool is_float = read.type == "float" || read.type == "float16" || read.type == "bfloat16";
  if (!is_float || read.tensor == 0) return std::nullopt;
  return FlowOperand{.index = read.tensor, .scale = sign};
}

std::optional<Triangle> hiding_sum(const Read& read, double sign) {
  const auto& found = read.triangle;
  const bool hides = found && !found->truth && found->inside == 0 && sign * found->outside < 0;
  return hides ? found : std::nullopt;
}

std::optional<Triangle> hiding_choice(const Read& read, bool keeps_true) {
  const auto& found = read.triangle;
  if (!found) return std::nullopt;
  const double kept = keeps_true ? found->inside : found->outside;
  const double replaced = keeps_true ? found->outside : found->inside;
  return kept != 0 && replaced == 0 ? found : std::nullopt;
}

bool ScoreMasks::scale(std::optional<double> factor) {
  for (Mask& mask : masks_) {
    if (!mask.constant) return false;
    scale_operand(mask, factor);
    if (factor && *factor != 0) mask.hidden *= *factor;
  }
  return true;
}

std::vector<ScoreMasks::Form> ScoreMasks::forms(const Attention& shape) const {
  std::vector<Form> found;
  const auto most = applied(shape, false);
  if (!most) return found;
  found.push_back(*most);
  if (shape.queries == shape.keys || most->shape.causal == shape.causal) return found;
  if (const auto tensors = applied(shape, true)) found.push_back(*tensors);
  return found;
}

std::optional<ScoreMasks::Form> ScoreMasks::applied(Attention shape, bool as_tensors) const {
  shape.mask.clear();
  Form form{.shape = {}, .added = std::vector<FlowOperand>{}};
  std::vector<const Mask*> tensors;
  std::vector<Triangle> triangles;
  for (const Mask& mask : masks_) {
    const bool causal = is_causal(mask, shape);
    if (causal) triangles.push_back(*mask.triangle);
    if (causal && !as_tensors) {
      add_triangle(*mask.triangle, shape);
    } else {
      tensors.push_back(&mask);
    }
  }
  for (const Triangle& cleared : cleared_) {
    const bool is_hidden = std::ranges::any_of(triangles, [&](const Triangle& hidden) {
      return hidden.queries == cleared.queries && hidden.keys == cleared.keys &&
             hidden.window == cleared.window;
    });
    if (!is_hidden) return std::nullopt;
  }
  const bool are_one = tensors.size() < 2 || std::ranges::all_of(tensors, [](const Mask* mask) {
                         return mask->constant;
                       });
  if (!are_one) return std::nullopt;
  for (const Mask* mask : tensors) {
    const auto extents = mask_extents(*mask, shape);
    if (!extents) return std::nullopt;
    shape.mask.resize(extents->size(), 1);
    for (std::size_t axis = 0; axis < extents->size(); ++axis) {
      shape.mask[axis] = std::max(shape.mask[axis], (*extents)[axis]);
    }
    const auto operand = added(*mask, shape.mask);
    if (operand && form.added) {
      form.added->push_back(*operand);
    } else {
      form.added.reset();
    }
  }
  form.shape = std::move(shape);
  return form;
}

}  // namespace benanza::fusion
