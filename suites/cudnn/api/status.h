#pragma once

#include <cudnn.h>

#include <string>
#include <string_view>

namespace benanza::cudnn {

/// What a status means for a row. refused: the library does not support the call, the row is
/// `unsupported`. out_of_memory, broken: it should have worked, the row is `failed`.
enum class Verdict { success, refused, out_of_memory, broken };

/// Classifies by the code's category: both 2xxx (bad parameter) and 3xxx (not supported) are
/// refusals, because the library returns either for shapes that it has no kernel for.
Verdict verdict(cudnnStatus_t status);

/// Returns "call: CUDNN_STATUS_X", followed by " (detail)" if `detail` is not empty.
std::string words(cudnnStatus_t status, std::string_view call, std::string_view detail);

/// Returns and clears the library's last error message of this thread; may be empty.
std::string last_words();

/// Throws Unsupported, OutOfMemory, DeviceLost or std::runtime_error with the library's message if
/// `status` is not success. `call` names the library function.
void check(cudnnStatus_t status, std::string_view call);

}  // namespace benanza::cudnn

/// Calls a cuDNN function and checks its status; errors name the function.
#define BENANZA_CUDNN(function, ...) ::benanza::cudnn::check(function(__VA_ARGS__), #function)
