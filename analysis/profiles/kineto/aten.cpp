#include "analysis/profiles/kineto/aten.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>

namespace benanza::analysis::kineto {
namespace {

std::map<std::string_view, Parts> make_table() {
  std::map<std::string_view, Parts> table;
  for (const auto entries :
       {window_operators(), product_operators(), other_operators(), gradient_operators()}) {
    for (const Entry& entry : entries) table.emplace(entry.name, entry.parts);
  }
  return table;
}

Parts find(std::string_view name) {
  static const std::map<std::string_view, Parts> table = make_table();
  constexpr std::string_view space = "aten::";
  if (!name.starts_with(space)) return nullptr;
  name.remove_prefix(space.size());
  auto found = table.find(name);
  if (found == table.end() && name.ends_with('_')) {  // in place
    found = table.find(name.substr(0, name.size() - 1));
  }
  return found == table.end() ? nullptr : found->second;
}

const Argument* found_at(const Op& op, std::size_t index) {
  return index < op.arguments.size() ? &op.arguments[index] : nullptr;
}

}  // namespace

bool is_known(const std::string& name) { return find(name) != nullptr; }

std::vector<Part> parts_of(const Op& op) {
  const Parts parts = find(op.name);
  if (!parts) return {};
  return parts(Call(op));
}

std::vector<std::size_t> factors(const Op& op) {
  constexpr std::string_view products[] = {"Conv", "ConvTranspose", "MatMul", "LSTM", "GRU", "RNN"};
  const std::vector<Part> parts = parts_of(op);
  const bool multiplies = std::ranges::any_of(parts, [&](const Part& part) {
    return std::ranges::find(products, part.op) != std::end(products);
  });
  if (!multiplies) return {};
  const bool addend_first = op.name.find("addmm") != op.name.npos || op.name == "aten::baddbmm";
  if (addend_first) return {1, 2};
  return {0, 1};
}

const Dims& Call::dims(std::size_t index) const {
  static const Dims none;
  const Argument* found = found_at(op_, index);
  return found ? found->dims : none;
}

const std::vector<Dims>& Call::list(std::size_t index) const {
  static const std::vector<Dims> none;
  const Argument* found = found_at(op_, index);
  return found ? found->list : none;
}

std::string_view Call::type(std::size_t index) const {
  const Argument* found = found_at(op_, index);
  return found ? std::string_view(found->type) : std::string_view();
}

std::optional<Dims> Call::integers(std::size_t index) const {
  const Argument* found = found_at(op_, index);
  if (!found || found->value.empty()) return std::nullopt;
  std::string_view text = found->value;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Dims values;
  while (!text.empty()) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    while (text.starts_with(',') || text.starts_with(' ')) text.remove_prefix(1);
  }
  return values;
}

std::optional<std::int64_t> Call::integer(std::size_t index) const {
  const auto values = integers(index);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

std::optional<float> Call::real(std::size_t index) const {
  const Argument* found = found_at(op_, index);
  if (!found || found->value.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(found->value.c_str(), &end);
  if (end == found->value.c_str() || *end != '\0') return std::nullopt;
  return static_cast<float>(value);
}

bool Call::truth(std::size_t index) const {
  const Argument* found = found_at(op_, index);
  return found && (found->value == "True" || found->value == "true" || found->value == "1");
}

std::vector<bool> Call::truths(std::size_t index) const {
  std::vector<bool> list;
  const Argument found = argument(index);
  std::string_view text = found.value;
  if (!text.starts_with('[') || !text.ends_with(']')) return list;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    list.push_back(word == "True" || word == "true");
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return list;
}

Argument Call::argument(std::size_t index) const {
  const Argument* const found = found_at(op_, index);
  return found == nullptr ? Argument() : *found;
}

}  // namespace benanza::analysis::kineto
