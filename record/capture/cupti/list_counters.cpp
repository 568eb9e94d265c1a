#include <algorithm>

#include "core/base/text.h"
#include "core/nvidia/counters.h"
#include "record/capture/cupti/control.h"
#include "record/capture/cupti/find_cupti.h"

extern "C" {

/// For benanza-record --list-counters: passes on every counter of a chip, by default that of the
/// first GPU; or one line that says why not.
__attribute__((visibility("default"))) void benanza_list_counters(const char* chip,
                                                                  benanza::record::UseCounter use,
                                                                  benanza::record::UseReason refuse,
                                                                  void* data) {
  using namespace benanza;
  try {
    const nvidia::Cupti& cupti = *record::find_cupti();
    const std::string name = chip == nullptr ? nvidia::chip_of_first_gpu(cupti) : chip;
    const auto chips = nvidia::known_chips(cupti);
    if (std::ranges::find(chips, name) == chips.end()) {
      throw nvidia::ProfilerUnavailable("CUPTI knows no chip " + name + ", but " +
                                        text::join(chips, ", "));
    }
    for (const auto& one : nvidia::list_counters(cupti, name)) {
      use(data, one.name.c_str(), one.description.c_str(), one.endings.c_str());
    }
  } catch (const std::exception& error) {
    refuse(data, error.what());
  }
}
}
