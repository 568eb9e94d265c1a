#include "record/capture/cupti/find_cupti.h"

namespace benanza::record {

const nvidia::Cupti* find_cupti() {
  try {
    return new nvidia::Cupti();
  } catch (const nvidia::ProfilerUnavailable&) {
    return new nvidia::Cupti(BENANZA_CUPTI_LIBRARY);
  }
}

}  // namespace benanza::record
