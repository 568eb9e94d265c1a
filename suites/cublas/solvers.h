#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/problem/problem.h"
#include "suites/cublas/library.h"
#include "suites/cublas/product.h"
#include "suites/harness/solver.h"

namespace benanza::cublas {

using SolverTable = harness::SolverTable<Library>;

/// The solvers of all files in ops/, in the order of their names: X.cpp defines
/// register_X(SolverTable&). The library's default comes first, then the algorithms that can be
/// chosen.
SolverTable solvers();

/// A solver for every kind of problem that may be a product (product_of()). `algorithms` and
/// `create` receive the product.
struct ProductSolver {
  std::function<std::vector<harness::Algorithm>(Library&, const Product&,
                                                const harness::Variant& prototype)>
      algorithms;
  std::function<std::unique_ptr<harness::Primitive>(Library&, Product, const harness::Variant&)>
      create;
  std::function<bool(const harness::Algorithm&)> owns;
};
void add(SolverTable& table, const ProductSolver& solver);

}  // namespace benanza::cublas
