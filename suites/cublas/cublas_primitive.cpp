#include "suites/cublas/cublas_primitive.h"

#include "suites/cublas/mapping.h"

namespace benanza::cublas {

CublasPrimitive::CublasPrimitive(Library& library, const harness::Variant& variant,
                                 std::int64_t workspace_bytes)
    : CudaPrimitive(library.cuda(), input_formats(variant.problem, variant.precision),
                    output_format(variant.problem, variant.precision), workspace_bytes),
      library_(library) {
  guard(work(variant.problem, variant.precision), variant.precision);
}

}  // namespace benanza::cublas
