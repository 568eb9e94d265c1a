// Every bad input results in one line that says what is wrong, where, and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/onnx/read/read.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The message of the Error that `action` throws.
template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

std::string message(const Model& model, const Binding& binding = {}) {
  return message([&] { model.import(binding); });
}

std::string read_message(const std::string& name, const std::string& bytes) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  write_file(path, bytes);
  const std::string text = message([&] { read_model(path); });
  std::filesystem::remove(path);
  EXPECT_THAT(text, StartsWith(path.string() + ": "));
  return text;
}

Model good() { return Model(13).input("x", {2, 3}).node("Relu", {"x"}, {"y"}).output("y"); }

TEST(BadFile, MissingFolderEmpty) {
  EXPECT_THAT(message([] { read_model("/nowhere/m.onnx"); }),
              HasSubstr("/nowhere/m.onnx: cannot open"));
  EXPECT_THAT(message([] { read_model(testing::TempDir()); }), HasSubstr("folder"));
  EXPECT_THAT(read_message("empty.onnx", ""), HasSubstr("empty"));
}

TEST(BadFile, TruncatedRandomOrSomethingElse) {
  const std::string bytes = good().proto().SerializeAsString();
  EXPECT_THAT(read_message("short.onnx", bytes.substr(0, bytes.size() - 5)),
              HasSubstr("not an ONNX model"));
  std::string random;
  for (unsigned value = 12345, count = 0; count < 500; ++count) {
    value = value * 1664525 + 1013904223;
    random += static_cast<char>(value >> 24);
  }
  EXPECT_THAT(read_message("random.onnx", random), HasSubstr("ONNX model"));
  EXPECT_THAT(read_message("text.onnx", "#!/bin/sh\necho hello\n"), HasSubstr("ONNX model"));
}

TEST(BadFile, EveryTruncationIsAnErrorOrAModel) {
  const std::string bytes = good().proto().SerializeAsString();
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    ::onnx::ModelProto model;
    if (!model.ParseFromString(bytes.substr(0, length))) continue;
    try {
      import_model(model, "short", {}, "short.onnx");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("short.onnx: "));
    }
  }
}

TEST(BadModel, NoGraphNoOpsetNoNodes) {
  Model no_graph = good();
  no_graph.proto().clear_graph();
  EXPECT_THAT(message(no_graph), HasSubstr("no graph"));
  Model no_opset = good();
  no_opset.proto().clear_opset_import();
  EXPECT_THAT(message(no_opset), HasSubstr("opset_import"));
  EXPECT_THAT(message(Model(13).input("x", {2})), HasSubstr("no nodes"));
  EXPECT_THAT(message(Model(99).input("x", {2}).node("Relu", {"x"}, {"y"})),
              HasSubstr("opset 99 is unknown"));
}

TEST(BadModel, CycleMissingTensorMissingOutput) {
  EXPECT_THAT(message(Model(13)
                          .input("x", {2})
                          .node("Add", {"x", "b"}, {"a"})
                          .node("Relu", {"a"}, {"b"})
                          .output("b")),
              AllOf(StartsWith("test.onnx: node \"a\" (Add): "), HasSubstr("cycle")));
  EXPECT_THAT(message(Model(13).input("x", {2}).node("Add", {"x", "lost"}, {"a"}).output("a")),
              HasSubstr("reads \"lost\""));
  EXPECT_THAT(message(good().output("nothing")), HasSubstr("output \"nothing\""));
  EXPECT_THAT(message(good().node("Relu", {"y"}, {"x"})), HasSubstr("\"x\""));
  EXPECT_THAT(message(Model(13).input("x", {2}).node("Relu", {"x"}, {""}).output("")),
              HasSubstr("output \"\" is made by no node"));
}

TEST(BadModel, ShapesThatDoNotFitNameTheNode) {
  EXPECT_THAT(message(Model(13)
                          .input("a", {2, 3})
                          .input("b", {4, 5})
                          .node("MatMul", {"a", "b"}, {"y"})
                          .output("y")),
              StartsWith("test.onnx: node \"y\" (MatMul): "));
  EXPECT_THAT(message(Model(13)
                          .input("a", {2, 3})
                          .input("b", {2, 4})
                          .node("Add", {"a", "b"}, {"y"})
                          .output("y")),
              StartsWith("test.onnx: node \"y\" (Add): "));
  EXPECT_THAT(message(Model(23)
                          .input("a", {2, 3, 4})
                          .input("b", {1, 3, 4})
                          .node("Concat", {"a", "b"}, {"y"}, {{"axis", 2}})
                          .output("y")),
              HasSubstr("\"y\" (Concat): joins 1x3x4 to 2x3x4 along axis 2"));
  EXPECT_THAT(message(Model(13)
                          .input("x", {1, 1, 8, 8})
                          .weights("w", {1, 1, 3, 3})
                          .node("Conv", {"x", "w"}, {"conv7"}, {{"pads", Dims{1, 1}}})
                          .output("conv7")),
              StartsWith("test.onnx: node \"conv7\" (Conv): "));
  // The onnx package would create this many dimensions.
  EXPECT_THAT(message(Model(13)
                          .input("x", {22'000'000}, ::onnx::TensorProto::INT64)
                          .node("ConstantOfShape", {"x"}, {"y"})
                          .output("y")),
              HasSubstr("\"y\" (ConstantOfShape): makes a tensor of 22000000 axes"));
  // The onnx package reads past the end of such weights.
  EXPECT_THAT(message(Model(13)
                          .input("x", {1, 2, 2})
                          .weights("w", {1, 2})
                          .node("ConvTranspose", {"x", "w"}, {"y"})
                          .output("y")),
              HasSubstr("\"y\" (ConvTranspose): has weights of 2 axes for an input of 3"));
}

TEST(BadModel, AnExtentOf0ThatLeavesAReshapeOpen) {
  Model model(13);
  model.input("x", {-2, 3, 4}).integers("target", {0, -1}).node("Reshape", {"x", "target"}, {"y"});
  model.output("y");
  EXPECT_THAT(
      message(model, {.batch = {}, .dims = {{"N", 0}}}),
      StartsWith(
          "test.onnx: node \"y\" (Reshape): \"x\" of 0x3x4 has an extent of 0: a dimension may be "
          "too small: read with --dim N=0"));
}

// The onnx package reads inputs or axes that do not exist.
TEST(BadModel, InputsThatSchemasDoNotExpect) {
  EXPECT_THAT(message(Model(17)
                          .input("x", {})
                          .weights("w", {2})
                          .node("LayerNormalization", {"x", "w"}, {"y"})
                          .output("y")),
              HasSubstr("\"y\" (LayerNormalization): normalizes from axis -1 of 0"));
  EXPECT_THAT(message(Model(17)
                          .input("x", {4, 8})
                          .weights("w", {8})
                          .node("LayerNormalization", {"x", "w"}, {"y"}, {{"axis", -7}})
                          .output("y")),
              HasSubstr("normalizes from axis -7 of 2"));
  EXPECT_THAT(message(Model(6)
                          .input("a", {8})
                          .weights("b", {8, 1})
                          .weights("c", {1})
                          .node("Gemm", {"a", "b", "c"}, {"y"})
                          .output("y")),
              HasSubstr("\"y\" (Gemm): multiplies a tensor of 1 axes"));
  EXPECT_THAT(message(Model(13)
                          .input("x", {4, 2})
                          .input("i", {1, 1}, ::onnx::TensorProto::INT64)
                          .node("GatherND", {"x", "i"}, {"y"}, {{"batch_dims", -3}})
                          .output("y")),
              HasSubstr("has batch_dims of -3"));
  EXPECT_THAT(message(Model(13).node("EyeLike", {""}, {"y"}, {{"dtype", 1}}).output("y")),
              HasSubstr("\"y\" (EyeLike): has no first input"));
  EXPECT_THAT(message(Model(13)
                          .input("x", {8, 1, 8})
                          .node("MaxUnpool", {"x", ""}, {"y"}, {{"kernel_shape", Dims{3}}})
                          .output("y")),
              HasSubstr("has no indices"));
  EXPECT_THAT(message(Model(13)
                          .input("x", {4, 2})
                          .weights("w", {3, 2, 8})
                          .node("Conv", {"x", "w"}, {"y"})
                          .output("y")),
              HasSubstr("has an input of 2 axes, but takes 3 and more"));
}

TEST(BadModel, NodesThatAreNotWhatTheirOperatorTakes) {
  EXPECT_THAT(message(Model(13).input("x", {2}).node("Add", {"x"}, {"y"}).output("y")),
              HasSubstr("has 1 inputs"));
  EXPECT_THAT(message(Model(13).input("x", {2}).node("Concat", {"x"}, {"y"}).output("y")),
              HasSubstr("\"axis\" is missing"));
  EXPECT_THAT(
      message(
          Model(13).input("x", {2}).node("Concat", {"x"}, {"y"}, {{"axis", "one"}}).output("y")),
      HasSubstr("\"axis\" has the wrong type"));
}

TEST(BadModel, InitializersThatDoNotHoldTheirShape) {
  Model model = good();
  model.integers("w", {1, 2, 3}).graph().mutable_initializer(0)->set_dims(0, 4);
  EXPECT_THAT(message(model), HasSubstr("holds 3 values"));
  model.graph().mutable_initializer(0)->set_dims(0, -4);
  EXPECT_THAT(message(model), HasSubstr("initializer \"w\""));
}

TEST(BadDimension, NobodyBound) {
  Model batch = Model(13).input("x", {-1, 3}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(message(batch), HasSubstr("a dimension has no value: \"x\" axis 0; give --batch N"));
  Model named = Model(13).input("x", {3, -2}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(message(named), HasSubstr("\"x\" axis 1 (N); give --dim N=N"));
  Model shapeless = good();
  shapeless.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_THAT(message(shapeless), HasSubstr("has no shape"));
}

TEST(BadDimension, Absurd) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THAT(message(Model(13).input("x", {2, huge}).node("Relu", {"x"}, {"y"}).output("y")),
              HasSubstr("2^40"));
  EXPECT_THAT(message(Model(13).input("x", {huge, huge}).node("Relu", {"x"}, {"y"}).output("y")),
              HasSubstr("2^40"));
  EXPECT_THAT(message(good(), {.batch = 0, .dims = {}}), HasSubstr("at least 1"));
  EXPECT_THAT(message(Model(13)
                          .input("x", {huge, 1})
                          .input("z", {1, 2})
                          .node("Add", {"x", "z"}, {"y"})
                          .output("y")),
              AllOf(HasSubstr("node \"y\""), HasSubstr("2^40")));
}

TEST(Bind, TheBatchGoesToOpenAndToEqualDimensions) {
  Model model(13);
  model.input("a", {2, 3}).input("b", {2, 3}).input("c", {5, 3}).weights("w", {2, 3});
  model.input("w", {2, 3});  // listed as an input, too, as old files do
  model.node("Relu", {"a"}, {"y"}).node("Relu", {"c"}, {"z"}).node("Relu", {"b"}, {"u"});
  const LoweredGraph graph =
      model.output("y").output("z").output("u").import({.batch = 7, .dims = {}});
  EXPECT_EQ(graph.batch, 7);
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{7, 3}));
  EXPECT_EQ(graph.layers[1].outputs[0].shape, (Dims{5, 3}));
  EXPECT_EQ(graph.layers[2].outputs[0].shape, (Dims{7, 3}));
}

TEST(Bind, NamesGoWhereverTheyStand) {
  Model model(13);
  model.input("a", {-2, 3})
      .input("b", {4, -2})
      .node("Relu", {"a"}, {"y"})
      .node("Relu", {"b"}, {"z"});
  model.output("y").output("z");
  const LoweredGraph by_name = model.import({.batch = {}, .dims = {{"N", 6}}});
  EXPECT_EQ(by_name.layers[1].outputs[0].shape, (Dims{4, 6}));
  EXPECT_TRUE(by_name.bound_dims.contains("N"));
  const LoweredGraph by_batch = model.import({.batch = 5, .dims = {}});
  EXPECT_EQ(by_batch.layers[0].outputs[0].shape, (Dims{5, 3}));
  EXPECT_EQ(by_batch.layers[1].outputs[0].shape, (Dims{4, 5}));
}

TEST(Bind, SumsOfNamesFollowFromThem) {
  Model model(17);
  model.input("past", {1, 2}).input("mask", {1, 2}).input("odd", {1, 2});
  const auto name = [&](int input, const char* text) {
    auto& type = *model.graph().mutable_input(input)->mutable_type()->mutable_tensor_type();
    type.mutable_shape()->mutable_dim(1)->set_dim_param(text);
  };
  name(0, "past");
  name(1, "past + sequence");
  name(2, "2*past - 1");
  model.node("Relu", {"mask"}, {"y"}).node("Relu", {"odd"}, {"z"}).output("y").output("z");
  const LoweredGraph graph = model.import({.batch = {}, .dims = {{"past", 3}, {"sequence", 4}}});
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{1, 7}));
  EXPECT_EQ(graph.layers[1].outputs[0].shape, (Dims{1, 5}));
  EXPECT_TRUE(graph.bound_dims.contains("sequence"));
  EXPECT_THAT(message(model, {.batch = {}, .dims = {{"past", 3}}}),
              HasSubstr("axis 1 (past + sequence); give --dim sequence=N"));
}

// As PagedAttention's lengths are written.
TEST(Bind, SumsFollowFromTheBatch) {
  Model model(17);
  model.input("lengths", {1}).input("x", {1, 2});
  const auto name = [&](int input, const char* text) {
    auto& type = *model.graph().mutable_input(input)->mutable_type()->mutable_tensor_type();
    type.mutable_shape()->mutable_dim(0)->set_dim_param(text);
  };
  name(0, "batch + 1");
  name(1, "2*batch");
  model.node("Relu", {"lengths"}, {"y"}).node("Relu", {"x"}, {"z"}).output("y").output("z");
  const LoweredGraph graph = model.import({.batch = 4, .dims = {}});
  EXPECT_EQ(graph.batch, 4);
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{5}));
  EXPECT_EQ(graph.layers[1].outputs[0].shape, (Dims{8, 2}));
}

TEST(Bind, BodiesKnowTheNames) {
  Model model(17);
  model.input("c", {}, ::onnx::TensorProto::BOOL).input("x", {-2, 3}).node("If", {"c"}, {"y"});
  for (const char* which : {"then_branch", "else_branch"}) {
    auto& branch = *model.last().add_attribute();
    branch.set_name(which);
    branch.set_type(::onnx::AttributeProto::GRAPH);
    auto& inner = *branch.mutable_g()->add_node();
    inner.set_op_type(which == std::string("then_branch") ? "Tanh" : "Relu");
    inner.add_input("x");
    inner.add_output("z");
    auto& made = *branch.mutable_g()->add_output();
    made.set_name("z");
    *made.mutable_type() = model.graph().input(1).type();
  }
  const LoweredGraph graph = model.output("y").import({.batch = 5, .dims = {}});
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{5, 3}));
}

TEST(BadModel, IndicesOfAMaxUnpoolHaveItsAxes) {
  EXPECT_THAT(message(Model(11)
                          .input("x", {1, 3, 3})
                          .input("at", {}, ::onnx::TensorProto::INT64)
                          .node("MaxUnpool", {"x", "at"}, {"y"}, {{"kernel_shape", Dims{2}}})
                          .output("y")),
              HasSubstr("has indices of 0 axes for an input of 3"));
}

// Windows of 2 at every pixel make 2 of 3; the model may know better.
TEST(BadModel, AMaxUnpoolHasTheStatedExtentsOrThoseOfItsWindow) {
  Model model(11);
  model.input("x", {1, 1, 2, 2}).input("at", {1, 1, 2, 2}, ::onnx::TensorProto::INT64);
  model.integers("size", {1, 1, 5, 4});
  model.node("MaxUnpool", {"x", "at", ""}, {"y"}, {{"kernel_shape", Dims{2, 2}}}).output("y");
  EXPECT_EQ(model.layer().cost, Cost::unsupported);
  EXPECT_EQ(model.layer().outputs[0].shape, (Dims{1, 1, 3, 3}));
  model.last().set_input(2, "size");
  EXPECT_EQ(model.layer().outputs[0].shape, (Dims{1, 1, 5, 4}));
  model.input("given", {4}, ::onnx::TensorProto::INT64);
  model.last().set_input(2, "given");
  EXPECT_EQ(model.layer().outputs[0].shape, std::nullopt);
}

TEST(BadModel, WholeNumbersBesideOthersAreNamed) {
  Model model(17);
  model.integers("one", {1}).scalar("half", 0.5F).integers("shape", {1});
  model.node("Reshape", {"half", "shape"}, {"row"});
  model.node("Concat", {"one", "row"}, {"y"}, {{"axis", 0}}).output("y");
  EXPECT_THAT(message(model), HasSubstr("node \"y\" (Concat): combines whole numbers with others"));
}

}  // namespace
}  // namespace benanza::onnx
