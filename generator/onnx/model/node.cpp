#include "generator/onnx/model/node.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstdlib>

#include "core/base/error.h"

namespace benanza::onnx {

using ::onnx::AttributeProto;

namespace {

/// No name of a domain has it.
constexpr char before_version = '\x1f';

std::string without_version(const std::string& domain) {
  return domain.substr(0, domain.find(before_version));
}

}  // namespace

Node::Node(const ::onnx::NodeProto& proto, std::string name, int opset)
    : proto_(&proto),
      name_(std::move(name)),
      domain_(canonical_domain(without_version(proto.domain()))),
      opset_(opset) {}

const std::string& Node::op_type() const { return proto_->op_type(); }

std::string Node::full_type() const {
  return domain_.empty() ? op_type() : domain_ + '.' + op_type();
}

const AttributeProto* Node::find(std::string_view name) const {
  for (const AttributeProto& attribute : proto_->attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

const AttributeProto* Node::find(std::string_view name, int type) const {
  const AttributeProto* attribute = find(name);
  // Files of the first format version do not state attribute types.
  if (attribute != nullptr && attribute->type() != AttributeProto::UNDEFINED &&
      attribute->type() != type) {
    throw Error("attribute \"" + std::string(name) + "\" has the wrong type");
  }
  return attribute;
}

std::int64_t Node::integer(std::string_view name, std::int64_t fallback) const {
  const AttributeProto* attribute = find(name, AttributeProto::INT);
  return attribute != nullptr ? attribute->i() : fallback;
}

float Node::real(std::string_view name, float fallback) const {
  const AttributeProto* attribute = find(name, AttributeProto::FLOAT);
  if (attribute == nullptr) return fallback;
  if (std::isnan(attribute->f())) {
    throw Error("attribute \"" + std::string(name) + "\" is not a number");
  }
  return attribute->f();
}

std::string Node::text(std::string_view name, std::string_view fallback) const {
  const AttributeProto* attribute = find(name, AttributeProto::STRING);
  return attribute != nullptr ? attribute->s() : std::string(fallback);
}

std::optional<Dims> Node::integers(std::string_view name) const {
  const AttributeProto* attribute = find(name, AttributeProto::INTS);
  if (attribute == nullptr) return std::nullopt;
  return Dims(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> Node::reals(std::string_view name) const {
  const AttributeProto* attribute = find(name, AttributeProto::FLOATS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<std::vector<std::string>> Node::texts(std::string_view name) const {
  const AttributeProto* attribute = find(name, AttributeProto::STRINGS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

bool Node::has_subgraph() const {
  for (const AttributeProto& attribute : proto_->attribute()) {
    if (attribute.has_g() || attribute.graphs_size() > 0) return true;
  }
  return false;
}

std::string canonical_domain(const std::string& domain) {
  return domain == "ai.onnx" ? std::string() : domain;
}

std::string versioned_domain(const std::string& domain, std::int64_t version) {
  return domain + before_version + std::to_string(version);
}

std::optional<int> opset_of(const ::onnx::NodeProto& node,
                            const std::unordered_map<std::string, int>& imports) {
  const std::string& domain = node.domain();
  if (const std::size_t place = domain.find(before_version); place != std::string::npos) {
    return std::atoi(domain.c_str() + place + 1);
  }
  const auto found = imports.find(canonical_domain(domain));
  return found == imports.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace benanza::onnx
