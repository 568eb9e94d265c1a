// Damaged graph files: each is refused in one line, or it is a graph that can be written again.
#include <gmock/gmock.h>

#include "core/graph_file/graph.h"
#include "core/tests/folder.h"
#include "core/tests/mutate_json.h"

namespace benanza {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string whole = R"({"schema":1,"model":"m","batch":8,"opset":13,
"compulsory":{"inputs":{"elements":8,"bytes":0},"weights":{"elements":64,"bytes":4},"outputs":{"elements":8,"bytes":0}},
"layers":[{"name":"c","op":"Conv","inputs":[],"cost":"measured","reason":"","problems":["conv/1x2x8x8_k2x3x3_p1.1.1.1_s1x1_d1x1_g1"],
"flops":2e9,"bytes":100,"outputs":[{"name":"y","type":"float","shape":[1,2,8,8]}],"count":3,"assumed":"nz:1=20"},
{"name":"t","op":"Transpose","inputs":[0],"cost":"movement","reason":"","problems":["copy/8x64_f1.8_t64.1"],"flops":0,"bytes":64,
"outputs":[{"name":"t","type":"float","shape":null}],"precision":"fp32","phase":"update","gradients":[16,7],
"compulsory":{"inputs":{"elements":8,"bytes":0},"weights":{"elements":0,"bytes":4},"outputs":{"elements":8,"bytes":0}}},
{"name":"e","op":"Einsum","inputs":[0,1],"cost":"unsupported","reason":"no lowering","problems":[],"flops":null,"bytes":64,"outputs":[]}],
"fusions":[{"pattern":"p","layers":[0,1],"problem":"relu/1x8","also":["relu/2x8","relu/3x8"],"keeps_residual":true,"whole":true}],
"transforms":[{"layer":0,"of":"output","to_nhwc":"copy/64x8_f8.1_t1.64","to_nchw":null}],
"recorded":["relu/2x3/fp16/nhwc/cudnn/engine62.k2=5"]})";

class MutatedGraph : public testing::Test {
 protected:
  /// True if it is accepted.
  bool expect_refused_or_sound(const std::string& text) {
    const auto file = folder_.write("m.graph.json", text);
    Graph graph;
    const std::string refusal = test::error_of([&] { graph = read_graph(file); });
    if (!refusal.empty()) {
      EXPECT_THAT(refusal, AllOf(HasSubstr(file.string() + ": "), Not(HasSubstr("\n")))) << text;
      return false;
    }
    const std::string written = graph_json(graph);
    EXPECT_EQ(graph_json(read_graph(folder_.write("again.graph.json", written))), written) << text;
    EXPECT_EQ(topological_order(graph.layers).size(), graph.layers.size()) << text;
    return true;
  }

 private:
  const test::Folder folder_;
};

TEST_F(MutatedGraph, CutShortIsRefused) {
  EXPECT_TRUE(expect_refused_or_sound(whole));
  for (std::size_t size = 0; size + 1 < whole.size(); size += 3) {
    EXPECT_FALSE(expect_refused_or_sound(whole.substr(0, size))) << size;
  }
}

TEST_F(MutatedGraph, WithOtherBytesIsRefusedOrSound) {
  test::Mutator mutator(1);
  for (int turn = 0; turn < 600; ++turn) expect_refused_or_sound(mutator.changed(whole, whole));
}

TEST_F(MutatedGraph, WithOtherValuesIsRefusedOrSound) {
  test::Mutator mutator(2);
  int accepted = 0;
  for (int turn = 0; turn < 1200; ++turn) {
    accepted += expect_refused_or_sound(test::changed_json(mutator, whole)) ? 1 : 0;
  }
  EXPECT_GT(accepted, 100) << "the changes are so large that nothing is tested";
}

}  // namespace
}  // namespace benanza
