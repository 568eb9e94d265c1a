#include "analysis/questions/paper/zoo.h"

#include <algorithm>
#include <iterator>

namespace benanza::analysis {
namespace {

constexpr PaperModel all[] = {
    {"alexnet", "classification", 24},
    {"arcface", "face recognition", 412},
    {"caffenet", "classification", 24},
    {"densenet121", "classification", 910},
    {"duc", "segmentation", 355},
    {"emotion_ferplus", "emotion recognition", 52},
    {"googlenet", "classification", 143},
    {"inception_v1", "classification", 144},
    {"inception_v2", "classification", 509},
    {"mnist", "digit recognition", 12},
    {"mobilenet_v2", "classification", 155},
    {"rcnn_ilsvrc13", "object detection", 23},
    {"resnet101_v1", "classification", 345},
    {"resnet101_v2", "classification", 344},
    {"resnet152_v1", "classification", 515},
    {"resnet152_v2", "classification", 514},
    {"resnet18_v1", "classification", 69},
    {"resnet18_v2", "classification", 69},
    {"resnet34_v1", "classification", 125},
    {"resnet34_v2", "classification", 125},
    {"resnet50_v1", "classification", 175},
    {"resnet50_v2", "classification", 174},
    {"shufflenet", "classification", 203},
    {"squeezenet_v1.1", "classification", 66},
    {"tiny_yolo_v2", "object detection", 32},
    {"vgg16", "classification", 41},
    {"vgg16_bn", "classification", 54},
    {"vgg19", "classification", 47},
    {"vgg19_bn", "classification", 63},
    {"zfnet512", "classification", 22},
};

}  // namespace

const PaperModel* paper_model(std::string_view id) {
  const auto* const found = std::ranges::find(all, id, &PaperModel::id);
  return found == std::end(all) ? nullptr : found;
}

}  // namespace benanza::analysis
