#include "suites/onednn/plans/product.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {

void register_gemm(WayTable& table) {
  table.add(family_of<Gemm>([](const Gemm&) { return std::vector{Layout::plain}; },
                            product_attempts, Steps::appended));
}

}  // namespace benanza::onednn
