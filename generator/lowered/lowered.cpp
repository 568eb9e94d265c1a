#include "generator/lowered/lowered.h"

namespace benanza {

std::string to_string(const Assumption& assumption) {
  return assumption.tensor + ':' + std::to_string(assumption.axis) + '=' +
         std::to_string(assumption.extent);
}

}  // namespace benanza
