// Damaged files: the readers refuse each in one line, or every question has an answer about it.
#include <gmock/gmock.h>

#include <limits>

#include "analysis/profiles/jax/hlo.h"
#include "analysis/questions/common/inputs.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/text.h"
#include "analysis/tests/build.h"
#include "analysis/tests/trace.h"
#include "core/tests/mutate_json.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::Folder;
using test::us;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A step of a training with everything that a graph file can say.
const std::string model = R"({"schema":1,"model":"m_training","batch":8,"opset":13,
"compulsory":{"inputs":{"elements":8,"bytes":0},"weights":{"elements":0,"bytes":512},"outputs":{"elements":0,"bytes":512}},
"layers":[
{"name":"conv","op":"Conv","inputs":[],"cost":"measured","problems":["conv/1x2x8x8_k2x3x3_p1.1.1.1_s1x1_d1x1_g1","add/1x2x8x8_1x2x1x1_w"],
 "flops":4608,"bytes":1024,"phase":"forward","outputs":[{"name":"c","type":"float","shape":[1,2,8,8]}]},
{"name":"relu","op":"Relu","inputs":[0],"cost":"measured","problems":["relu/1x2x8x8"],"flops":128,"bytes":1024,"phase":"forward",
 "outputs":[{"name":"r","type":"float","shape":[1,2,8,8]}]},
{"name":"t","op":"Transpose","inputs":[1],"cost":"movement","problems":["copy/8x16_f1.8_t16.1"],"flops":0,"bytes":1024,"phase":"forward",
 "outputs":[{"name":"t","type":"float","shape":[16,8]}]},
{"name":"shape","op":"Reshape","inputs":[2],"cost":"free","reason":"a view","problems":[],"flops":0,"bytes":0,"outputs":[]},
{"name":"mm","op":"MatMul","inputs":[2,3],"cost":"measured","problems":["gemm/m16_n8_k8_nn_w"],"flops":2048,"bytes":1024,"assumed":"nz:1=20",
 "phase":"backward","gradients":[64,8],"outputs":[{"name":"y","type":"float","shape":[16,8]}]},
{"name":"e","op":"Einsum","inputs":[1,4],"cost":"unsupported","reason":"no lowering","problems":[],"flops":null,"bytes":64,"outputs":[]},
{"name":"update","op":"SGD","inputs":[4],"cost":"measured","problems":["linear/1x72_a0.5_b0","add/1x72_1x72"],"flops":144,"bytes":1152,
 "precision":"fp32","phase":"update","outputs":[{"name":"w","type":"float","shape":[72]}],
 "compulsory":{"inputs":{"elements":0,"bytes":288},"weights":{"elements":0,"bytes":512},"outputs":{"elements":0,"bytes":512}}}],
"fusions":[{"pattern":"conv_bias","layers":[0],"problem":"conv/1x2x8x8_k2x3x3_p1.1.1.1_s1x1_d1x1_g1_bias"},
{"pattern":"conv_bias_relu","layers":[0,1],"problem":"conv/1x2x8x8_k2x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_relu","keeps_residual":true},
{"pattern":"turned","layers":[2,3,4],"problem":"gemm/m16_n8_k8_tn_w","whole":true,"also":["relu/1x2x8x8"]}],
"transforms":[{"layer":0,"of":"input","to_nhwc":"copy/64x2_f1.64_t2.1","to_nchw":null},
{"layer":1,"of":"output","to_nhwc":"copy/64x2_f1.64_t2.1","to_nchw":"copy/2x64_f1.2_t64.1"}]})";

/// Rows of the model's problems in both layouts, and peaks. The library refuses the transpose.
Results results_of(const Graph& graph) {
  Results results;
  results.systems["onednn"] = {{"cpu_model", "a CPU"}, {"cache_bytes", "400"}};
  results.peaks["onednn"] = {{"peak_fp32_flops_per_second", 1e11}, {"peak_bytes_per_second", 1e10}};
  for (const std::string& key : problem_keys({graph})) {
    const bool moves = key == "copy/8x16_f1.8_t16.1";
    for (const char* rest : {"/fp32/nchw/onednn/a", "/fp32/nhwc/onednn/a", "/fp16/nchw/onednn/b"}) {
      results.measurements.add(moves ? test::refused(key + rest, Status::unsupported, "refused")
                                     : test::measured(key + rest, test::five(7 * us)));
    }
  }
  return results;
}

/// Every question about the model, in every format.
void ask_everything(const Inputs& inputs) {
  for (const Question& question : questions()) {
    if (question.section == nullptr) continue;
    for (const MeasurementFilter& filter : inputs.filters) {
      const Subject subject{
          .inputs = inputs, .graph = inputs.graphs[0], .filter = filter, .allow_missing = true};
      // An Error is an answer, too.
      const std::string refusal = error_of([&] {
        auto section = question.section(subject);
        if (!section) return;
        Page page{.command = std::string(question.name)};
        page.sections.push_back(*std::move(section));
        for (const char* format : {"table", "json", "csv"}) {
          page_text(page, format, std::numeric_limits<std::size_t>::max());
        }
      });
      EXPECT_THAT(refusal, Not(HasSubstr("\n"))) << question.name;
    }
  }
}

class MutatedInputs : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    return folder_.write("m.json", text);
  }
  /// Returns what `read` throws about the file that holds `text`; "" if it accepts it.
  template <class Read>
  std::string refusal_of(const std::string& text, const Read& read) const {
    const auto file = write(text);
    std::string refusal = error_of([&] { read(file); });
    if (!refusal.empty()) {
      EXPECT_THAT(refusal, AllOf(HasSubstr(file.string()), Not(HasSubstr("\n")))) << text;
    }
    return refusal;
  }
  template <class Read>
  void expect_refused_or_read(const std::string& text, unsigned turns, const Read& read) const {
    ASSERT_EQ(refusal_of(text, read), "");
    test::Mutator mutator(turns);
    for (unsigned turn = 0; turn < turns; ++turn) {
      refusal_of(mutator.changed(text, text), read);
      refusal_of(test::changed_json(mutator, text), read);
      EXPECT_NE(refusal_of(text.substr(0, mutator.below(text.size() - 1)), read), "");
    }
  }

 private:
  const Folder folder_;
};

TEST_F(MutatedInputs, OfAGraphHaveAnswersOrAreRefused) {
  const Graph sound = read_graph(write(model));
  Inputs inputs{.graphs = {sound},
                .results = results_of(sound),
                .filters = {{.precision = Precision::fp32}, {.precision = Precision::fp16}},
                .allow_missing = true};
  ask_everything(inputs);
  test::Mutator mutator(5);
  int accepted = 0;
  for (int turn = 0; turn < 700; ++turn) {
    const std::string text = test::changed_json(mutator, model);
    if (!refusal_of(text, [&](const auto& file) { inputs.graphs[0] = read_graph(file); }).empty()) {
      continue;
    }
    SCOPED_TRACE(text);
    ++accepted;
    inputs.movement = mutator.below(2) == 0 ? Movement::include : Movement::exclude;
    ask_everything(inputs);
  }
  EXPECT_GT(accepted, 100) << "the changes are so large that nothing is tested";
}

TEST_F(MutatedInputs, OfResultsAreRefusedOrRead) {
  std::string rows;
  for (const char* key : {"relu/1x2x8x8", "gemm/m16_n8_k8_nn_w", "relu/1x2x8x8"}) {
    rows += (rows.empty() ? "" : ",") +
            test::row(std::string(key) + "/fp32/nchw/onednn/a", "[1e-6, 2e-6, 4e-6]");
  }
  expect_refused_or_read(test::results_text(rows), 300,
                         [](const auto& file) { read_results({file}); });
}

TEST_F(MutatedInputs, OfASequenceAreRefusedOrRead) {
  const std::string run =
      R"({"schema":1,"command":"sequence","precision":"fp32","model":"m","batch":8,"fused":false,
"systems":{"onednn":{"threads":"2"}},"calls":[{"name":"relu/1x8/fp32/nchw/onednn/a","seconds":1e-6}],
"seconds":[1e-6,2e-6],"joules":0.5})";
  expect_refused_or_read(run, 300, [](const auto& file) { read_sequence_run(file); });
}

TEST_F(MutatedInputs, OfAProfileOfOnnxRuntimeAreRefusedOrRead) {
  expect_refused_or_read(test::contents(test::data("small.onnxruntime.json")), 150,
                         [](const auto& file) { read_profile(file); });
}

TEST_F(MutatedInputs, OfATraceOfPyTorchAreRefusedOrRead) {
  test::TraceWriter trace;
  trace.step(900).conv(8, 2, 2, 8).relu({8, 2, 8, 8});
  trace.op("aten::addmm", {{8}, {16, 8}, {8, 8}}, {"1", "1"}, {{"gemm", 7}});
  trace.op("aten::scaled_dot_product_attention", {{1, 2, 8, 4}, {1, 2, 8, 4}, {1, 2, 8, 4}, {}},
           {"0.", "False"}, {{"flash", 9}});
  trace.op("aten::layer_norm", {{8, 16}, {}, {16}, {16}}, {"[16]", "1e-05"}, {{"norm", 2}});
  expect_refused_or_read(trace.text(), 250, [](const auto& file) { read_profile(file); });
}

TEST_F(MutatedInputs, OfAProgramOfJaxHaveParts) {
  const std::string program = R"(HloModule jit_net, is_scheduled=true

%fused_computation.1 (param_0.4: f32[2048,64], param_1.5: f32[4,8,32,32]) -> f32[4,64] {
  %param_1.5 = f32[4,8,32,32]{3,2,1,0} parameter(1)
  %bitcast.3 = f32[4,2048]{1,0} bitcast(%param_1.5)
  %param_0.4 = f32[2048,64]{1,0} parameter(0)
  ROOT %dot_general.1 = f32[4,64]{1,0} dot(%bitcast.3, %param_0.4), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

ENTRY %main.6 (p__w1__.1: f32[2048,64], x.1: f32[4,3,32,32]) -> f32[4,64] {
  %x.1 = f32[4,32,32,6]{3,2,1,0} parameter(6), metadata={op_name="x"}
  %w = f32[3,5,3,8]{3,2,1,0} parameter(2)
  %convolution = f32[4,16,32,8]{3,2,1,0} convolution(%x.1, %w), window={size=3x5 stride=2x1 pad=1_0x2_2 rhs_dilate=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=2
  ROOT %fusion.1 = f32[4,64]{1,0} fusion(%w, %convolution), kind=kCustom, calls=%fused_computation.1
}
)";
  test::Mutator mutator(7);
  for (int turn = 0; turn < 2000; ++turn) {
    const std::string text = turn == 0 ? program : mutator.changed(program, program);
    // What is malformed has no parts; a program may also be refused.
    error_of([&] {
      const jax::Program read(text);
      for (const char* name : {"convolution", "fusion.1", "dot_general.1", "x.1"}) read.parts(name);
    });
  }
}

}  // namespace
}  // namespace benanza::analysis
