#include "generator/onnx/read/default_imports.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <string>

namespace benanza::onnx {
namespace {

void add_import(::onnx::ModelProto& model, const std::string& domain, int version) {
  const auto names_it = [&](const auto& import) { return import.domain() == domain; };
  if (std::ranges::any_of(model.opset_import(), names_it)) return;
  auto& import = *model.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
}

}  // namespace

void add_default_imports(::onnx::ModelProto& model) {
  const auto& known = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  add_import(model, "com.microsoft", 1);
  add_import(model, "ai.onnx.ml", known.at("ai.onnx.ml").second);
}

}  // namespace benanza::onnx
