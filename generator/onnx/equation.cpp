#include "generator/onnx/equation.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

constexpr int first_of_ellipsis = 256;
constexpr int most_of_ellipsis = 64;

/// `rank`: axes of the operand; an ellipsis stands for those that have no letter.
Labels read_term(const std::string& term, std::size_t rank) {
  const std::size_t dots = term.find("...");
  const std::size_t letters = dots == std::string::npos ? term.size() : term.size() - 3;
  if (letters > rank || (dots == std::string::npos && letters != rank)) {
    throw Error("\"" + term + "\" does not fit an operand of " + std::to_string(rank) + " axes");
  }
  Labels labels;
  for (std::size_t at = 0; at < term.size(); ++at) {
    if (at == dots) {
      // Aligned at the end, as broadcasting is.
      for (std::size_t axis = letters; axis < rank; ++axis) {
        labels.push_back(first_of_ellipsis + most_of_ellipsis - static_cast<int>(rank - axis));
      }
      at += 2;
    } else {
      labels.push_back(static_cast<unsigned char>(term[at]));
    }
  }
  return labels;
}

}  // namespace

Equation read_equation(const Site& einsum) {
  std::string text = einsum.node().text("equation", "");
  std::erase_if(text, [](char letter) { return letter == ' '; });
  const std::size_t arrow = text.find("->");
  std::string terms = text.substr(0, arrow) + ',';
  Equation equation;
  std::map<int, int> uses;
  std::size_t widest = 0;
  for (std::size_t index = 0; index < einsum.input_count(); ++index) {
    const std::size_t comma = terms.find(',');
    if (comma == std::string::npos) throw Error("\"" + text + "\" has too few terms");
    const std::size_t rank = einsum.shape(index).size();
    if (rank > most_of_ellipsis) throw NotExpressible("too many axes");
    equation.operands.push_back(read_term(terms.substr(0, comma), rank));
    terms.erase(0, comma + 1);
    std::size_t covered = 0;
    for (const int label : equation.operands.back()) {
      ++uses[label];
      covered += label >= first_of_ellipsis ? 1 : 0;
    }
    widest = std::max(widest, covered);
  }
  if (!terms.empty()) throw Error("\"" + text + "\" has too many terms");
  if (arrow != std::string::npos) {
    const std::string result = text.substr(arrow + 2);
    const bool open = result.find("...") != std::string::npos;
    equation.result = read_term(result, open ? result.size() - 3 + widest : result.size());
    for (const int label : equation.result) {
      if (!uses.contains(label)) throw Error("\"" + text + "\" makes an axis from nothing");
    }
    return equation;
  }
  // Without an arrow: the ellipsis, then what occurs once, in the order of the alphabet.
  for (const auto& [label, count] : uses) {
    if (label >= first_of_ellipsis) equation.result.push_back(label);
  }
  for (const auto& [label, count] : uses) {
    if (label < first_of_ellipsis && count == 1) equation.result.push_back(label);
  }
  return equation;
}

bool takes_diagonal(const Labels& labels) {
  return std::set<int>(labels.begin(), labels.end()).size() != labels.size();
}

Dims extents_of(const Labels& wanted, const Labels& labels, const Dims& dims) {
  Dims extents;
  for (const int label : wanted) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    extents.push_back(
        found == labels.end() ? 1 : dims[static_cast<std::size_t>(found - labels.begin())]);
  }
  return extents;
}

}  // namespace benanza::onnx
