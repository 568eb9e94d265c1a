#pragma once

#include <string>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// For an If whose branch, or a Loop whose length, the model's inputs decide, the flags that choose
/// one, for example "give --input cached=true or --input cached=false"; empty for other steps, and
/// where so many numbers decide that nobody would state them.
std::string advice_of_choice(const Program& program, const Step& step);

}  // namespace benanza::onnx
