#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"

/// ai.onnx.ml: models of features in rows.
namespace benanza::onnx::shapes {
namespace {

constexpr int real = ::onnx::TensorProto::FLOAT;

std::vector<TensorFacts> features(const Site& site) { return {{real, site.input(0).shape}}; }

std::int64_t rows(const Site& site) {
  const Dims& dims = site.shape(0);
  return dims.size() > 1 ? dims[0] : 1;
}

template <class Target>
std::vector<TensorFacts> regression(const Site& site, Target target) {
  return {{real, Dims{rows(site), target}}};
}

std::vector<TensorFacts> targets(const Site& site) {
  return regression(site, site.node().integer("targets", 1));
}

std::vector<TensorFacts> tree_targets(const Site& site) {
  return regression(site, site.node().integer("n_targets", 1));
}

std::vector<TensorFacts> one_target(const Site& site) { return regression(site, std::int64_t{1}); }

/// The class of every row, and the scores of all classes.
std::vector<TensorFacts> classes(const Site& site) {
  for (const char* name : {"classlabels_int64s", "classlabels_ints"}) {
    if (const auto labels = site.node().integers(name); labels && !labels->empty()) {
      return {{::onnx::TensorProto::INT64, Dims{rows(site)}},
              {real, Dims{rows(site), std::ssize(*labels)}}};
    }
  }
  for (const char* name : {"classlabels_strings"}) {
    if (const auto labels = site.node().texts(name); labels && !labels->empty()) {
      return {{::onnx::TensorProto::STRING, Dims{rows(site)}},
              {real, Dims{rows(site), std::ssize(*labels)}}};
    }
  }
  throw NotExpressible("no classes");
}

/// The type is that of the values it may give.
std::vector<TensorFacts> labels(const Site& site) {
  const Node& node = site.node();
  int type = 0;
  if (node.has("values_strings")) type = ::onnx::TensorProto::STRING;
  if (node.has("values_int64s")) type = ::onnx::TensorProto::INT64;
  if (node.has("values_floats")) type = real;
  if (const auto* values = node.find("values_tensor")) type = values->t().data_type();
  if (node.has("classes_strings")) {
    type = site.input(0).type == ::onnx::TensorProto::STRING ? ::onnx::TensorProto::INT64
                                                             : ::onnx::TensorProto::STRING;
  }
  return {{type, site.input(0).shape}};
}

/// A place for each category.
std::vector<TensorFacts> categories(const Site& site) {
  Dims dims = site.shape(0);
  if (const auto numbers = site.node().integers("cats_int64s"); numbers && !numbers->empty()) {
    dims.push_back(std::ssize(*numbers));
  } else if (const auto words = site.node().texts("cats_strings"); words && !words->empty()) {
    dims.push_back(std::ssize(*words));
  } else {
    throw NotExpressible("no categories");
  }
  return {{real, dims}};
}

}  // namespace

void register_classic(ShapeTable& table) {
  const auto add = [&](const char* op, ShapeFunction function) {
    table.add(std::string("ai.onnx.ml.") + op, function);
  };
  for (const auto* op : {"Scaler", "Normalizer"}) add(op, features);
  for (const auto* op : {"Imputer", "Binarizer"}) {
    add(op, [](const Site& site) { return std::vector{like_input(site, 0)}; });
  }
  add("LinearRegressor", targets);
  add("SVMRegressor", one_target);
  for (const auto* op : {"TreeEnsembleRegressor", "TreeEnsemble"}) add(op, tree_targets);
  for (const auto* op : {"LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier"}) {
    add(op, classes);
  }
  add("LabelEncoder", labels);
  add("OneHotEncoder", categories);
}

}  // namespace benanza::onnx::shapes
