#include "suites/harness/each_group.h"
#include "suites/onednn/plans/product.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

/// A product for each group with rows: the library has no call for several.
void register_grouped_gemm(WayTable& table) {
  const auto plain = [](const auto&) { return std::vector{Layout::plain}; };
  const auto product = family_of<Gemm>(plain, product_attempts);
  table.add(harness::Family<Library, GroupedGemm>{
      .layouts = plain,
      .ways =
          [product](Library& library, const GroupedGemm& shape, const harness::Variant& prototype,
                    harness::AlgorithmSet set) {
            return harness::each_group(
                shape, prototype,
                [&](const harness::Variant& one) {
                  return product.ways(library, std::get<Gemm>(one.problem.shape), one, set);
                },
                std::make_shared<harness::HostAllocator>());
          },
      .chooses_leading = true});
}

}  // namespace benanza::onednn
