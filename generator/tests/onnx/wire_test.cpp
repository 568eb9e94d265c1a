// Weights are skipped, constants are kept, and bytes that are not a model are refused.
#include "generator/onnx/read/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/onnx/read/read.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

namespace fs = std::filesystem;
using ::onnx::TensorProto;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

::onnx::ModelProto stripped(const ::onnx::ModelProto& model) {
  ::onnx::ModelProto result;
  EXPECT_TRUE(result.ParseFromString(without_weights(model.SerializeAsString())));
  return result;
}

std::string refusal_of_bytes(std::string_view bytes) {
  try {
    without_weights(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

Model with_weights() {
  return Model(13)
      .input("x", {1, 64, 8, 8})
      .weights("w", {64, 64, 3, 3})
      .integers("target", {1, -1})
      .node("Conv", {"x", "w"}, {"c"}, {{"pads", Dims{1, 1, 1, 1}}})
      .node("Reshape", {"c", "target"}, {"y"})
      .output("y");
}

TEST(WithoutWeights, DropsTheValuesOfWeightsAndNothingElse) {
  const Model model = with_weights();
  ::onnx::ModelProto expected = Model(model).proto();
  TensorProto& weight = *expected.mutable_graph()->mutable_initializer(0);
  weight.clear_float_data();
  weight.set_data_location(TensorProto::EXTERNAL);
  EXPECT_EQ(stripped(Model(model).proto()).SerializeAsString(), expected.SerializeAsString());
}

TEST(WithoutWeights, KeepsWhatAShapeMayDependOn) {
  Model model(13);
  Dims many(60'000);
  model.input("x", {2}).integers("many", many).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(stripped(model.proto()).graph().initializer(0).int64_data_size(), 60'000);
  model.integers("more", Dims(70'000));
  EXPECT_EQ(stripped(model.proto()).graph().initializer(1).int64_data_size(), 0);
}

TEST(WithoutWeights, KeepsMasks) {
  // Two values; with a third one, a tensor of as many elements is a weight.
  for (const float third : {0.0F, 0.5F}) {
    std::vector<float> values(200 * 200, 0);
    values[7] = -INFINITY;
    values.back() = third;
    Model model(13);
    model.input("x", {2}).reals("mask", {200, 200}, values);
    model.truths("seen", {300, 300}, std::vector<bool>(90'000, true));
    model.node("Relu", {"x"}, {"y"}).output("y");
    const auto kept = stripped(model.proto());
    EXPECT_EQ(kept.graph().initializer(0).float_data_size(), third == 0 ? 40'000 : 0);
    EXPECT_EQ(kept.graph().initializer(1).int32_data_size(), 0) << "one value";
  }
}

// Zero points of many columns.
TEST(WithoutWeights, KeepsAByteOfBytesThatAreAllTheSame) {
  for (const char last : {'\3', '\4'}) {
    Model model(13);
    model.input("x", {2}).weights("z", {1}).node("Relu", {"x"}, {"y"}).output("y");
    TensorProto& points = *model.graph().mutable_initializer(0);
    points.clear_float_data();
    points.set_data_type(TensorProto::INT8);
    points.set_dims(0, 8192);
    points.set_raw_data(std::string(8191, '\3') + last);
    const TensorProto kept = stripped(model.proto()).graph().initializer(0);
    EXPECT_EQ(kept.raw_data(), last == '\3' ? "\3" : "");
    EXPECT_EQ(kept.data_location(), TensorProto::EXTERNAL);
  }
}

TEST(WithoutWeights, FindsTensorsWhereverTheyAre) {
  Model model(13);
  model.input("x", {2}).node("If", {"x"}, {"y"}).output("y");
  TensorProto big;
  big.set_data_type(TensorProto::FLOAT);
  big.add_dims(100'000);
  big.set_raw_data(std::string(400'000, '\1'));
  auto& attribute = *model.last().add_attribute();
  attribute.set_name("then_branch");
  attribute.set_type(::onnx::AttributeProto::GRAPH);
  *attribute.mutable_g()->add_initializer() = big;
  *attribute.mutable_g()->add_sparse_initializer()->mutable_values() = big;
  *attribute.mutable_g()->add_node()->add_attribute()->mutable_t() = big;
  *attribute.mutable_g()->add_node()->add_attribute()->add_tensors() = big;
  *model.proto().add_functions()->add_node()->add_attribute()->mutable_t() = big;
  model.proto().add_training_info()->mutable_algorithm()->add_initializer()->CopyFrom(big);
  const std::string bytes = model.proto().SerializeAsString();
  ASSERT_GT(bytes.size(), 2'400'000U);
  EXPECT_LT(without_weights(bytes).size(), 1000U);
  ::onnx::ModelProto small;
  ASSERT_TRUE(small.ParseFromString(without_weights(bytes)));
  EXPECT_EQ(small.graph().node(0).attribute(0).g().node_size(), 2);
  EXPECT_EQ(small.graph().node(0).attribute(0).g().initializer(0).dims(0), 100'000);
}

TEST(WithoutWeights, RefusesBytesThatAreNoMessage) {
  // An endless varint; a length past the end; a group; field number 0.
  EXPECT_THAT(refusal_of_bytes("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
              HasSubstr("truncated"));
  EXPECT_THAT(refusal_of_bytes("\x3a\x7f..."), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of_bytes("\x3b"), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of_bytes(std::string_view("\x02\x00", 2)), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of_bytes("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), HasSubstr("truncated"));
}

TEST(WithoutWeights, RefusesAnyCutThatMatters) {
  const std::string bytes = Model(with_weights()).proto().SerializeAsString();
  // Cuts inside weights must be detected even though weights are skipped.
  const std::string_view text = bytes;
  for (std::size_t length = 1000; length < 140'000; length += 9973) {
    EXPECT_THAT(refusal_of_bytes(text.substr(0, length)), HasSubstr("truncated")) << length;
  }
}

TEST(WithoutWeights, RefusesASmallTensorWithABigLoad) {
  Model model = with_weights();
  model.graph().mutable_initializer(1)->set_raw_data(std::string(std::size_t{2} << 20, '\0'));
  EXPECT_THAT(refusal_of_bytes(model.proto().SerializeAsString()),
              AllOf(HasSubstr("\"target\""), HasSubstr("2")));
}

TEST(WithoutWeights, EndsBeforeTheStackDoes) {
  // An If in an If in an If ..., padded so that each is parsed.
  std::string graph;
  const auto wrap = [](int number, const std::string& bytes) {
    std::string out(1, static_cast<char>(number << 3 | 2));
    for (std::size_t size = bytes.size(); true; size >>= 7) {
      out += static_cast<char>(size < 0x80 ? size : (size & 0x7f) | 0x80);
      if (size < 0x80) break;
    }
    return out + bytes;
  };
  graph = wrap(10, std::string(5000, 'x'));
  for (int depth = 0; depth < 1000; ++depth) graph = wrap(1, wrap(5, wrap(6, graph)));
  EXPECT_THAT(refusal_of_bytes(wrap(7, graph)), HasSubstr("truncated or not an ONNX model"));
}

TEST(ParseModel, OtherFormatsAreNamed) {
  const auto refusal = [](const std::string& start) {
    try {
      parse_model(start + std::string(64, '\xff'), "m.onnx");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(std::string("\x18\0\0\0ORTM", 8)),
            "m.onnx: is in ONNX Runtime's own format: pass the .onnx file that it was made from");
  EXPECT_THAT(refusal(std::string("\x1c\0\0\0TFL3", 8)), HasSubstr("TensorFlow Lite"));
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\noid"),
              HasSubstr("git lfs pull"));
  EXPECT_THAT(refusal("\x1f\x8b\x08"), HasSubstr("gunzip"));
  EXPECT_THAT(refusal("PK\x03\x04"), HasSubstr("is a ZIP archive"));
  EXPECT_THAT(refusal("PK"), HasSubstr("is truncated or not an ONNX model"));
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read_error(const std::string& name) const {
    try {
      read_model(folder_ / name);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith((folder_ / name).string() + ": "));
      return error.what();
    }
    return "read";
  }

  fs::path folder_;
};

TEST_F(Files, MayBeLargerThanProtobufCanParse) {
  // A weight of 3 GiB in a sparse file: 2^20 x 768 floats.
  constexpr std::uint64_t size = std::uint64_t{3} << 30;
  const auto varint = [](std::uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
    return out + static_cast<char>(value);
  };
  Model model(13);
  model.input("x", {1, 1 << 20}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  const std::string graph = model.graph().SerializeAsString();
  TensorProto weight;
  weight.set_name("w");
  weight.set_data_type(TensorProto::FLOAT);
  weight.add_dims(1 << 20);
  weight.add_dims(768);
  const std::string facts = weight.SerializeAsString();
  const std::string raw = std::string("\x4a") + varint(size);
  const std::string tensor =
      std::string("\x2a") + varint(facts.size() + raw.size() + size) + facts + raw;
  model.proto().clear_graph();
  {
    std::ofstream out(folder_ / "big.onnx", std::ios::binary);
    out << model.proto().SerializeAsString() << '\x3a'
        << varint(graph.size() + tensor.size() + size) << graph << tensor;
  }
  fs::resize_file(folder_ / "big.onnx", fs::file_size(folder_ / "big.onnx") + size);
  const LoweredGraph imported = import_file(folder_ / "big.onnx", {});
  EXPECT_THAT(imported.layers.at(0).problems, testing::ElementsAre(HasSubstr("k1048576")));
  EXPECT_EQ(imported.parameters, std::int64_t{768} << 20);
  fs::resize_file(folder_ / "big.onnx", fs::file_size(folder_ / "big.onnx") - 1);
  EXPECT_THAT(read_error("big.onnx"), HasSubstr("truncated"));
}

/// Reshapes x by a target in the file "data".
Model with_external(const std::string& location) {
  Model model(13);
  model.input("x", {2, 3, 4}).integers("target", {6, 4}).weights("w", {4, 5});
  model.node("Reshape", {"x", "target"}, {"y"}).node("MatMul", {"y", "w"}, {"z"}).output("z");
  for (TensorProto& tensor : *model.graph().mutable_initializer()) {
    tensor.clear_int64_data();
    tensor.clear_float_data();
    tensor.set_data_location(TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value(tensor.name() == "w" ? "no_such_file" : location);
  }
  auto& offset = *model.graph().mutable_initializer(0)->add_external_data();
  offset.set_key("offset");
  offset.set_value("8");
  return model;
}

TEST_F(Files, SmallIntegersAreReadFromFilesOfTheirOwnAndWeightsAreNot) {
  const std::int64_t stored[] = {0, 6, 4};
  write_file(folder_ / "data", {reinterpret_cast<const char*>(stored), sizeof stored});
  write_file(folder_ / "m.onnx", with_external("data").proto().SerializeAsString());
  const LoweredGraph graph = import_file(folder_ / "m.onnx", {});
  EXPECT_EQ(graph.layers.at(0).outputs.at(0).shape, (Dims{6, 4}));
  EXPECT_EQ(graph.layers.at(1).problems.size(), 1U);
  write_file(folder_ / "data", "short");
  EXPECT_THAT(read_error("m.onnx"), AllOf(HasSubstr("\"target\""), HasSubstr("not complete")));
  fs::remove(folder_ / "data");
  EXPECT_THAT(read_error("m.onnx"), AllOf(HasSubstr("\"target\""), HasSubstr("data")));
}

// As tools write Constant nodes if they convert attributes, too.
TEST_F(Files, SmallIntegersOfAttributesAreReadFromTheirFile) {
  const std::int64_t stored[] = {0, 6, 4};
  write_file(folder_ / "data", {reinterpret_cast<const char*>(stored), sizeof stored});
  Model model = with_external("data");
  auto& node = *model.graph().add_node();
  node.set_op_type("Constant");
  node.add_output("target");
  auto& attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(::onnx::AttributeProto::TENSOR);
  *attribute.mutable_t() = model.graph().initializer(0);
  model.graph().mutable_initializer()->DeleteSubrange(0, 1);
  write_file(folder_ / "m.onnx", model.proto().SerializeAsString());
  EXPECT_EQ(import_file(folder_ / "m.onnx", {}).layers.at(1).outputs.at(0).shape, (Dims{6, 4}));
  fs::remove(folder_ / "data");
  EXPECT_THAT(read_error("m.onnx"), AllOf(HasSubstr("\"target\""), HasSubstr("data")));
}

TEST_F(Files, FewRealsMayBeMissingAsOtherWeights) {
  Model model(13);
  model.input("x", {2, 4}).weights("bias", {4}).node("Add", {"x", "bias"}, {"y"}).output("y");
  auto& tensor = *model.graph().mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_data_location(TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("gone");
  write_file(folder_ / "m.onnx", model.proto().SerializeAsString());
  EXPECT_EQ(import_file(folder_ / "m.onnx", {}).layers.at(0).problems.at(0), "add/2x4_1x4_w");
}

TEST_F(Files, MasksAreReadFromTheirFile) {
  std::string bytes(1000, '\7');
  for (int query = 0; query < 70; ++query) {
    for (int key = 0; key < 70; ++key) {
      const float value = key > query ? -1e9F : 0;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  const std::size_t size = bytes.size() - 1000;
  for (std::size_t byte = 0; byte < size; ++byte) bytes += static_cast<char>(byte * 37 % 251);
  write_file(folder_ / "data", bytes);
  Model model(13);
  model.input("x", {70, 70});
  for (const char* name : {"mask", "weight", "missing"}) {
    model.weights(name, {70, 70});
    auto& tensor = *model.graph().mutable_initializer(model.graph().initializer_size() - 1);
    tensor.clear_float_data();
    tensor.set_data_location(TensorProto::EXTERNAL);
    const std::string text = name;
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>{"location", text == "missing" ? "gone" : "data"},
          {"offset", std::to_string(text == "mask" ? 1000 : 1000 + size)},
          {"length", std::to_string(size)}}) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  }
  model.node("Add", {"x", "mask"}, {"y"}).output("y");
  write_file(folder_ / "m.onnx", model.proto().SerializeAsString());
  const auto read = read_model(folder_ / "m.onnx");
  EXPECT_EQ(read.graph().initializer(0).raw_data(), bytes.substr(1000, size));
  EXPECT_FALSE(read.graph().initializer(1).has_raw_data());
  EXPECT_FALSE(read.graph().initializer(2).has_raw_data());
}

TEST_F(Files, OfTensorsStayInTheModelsFolder) {
  for (const std::string location : {"../data", "/etc/passwd", "a/../../b", ""}) {
    write_file(folder_ / "m.onnx", with_external(location).proto().SerializeAsString());
    EXPECT_THAT(read_error("m.onnx"), HasSubstr("not inside the model's folder")) << location;
  }
  Model model = with_external("data");
  model.graph().mutable_initializer(0)->mutable_external_data(1)->set_value("-8");
  write_file(folder_ / "m.onnx", model.proto().SerializeAsString());
  EXPECT_THAT(read_error("m.onnx"), HasSubstr("\"-8\""));
}

}  // namespace
}  // namespace benanza::onnx
