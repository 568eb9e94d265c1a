#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// What the operators of attention share: how they state queries, keys, values and masks.
namespace benanza::onnx {

/// Attention heads between calls, dense: batch, heads, length, size.
struct Heads {
  Dims dims;
  Source source;
};

/// The rows from `first` to before `last` of each head, read where they are.
Heads some_rows(Heads heads, std::int64_t first, std::int64_t last);

/// Added to the scores before the softmax. `dims` broadcast to the scores.
using ScoreMask = ElementwiseOperand;

/// Scores that are one of the node's outputs, too: the products, or what they are behind a step.
struct ScoreOutput {
  enum class Behind { product, cap, masks, softmax };
  Behind behind = Behind::product;
  int output = 3;
};

/// What becomes of the scores before they multiply the values.
struct Scores {
  /// A factor of the first product (all libraries take one).
  float scale = 1;
  /// If not 0: scores s become soft_cap * tanh(s / soft_cap) before they are masked.
  float soft_cap = 0;
  std::vector<ScoreMask> masks{};
  /// One more score of every query, after the masks, which takes part in the softmax alone: one
  /// element for each head, or zeros.
  std::optional<Source> sink{};
  std::optional<ScoreOutput> handed_out{};
};

/// Builds the calls that make up attention: two products around a softmax, copies if heads lie side
/// by side in the rows, and concatenations with the keys and values of earlier runs.
class AttentionParts {
 public:
  /// Heads of `source`, whose rows (of batch, length) hold them side by side; a copy, unless one
  /// head fills the row. `row` is the length of a row and `offset` the start of the first head in
  /// it, for rows that hold more than these heads. `stride`: from one head to the next; 0: `size`.
  Heads split(std::int64_t batch, std::int64_t length, std::int64_t heads, std::int64_t size,
              Source source, std::int64_t row, std::int64_t offset = 0, std::int64_t stride = 0);
  /// Rotates the first `rotated` elements of the rows of `heads` by one angle for each position and
  /// pair of elements.
  Heads rotate(const Heads& heads, std::int64_t rotated, bool interleaved, Source cosines,
               Source sines);
  /// The node's output `output` has these heads alone: the call that makes them makes it, too; what
  /// no call makes is copied.
  void hand_out(const Heads& heads, int output);
  /// Concatenates `past` and `heads` along the length, into the node's output `output`; an empty
  /// past hands out `heads`. `place`: where they begin in an output that
  /// has others beside them.
  Heads append(const Heads& past, const Heads& heads, int output,
               std::optional<std::int64_t> place = {});
  /// The same where the output has the memory of `past` and room for more: a copy of `heads` to row
  /// `start`, behind which the result ends; of heads that split() moved, from where they were.
  Heads append_in_place(const Heads& past, const Heads& heads, std::int64_t start, int output);
  /// Divides every row by its root mean square, and multiplies it by `scale`.
  Heads normalize(const Heads& heads, float epsilon, Source scale);
  /// The products and the softmax.
  Heads attend(const Heads& q, const Heads& k, const Heads& v, const Scores& steps);
  /// Puts heads side by side in the rows again.
  void join(const Heads& heads);

  Source add(Call call);
  Lowered done() &&;

 private:
  /// Throws Error unless `heads` can follow `past`.
  static void check_continues(const Heads& past, const Heads& heads);
  /// The softmax of scores of `dims`, and of `sink` if there is one.
  Source add_softmax(const Dims& dims, Source scores, const std::optional<Source>& sink);

  /// What split() moved, by its call: the heads in their rows.
  struct Split {
    Source rows;
    View heads;
  };

  std::vector<Call> calls_;
  std::map<int, Split> splits_;
};

struct AttentionInputs {
  Heads q;
  Heads k;
  Heads v;
};

/// An attribute that must be at least 1; throws Error otherwise.
std::int64_t positive(const NodeView& node, std::string_view name);

/// Extents of an input with at least three axes; throws Error otherwise.
const Dims& rows_of_input(const NodeView& node, std::size_t index);
/// Extents of an input of batch, length and heads side by side; throws NotExpressible otherwise.
const Dims& rows(const NodeView& node, std::size_t index);

Dims with_last(Dims dims, std::int64_t last);

/// Attribute `name`, a number of heads that divides rows of `width`; throws Error otherwise.
std::int64_t head_count(const NodeView& node, std::string_view name, std::int64_t width);

/// Heads of input `index`: separate if it has four axes, otherwise side by side in the rows.
Heads heads_of(AttentionParts& parts, const NodeView& node, std::size_t index,
               std::string_view name);

/// Indices of past keys and values among the inputs; outputs 1 and 2 include the new ones.
struct Past {
  std::size_t key;
  std::size_t value;
};

/// Without earlier ones, new keys and values are outputs 1 and 2, where the node has these.
void hand_out_new(AttentionParts& parts, const NodeView& node, const AttentionInputs& inputs);

/// Appends the new keys and values to the earlier ones, if there are any, into outputs 1 and 2.
void append_past(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs, Past past);

/// Input `index` as an addend of the scores. It may have `columns`, of which those of the keys that
/// are seen are read where they are; 0: as many as there are keys.
ScoreMask mask_of(const NodeView& node, std::size_t index, const AttentionInputs& inputs,
                  std::int64_t columns = 0);

/// Adds input `index`, which tells what keys are padding, to `masks`, as ONNX Runtime has it: one
/// number per row (or two, or three and two more) is a number of keys, of which the largest is
/// assumed, and adds nothing; otherwise it has an element per key, or per query and key.
void add_padding_mask(const NodeView& node, std::size_t index, const AttentionInputs& inputs,
                      std::vector<ScoreMask>& masks);

/// Query i sees the keys up to i + `offset`, and with a `window` the last so many of these. Adds
/// the mask, which the framework creates once, to `masks`. Keys that no query sees are left out of
/// `inputs` and of the other masks, the others are read where they are; those before the first
/// query's window only unless the node hands out `all_scores`.
void see_earlier(AttentionInputs& inputs, std::int64_t offset, std::int64_t window,
                 std::vector<ScoreMask>& masks, bool all_scores = false);

float scale_of(const NodeView& node, const AttentionInputs& inputs);

/// Adds the products and the softmax; puts heads `side_by_side` in the rows again. `steps`: of the
/// scores, without what the node's attributes and `masks` say.
void finish(AttentionParts& parts, const NodeView& node, const AttentionInputs& inputs,
            std::vector<ScoreMask> masks, bool side_by_side, Scores steps = {});

}  // namespace benanza::onnx
