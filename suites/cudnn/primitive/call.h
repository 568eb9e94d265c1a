#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/way.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cudnn {

/// A lower bound on the work of any call, for the physics guard. If it were too high, correct
/// measurements would be rejected as impossible.
struct LeastWork {
  /// direct_flops(), or least_flops() for engines of a convolution's gradients; and least_bytes().
  Work work;
  /// Infinity for transforms (Winograd, FFT), because the library does not report their tile sizes.
  double arithmetic_saving = 1;
};
LeastWork least_work(const Problem& problem, Precision precision, const harness::Traits& traits,
                     bool of_engine);

/// The library's representation of a variance: 1 / sqrt(variance + epsilon).
float inverse_deviation(float variance, float epsilon);
/// The reverse.
float variance_of(float inverse_deviation, float epsilon);

/// An operand, or a result, that is a variance in the problem and its inverse_deviation() in the
/// library.
struct InverseDeviation {
  /// Of the operands, or of the results.
  std::size_t index = 0;
  float epsilon = 0;

  nvidia::StoredOtherwise to_library_value() const;
  nvidia::StoredOtherwise to_problem_value() const;
};

using Request = nvidia::Request<Library>;
using Ways = std::vector<harness::Way>;

/// Blend factors (alpha, beta) as the library reads them: fp32 on the host for every precision of
/// the data.
inline constexpr float zero = 0.0F;
inline constexpr float one = 1.0F;

/// Whether a call is one of the library's functions or an engine of its graphs.
enum class Interface { functions, graphs };

/// The base of cuDNN's calls. Library functions compute alpha * f(inputs) + beta * result with
/// alpha and beta in fp32; here these are scale() and 0. Times are checked against the device's
/// peaks.
class CudnnPrimitive : public nvidia::CudaPrimitive {
 public:
  CudnnPrimitive(const Request& request, nvidia::CallSetup setup, Interface interface);

  cudnnHandle_t handle() const { return library_.handle(); }
  Library& library() const { return library_; }
  /// int8_scale for int8, 1 for every other precision.
  float scale() const { return scale_; }

 private:
  Library& library_;
  float scale_;
};

/// The primitive whose call is `calls` (nvidia::CallOf).
template <class Calls>
std::unique_ptr<harness::Primitive> call_of(const Request& request, nvidia::CallSetup setup,
                                            Calls calls,
                                            Interface interface = Interface::functions) {
  return std::make_unique<nvidia::CallOf<CudnnPrimitive, Calls>>(std::move(calls), request,
                                                                 std::move(setup), interface);
}

/// One operand of cudnnOpTensor: factor * data.
struct OpTensorOperand {
  const TensorDescriptor& tensor;
  const std::byte* data;
  float factor = 1;
};

/// cudnnOpTensor: result = op(a, b), b broadcast to a. `result` may be a's own memory.
void op_tensor(cudnnHandle_t handle, const OpTensorDescriptor& op, const OpTensorOperand& a,
               const OpTensorOperand& b, const TensorDescriptor& result_tensor, std::byte* result);

/// Dense formats of the operands and the result of the variant's problem.
std::vector<nvidia::TensorFormat> dense_inputs(const harness::Variant& variant);
nvidia::TensorFormat dense_output(const harness::Variant& variant);
nvidia::CallSetup dense_setup(const harness::Variant& variant);
/// The operands after the first in fp32, which the library requires of vectors for every precision
/// of the data.
nvidia::CallSetup setup_with_fp32_vectors(const harness::Variant& variant);

/// Throws Unsupported at int8.
void refuse_int8_gradients(const harness::Variant& variant);

/// Functions of the library. `layouts` and `ways` as in harness::Family; ways(library, shape,
/// prototype).
template <class Shape, class Layouts, class WaysOf>
harness::Family<Library, Shape> functions(Layouts layouts, WaysOf ways) {
  return {
      .layouts = layouts,
      .ways = [ways](Library& library, const Shape& shape, const harness::Variant& prototype,
                     harness::AlgorithmSet) -> Ways { return ways(library, shape, prototype); }};
}

/// A function for each of choices(shape, prototype), values with a `name`, whose call
/// make(request, shape, choice) sets up.
template <class Shape, class Layouts, class Choices, class Make>
harness::Family<Library, Shape> functions_of(Layouts layouts, Choices choices, Make make) {
  return functions<Shape>(layouts, [choices, make](Library& library, const Shape& shape,
                                                   const harness::Variant& prototype) {
    Ways ways;
    for (const auto& choice : choices(shape, prototype)) {
      ways.push_back(nvidia::way_of(
          library, prototype, harness::Algorithm(choice.name),
          [make, shape, choice](const Request& request) { return make(request, shape, choice); }));
    }
    return ways;
  });
}

/// One function, whose call make(request, shape) sets up. `refuse`(shape, prototype) throws
/// Unsupported for what need not be tried.
template <class Shape, class Layouts, class Make>
harness::Family<Library, Shape> function(
    std::string name, Layouts layouts, Make make,
    void (*refuse)(const Shape&, const harness::Variant&) = [](const Shape&,
                                                               const harness::Variant&) {}) {
  return functions<Shape>(
      layouts,
      [name = std::move(name), make, refuse](Library& library, const Shape& shape,
                                             const harness::Variant& prototype) -> Ways {
        refuse(shape, prototype);
        return {nvidia::way_of(library, prototype, name, [make, shape](const Request& request) {
          return make(request, shape);
        })};
      });
}

}  // namespace benanza::cudnn
