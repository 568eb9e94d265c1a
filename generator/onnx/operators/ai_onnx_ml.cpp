#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// ai.onnx.ml: models on rows of features, for most of which no library here has a call.
namespace benanza::onnx {
namespace {

constexpr int real = ::onnx::TensorProto::FLOAT;

std::vector<TensorFacts> features_shape(const NodeView& node) {
  return {{real, node.input(0).shape}};
}

std::int64_t rows(const NodeView& node) {
  const Dims& dims = node.shape(0);
  return dims.size() > 1 ? dims[0] : 1;
}

template <class Target>
std::vector<TensorFacts> regression(const NodeView& node, Target target) {
  return {{real, Dims{rows(node), target}}};
}

std::vector<TensorFacts> targets_shape(const NodeView& node) {
  return regression(node, node.integer("targets", 1));
}

std::vector<TensorFacts> tree_targets_shape(const NodeView& node) {
  return regression(node, node.integer("n_targets", 1));
}

/// Unlike older operators, it keeps the type.
std::vector<TensorFacts> tree_ensemble_shape(const NodeView& node) {
  return {{node.input(0).type, Dims{rows(node), node.integer("n_targets", 1)}}};
}

std::vector<TensorFacts> one_target_shape(const NodeView& node) {
  return regression(node, std::int64_t{1});
}

/// The class of every row, and the scores of all classes.
std::vector<TensorFacts> classes_shape(const NodeView& node) {
  for (const char* name : {"classlabels_int64s", "classlabels_ints"}) {
    if (const auto labels = node.integers(name); labels && !labels->empty()) {
      return {{::onnx::TensorProto::INT64, Dims{rows(node)}},
              {real, Dims{rows(node), std::ssize(*labels)}}};
    }
  }
  if (const auto labels = node.texts("classlabels_strings"); labels && !labels->empty()) {
    return {{::onnx::TensorProto::STRING, Dims{rows(node)}},
            {real, Dims{rows(node), std::ssize(*labels)}}};
  }
  throw NotExpressible("no classes");
}

/// The type is that of the possible results.
std::vector<TensorFacts> labels_shape(const NodeView& node) {
  int type = 0;
  if (node.has("values_strings")) type = ::onnx::TensorProto::STRING;
  if (node.has("values_int64s")) type = ::onnx::TensorProto::INT64;
  if (node.has("values_floats")) type = real;
  if (const auto* values = node.find("values_tensor")) type = values->t().data_type();
  if (node.has("classes_strings") || node.has("cats_strings")) {
    type = node.input(0).type == ::onnx::TensorProto::STRING ? ::onnx::TensorProto::INT64
                                                             : ::onnx::TensorProto::STRING;
  }
  return {{type, node.input(0).shape}};
}

/// The features of all inputs side by side.
std::vector<TensorFacts> vector_shape(const NodeView& node) {
  const auto sizes = node.integers("inputdimensions");
  if (!sizes) throw NotExpressible("no sizes");
  std::int64_t features = 0;
  for (const std::int64_t size : *sizes) features = checked_sum(features, size);
  return regression(node, features);
}

void check_features(const NodeView& node) {
  if (node.input(0).type != real) throw NotExpressible("features that it converts to floats");
}

/// (input - offset) * scale, each of one number or one for each feature.
Lowered lower_scaler(const NodeView& node) {
  check_features(node);
  struct Part {
    const char* attribute;
    BinaryKind kind;
    float neutral;
  };
  const Dims dims = node.extents(0);
  std::vector<Call> calls;
  Source result = from_input(0);
  for (const Part part : {Part{"offset", BinaryKind::sub, 0}, Part{"scale", BinaryKind::mul, 1}}) {
    const auto numbers = node.reals(part.attribute).value_or(std::vector<float>{});
    const std::int64_t count = std::ssize(numbers);
    if (count > 1 && count != dims.back()) {
      throw Error("has " + std::to_string(count) + " numbers in " + part.attribute + " for " +
                  std::to_string(dims.back()) + " features");
    }
    if (std::ranges::count(numbers, part.neutral) == count) continue;
    result = add_call(calls, elementwise_call(part.kind, {dims, false, result},
                                              {{count}, true, from_numbers(numbers)}));
  }
  if (calls.empty()) return free_layer("neither scales nor shifts");
  return measured(std::move(calls));
}

/// input * coefficients^T + intercepts, for so many targets.
std::vector<Call> linear_calls(const NodeView& node, std::int64_t targets) {
  check_features(node);
  if (node.shape(0).size() > 2) throw NotExpressible("features of more than two axes");
  const Dims features{rows(node), node.extents(0).back()};
  const Dims weights{targets, features[1]};
  const auto numbers = node.reals("coefficients").value_or(std::vector<float>{});
  if (checked_element_count(weights) != std::ssize(numbers)) {
    throw NotExpressible(std::to_string(numbers.size()) + " coefficients for " +
                         join(weights, 'x'));
  }
  std::vector<Call> calls{
      product_call(features, from_input(0), weights, from_numbers(numbers), true, false, true)};
  const auto intercepts = node.reals("intercepts").value_or(std::vector<float>{});
  if (std::ranges::count(intercepts, 0.0F) != std::ssize(intercepts)) {
    calls.push_back(elementwise_call(BinaryKind::add,
                                     {output(calls[0].problem), false, from_call(0)},
                                     {{std::ssize(intercepts)}, true, from_numbers(intercepts)}));
  }
  return calls;
}

Lowered lower_linear_regressor(const NodeView& node) {
  const std::string transform = node.text("post_transform", "NONE");
  if (transform != "NONE") throw NotExpressible("post_transform = " + transform);
  return measured(linear_calls(node, node.integer("targets", 1)));
}

/// Scores of the classes, and the class with the largest, for whose place the largest score stands.
Lowered lower_linear_classifier(const NodeView& node) {
  const Dims scores = classes_shape(node).at(1).shape.value();
  const auto stated = node.reals("coefficients").value_or(std::vector<float>{});
  // Two classes may have the weights of one.
  if (scores[1] == 2 && std::ssize(stated) == node.extents(0).back()) {
    throw NotExpressible("two classes with the weights of one");
  }
  std::vector<Call> calls = linear_calls(node, scores[1]);
  const std::string transform = node.text("post_transform", "NONE");
  if (transform == "SOFTMAX") {
    add_call(calls, call(Softmax{.input = scores, .axis = 1}, {last_result(calls)}));
  } else if (transform == "LOGISTIC") {
    add_call(calls, function_call(scores, ActivationKind::sigmoid, last_result(calls)));
  } else if (transform != "NONE") {
    throw NotExpressible("post_transform = " + transform);
  }
  calls.back().output = 1;
  Call largest = call(Reduction{.kind = ReductionKind::max, .input = scores, .axes = {1}},
                      {last_result(calls)});
  largest.is_proxy = true;
  calls.push_back(std::move(largest));
  return measured(std::move(calls), Types::checked_by_lowering);
}

/// Rows divided by their norm.
Lowered lower_normalizer(const NodeView& node) {
  check_features(node);
  const Dims& input = node.shape(0);
  if (input.empty()) throw Error("wants a row, not one number");
  const std::string norm = node.text("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2") throw Error("has a norm " + norm);
  const Reduction of_row{.kind = norm == "L1"   ? ReductionKind::l1
                                 : norm == "L2" ? ReductionKind::l2
                                                : ReductionKind::max,
                         .input = input,
                         .axes = {std::ssize(input) - 1}};
  return measured({call(of_row, {from_input(0)}),
                   elementwise_call(BinaryKind::div, {input, false, from_input(0)},
                                    {of_row.output(), false, from_call(0)})});
}

/// One position per category.
std::vector<TensorFacts> categories_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (const auto numbers = node.integers("cats_int64s"); numbers && !numbers->empty()) {
    dims.push_back(std::ssize(*numbers));
  } else if (const auto words = node.texts("cats_strings"); words && !words->empty()) {
    dims.push_back(std::ssize(*words));
  } else {
    throw NotExpressible("no categories");
  }
  return {{real, dims}};
}

}  // namespace

void register_ai_onnx_ml(OperatorTable& table) {
  const auto add = [&](std::initializer_list<const char*> ops, ShapeFunction shape,
                       std::string_view reason) {
    for (const char* op : ops) {
      Operator known{.unsupported = reason};
      if (shape != nullptr) known.shapes = {{shape}};
      table.add(std::string("ai.onnx.ml.") + op, std::move(known));
    }
  };
  constexpr std::string_view trees = "no library here walks decision trees";
  add({"TreeEnsembleRegressor"}, tree_targets_shape, trees);
  add({"TreeEnsemble"}, tree_ensemble_shape, trees);
  add({"TreeEnsembleClassifier"}, classes_shape, trees);
  constexpr std::string_view vectors = "no library here has support vector machines";
  add({"SVMRegressor"}, one_target_shape, vectors);
  add({"SVMClassifier"}, classes_shape, vectors);
  table.add("ai.onnx.ml.LinearClassifier", {.shapes = {{classes_shape}},
                                            .lower = lower_linear_classifier,
                                            .idle_attributes = {"multi_class"}});
  constexpr std::string_view preparation = "no library here prepares features";
  table.add("ai.onnx.ml.LinearRegressor",
            {.shapes = {{targets_shape}}, .lower = lower_linear_regressor});
  table.add("ai.onnx.ml.Scaler", {.shapes = {{features_shape}}, .lower = lower_scaler});
  table.add("ai.onnx.ml.Normalizer", {.shapes = {{features_shape}}, .lower = lower_normalizer});
  add({"Imputer", "Binarizer"}, like_first, preparation);
  add({"OneHotEncoder"}, categories_shape, preparation);
  add({"FeatureVectorizer"}, vector_shape, preparation);
  constexpr std::string_view words = "no library here has maps and labels";
  add({"LabelEncoder", "CategoryMapper"}, labels_shape, words);
  add({"DictVectorizer", "CastMap", "ZipMap"}, nullptr, words);
}

}  // namespace benanza::onnx
