#include "generator/onnx/graph.h"

namespace benanza {

std::string_view to_string(Cost cost) {
  switch (cost) {
    case Cost::measured:
      return "measured";
    case Cost::movement:
      return "movement";
    case Cost::free:
      return "free";
    case Cost::unsupported:
      return "unsupported";
  }
  return "unsupported";
}

std::string to_string(const Assumption& assumption) {
  return assumption.tensor + ':' + std::to_string(assumption.axis) + '=' +
         std::to_string(assumption.extent);
}

}  // namespace benanza
