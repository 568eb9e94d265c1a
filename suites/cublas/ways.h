#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "suites/cublas/library.h"
#include "suites/cublas/products/mapping.h"
#include "suites/harness/way_table.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

using WayTable = harness::WayTable<Library>;
using Request = nvidia::Request<Library>;
using Ways = std::vector<harness::Way>;

/// The ways of all files in ops/: ops/X.cpp and ops/X/X.cpp define register_X(WayTable&). The
/// library's default comes first, then the algorithms that can be chosen.
WayTable way_table();

/// Ways for every kind of problem that may be a product (product_of()), which both functions
/// receive; otherwise as in harness::Family.
struct ProductFamily {
  std::function<Ways(Library&, const Product&, const harness::Variant& prototype,
                     harness::AlgorithmSet)>
      ways;
  std::function<std::optional<harness::Way>(Library&, const Product&, const harness::Variant&)>
      way = nullptr;
};
void add(WayTable& table, const ProductFamily& family);

/// Throws Unsupported if the problem is not one of 8-bit floats with a scale for each block of 128
/// weights: what Weights::in_blocks are.
void require_blocks(const harness::Variant& variant);

/// Before the name of a way that multiplies by weights unpacked when the model is loaded.
inline constexpr std::string_view unpacked = "unpacked.";
/// The same product with plain weights. Throws Unsupported where such ways make no bound: for few
/// rows of weights that no library here reads as they are stored, and at 8 bits.
harness::Variant with_plain_weights(harness::Variant variant, std::int64_t rows);

/// Where operands A (0) and B (1) of a product come from.
class Factors {
 public:
  Factors(const Request& request, const Product& product);
  std::byte* at(const nvidia::CudaPrimitive& call, std::size_t index) const;

 private:
  std::array<std::optional<std::size_t>, 2> sources_;
  /// Used for an operand without a source.
  nvidia::DeviceMemory ones_;
};

/// The operands and the result of a product.
nvidia::CallSetup product_setup(const harness::Variant& variant,
                                Weights weights = Weights::as_given);
/// The operand and the result of a copy, both dense.
nvidia::CallSetup copy_setup(const Copy& shape, Precision precision);
/// Ways for copies.
harness::Family<Library, Copy> copy_family(
    std::function<Ways(Library&, const Copy&, const harness::Variant& prototype)> ways);

/// The primitive of a call to the library, with its time checked against the device's peaks.
template <class Calls>
std::unique_ptr<harness::Primitive> call_of(const Request& request, nvidia::CallSetup setup,
                                            Calls calls) {
  auto made = std::make_unique<nvidia::CallOf<nvidia::CudaPrimitive, Calls>>(
      std::move(calls), request.library.cuda(), request.operands, std::move(setup));
  made->guard(work(request.variant.problem, request.variant.precision), request.variant.precision);
  return made;
}

template <class Calls>
std::unique_ptr<harness::Primitive> copy_call_of(const Request& request, const Copy& shape,
                                                 Calls calls, std::int64_t workspace_bytes = 0) {
  nvidia::CallSetup setup = copy_setup(shape, request.variant.precision);
  setup.workspace_bytes = workspace_bytes;
  return call_of(request, std::move(setup), std::move(calls));
}

/// The same for a product by a function of the library's handle, which has a workspace.
template <class Calls>
std::unique_ptr<harness::Primitive> handle_call_of(const Request& request, Calls calls) {
  nvidia::CallSetup setup = product_setup(request.variant);
  request.library.handle();
  setup.handle_workspace_bytes = request.library.handle_workspace_bytes();
  return call_of(request, std::move(setup), std::move(calls));
}

}  // namespace benanza::cublas
