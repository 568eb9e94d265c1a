#include <string>
#include <utility>

#include "suites/harness/each_group.h"
#include "suites/harness/packed_values.h"
#include "suites/onednn/plans/product.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

using Ways = std::vector<harness::Way>;
using Product = harness::Family<Library, Gemm>;

Ways each_group(const Product& product, Library& library, const GroupedGemm& shape,
                const harness::Variant& prototype, harness::AlgorithmSet set) {
  return harness::each_group(
      shape, prototype,
      [&](const harness::Variant& one) {
        return product.ways(library, std::get<Gemm>(one.problem.shape), one, set);
      },
      [] { return std::make_shared<harness::HostAllocator>(); });
}

/// By weights that are unpacked when the model is loaded, as those of other products are.
Ways unpacked(const Product& product, Library& library, const GroupedGemm& shape,
              const harness::Variant& packed, harness::AlgorithmSet set) {
  if (packed.precision == Precision::int8) {
    throw harness::Unsupported("packed weights are not unpacked to 8 bits");
  }
  harness::require_rows_to_unpack(harness::mean_rows(shape));
  harness::Variant prototype = packed;
  prototype.problem.packed.reset();
  Ways found = each_group(product, library, shape, prototype, set);
  for (harness::Way& way : found) way.name.insert(0, "unpacked.");
  return found;
}

}  // namespace

/// A product for each group with rows: the library has no call for several.
void register_grouped_gemm(WayTable& table) {
  const auto plain = [](const auto&) { return std::vector{Layout::plain}; };
  const auto product = family_of<Gemm>(plain, product_attempts);
  for (const bool for_packed : {false, true}) {
    const auto ways = for_packed ? unpacked : each_group;
    table.add(harness::Family<Library, GroupedGemm>{
        .layouts = plain,
        .ways =
            [product, ways](Library& library, const GroupedGemm& shape,
                            const harness::Variant& prototype, harness::AlgorithmSet set) {
              return ways(product, library, shape, prototype, set);
            },
        .for_packed = for_packed,
        .chooses_leading = true});
  }
}

}  // namespace benanza::onednn
