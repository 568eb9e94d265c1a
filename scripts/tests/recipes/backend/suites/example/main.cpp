#include "suites/example/ways.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/harness/program/bench_main.h"
#include "suites/harness/registration.h"
#include "suites/verify/verification_cases.h"

namespace benanza::example {
namespace {

class ExampleBackend final : public harness::TableBackend<Library> {
 public:
  ExampleBackend() : TableBackend("the example", way_table()) {}

  std::string_view name() const override { return "example"; }
  std::vector<std::string> devices() const override { return {"0: this processor"}; }
  System system() override { return {{"example_version", "1"}}; }
  harness::Allocator& allocator() override { return allocator_; }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }

 private:
  Library& library() override { return library_; }

  Library library_;
  harness::HostAllocator allocator_;
  harness::HostStopwatch stopwatch_;
};

}  // namespace
}  // namespace benanza::example

int main(int argc, char** argv) {
  benanza::example::ExampleBackend backend;
  return benanza::harness::bench_main(argc, argv, backend, benanza::registration(),
                                      benanza::verify::verifier());
}
