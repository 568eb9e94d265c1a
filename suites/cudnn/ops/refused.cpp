#include <utility>

#include "suites/cudnn/solvers.h"

/// Problems of which cuDNN's call-per-layer functions know nothing, and of which no other library
/// here does: a row says so, or a bound would wait for a measurement that cannot be.
namespace benanza::cudnn {
namespace {

class RefusingSolver final : public Solver {
 public:
  explicit RefusingSolver(std::string reason) : reason_(std::move(reason)) {}

  std::vector<Layout> layouts() const override { return {Layout::plain}; }
  std::vector<Algorithm> algorithms(Library&, const Variant&) const override { refuse(); }
  std::unique_ptr<CudaPrimitive> create(Library&, const Variant&) const override { refuse(); }

 private:
  [[noreturn]] void refuse() const { throw Unsupported(reason_); }
  std::string reason_;
};

}  // namespace

std::unique_ptr<Solver> solver(const Resampling&) {
  return std::make_unique<RefusingSolver>("cuDNN's call-per-layer functions do not resample");
}

std::unique_ptr<Solver> solver(const Quantization&) {
  return std::make_unique<RefusingSolver>("cuDNN's call-per-layer functions do not quantize");
}

}  // namespace benanza::cudnn
