// What cuDNN offers for a described H100: the files of cases, asked of the whole table of ways.
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/tests/cases/case_tests.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

/// Answers, and cannot measure.
class DescribedDevice final : public harness::TableBackend<Library> {
 public:
  explicit DescribedDevice(Target target)
      : TableBackend("cuDNN", way_table()), library_(none_, std::move(target), nullptr) {}

  std::string_view name() const override { return "cudnn"; }
  std::vector<std::string> devices() const override { return {}; }
  System system() override { return {}; }
  harness::Allocator& allocator() override { return allocator_; }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }

 private:
  Library& library() override { return library_; }

  nvidia::LazyContext none_{nvidia::CudaOptions()};
  Library library_;
  harness::HostAllocator allocator_;
  harness::HostStopwatch stopwatch_;
};

class OffersOnH100 : public H100, public testing::WithParamInterface<const char*> {};

TEST_P(OffersOnH100, AreWhatTheCasesSay) {
  DescribedDevice backend(Target(read_file(TEST_DATA "/h100_device_properties.json")));
  for (const harness::Case& one : harness::cases_in(CASES, GetParam())) {
    harness::expect_offer(backend, one);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, OffersOnH100,
                         testing::Values("elementwise", "selections", "products", "gradients"));

}  // namespace
}  // namespace benanza::cudnn
