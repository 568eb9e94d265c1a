#include "analysis/model/formats.h"

#include <gmock/gmock.h>

#include <deque>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::measured;
using test::us;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A chain x -> a -> b -> y of three steps on images; a conversion takes 2 us.
struct Chain {
  MeasurementSet set;
  std::vector<FormatStep> steps;
  std::vector<FormatTensor> tensors{16, {.is_image = true, .conversion_seconds = 2 * us}};

  /// Times in us for nchw and nhwc; 0: no such call.
  explicit Chain(const std::vector<std::pair<double, double>>& times) {
    for (std::size_t step = 0; step < times.size(); ++step) {
      const std::string key = "relu/1x" + std::to_string(step + 2) + "x4x4";
      FormatStep one{.reads = {step}, .writes = {step + 1}};
      for (const auto& [layout, time] :
           {std::pair{"nchw", times[step].first}, std::pair{"nhwc", times[step].second}}) {
        if (time == 0) continue;
        set.add(measured(key + "/fp32/" + layout + "/cudnn/a", five(time * us)));
      }
      steps.push_back(std::move(one));
    }
    for (std::size_t step = 0; step < times.size(); ++step) {
      const std::string key = "relu/1x" + std::to_string(step + 2) + "x4x4";
      for (const Measurement& one : set.find(key)) steps[step].candidates.push_back(&one);
    }
  }
  std::vector<Layout> layouts(const ChosenFormats& chosen) const {
    std::vector<Layout> found;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      found.push_back(steps[step].candidates[chosen.candidates[step]]->variant.layout);
    }
    return found;
  }
};

TEST(ChooseFormats, KeepsAFormatWhereAnotherOneGainsLessThanItsConversions) {
  // The second call alone would be 3 us faster, between two conversions of 2 us.
  const Chain chain({{5, 9}, {8, 5}, {5, 9}});
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chain.layouts(chosen), ElementsAre(Layout::nchw, Layout::nchw, Layout::nchw));
  EXPECT_THAT(chosen.conversions, IsEmpty());
  EXPECT_NEAR(chosen.seconds, 18 * us, 1e-12);
}

TEST(ChooseFormats, TakesMeasuredCopiesOfImagesForConversions) {
  Chain chain({{5, 9}, {8, 3}, {5, 9}});
  ASSERT_THAT(choose_formats(chain.steps, chain.tensors).conversions, SizeIs(2));
  // 1.5 us there and 2 back as estimated: 16.5 us in all. The way back takes 4: rather 18.
  chain.tensors[1].from_row_major_seconds = 1.5 * us;
  ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  ASSERT_THAT(chosen.conversions, SizeIs(2));
  EXPECT_EQ(chosen.conversions[0], (PlanConversion{1, 1, "row-major", "nhwc", 1.5 * us}));
  EXPECT_EQ(chosen.conversions[1], (PlanConversion{2, 2, "nhwc", "row-major", 2 * us}));
  EXPECT_NEAR(chosen.seconds, 16.5 * us, 1e-12);
  chain.tensors[2].to_row_major_seconds = 4 * us;
  chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chosen.conversions, IsEmpty());
  EXPECT_NEAR(chosen.seconds, 18 * us, 1e-12);
  // Those of an earlier plan come first.
  const MeasuredConversions measured{{{"nhwc", "row-major"}, 1 * us}};
  EXPECT_NEAR(choose_formats(chain.steps, chain.tensors, measured).seconds, 15.5 * us, 1e-12);
}

TEST(ChooseFormats, ConvertsWhereThatPays) {
  const Chain chain({{5, 9}, {11, 5}, {5, 9}});
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chain.layouts(chosen), ElementsAre(Layout::nchw, Layout::nhwc, Layout::nchw));
  EXPECT_NEAR(chosen.seconds, 19 * us, 1e-12);
  ASSERT_THAT(chosen.conversions, SizeIs(2));
  EXPECT_EQ(chosen.conversions[0], (PlanConversion{1, 1, "row-major", "nhwc", 2 * us}));
  EXPECT_EQ(chosen.conversions[1], (PlanConversion{2, 2, "nhwc", "row-major", 2 * us}));
}

TEST(ChooseFormats, ChangesAllTogether) {
  // Each alone would lose two conversions; all together gain 3 us, less those of the caller's.
  Chain chain({{5, 4}, {5, 4}, {8, 4}});
  chain.tensors[3].row_major_before = chain.steps.size();
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chain.layouts(chosen), ElementsAre(Layout::nhwc, Layout::nhwc, Layout::nhwc));
  EXPECT_THAT(chosen.conversions, SizeIs(2));
  EXPECT_NEAR(chosen.seconds, 16 * us, 1e-12);
}

TEST(ChooseFormats, KeepsRowMajorWhatIsReadInParts) {
  Chain chain({{5, 4}, {5, 4}, {5, 4}});
  chain.tensors[1].row_major_before = 2;
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  // 5 in rows, then 2 for its conversion and 8; otherwise 12 and two conversions.
  EXPECT_NEAR(chosen.seconds, 15 * us, 1e-12);
  chain.tensors[1].row_major_before.reset();
  EXPECT_NEAR(choose_formats(chain.steps, chain.tensors).seconds, 14 * us, 1e-12);
}

TEST(ChooseFormats, CountsOneConversionForAllReadersOfAFormat) {
  Chain chain({{5, 0}, {9, 4}, {9, 4}});
  // Both later steps read the first's result.
  chain.steps[2].reads = {1};
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chosen.conversions, SizeIs(1));
  EXPECT_NEAR(chosen.seconds, 15 * us, 1e-12);
}

TEST(ChooseFormats, HasOneFormatForWhatIsNoImage) {
  Chain chain({{5, 9}, {8, 5}, {5, 9}});
  for (FormatTensor& tensor : chain.tensors) tensor.is_image = false;
  EXPECT_NEAR(choose_formats(chain.steps, chain.tensors).seconds, 15 * us, 1e-12);
}

/// x -> a -> b -> y: a and b can be done in rows, or in formats of the library.
struct Library : Chain {
  Library() : Chain({}) {
    add(0, "conv/1x16x4x4_k16x1x1_p0.0.0.0_s1x1_d1x1_g4", 9, 4);
    add(1, "relu/1x16x4x4", 6, 5);
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (const Measurement& one : set.find(keys[step])) steps[step].candidates.push_back(&one);
    }
  }
  void add(std::size_t step, const std::string& key, double in_rows, double in_library) {
    keys.push_back(key);
    steps.push_back({.reads = {step}, .operands = {step == 0 ? 1U : 0U}, .writes = {step + 1}});
    set.add(measured(key + "/fp32/nchw/onednn/a", five(in_rows * us)));
    set.add(measured(key + "/fp32/any/onednn/a", five(in_library * us)));
  }
  /// What the call of the step says of its formats in Layout::any.
  void state(std::size_t step, std::vector<std::string> operands,
             std::vector<std::string> results) {
    held.push_back(*steps[step].candidates.front());
    if (held.back().variant.layout != Layout::any) held.back() = *steps[step].candidates.back();
    held.back().operand_formats = std::move(operands);
    held.back().result_formats = std::move(results);
    for (const Measurement*& one : steps[step].candidates) {
      if (one->variant.layout == Layout::any) one = &held.back();
    }
  }
  std::vector<std::string> keys;
  std::deque<Measurement> held;
};

TEST(ChooseFormats, CallsThatLeaveTheFormatToTheLibraryAgreeIfTheySayNothing) {
  const Library chain;
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chain.layouts(chosen), ElementsAre(Layout::any, Layout::any));
  EXPECT_NEAR(chosen.seconds, 11 * us, 1e-12) << "one conversion, of x";
}

TEST(ChooseFormats, CallsAgreeInWhatTheyState) {
  Library chain;
  // The convolution has chosen rows: 4 and 6; in blocks the second takes 5 and a conversion.
  chain.state(0, {"weights", "row-major"}, {"row-major"});
  chain.state(1, {"blocks"}, {"blocks"});
  ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chain.layouts(chosen), ElementsAre(Layout::any, Layout::nchw));
  EXPECT_THAT(chosen.conversions, IsEmpty());
  EXPECT_NEAR(chosen.seconds, 10 * us, 1e-12);
  // Blocks of two kinds: a conversion before each call.
  chain.state(0, {"weights", "pairs"}, {"pairs"});
  chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chain.layouts(chosen), ElementsAre(Layout::any, Layout::any));
  ASSERT_THAT(chosen.conversions, SizeIs(2));
  EXPECT_EQ(chosen.conversions[0], (PlanConversion{0, 0, "row-major", "pairs", 2 * us}));
  EXPECT_EQ(chosen.conversions[1], (PlanConversion{1, 1, "pairs", "blocks", 2 * us}));
}

TEST(ChooseFormats, ChangesALongStretchTogether) {
  // In the middle nhwc saves 0.5 us a step, more than its two conversions only for all ten.
  std::vector<std::pair<double, double>> times(12, {5, 4.5});
  times.front() = times.back() = {5, 0};
  const Chain chain(times);
  const ChosenFormats chosen = choose_formats(chain.steps, chain.tensors);
  EXPECT_THAT(chosen.conversions, SizeIs(2));
  EXPECT_NEAR(chosen.seconds, (10 + 45 + 4) * us, 1e-12);
}

}  // namespace
}  // namespace benanza::analysis
