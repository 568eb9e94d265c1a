#pragma once

#include <source_location>
#include <string>
#include <utility>

#include <dnnl.hpp>

namespace benanza::onednn {

/// Translates a library error: out of memory into std::bad_alloc; a refusal (unimplemented, invalid
/// arguments) during the creation of a descriptor into Unsupported; everything else into a
/// std::runtime_error that names the call `what` and its location.
[[noreturn]] void throw_error(const dnnl::error& error, bool making_descriptor,
                              const std::string& what, const std::source_location& where);

/// Runs `call`, which uses the library; translates errors with throw_error().
template <class Call>
decltype(auto) library_call(const std::string& what, Call&& call,
                            const std::source_location& where = std::source_location::current()) {
  try {
    return std::forward<Call>(call)();
  } catch (const dnnl::error& error) {
    throw_error(error, false, what, where);
  }
}

/// Like library_call(), but a refusal is Unsupported.
template <class Call>
decltype(auto) offered(Call&& call,
                       const std::source_location& where = std::source_location::current()) {
  try {
    return std::forward<Call>(call)();
  } catch (const dnnl::error& error) {
    throw_error(error, true, "descriptor", where);
  }
}

/// Like library_call(), for functions that return a status.
inline void check(dnnl_status_t status, const char* what,
                  const std::source_location& where = std::source_location::current()) {
  if (status != dnnl_success) throw_error(dnnl::error(status, what), false, what, where);
}

}  // namespace benanza::onednn
