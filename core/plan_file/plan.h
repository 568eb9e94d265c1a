#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/problem/precision.h"

namespace benanza {

/// Version of the plan format.
inline constexpr int plan_schema = 3;

/// A part of a tensor that no call makes as a whole: the calls that make its parts write them
/// there.
struct JoinedPart {
  std::size_t tensor = 0;
  /// Its first element in the whole. Its place is there, or it is copied there before the whole is
  /// read.
  std::int64_t first = 0;
  /// A library's name of the format in which it has to lie there; empty: row-major.
  std::string format{};
  bool operator==(const JoinedPart&) const = default;
};

/// A tensor of a plan: of the model, or one that stays between the calls of a layer (no name).
struct PlanTensor {
  std::string name{};
  /// ONNX name of the element type, "float".
  std::string type{};
  /// Empty if unknown.
  std::optional<Dims> shape{};
  /// Where its elements lie, dense and row-major; empty for a constant, which the calls that read
  /// it keep.
  std::optional<std::size_t> buffer{};
  /// The first of its elements in the buffer.
  std::int64_t offset = 0;
  /// Truth values that are added to scores: 0 for true, minus infinity for false. Truth values
  /// otherwise are 1 and 0.
  bool hides = false;
  /// Set if it is a part of that tensor, or a view of a part, and nobody writes it by itself.
  /// Without a buffer: calls read it there, in strides.
  std::optional<std::size_t> part_of{};
  /// The parts of a concatenation that needs no call, and the format in which they make up the
  /// whole: a library's name of it; empty: row-major.
  std::vector<JoinedPart> joins{};
  std::string joined_format{};
  bool operator==(const PlanTensor&) const = default;
};

/// A place in the arena. Buffers overlap unless their steps do.
struct PlanBuffer {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  /// In the arena, in bytes.
  std::int64_t offset = 0;
  /// From the first step that writes it to the last that reads it, both included. Inputs of the
  /// model are there from the first step to the last, its results to the last.
  std::size_t first = 0;
  std::size_t last = 0;
  bool operator==(const PlanBuffer&) const = default;
};

/// One call. `work` names tensors of the plan; FlowOperand::Kind::call does not occur.
struct PlanStep {
  /// The layers whose work it does.
  std::vector<std::string> layers{};
  /// Name of the variant (core/problem/name.h). Of rows that are gathered, which no library does:
  /// the call that moves as much.
  std::string call{};
  /// Of the call by itself, as measured.
  double seconds = 0;
  FlowCall work{};
  /// The tensors that it makes, or makes a part of; of several, one after the other.
  std::vector<std::size_t> results{};
  bool operator==(const PlanStep&) const = default;
};

/// A tensor that is not read as it was written.
struct PlanConversion {
  /// The step that needs it; the number of steps: the caller does.
  std::size_t before_step = 0;
  std::size_t tensor = 0;
  /// "row-major", "nhwc", "of the library", or a library's name of it.
  std::string from{};
  std::string to{};
  /// As estimated.
  double seconds = 0;
  bool operator==(const PlanConversion&) const = default;
};

/// A whole model as calls in order. All floats are of one precision.
struct Plan {
  std::string model{};
  std::optional<std::int64_t> batch{};
  std::string precision{};
  /// Of the graph: which pass of a model it is.
  std::map<std::string, std::string> metadata{};
  /// Where the calls were measured, by library: its version, the device, the threads.
  std::map<std::string, std::map<std::string, std::string>> systems{};
  /// Some calls may do several layers.
  bool fused = true;
  /// Its calls are those that the libraries' heuristics choose, not the fastest.
  bool by_heuristic = false;
  /// Of the arena: the peak of all buffers that are alive at a time, and what fragments cost.
  std::int64_t arena_bytes = 0;
  /// Sum over the steps, the conversions and the gaps.
  double seconds = 0;
  /// By which its calls take longer behind each other than by themselves, as earlier runs of plans
  /// tell; 0 without them.
  double gap_seconds = 0;
  std::vector<PlanTensor> tensors{};
  std::vector<PlanBuffer> buffers{};
  std::vector<PlanStep> steps{};
  /// Layers that only compute integers and masks from such inputs, which the caller does, and what
  /// they take as measured.
  std::vector<std::string> prepared{};
  double prepared_seconds = 0;
  /// Between formats of the steps, as expected: bench_plan makes those that it finds necessary.
  std::vector<PlanConversion> conversions{};
  /// Tensors that the caller fills before a run, and those that it reads after it.
  std::vector<std::size_t> inputs{};
  std::vector<std::size_t> results{};
  bool operator==(const Plan&) const = default;
};

/// Bytes of an element of the tensor where the plan holds it: integers, which only choose rows,
/// keep their size; all other tensors are of the plan's precision. Throws Error if that is unknown.
std::int64_t element_bytes_of(const Plan& plan, std::size_t tensor);
/// The same for a tensor of the ONNX type in a plan of that precision.
std::int64_t planned_element_bytes(std::string_view type, Precision precision);
/// True for the types of indices.
bool is_index_type(std::string_view type);
/// True for the types of floats.
bool is_float(std::string_view type);

/// The part lies where the whole has it.
bool is_in_place(const Plan& plan, std::size_t whole, const JoinedPart& part);

/// Of the conversions that the plan expects.
double conversion_seconds(const Plan& plan);

std::string plan_json(const Plan& plan);

/// Throws Error, one line, if the file is no plan or contradicts itself.
Plan read_plan(const std::filesystem::path& path);

/// Which step, or which two buffers, contradict the rest: "step 3 reads tensor 5 after its last
/// step". Empty if the plan is sound: whatever a step reads was written before and is still there.
std::string contradiction_of(const Plan& plan);

/// Sizes of the blocks for what has no place in a plan's arena: tensors in another format. A block
/// is used again once its last step is over.
class SpareBlocks {
 public:
  /// Of `bytes` from step `now` to step `last`, both included: the smallest that is free and large
  /// enough, otherwise a new one. Steps do not go back. Returns its number; a new one is the
  /// largest number so far.
  std::size_t take(std::int64_t bytes, std::size_t now, std::size_t last);
  std::size_t count() const { return blocks_.size(); }
  /// Of all of them.
  std::int64_t bytes() const;

 private:
  struct Block {
    std::int64_t bytes = 0;
    std::size_t last = 0;
  };
  std::vector<Block> blocks_;
};

}  // namespace benanza
