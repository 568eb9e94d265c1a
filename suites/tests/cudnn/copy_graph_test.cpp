// Copies as one elementwise graph.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/copy_graph.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::IsEmpty;
using testing::Not;

GraphsOf graphs_of(const char* key) { return bound(copy_graphs, shape_of<Copy>(key)); }

TEST_F(H100, HasEnginesThatRepeatElements) {
  for (const char* key : {"copy/512x256_f1.0_t256.1", "copy/512x256_f0.1_t256.1",
                          "copy/8x4x128_f128.0.1_t512.128.1", "copy/8x4x128_f4.1.0_t512.128.1"}) {
    for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
      EXPECT_THAT(names(graphs_of(key), variant(key, precision)), Not(IsEmpty())) << key;
    }
  }
}

}  // namespace
}  // namespace benanza::cudnn
