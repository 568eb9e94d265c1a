#include "analysis/model/joined_tensors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include "analysis/model/strided_reads.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr std::int64_t part_alignment_bytes = 16;

/// Tensors that one behind the other are another one.
struct TensorRun {
  std::vector<std::size_t> parts{};
  std::size_t whole = 0;
};

class JoinSearch {
 public:
  JoinSearch(const DataFlow& flow, const std::vector<bool>& prepared,
             const std::vector<PlannedWork>& work, Precision precision)
      : flow_(flow), prepared_(prepared), precision_(precision), shown_(flow.tensors.size()) {
    std::iota(shown_.begin(), shown_.end(), std::size_t{0});
    for (const FlowLayer& layer : flow.layers) {
      if (layer.view_of && !layer.outputs.empty()) {
        shown_[layer.outputs.front()] = shown_[*layer.view_of];
      }
    }
    for (const PlannedWork& one : work) {
      if (one.time.status == LayerStatus::free) continue;
      const FlowLayer& made = flow.layers[one.layers.back()];
      if (made.outputs.size() == 1) makers_[made.outputs.front()] = &one;
    }
  }

  std::vector<JoinedTensor> run(const std::vector<PlannedWork>& work,
                                const std::set<std::size_t>& apart) {
    for (const PlannedWork& one : work) {
      if (one.time.status == LayerStatus::free || prepared_[one.layers.back()]) continue;
      add_slices(one);
      if (apart.contains(one.layers.back())) continue;
      if (auto joined = concatenation(one)) add(std::move(*joined));
    }
    choose_places();
    std::erase_if(found_, [](const JoinedTensor& one) {
      return std::ranges::none_of(one.parts, &JoinedTensor::Part::in_place);
    });
    for (JoinedTensor& one : found_) {
      for (JoinedTensor::Part& part : one.parts) {
        part.joined = std::ranges::count(found_, part.tensor, &JoinedTensor::whole) > 0;
      }
    }
    return std::move(found_);
  }

 private:
  std::optional<JoinedTensor> concatenation(const PlannedWork& work) const {
    const std::vector<FlowCall>& calls = calls_of(flow_, work);
    const FlowLayer& made = flow_.layers[work.layers.back()];
    if (calls.size() != 1 || made.outputs.size() != 1) return {};
    const Problem problem = parse(calls.front().problem);
    const auto* const concat = std::get_if<Concat>(&problem.shape);
    if (concat == nullptr || calls.front().proxy || concat->parts.size() < 2) return {};
    JoinedTensor joined{.layer = work.layers.back(),
                        .whole = made.outputs.front(),
                        .dims = concat->output(),
                        .axis = static_cast<std::size_t>(concat->axis)};
    const FlowTensor& whole = flow_.tensors[joined.whole];
    const auto outer = joined.dims.begin() + concat->axis;
    const bool is_contiguous =
        std::all_of(joined.dims.begin(), outer, [](std::int64_t extent) { return extent == 1; });
    if (!is_contiguous || !is_float(whole.type) || !whole.shape) return {};
    std::int64_t first = 0;
    for (std::size_t index = 0; index < concat->parts.size(); ++index) {
      const FlowOperand& operand = calls.front().operands.at(index);
      if (!is_plain(operand)) return {};
      const std::size_t tensor = shown_[operand.index];
      const FlowTensor& part = flow_.tensors[tensor];
      const Dims& dims = concat->parts[index];
      if (part.constant || part.type != whole.type || !part.shape ||
          element_count(*part.shape) != element_count(dims)) {
        return {};
      }
      joined.parts.push_back({.tensor = tensor, .dims = dims, .first = first});
      first += element_count(dims);
    }
    return joined;
  }

  static bool is_plain(const FlowOperand& operand) {
    return operand.kind == FlowOperand::Kind::tensor && operand.first == 0 && operand.offset == 0 &&
           operand.strides.empty() && operand.scale == 1 && operand.numbers.empty();
  }

  /// The work's results, if they are a tensor's elements one after the other.
  void add_slices(const PlannedWork& work) {
    const FlowLayer& made = flow_.layers[work.layers.back()];
    std::map<std::int64_t, std::size_t> slices;
    std::set<std::size_t> sources;
    for (const FlowCall& call : calls_of(flow_, work)) {
      const Problem problem = parse(call.problem);
      const auto* const copy = std::get_if<Copy>(&problem.shape);
      if (copy == nullptr || call.part || call.proxy || call.into || call.to_offset != 0) return;
      const Copy moved = copy->canonical();
      const bool is_dense = moved.dims.size() == 1 && moved.from[0] == 1 && moved.to[0] == 1;
      const FlowOperand& operand = call.operands.front();
      if (!is_dense || !is_plain(operand) || call.output >= made.outputs.size()) return;
      sources.insert(shown_[operand.index]);
      slices[call.from_offset] = made.outputs[call.output];
    }
    if (slices.size() < 2 || sources.size() != 1) return;
    TensorRun run{.whole = *sources.begin()};
    std::int64_t next = 0;
    for (const auto& [from, tensor] : slices) {
      if (from != next || !flow_.tensors[tensor].shape) return;
      next += element_count(*flow_.tensors[tensor].shape);
      run.parts.push_back(tensor);
    }
    const FlowTensor& whole = flow_.tensors[run.whole];
    if (whole.constant || !whole.shape || element_count(*whole.shape) != next) return;
    runs_.push_back(std::move(run));
  }

  void add(JoinedTensor joined) {
    // The longest first.
    std::ranges::stable_sort(runs_, [](const TensorRun& a, const TensorRun& b) {
      return a.parts.size() > b.parts.size();
    });
    TensorRun own{.whole = joined.whole};
    for (const JoinedTensor::Part& part : joined.parts) own.parts.push_back(part.tensor);
    for (const TensorRun& run : runs_) replace(joined, run);
    runs_.push_back(std::move(own));
    found_.push_back(std::move(joined));
  }

  static void replace(JoinedTensor& joined, const TensorRun& run) {
    const auto same = [](const JoinedTensor::Part& part, std::size_t tensor) {
      return part.tensor == tensor;
    };
    const auto [begin, end] = std::ranges::search(joined.parts, run.parts, same);
    if (begin == end || run.parts.size() == joined.parts.size()) return;
    JoinedTensor::Part whole{.tensor = run.whole, .dims = begin->dims, .first = begin->first};
    whole.dims[joined.axis] = 0;
    for (auto part = begin; part != end; ++part) whole.dims[joined.axis] += part->dims[joined.axis];
    joined.parts.insert(joined.parts.erase(begin, end), std::move(whole));
    joined.has_operands_of_call = false;
  }

  void choose_places() {
    std::vector<JoinedTensor*> largest;
    for (JoinedTensor& one : found_) largest.push_back(&one);
    std::ranges::stable_sort(largest, [](const JoinedTensor* a, const JoinedTensor* b) {
      return element_count(a->dims) > element_count(b->dims);
    });
    std::set<std::size_t> placed;
    for (JoinedTensor* const one : largest) {
      for (JoinedTensor::Part& part : one->parts) {
        if (part.first * element_bytes(precision_) % part_alignment_bytes != 0) continue;
        if (can_be_placed(part.tensor) && placed.insert(part.tensor).second) part.in_place = true;
      }
    }
  }

  /// One call, or calls that write it together, make it, and nothing else.
  bool can_be_placed(std::size_t tensor) const {
    const auto maker = makers_.find(tensor);
    if (maker == makers_.end() || prepared_[maker->second->layers.back()]) return false;
    const std::vector<FlowCall>& calls = calls_of(flow_, *maker->second);
    return std::ranges::none_of(calls, [](const FlowCall& call) {
      return call.into || call.gather || results(parse(call.problem)).size() > 1;
    });
  }

  const DataFlow& flow_;
  const std::vector<bool>& prepared_;
  Precision precision_;
  /// For a view, the tensor whose elements it is.
  std::vector<std::size_t> shown_;
  std::map<std::size_t, const PlannedWork*> makers_;
  std::vector<TensorRun> runs_;
  std::vector<JoinedTensor> found_;
};

/// "s12544.448.16" as numbers; empty if it does not begin with the letter.
Dims format_numbers(const std::string& field, char letter) {
  Dims numbers;
  if (field.empty() || field.front() != letter) return numbers;
  std::istringstream text(field.substr(1));
  for (std::string one; std::getline(text, one, '.');) numbers.push_back(std::stoll(one));
  return numbers;
}

}  // namespace

std::vector<JoinedTensor> joined_tensors(const DataFlow& flow, const std::vector<bool>& prepared,
                                         const std::vector<PlannedWork>& work, Precision precision,
                                         const std::set<std::size_t>& apart) {
  return JoinSearch(flow, prepared, work, precision).run(work, apart);
}

std::optional<std::string> joined_format(const std::string& like, const Dims& dims,
                                         std::size_t axis) {
  std::istringstream text(like);
  std::vector<std::string> fields;
  for (std::string field; std::getline(text, field, ':');) fields.push_back(field);
  if (fields.size() != 4) return {};
  const Dims strides = format_numbers(fields[1], 's');
  const Dims blocks = format_numbers(fields[2], 'b');
  if (strides.empty() || blocks.size() != 1 || blocks.front() < 1) return {};
  if (format_numbers(fields[3], 'a') != Dims{static_cast<std::int64_t>(axis)}) return {};
  if (dims.at(axis) < 2 || dims[axis] % blocks.front() != 0) return {};
  const Dims inner(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end());
  // The outer extents are 1 and have no stride.
  if (strides.front() != blocks.front() * element_count(inner)) return {};
  return join(dims, 'x') + like.substr(like.find(':'));
}

}  // namespace benanza::analysis
