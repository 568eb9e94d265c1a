// A way is a value: it comes from its name alone, and works where its caller wants.
#include "suites/harness/way.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::NanSensitiveFloatEq;

Variant way_relu(Algorithm name) {
  return {parse("relu/1x4"), Precision::fp32, Layout::nchw, std::move(name)};
}

/// Operands and results that the caller owns.
class Mine final : public Operands {
 public:
  std::byte* operand(std::size_t index, std::int64_t bytes, const MemoryFormat&) override {
    asked.push_back("operand " + std::to_string(index) + ": " + std::to_string(bytes));
    return reinterpret_cast<std::byte*>(x.data());
  }
  std::byte* result(std::size_t index, std::int64_t bytes, const MemoryFormat&) override {
    asked.push_back("result " + std::to_string(index) + ": " + std::to_string(bytes));
    return reinterpret_cast<std::byte*>(y.data());
  }
  std::byte* scratch(std::int64_t) override { return nullptr; }

  std::vector<float> x{-1, 2, -3, 4};
  std::vector<float> y{7, 7, 7, 7};
  std::vector<std::string> asked;
};

TEST(Way, IsMadeFromItsNameThoughItIsNotListed) {
  FakeBackend backend("1");
  EXPECT_THAT(names_of(backend.ways(way_relu(""), AlgorithmSet::all)),
              ElementsAre("direct", "strided"));
  const Way way = backend.way(way_relu("ref"));
  EXPECT_EQ(way.name, "ref");
  EXPECT_TRUE(way.traits.reference);
  Mine mine;
  way.make(mine)->run();
  EXPECT_THAT(mine.y, ElementsAre(0, 2, 0, 4));
}

TEST(Way, WorksOnOperandsThatItsCallerOwns) {
  FakeBackend backend("1");
  Mine mine;
  const auto call = backend.way(way_relu("direct")).make(mine);
  EXPECT_THAT(mine.asked, ElementsAre("operand 0: 16", "result 0: 16"));
  call->run();
  EXPECT_THAT(mine.y, ElementsAre(0, 2, 0, 4)) << "nothing was uploaded";
  mine.x = {5, -6, 7, -8};
  call->run();
  EXPECT_THAT(call->download(), ElementsAre(5, 0, 7, 0));
  call->poison_output();
  EXPECT_THAT(mine.y, Each(NanSensitiveFloatEq(std::nanf(""))));
}

TEST(Way, ACallThatIsMadeAloneKeepsItsMemory) {
  std::shared_ptr<Primitive> call;
  HostAllocator memory;
  {
    FakeBackend backend("1");
    CallFormats formats;
    call = make_alone(backend.way(way_relu("direct")), memory, &formats);
    EXPECT_THAT(formats.operands, ElementsAre("row-major"));
    EXPECT_THAT(formats.results, ElementsAre("row-major"));
  }
  call->upload(0, Mine().x);
  call->run();
  EXPECT_THAT(call->download(), ElementsAre(0, 2, 0, 4));
}

}  // namespace
}  // namespace benanza::harness
