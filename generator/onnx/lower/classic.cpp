#include "generator/onnx/lowering.h"

/// ai.onnx.ml: models for which no library here has a call.
namespace benanza::onnx::lower {
namespace {

Lowered trees(const Site&) { throw NotExpressible("no library here walks decision trees"); }

Lowered vectors(const Site&) {
  throw NotExpressible("no library here has support vector machines");
}

Lowered linear(const Site&) {
  throw NotExpressible("its weights are attributes: a linear model that is no matrix product");
}

Lowered features(const Site&) { throw NotExpressible("no library here prepares features"); }

Lowered words(const Site&) { throw NotExpressible("no library here has maps and labels"); }

}  // namespace

void register_classic(LoweringTable& table) {
  const auto add = [&](const char* op, LowerFunction function) {
    table.add(std::string("ai.onnx.ml.") + op, function);
  };
  for (const auto* op : {"TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"}) {
    add(op, trees);
  }
  for (const auto* op : {"SVMClassifier", "SVMRegressor"}) add(op, vectors);
  for (const auto* op : {"LinearClassifier", "LinearRegressor"}) add(op, linear);
  for (const auto* op : {"Scaler", "Normalizer", "Imputer", "Binarizer", "FeatureVectorizer",
                         "OneHotEncoder", "ArrayFeatureExtractor"}) {
    add(op, features);
  }
  for (const auto* op : {"LabelEncoder", "CategoryMapper", "DictVectorizer", "CastMap", "ZipMap"}) {
    add(op, words);
  }
}

}  // namespace benanza::onnx::lower
