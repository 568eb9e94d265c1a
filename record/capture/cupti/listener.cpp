#include "record/capture/cupti/listener.h"

#include <utility>

namespace benanza::record {

void Listener::listen(const nvidia::Cupti& cupti) {
  const std::lock_guard lock(mutex_);
  if (is_listening_) return;
  cupti.call<decltype(cuptiSubscribe)>("cuptiSubscribe", &subscriber_, &take, this);
  is_listening_ = true;
  if (!gate_.has_name()) return;
  cupti.call<decltype(cuptiEnableDomain)>("cuptiEnableDomain", std::uint32_t{1}, subscriber_,
                                          CUPTI_CB_DOMAIN_NVTX);
}

void Listener::pass_on(KernelCounters& counters) {
  counters_ = &counters;
  counters.listen(subscriber_);
}

void Listener::tell(std::function<void()> changed) {
  changed_ = std::move(changed);
  tells_ = true;
}

void CUPTIAPI Listener::take(void* listener, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                             const void* data) {
  Listener& self = *static_cast<Listener*>(listener);
  if (domain != CUPTI_CB_DOMAIN_NVTX) {
    if (KernelCounters* const counters = self.counters_) counters->take(domain, id, data);
    return;
  }
  self.ranges_.take(id, *static_cast<const CUpti_NvtxData*>(data));
  if (self.tells_) self.changed_();
}

}  // namespace benanza::record
