#include "generator/onnx/read/make_inputs_constant.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "generator/onnx/model/tensor.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer(std::string_view text, int type) {
  const auto value = number<std::int64_t>(text);
  if (type != TensorProto::BOOL) return value;
  if (text == "true" || value == 1) return 1;
  if (text == "false" || value == 0) return 0;
  return std::nullopt;
}

/// The values of the words. If a word has none, returns empty and sets `bad` to it.
template <class Value, class Parse>
std::optional<Literal> literal_of(const std::vector<std::string_view>& words, std::size_t count,
                                  std::string_view& bad, Parse parse) {
  std::vector<Value> values;
  for (const std::string_view word : words) {
    const auto value = parse(word);
    if (!value) {
      bad = word;
      return std::nullopt;
    }
    values.push_back(*value);
  }
  if (words.size() == 1) values.resize(count, values.front());
  return Literal(std::move(values));
}

Dims extents_of(const ValueInfoProto& input, const std::string& label) {
  Dims extents;
  for (const auto& dimension : input.type().tensor_type().shape().dim()) {
    extents.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
  }
  const auto count = checked_element_count(extents);
  if (!input.type().tensor_type().has_shape() || !count) {
    throw Error(label + "its extents are not known: state them, too");
  }
  if (*count > max_literal_elements) {
    throw Error(label + "has " + std::to_string(*count) + " elements: values of up to " +
                std::to_string(max_literal_elements) + " can be stated");
  }
  return extents;
}

TensorProto constant(const ValueInfoProto& input, const std::string& text,
                     const std::string& where) {
  const std::string label = where + ": --input " + input.name() + '=' + text + ": ";
  const int type = input.type().tensor_type().elem_type();
  const Dims extents = extents_of(input, label);
  const auto count = static_cast<std::size_t>(*checked_element_count(extents));
  const std::vector<std::string_view> words = split(text);
  if (words.size() != count && words.size() != 1) {
    throw Error(label + "gives " + std::to_string(words.size()) + " values, the input has " +
                std::to_string(count) + ": give all, or one for all");
  }
  std::string_view bad = text;
  const auto literal =
      is_floating(type) ? literal_of<double>(words, count, bad, &number<double>)
                        : literal_of<std::int64_t>(words, count, bad, [&](std::string_view word) {
                            return integer(word, type);
                          });
  auto tensor = literal ? write_literal(*literal, type, extents) : std::nullopt;
  // Values out of range for the type do not survive the round-trip.
  if (!tensor || (!is_floating(type) && read_values(*tensor) != literal)) {
    throw Error(label + '"' + std::string(bad) + "\" is no value of type " + type_name(type) +
                " that can be stated: give booleans, integers or floats");
  }
  tensor->set_name(input.name());
  return *std::move(tensor);
}

template <class Repeated>
void erase_named(Repeated& entries, const std::string& name) {
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const auto& entry) { return entry.name() == name; }),
                entries.end());
}

}  // namespace

bool has_input(const ::onnx::ModelProto& model, const std::string& name) {
  const auto& inputs = model.graph().input();
  return std::ranges::any_of(inputs,
                             [&](const ValueInfoProto& input) { return input.name() == name; });
}

void make_inputs_constant(::onnx::ModelProto& model,
                          const std::map<std::string, std::string>& values,
                          const std::string& where) {
  ::onnx::GraphProto& graph = *model.mutable_graph();
  for (const auto& entry : values) {
    const std::string& name = entry.first;
    const auto input = std::ranges::find_if(
        graph.input(), [&](const ValueInfoProto& one) { return one.name() == name; });
    if (input == graph.input().end()) continue;
    TensorProto tensor = constant(*input, entry.second, where);
    // In files of the first format versions, inputs may have initializers as defaults.
    erase_named(*graph.mutable_initializer(), name);
    erase_named(*graph.mutable_input(), name);
    *graph.add_initializer() = std::move(tensor);
  }
}

}  // namespace benanza::onnx
