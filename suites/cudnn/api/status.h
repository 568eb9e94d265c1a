#pragma once

#include <cudnn.h>

#include <string>
#include <string_view>

namespace benanza::cudnn {

/// The meaning of a status for a row. refused: the library does not do this, the row is
/// `unsupported`. out_of_memory, broken: it should have worked, the row is `failed`.
enum class Verdict { success, refused, out_of_memory, broken };

/// By the thousands of the code: 2xxx (bad parameter) and 3xxx (not supported) are refusals, since
/// the library answers either for shapes it has no kernel for.
Verdict verdict(cudnnStatus_t status);

/// "call: CUDNN_STATUS_X" and, where the library has more to say, " (detail)".
std::string words(cudnnStatus_t status, std::string_view call, std::string_view detail);

/// The library's last message in this thread that nobody has read yet; may be empty.
std::string last_words();

/// Returns if `status` is success; throws Unsupported, OutOfMemory, DeviceLost or
/// std::runtime_error with the library's words otherwise. `call` names the library's function.
void check(cudnnStatus_t status, std::string_view call);

}  // namespace benanza::cudnn

/// Calls a function of cuDNN and checks its status, so that an error can name the function.
#define BENANZA_CUDNN(function, ...) ::benanza::cudnn::check(function(__VA_ARGS__), #function)
