#include "analysis/profiles/kineto/aten.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/profiles/kineto/call.h"

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

}  // namespace benanza::analysis::kineto
