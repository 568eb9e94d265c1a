// Engines that differ in one setting from others.
#include <algorithm>
#include <set>

#include "suites/cudnn/ops/convolution.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<EngineId>& ids) {
  std::vector<std::string> names;
  for (const EngineId& id : ids) names.push_back(to_string(id));
  return names;
}

TEST(NearEngines, HaveAnotherValueOfOneKnobNearestFirst) {
  const EngineId id{.engine = 7, .knobs = {{2, 4}, {13, 0}}};
  EXPECT_THAT(texts(near(id, {{.type = 2, .least = 2, .most = 6, .stride = 2},
                              {.type = 13, .least = 0, .most = 1, .stride = 1}})),
              ElementsAre("engine7.k2=6.k13=0", "engine7.k2=2.k13=0", "engine7.k2=4.k13=1"));
}

TEST(NearEngines, OfALongRangeHaveValuesAtDoublingDistances) {
  const EngineId id{.engine = 7, .knobs = {{17, 3}}};
  EXPECT_THAT(texts(near(id, {{.type = 17, .least = 0, .most = 100, .stride = 1}})),
              ElementsAre("engine7.k17=4", "engine7.k17=2", "engine7.k17=5", "engine7.k17=1",
                          "engine7.k17=7", "engine7.k17=11", "engine7.k17=19", "engine7.k17=35",
                          "engine7.k17=67"));
}

TEST(NearEngines, SetAKnobThatWasLeftToTheLibrary) {
  const EngineId id{.engine = 7, .knobs = {{14, 2}}};
  EXPECT_THAT(texts(near(id, {{.type = 2, .least = 5, .most = 7, .stride = 1}})),
              ElementsAre("engine7.k2=6.k14=2", "engine7.k2=7.k14=2"));
  EXPECT_THAT(near(id, {{.type = 2, .least = 0, .most = 0, .stride = 1}}), IsEmpty());
}

TEST(NearEngines, NamesSayTheTransform) {
  EXPECT_EQ(to_string(EngineName{.transform = "winograd", .id = {.engine = 4}}),
            "winograd.engine4");
}

class Searched : public H100 {
 protected:
  harness::Variant convolution_ =
      variant("conv/8x64x28x28_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_relu", Precision::fp16, Layout::nhwc);
  GraphsOf graphs_ = bound(convolution_graphs, std::get<Convolution>(convolution_.problem.shape));
};

TEST_F(Searched, BeginsWithWhatIsListedOtherwiseAndHasMore) {
  const auto all = names(graphs_, convolution_);
  const auto searched = names(graphs_, convolution_, harness::AlgorithmSet::search);
  EXPECT_GT(searched.size(), all.size());
  EXPECT_EQ(searched.front(), all.front());
  EXPECT_TRUE(std::ranges::all_of(all, [&](const std::string& name) {
    return std::ranges::find(searched, name) != searched.end();
  }));
}

TEST_F(Searched, ANeighbourIsMadeFromItsNameAndHasNeighboursItself) {
  nvidia::LazyContext no_device{nvidia::CudaOptions()};
  Library library{no_device, Target(read_file(TEST_DATA "/h100_device_properties.json")), nullptr};
  convolution_.algorithm = names(graphs_, convolution_).front();
  const auto near = graph_way(library, graphs_, convolution_)->near();
  ASSERT_THAT(near, testing::Not(IsEmpty()));
  EXPECT_EQ(std::set(near.begin(), near.end()).size(), near.size());
  EXPECT_EQ(std::ranges::find(near, convolution_.algorithm), near.end());
  std::size_t possible = 0;
  for (const std::string& name : near) {
    harness::Variant other = convolution_;
    other.algorithm = name;
    try {
      const auto way = graph_way(library, graphs_, other);
      ASSERT_TRUE(way);
      EXPECT_EQ(way->name, name);
      const auto back = way->near();
      possible += std::ranges::find(back, convolution_.algorithm) != back.end();
    } catch (const harness::Unsupported&) {
    }
  }
  EXPECT_GT(possible, 0);
}

}  // namespace
}  // namespace benanza::cudnn
