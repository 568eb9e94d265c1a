#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/convolution_call.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {

/// One of the library functions of every direction of a convolution, with its name for errors.
template <class Function>
struct NamedCall {
  Function* function;
  const char* name;
  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    check(function(arguments...), name);
  }
};
#define BENANZA_CUDNN_CALL(function) \
  ::benanza::cudnn::NamedCall<decltype(function)> { &function, #function }

/// An algorithm of one direction.
struct ConvolutionAlgorithm {
  std::string_view name;
  /// Multiplies transforms of its operands.
  bool transforms = false;
};

/// The library's functions for one direction of a convolution (forward, data gradient, filter
/// gradient), one way for each algorithm, ranked by its heuristics. `Direction` defines what
/// differs:
///   Shape, Answer; image(shape): the extents that decide the layouts;
///   algorithms: a list of ConvolutionAlgorithm in the library's order;
///   max_count, heuristics, workspace: NamedCall;
///   operands(descriptors): a tuple of the descriptors in the order of the calls;
///   map(shape, precision, layout): the ConvolutionCall;
///   refuse(shape, variant): throws Unsupported;
///   offers(epilogue, algorithm): whether the algorithm does the epilogue;
///   complete(traits, shape, algorithm): sets the traits besides transforms;
///   setup(call, variant): the formats, and values stored otherwise;
///   Calls(request, call, descriptors, algorithm): as for nvidia::CallOf.
template <class Direction>
class ConvolutionFunctions {
 public:
  using Shape = typename Direction::Shape;
  using Answer = typename Direction::Answer;
  using Algorithm = decltype(Answer::algo);

  static harness::Family<Library, Shape> family() {
    auto family = functions<Shape>(
        [](const Shape& shape) { return image_layouts(Direction::image(shape)); }, ways);
    family.way = [](Library& library, const Shape& shape,
                    const harness::Variant& variant) -> std::optional<harness::Way> {
      const auto algorithm = named(variant.algorithm);
      if (!algorithm) return std::nullopt;
      return way(library, shape, variant, *algorithm);
    };
    return family;
  }

  /// As far as the library has one of this name.
  static std::optional<Algorithm> named(std::string_view name) {
    for (std::size_t i = 0; i < std::size(Direction::algorithms); ++i) {
      if (Direction::algorithms[i].name == name) return static_cast<Algorithm>(i);
    }
    return std::nullopt;
  }

  static harness::Traits traits(const Shape& shape, Algorithm algorithm) {
    harness::Traits traits{.transforms = description(algorithm).transforms};
    Direction::complete(traits, shape, algorithm);
    return traits;
  }

 private:
  static const ConvolutionAlgorithm& description(Algorithm algorithm) {
    return Direction::algorithms[static_cast<std::size_t>(algorithm)];
  }

  static Ways ways(Library& library, const Shape& shape, const harness::Variant& prototype) {
    Direction::refuse(shape, prototype);
    const ConvolutionCall call = Direction::map(shape, prototype.precision, prototype.layout);
    const auto& answers =
        answers_of(library, prototype, describe(call, prototype.layout, prototype.precision));
    Ways found;
    for (const Algorithm algorithm :
         ordered_by_rank(answers, static_cast<int>(std::size(Direction::algorithms)))) {
      if (!Direction::offers(prototype.problem.epilogue, algorithm)) continue;
      found.push_back(way(library, shape, prototype, algorithm));
    }
    return found;
  }

  static harness::Way way(Library& library, const Shape& shape, const harness::Variant& prototype,
                          Algorithm algorithm) {
    return nvidia::way_of(
        library, prototype, std::string(description(algorithm).name),
        [shape, algorithm](const Request& request) { return make(request, shape, algorithm); },
        traits(shape, algorithm));
  }

  static std::unique_ptr<harness::Primitive> make(const Request& request, const Shape& shape,
                                                  Algorithm algorithm) {
    const harness::Variant& variant = request.variant;
    Direction::refuse(shape, variant);
    const ConvolutionCall call = Direction::map(shape, variant.precision, variant.layout);
    ConvolutionDescriptors descriptors = describe(call, variant.layout, variant.precision);
    nvidia::CallSetup setup = Direction::setup(call, variant);
    setup.workspace_bytes = workspace_bytes(request.library, descriptors, algorithm);
    setup.facts = facts(request.library, variant, descriptors, algorithm);
    setup.facts["explicit_padding"] = call.padded.has_value();
    return call_of(request, std::move(setup),
                   typename Direction::Calls(request, call, std::move(descriptors), algorithm));
  }

  /// Best first; see HeuristicsCache::of().
  static const std::vector<Answer>& answers_of(Library& library, const harness::Variant& variant,
                                               const ConvolutionDescriptors& descriptors) {
    return library.heuristics<Answer>().of(variant, [&] { return ask(library, descriptors); });
  }

  /// Throws what Library::check_workspace() throws.
  static std::int64_t workspace_bytes(Library& library, const ConvolutionDescriptors& descriptors,
                                      Algorithm algorithm) {
    std::size_t bytes = 0;
    std::apply(
        [&](auto... operands) {
          Direction::workspace(library.handle(), operands..., algorithm, &bytes);
        },
        Direction::operands(descriptors));
    library.check_workspace(static_cast<std::int64_t>(bytes));
    return static_cast<std::int64_t>(bytes);
  }

  /// heuristic_rank and tensor_core_claimed, as far as the library reports them.
  static Facts facts(Library& library, const harness::Variant& variant,
                     const ConvolutionDescriptors& descriptors, Algorithm algorithm) {
    const HeuristicAnswer answer = answer_for(answers_of(library, variant, descriptors), algorithm);
    Facts facts;
    if (answer.rank) facts["heuristic_rank"] = static_cast<double>(*answer.rank);
    if (answer.tensor_core_claimed) facts["tensor_core_claimed"] = *answer.tensor_core_claimed;
    return facts;
  }

  static std::vector<Answer> ask(Library& library, const ConvolutionDescriptors& descriptors) {
    int count = 0;
    Direction::max_count(library.handle(), &count);
    std::vector<Answer> answers(static_cast<std::size_t>(count));
    std::apply(
        [&](auto... operands) {
          Direction::heuristics(library.handle(), operands..., static_cast<int>(answers.size()),
                                &count, answers.data());
        },
        Direction::operands(descriptors));
    answers.resize(static_cast<std::size_t>(count));
    return answers;
  }
};

/// The image that the library reads: the operand, or a padded copy made as part of the call.
class ImageOperand {
 public:
  ImageOperand(nvidia::CudaContext& cuda, const ConvolutionCall& call) {
    if (call.padded) padded_.emplace(cuda, *call.padded, 0.0F);
  }
  const std::byte* read(const CudnnPrimitive& call, const ConvolutionDescriptors& descriptors) {
    if (!padded_) return call.input(0);
    padded_->copy(call.handle(), descriptors.image, call.input(0));
    return padded_->data();
  }

 private:
  std::optional<PaddedInput> padded_;
};

}  // namespace benanza::cudnn
