#include "generator/onnx/read/bind.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/model/node.h"
#include "generator/onnx/model/tensor.h"
#include "generator/onnx/read/cache_extents.h"

namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::TensorShapeProto;
using ::onnx::ValueInfoProto;
using Dimension = ::onnx::TensorShapeProto_Dimension;

/// Inputs that a caller feeds: files of the first format versions list initializers as inputs, too.
std::vector<ValueInfoProto*> real_inputs(GraphProto& graph) {
  std::set<std::string> initialized;
  for (const auto& tensor : graph.initializer()) initialized.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) {
    initialized.insert(tensor.values().name());
  }
  std::vector<ValueInfoProto*> inputs;
  for (ValueInfoProto& input : *graph.mutable_input()) {
    if (!initialized.contains(input.name())) inputs.push_back(&input);
  }
  return inputs;
}

TensorShapeProto* shape_of(ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return nullptr;
  return value.mutable_type()->mutable_tensor_type()->mutable_shape();
}

bool is_open(const Dimension& dimension) { return !dimension.has_dim_value(); }

/// Exporters also write -1 and "?" for what is open; two of them need not be equal.
void open_unknown_extents(ValueInfoProto& value) {
  TensorShapeProto* shape = shape_of(value);
  if (shape == nullptr) return;
  for (Dimension& dimension : *shape->mutable_dim()) {
    const bool unknown =
        is_open(dimension) ? dimension.dim_param() == "?" : dimension.dim_value() < 0;
    if (unknown) dimension.clear_value();
  }
}

/// The names that a sum or product follows from; the name itself if it is none.
std::vector<std::string> terms(const std::string& name) {
  std::vector<std::string> names;
  std::string term;
  for (const char letter : name + '+') {
    if (letter == ' ') continue;
    if (letter != '+' && letter != '*') {
      term += letter;
      continue;
    }
    const bool is_number = std::ranges::all_of(term, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) names.push_back(term);
    term.clear();
  }
  return names.empty() ? std::vector{name} : names;
}

/// For a shell.
std::string quoted(const std::string& text) {
  return text.find_first_of(" *?$&|;()<>\"") == std::string::npos ? text : '\'' + text + '\'';
}

/// The dimensions of inputs that stay open, and the flags that give them values.
class MissingDims {
 public:
  /// `given`: values by name.
  explicit MissingDims(const std::map<std::string, std::int64_t>& given) : given_(given) {}

  void add(const std::string& input, const Dimension& dimension, int axis, bool is_batch) {
    const std::string& name = dimension.dim_param();
    const std::string place = input + ':' + std::to_string(axis);
    places_ += (places_.empty() ? "" : ", ") + ('"' + input + "\" axis " + std::to_string(axis));
    if (!name.empty()) places_ += " (" + name + ')';
    ++count_;
    if (is_batch) return add_flag("--batch N");
    for (const std::string& value : name.empty() ? std::vector{place} : terms(name)) {
      if (!given_.contains(value)) add_flag("--dim " + quoted(value + "=N"));
    }
  }

  /// Throws Error if there are any.
  void refuse(const std::string& where) const {
    if (count_ == 0) return;
    throw Error(where + ": " + (count_ == 1 ? "a dimension has" : "dimensions have") +
                " no value: " + places_ + "; give " + flags_);
  }

 private:
  void add_flag(const std::string& flag) {
    if (known_.insert(flag).second) flags_ += (flags_.empty() ? "" : " ") + flag;
  }

  const std::map<std::string, std::int64_t>& given_;
  std::size_t count_ = 0;
  std::string places_;
  std::string flags_;
  std::set<std::string> known_;
};

void check_input(ValueInfoProto& input, bool batch_is_open, int batch_axis,
                 const std::string& where, MissingDims& missing) {
  const std::string label = where + ": input \"" + input.name() + "\"";
  if (!input.type().has_tensor_type()) return;  // sequences, maps and so on have no extents
  const TensorShapeProto* shape = shape_of(input);
  if (shape == nullptr) throw Error(label + ": has no shape: export the model with input shapes");
  Dims extents;
  for (int axis = 0; axis < shape->dim_size(); ++axis) {
    const Dimension& dimension = shape->dim(axis);
    if (is_open(dimension)) {
      missing.add(input.name(), dimension, axis, batch_is_open && axis == batch_axis);
    } else {
      extents.push_back(dimension.dim_value());
    }
  }
  if (!checked_element_count(extents)) {
    throw Error(label + ": " + join(extents, 'x') +
                " is more than 2^40 elements: give smaller dimensions");
  }
}

/// Recurrent layers take (steps, batch, features), unless their attribute layout is 1, and initial
/// states of (directions, batch, hidden).
int batch_axis(const GraphProto& graph, const std::string& input) {
  for (const auto& node : graph.node()) {
    if (!is_recurrent(node.op_type())) continue;
    constexpr int places[] = {0, 5, 6};
    const bool read = std::any_of(std::begin(places), std::end(places), [&](int place) {
      return place < node.input_size() && node.input(place) == input;
    });
    if (!read) continue;
    const bool batch_first = std::ranges::any_of(node.attribute(), [](const auto& attribute) {
      return attribute.name() == "layout" && attribute.i() == 1;
    });
    return batch_first ? 0 : 1;
  }
  return 0;
}

/// Assigns values to named dimensions, wherever a name occurs in the graph.
class Symbols {
 public:
  explicit Symbols(std::map<std::string, std::int64_t> values) : values_(std::move(values)) {}

  void set(const std::string& name, std::int64_t value) { values_.emplace(name, value); }
  const std::set<std::string>& used() const { return used_; }
  /// The values of dimensions resolved by name, as "TENSOR:AXIS".
  const std::map<std::string, std::int64_t>& places() const { return places_; }

  void apply(ValueInfoProto& value) {
    TensorShapeProto* shape = shape_of(value);
    if (shape == nullptr) return;
    for (int axis = 0; axis < shape->dim_size(); ++axis) {
      Dimension& dimension = *shape->mutable_dim(axis);
      if (!is_open(dimension)) continue;
      const auto position = values_.find(value.name() + ':' + std::to_string(axis));
      if (position != values_.end()) {
        used_.insert(position->first);
        dimension.set_dim_value(position->second);
        continue;
      }
      if (dimension.dim_param().empty()) continue;
      const auto found = values_.find(dimension.dim_param());
      if (found != values_.end()) {
        used_.insert(found->first);
        dimension.set_dim_value(found->second);
        places_[value.name() + ':' + std::to_string(axis)] = found->second;
      } else if (const auto value_of_terms = evaluate(dimension.dim_param())) {
        dimension.set_dim_value(*value_of_terms);
        places_[value.name() + ':' + std::to_string(axis)] = *value_of_terms;
      }
    }
  }

  /// Includes the bodies of nodes.
  void apply(GraphProto& graph) {
    for (ValueInfoProto& value : *graph.mutable_value_info()) apply(value);
    for (ValueInfoProto& value : *graph.mutable_output()) apply(value);
    for (auto& node : *graph.mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) apply_to_body(*attribute.mutable_g());
        for (GraphProto& body : *attribute.mutable_graphs()) apply_to_body(body);
      }
    }
  }

 private:
  void apply_to_body(GraphProto& body) {
    for (ValueInfoProto& value : *body.mutable_input()) apply(value);
    apply(body);
  }

  /// Evaluates a sum of terms, each a product of names and numbers, as exporters write it:
  /// "past + sequence", "2*n + 1". Empty for any other expression, or if a name has no value.
  std::optional<std::int64_t> evaluate(const std::string& expression) {
    std::int64_t sum = 0;
    std::int64_t term = 1;
    std::set<std::string> names;
    std::string factor;
    bool negative = false;
    for (const char letter : expression + '+') {
      if (letter == ' ') continue;
      if (letter != '+' && letter != '-' && letter != '*') {
        factor += letter;
        continue;
      }
      const auto value = factor_value(factor, names);
      if (!value || __builtin_mul_overflow(term, *value, &term)) return std::nullopt;
      factor.clear();
      if (letter == '*') continue;
      if (__builtin_add_overflow(sum, negative ? -term : term, &sum)) return std::nullopt;
      term = 1;
      negative = letter == '-';
    }
    used_.insert(names.begin(), names.end());
    return sum;
  }

  std::optional<std::int64_t> factor_value(const std::string& factor,
                                           std::set<std::string>& names) const {
    if (const auto found = values_.find(factor); found != values_.end()) {
      names.insert(factor);
      return found->second;
    }
    std::int64_t number = 0;
    const char* const end = factor.data() + factor.size();
    const auto [stop, error] = std::from_chars(factor.data(), end, number);
    if (factor.empty() || error != std::errc{} || stop != end || number < 0) return std::nullopt;
    return number;
  }

  std::map<std::string, std::int64_t> values_;
  std::set<std::string> used_;
  std::map<std::string, std::int64_t> places_;
};

/// Extents of caches that attention operators determine, where they are open.
void close_caches(const GraphProto& graph, const std::vector<ValueInfoProto*>& inputs,
                  Symbols& symbols) {
  const auto is_open_input = [](const ValueInfoProto* input) {
    const auto& shape = input->type().tensor_type().shape();
    return std::ranges::any_of(shape.dim(), is_open);
  };
  if (std::ranges::none_of(inputs, is_open_input)) return;
  for (const ImpliedExtent& implied : cache_extents(graph)) {
    const auto input = std::ranges::find(inputs, implied.tensor,
                                         [](const ValueInfoProto* one) { return one->name(); });
    if (input == inputs.end()) continue;
    TensorShapeProto* const shape = shape_of(**input);
    if (shape == nullptr || shape->dim_size() <= implied.axis) continue;
    Dimension& dimension = *shape->mutable_dim(implied.axis);
    if (!is_open(dimension)) continue;
    if (!dimension.dim_param().empty()) symbols.set(dimension.dim_param(), implied.extent);
    dimension.set_dim_value(implied.extent);
  }
}

/// The batch axes of the inputs.
struct Batches {
  /// That of the first input, if the file states it.
  std::optional<std::int64_t> fixed{};
  /// Whether an input has Binding::batch, or none has such an axis.
  bool is_used = false;
  /// Whether an open dimension has it.
  bool is_chosen = false;
};

/// Gives open dimensions of inputs the values of `symbols`, then batch axes the batch.
Batches set_batches(const GraphProto& graph, const std::vector<ValueInfoProto*>& inputs,
                    const Binding& binding, Symbols& symbols, const std::string& where) {
  Batches batches;
  std::set<const Dimension*> were_open;
  for (ValueInfoProto* input : inputs) {
    const TensorShapeProto* const shape = shape_of(*input);
    if (shape == nullptr) continue;
    for (const Dimension& dimension : shape->dim()) {
      if (is_open(dimension)) were_open.insert(&dimension);
    }
    symbols.apply(*input);
  }
  std::string contradiction;
  bool first = true;
  for (ValueInfoProto* input : inputs) {
    TensorShapeProto* const shape = shape_of(*input);
    const int axis = batch_axis(graph, input->name());
    if (shape == nullptr || shape->dim_size() <= axis) continue;
    Dimension& dimension = *shape->mutable_dim(axis);
    const bool was_open = were_open.contains(&dimension);
    const bool by_dim = was_open && !is_open(dimension);
    if (first && !was_open) batches.fixed = dimension.dim_value();
    first = false;
    if (!binding.batch) continue;
    const std::int64_t batch = *binding.batch;
    if (by_dim && dimension.dim_value() != batch) {
      if (!contradiction.empty()) continue;
      contradiction = where + ": --batch and --dim give \"" + input->name() + "\" axis " +
                      std::to_string(axis) + " different values, " + std::to_string(batch) +
                      " and " + std::to_string(dimension.dim_value()) + ": leave one of them out";
      continue;
    }
    if (was_open && !by_dim) {
      const std::string& name = dimension.dim_param();
      const std::vector<std::string> names = terms(name);
      if (names.size() == 1 && !names[0].empty()) symbols.set(names[0], batch);
      batches.is_used |= names.size() == 1;
      batches.is_chosen |= names.size() == 1 && batch != 1;
      // "batch + 1" follows from its name.
      if (names != std::vector{name}) continue;
    } else if (!by_dim && dimension.dim_value() != batches.fixed) {
      continue;
    }
    dimension.set_dim_value(batch);
    batches.is_used = true;
  }
  if (first && binding.batch) batches.is_used = true;
  // What calls the generator for others says --batch 1 where they say none.
  if (!contradiction.empty() && !batches.is_used && *binding.batch != 1) throw Error(contradiction);
  return batches;
}

}  // namespace

std::string advice(const ResolvedDims& bound) {
  std::string text;
  for (const std::string& name : bound.used_dims) {
    text += (text.empty() ? ": read with --dim " : " --dim ") +
            quoted(name + '=' + std::to_string(bound.dims.at(name)));
  }
  if (!bound.replaced_batch) return text;
  return text + ": the model was made for batch " + std::to_string(*bound.replaced_batch) +
         ": leave --batch out, or export it with a dynamic batch";
}

ResolvedDims bind(::onnx::ModelProto& model, const Binding& binding, const std::string& where) {
  if (binding.batch && *binding.batch < 1) {
    throw Error("--batch " + std::to_string(*binding.batch) + ": it must be at least 1");
  }
  GraphProto& graph = *model.mutable_graph();
  ResolvedDims bound;
  Symbols symbols(binding.dims);
  const std::vector<ValueInfoProto*> inputs = real_inputs(graph);
  for (ValueInfoProto* input : inputs) open_unknown_extents(*input);
  for (ValueInfoProto& value : *graph.mutable_value_info()) open_unknown_extents(value);
  for (ValueInfoProto& value : *graph.mutable_output()) open_unknown_extents(value);
  const Batches batches = set_batches(graph, inputs, binding, symbols, where);
  const std::optional<std::int64_t>& fixed = batches.fixed;
  if (binding.batch && fixed && *fixed != *binding.batch) bound.replaced_batch = fixed;

  for (ValueInfoProto* input : inputs) symbols.apply(*input);
  close_caches(graph, inputs, symbols);
  symbols.apply(graph);
  for (const std::string& name : symbols.used()) {
    if (binding.dims.contains(name)) bound.used_dims.insert(name);
  }
  bound.dims = binding.dims;
  bound.dims.insert(symbols.places().begin(), symbols.places().end());
  MissingDims missing(binding.dims);
  for (ValueInfoProto* input : inputs) {
    check_input(*input, !binding.batch, batch_axis(graph, input->name()), where, missing);
  }
  missing.refuse(where);
  for (ValueInfoProto* input : inputs) {
    const TensorShapeProto* shape = shape_of(*input);
    const int axis = batch_axis(graph, input->name());
    if (shape != nullptr && shape->dim_size() > axis) {
      bound.batch = shape->dim(axis).dim_value();
      break;
    }
  }
  if (batches.is_used) bound.batch = *binding.batch;
  bound.is_chosen = batches.is_chosen || bound.replaced_batch || !bound.used_dims.empty();
  return bound;
}

}  // namespace benanza::onnx
