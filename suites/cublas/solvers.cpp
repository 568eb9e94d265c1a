#include "suites/cublas/solvers.h"

namespace benanza::cublas {
namespace {

Product product(const harness::Variant& variant) {
  auto found = product_of(variant.problem, variant.layout);
  if (!found) throw harness::Unsupported("cuBLAS: the problem is no matrix product");
  const bool is_gemm = std::holds_alternative<Gemm>(variant.problem.shape);
  if (!is_gemm && element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("cuBLAS: only matrix products are asked for in 8 bits");
  }
  return *std::move(found);
}

/// Gemms have only the plain layout; other problems the layouts in which they are products.
template <class Shape>
std::vector<Layout> layouts(const Shape& shape) {
  if constexpr (std::is_same_v<Shape, Gemm>) {
    return {Layout::plain};
  } else {
    constexpr std::size_t least_image_rank = 3;
    constexpr std::size_t most_image_rank = 5;
    const std::size_t rank = shape.input.size();
    const bool is_image = rank >= least_image_rank && rank <= most_image_rank;
    std::vector<Layout> found;
    for (const Layout layout :
         is_image ? std::vector{Layout::nchw, Layout::nhwc} : std::vector{Layout::plain}) {
      if (product_of({shape, {}}, layout)) found.push_back(layout);
    }
    return found;
  }
}

template <class Shape>
void add_for(SolverTable& table, const ProductSolver& solver) {
  table.add<Shape>({.layouts = layouts<Shape>,
                    .algorithms =
                        [=](Library& library, const Shape&, const harness::Variant& prototype,
                            harness::AlgorithmSet) {
                          return solver.algorithms(library, product(prototype), prototype);
                        },
                    .create =
                        [=](Library& library, const Shape&, const harness::Variant& variant) {
                          return solver.create(library, product(variant), variant);
                        },
                    .owns = solver.owns});
}

}  // namespace

void add(SolverTable& table, const ProductSolver& solver) {
  add_for<Gemm>(table, solver);
  add_for<Convolution>(table, solver);
  add_for<Reduction>(table, solver);
  add_for<Pooling>(table, solver);
}

}  // namespace benanza::cublas
