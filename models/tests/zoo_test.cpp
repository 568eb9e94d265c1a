// Properties that the tables do not contain: attributes, weights, sizes, names.

#include "models/zoo/zoo.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"

namespace benanza::zoo {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto first_three = {"resnet50_v1", "googlenet", "squeezenet_v1.1"};

const ::onnx::NodeProto& node(const ::onnx::ModelProto& model, const std::string& name) {
  const auto& nodes = model.graph().node();
  const auto found = std::ranges::find(nodes, name, &::onnx::NodeProto::name);
  EXPECT_NE(found, nodes.end()) << name;
  return *found;
}

const ::onnx::AttributeProto& attribute(const ::onnx::NodeProto& node, const std::string& name) {
  const auto found = std::ranges::find(node.attribute(), name, &::onnx::AttributeProto::name);
  EXPECT_NE(found, node.attribute().end()) << node.name() << " " << name;
  return *found;
}

std::vector<std::int64_t> integers(const ::onnx::NodeProto& node, const std::string& name) {
  const auto& values = attribute(node, name).ints();
  return {values.begin(), values.end()};
}

int count(const ::onnx::ModelProto& model, const std::string& op_type) {
  return static_cast<int>(
      std::ranges::count(model.graph().node(), op_type, [](const auto& n) { return n.op_type(); }));
}

std::vector<float> values(const ::onnx::TensorProto& tensor) {
  std::vector<float> result(tensor.raw_data().size() / sizeof(float));
  std::memcpy(result.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return result;
}

TEST(ResNet50, HasTheAttributesOfTheOriginal) {
  const ::onnx::ModelProto model = build(find("resnet50_v1"), {});
  const auto& pool = node(model, "resnetv17_pool0_fwd");
  EXPECT_EQ(pool.op_type(), "MaxPool");
  EXPECT_THAT(integers(pool, "kernel_shape"), ElementsAre(3, 3));
  EXPECT_THAT(integers(pool, "strides"), ElementsAre(2, 2));
  EXPECT_THAT(integers(pool, "pads"), ElementsAre(1, 1, 1, 1));
  // Gluon strides a bottleneck in its first convolution, not in the 3x3 one.
  EXPECT_THAT(integers(node(model, "resnetv17_stage2_conv0_fwd"), "strides"), ElementsAre(2, 2));
  EXPECT_THAT(integers(node(model, "resnetv17_stage2_conv1_fwd"), "strides"), ElementsAre(1, 1));
  EXPECT_THAT(integers(node(model, "resnetv17_stage2_conv1_fwd"), "pads"), ElementsAre(1, 1, 1, 1));
  const auto& norm = node(model, "resnetv17_batchnorm0_fwd");
  EXPECT_FLOAT_EQ(attribute(norm, "epsilon").f(), 1e-5F);
  EXPECT_FLOAT_EQ(attribute(norm, "momentum").f(), 0.9F);
  EXPECT_EQ(attribute(node(model, "resnetv17_dense0_fwd"), "transB").i(), 1);
  EXPECT_EQ(count(model, "GlobalAveragePool"), 1);
  EXPECT_EQ(count(model, "Add"), 16);
}

TEST(GoogLeNet, HasTheAttributesOfTheOriginal) {
  const ::onnx::ModelProto model = build(find("googlenet"), {});
  EXPECT_EQ(count(model, "MaxPool"), 13);
  EXPECT_EQ(count(model, "AveragePool"), 1);
  const auto& conv = node(model, "conv_1");
  EXPECT_THAT(integers(conv, "strides"), ElementsAre(2, 2));
  EXPECT_THAT(integers(conv, "pads"), ElementsAre(3, 3, 3, 3));
  // Caffe rounds up: 112 pooled by 3x3/2 is 56, so one row and column of padding at the end.
  EXPECT_THAT(integers(node(model, "maxpool_1"), "pads"), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(integers(node(model, "maxpool_3"), "strides"), ElementsAre(1, 1));
  EXPECT_THAT(integers(node(model, "maxpool_3"), "pads"), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(integers(node(model, "averagepool_1"), "kernel_shape"), ElementsAre(7, 7));
  const auto& lrn = node(model, "lrn_1");
  EXPECT_EQ(attribute(lrn, "size").i(), 5);
  EXPECT_FLOAT_EQ(attribute(lrn, "alpha").f(), 1e-4F);
  EXPECT_FLOAT_EQ(attribute(lrn, "beta").f(), 0.75F);
  EXPECT_FLOAT_EQ(attribute(lrn, "bias").f(), 1.0F);
  EXPECT_FLOAT_EQ(attribute(node(model, "dropout_1"), "ratio").f(), 0.4F);
}

TEST(SqueezeNet, HasTheAttributesOfTheOriginal) {
  const ::onnx::ModelProto model = build(find("squeezenet_v1.1"), {});
  EXPECT_EQ(count(model, "MaxPool"), 3);
  EXPECT_THAT(integers(node(model, "squeezenet0_conv0_fwd"), "pads"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(integers(node(model, "squeezenet0_conv3_fwd"), "pads"), ElementsAre(1, 1, 1, 1));
  const auto& pool = node(model, "squeezenet0_pool3_fwd");
  EXPECT_EQ(pool.op_type(), "AveragePool");
  EXPECT_THAT(integers(pool, "kernel_shape"), ElementsAre(13, 13));
  EXPECT_FLOAT_EQ(attribute(node(model, "squeezenet0_dropout0_fwd"), "ratio").f(), 0.5F);
}

TEST(Size, IsThatOfThePublishedModels) {
  // The counts of Caffe and torchvision. To torchvision's 25557032, Gluon's ResNet-50 adds the
  // statistics of 26560 normalized channels (two each) and 18880 biases before normalization.
  EXPECT_EQ(size(find("googlenet")).parameters, 6998552);
  EXPECT_EQ(size(find("squeezenet_v1.1")).parameters, 1235496);
  EXPECT_EQ(size(find("resnet50_v1")).parameters, 25557032 + 2 * 26560 + 18880);
  EXPECT_EQ(size(find("googlenet")).layers, 143);
  EXPECT_EQ(size(find("squeezenet_v1.1")).layers, 66);
  EXPECT_EQ(size(find("resnet50_v1")).layers, 175);
}

TEST(Weightless, FileIsSmallAndStoresNoFloat) {
  for (const char* id : first_three) {
    const ::onnx::ModelProto model = build(find(id), {});
    EXPECT_LT(model.ByteSizeLong(), 100'000U) << id;
    for (const ::onnx::TensorProto& tensor : model.graph().initializer()) {
      EXPECT_EQ(tensor.data_type(), ::onnx::TensorProto::INT64) << id << " " << tensor.name();
    }
    EXPECT_EQ(model.graph().input_size(), 1) << id;
    EXPECT_EQ(model.graph().name(), id);
  }
}

TEST(Weightless, KernelAveragesItsInputs) {
  EXPECT_FLOAT_EQ(constant_value(Use::kernel, 3 * 7 * 7), 1.0F / 147);
  EXPECT_FLOAT_EQ(constant_value(Use::variance, 1), 0.5F);
  const ::onnx::ModelProto model = build(find("googlenet"), {});
  const auto weight = std::ranges::find(model.graph().node(), "conv1/7x7_s2_w_0",
                                        [](const ::onnx::NodeProto& n) { return n.output(0); });
  ASSERT_NE(weight, model.graph().node().end());
  EXPECT_EQ(weight->op_type(), "ConstantOfShape");
  EXPECT_THAT(attribute(*weight, "value").t().float_data(), ElementsAre(1.0F / 147));
}

TEST(Build, WritesTheSameBytesEveryTime) {
  for (const std::optional<std::uint64_t> seed : {std::optional<std::uint64_t>{}, {7}}) {
    const BuildOptions options{.batch = 2, .seed = seed};
    EXPECT_EQ(build(find("squeezenet_v1.1"), options).SerializeAsString(),
              build(find("squeezenet_v1.1"), options).SerializeAsString());
  }
}

TEST(Build, DependsOnTheSeed) {
  EXPECT_NE(build(find("squeezenet_v1.1"), {.seed = 1}).SerializeAsString(),
            build(find("squeezenet_v1.1"), {.seed = 2}).SerializeAsString());
}

TEST(Build, RejectsABatchOutOfRange) {
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    EXPECT_THROW(build(find("googlenet"), {.batch = batch}), Error) << batch;
  }
}

TEST(RandomWeights, KernelHasHesVariance) {
  // 2 / fan_in = 0.02; 10^5 values estimate the variance within about 0.3 %.
  std::vector<float> kernel(100'000);
  RandomWeights(0).fill(kernel, Use::kernel, 100);
  double sum = 0;
  double squares = 0;
  for (const float value : kernel) {
    sum += value;
    squares += double{value} * value;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.002);
  EXPECT_NEAR(squares / 1e5, 0.02, 0.0004);
}

TEST(RandomWeights, AreTheSameOnEveryPlatform) {
  // The C++ standard fixes the engine: its first output for seed 5489 is 14514284786278117030,
  // whose top 24 bits are 13200591 of 2^24, i.e. 0.786816... of the way from 0.5 to 1.5.
  std::vector<float> variance(1);
  RandomWeights(5489).fill(variance, Use::variance, 1);
  EXPECT_FLOAT_EQ(variance[0], 0.5F + 14514284786278117030.0F * 0x1p-64F);
}

TEST(RandomWeights, StoredVariancesArePositive) {
  const ::onnx::ModelProto model = build(find("resnet18_v1"), {.seed = 3});
  int variances = 0;
  for (const ::onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name().ends_with("_running_var")) {
      ++variances;
      EXPECT_THAT(values(tensor), Each(::testing::Ge(0.5F))) << tensor.name();
    }
  }
  EXPECT_EQ(variances, 20);
  EXPECT_EQ(count(model, "ConstantOfShape"), 0);
}

TEST(Models, AreSortedByUniqueIdsThatMakeFileNames) {
  std::string previous;
  for (const Model& model : models()) {
    EXPECT_LT(previous, model.id);
    EXPECT_EQ(model.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_."),
              std::string::npos);
    previous = model.id;
  }
  for (const char* id : first_three) {
    EXPECT_EQ(find(id).id, id);
  }
}

std::string find_error(const std::string& id) {
  try {
    find(id);
  } catch (const Error& error) {
    return error.what();
  }
  return "found";
}

TEST(Find, NamesNearModels) {
  EXPECT_THAT(find_error("googlnet"), AllOf(HasSubstr("\"googlnet\""), HasSubstr("googlenet?")));
  EXPECT_THAT(find_error("ResNet-50"),
              AllOf(HasSubstr("resnet50_v1"), Not(HasSubstr("googlenet"))));
  EXPECT_THAT(find_error("squeezenet"), HasSubstr("squeezenet_v1.1"));
  EXPECT_THAT(find_error("BVLC_GoogleNet"), HasSubstr("googlenet?"));
}

TEST(Find, PointsToTheListWhenNothingIsNear) {
  EXPECT_THAT(find_error("zzzzzzzzzz"), HasSubstr("--list"));
  EXPECT_THAT(find_error(""), HasSubstr("--list"));
}

TEST(Builder, NamesALayerThatDoesNotFit) {
  ModelBuilder model("broken", {});
  const Tensor x = model.input("x", {3, 4, 4});
  try {
    model.max_pool("too_wide", x, {.kernel = 5});
    FAIL() << "a 5x5 window fits into 4x4";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("too_wide"), HasSubstr("1x3x4x4")));
  }
  EXPECT_THROW(model.conv("c", x, {.filters = 4, .groups = 2}, {.kernel = "w", .bias = "b"}),
               std::logic_error);
  EXPECT_THROW(model.reshape("r", x, "t", {-1, 5}), std::logic_error);
  EXPECT_THROW(model.gemm("g", x, 10, {.kernel = "gw", .bias = "gb"}), std::logic_error);
}

}  // namespace
}  // namespace benanza::zoo
