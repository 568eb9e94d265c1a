#include <gmock/gmock.h>

#include "analysis/input/results.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::measured;
using test::refused;
using testing::SizeIs;

TEST(MeasurementSet, RepetitionsJoinTheirSamples) {
  MeasurementSet set;
  set.add(test::measured_in_one_process("relu/8/fp32/any/onednn/jit:avx2", {1, 9}));
  set.add(test::measured_in_one_process("relu/8/fp32/any/onednn/jit:avx2", {2, 3, 4}));
  ASSERT_THAT(set.find("relu/8"), SizeIs(1));
  EXPECT_DOUBLE_EQ(set.find("relu/8")[0].seconds(), 3);  // of 1 2 3 4 9
  EXPECT_EQ(set.size(), 1);
}

TEST(MeasurementSet, AFailedRepetitionDoesNotUndoAnOkOneButAnIncorrectOneDoes) {
  MeasurementSet set;
  set.add(refused("relu/8/fp32/any/onednn/jit:avx2", Status::failed, "out of memory"));
  set.add(measured("relu/8/fp32/any/onednn/jit:avx2", {2}));
  EXPECT_EQ(set.find("relu/8")[0].status, Status::ok);
  set.add(refused("relu/8/fp32/any/onednn/jit:avx2", Status::incorrect, "element 3"));
  set.add(measured("relu/8/fp32/any/onednn/jit:avx2", {1}));
  EXPECT_EQ(set.find("relu/8")[0].status, Status::incorrect);
}

}  // namespace
}  // namespace benanza::analysis
