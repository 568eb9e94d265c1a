#include "record/views/weight_reorders.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "record/logs/onednn/fields.h"

namespace benanza {
namespace {

using record::onednn::CallFields;
using record::onednn::TensorText;

/// Weights: type, format and number of elements.
using Signature = std::tuple<std::string, std::string, double>;

Signature signature(const TensorText& tensor, double elements) {
  return {tensor.type, tensor.format + tensor.tag, elements};
}

double elements_of(const Dims& dims) {
  double elements = 1;
  for (const std::int64_t extent : dims) elements *= static_cast<double>(extent);
  return elements;
}

/// Of "g2ic64oc64_kh3kw3" or, of an inner product, "mb1ic512ih7iw7oc4096".
double weight_elements(const std::map<std::string, double>& numbers, bool is_convolution) {
  const auto of = [&](const char* name) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? 1.0 : found->second;
  };
  const double window =
      is_convolution ? of("kd") * of("kh") * of("kw") : of("id") * of("ih") * of("iw");
  return of("ic") * of("oc") / of("g") * window;
}

/// The weights of a product; empty if the call has none, or one whose second operand may be a
/// result of the model (a product of batches).
std::optional<Signature> weights_of(const CallFields& call) {
  const bool is_convolution = call.text.kind == "convolution" || call.text.kind == "deconvolution";
  const TensorText* const weights = call.tensor({"wei"});
  if (weights == nullptr || call.is_backward()) return std::nullopt;
  if (is_convolution || call.text.kind == "inner_product") {
    return signature(*weights, weight_elements(call.numbers_of_problem(), is_convolution));
  }
  if (call.text.kind != "matmul") return std::nullopt;
  const auto tensors = call.tensors_of_problem();
  if (tensors.size() < 2 || tensors[1].size() != 2) return std::nullopt;
  return signature(*weights, elements_of(tensors[1]));
}

struct Product {
  std::int64_t calls = 0;
  std::string problem{};
};

/// Calls `use` with each call of oneDNN whose fields can be read.
template <class Use>
void for_each_call(const std::vector<CallTotal>& totals, const Use& use) {
  for (const CallTotal& total : totals) {
    if (total.text.source != "onednn") continue;
    try {
      use(total, CallFields(total.text));
    } catch (const std::invalid_argument&) {
      // A version that writes this call in another way: nothing is said of it.
    }
  }
}

}  // namespace

WeightReorders weight_reorders(const std::vector<CallTotal>& totals) {
  constexpr std::int64_t least_steps = 3;
  std::map<Signature, Product> products;
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  WeightReorders found;
  for (const CallTotal& total : totals) found.all_seconds += total.seconds;
  for_each_call(totals, [&](const CallTotal& total, const CallFields& call) {
    const auto weights = weights_of(call);
    if (!weights) return;
    Product& product = products[*weights];
    product.calls += total.calls;
    product.problem = call.text.kind + ' ' + call.text.problem;
    steps = std::min(steps, total.calls);
  });
  if (products.empty() || steps < least_steps) return found;
  for_each_call(totals, [&](const CallTotal& total, const CallFields& call) {
    const TensorText* const to = call.tensor({"dst"});
    const auto tensors = call.text.kind == "reorder" && to != nullptr ? call.tensors_of_problem()
                                                                      : std::vector<Dims>();
    if (tensors.empty()) return;
    const auto product = products.find(signature(*to, elements_of(tensors.front())));
    const bool is_repeated = product != products.end() && 2 * total.calls > product->second.calls;
    if (!is_repeated) return;
    found.calls += total.calls;
    found.seconds += total.seconds;
    ++found.kinds;
    if (total.seconds <= found.worst_seconds) return;
    found.worst = product->second.problem;
    found.worst_seconds = total.seconds;
  });
  return found;
}

}  // namespace benanza
