#pragma once

#include <source_location>
#include <string>
#include <utility>

#include <dnnl.hpp>

namespace benanza::onednn {

/// Turns the library's error into ours: out of memory into std::bad_alloc; a refusal
/// (unimplemented, invalid arguments) into Unsupported while a descriptor is made; anything else
/// into std::runtime_error that names the call and where it was made. `what` is the call.
[[noreturn]] void throw_error(const dnnl::error& error, bool making_descriptor,
                              const std::string& what, const std::source_location& where);

/// Runs `call`, a use of the library; its errors come out as throw_error says.
template <class Call>
decltype(auto) checked(const std::string& what, Call&& call,
                       const std::source_location& where = std::source_location::current()) {
  try {
    return std::forward<Call>(call)();
  } catch (const dnnl::error& error) {
    throw_error(error, false, what, where);
  }
}

/// As checked, where a refusal is an answer.
template <class Call>
decltype(auto) offered(Call&& call,
                       const std::source_location& where = std::source_location::current()) {
  try {
    return std::forward<Call>(call)();
  } catch (const dnnl::error& error) {
    throw_error(error, true, "descriptor", where);
  }
}

/// As checked, for calls that return a status.
inline void check(dnnl_status_t status, const char* what,
                  const std::source_location& where = std::source_location::current()) {
  if (status != dnnl_success) throw_error(dnnl::error(status, what), false, what, where);
}

}  // namespace benanza::onednn
