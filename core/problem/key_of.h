#pragma once

#include <exception>
#include <string>

#include "core/problem/problem.h"

namespace benanza {

/// The key of `shape` with `epilogue`; empty if it is no valid problem.
template <class T>
std::string key_of(const T& shape, const Epilogue& epilogue = {}) {
  try {
    return key(parse(key(Problem{.shape = shape, .epilogue = epilogue})));
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace benanza
