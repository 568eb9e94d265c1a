#include "record/capture/cupti/nvtx_ranges.h"

#include <generated_nvtx_meta.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace benanza::record {

bool RangeGate::is_open() const {
  if (!has_name()) return true;
  const std::lock_guard lock(mutex_);
  return open_ > 0;
}

void RangeGate::push(std::uint64_t thread, const void* domain, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const bool is_ours = name == name_;
  stacks_[{thread, domain}].push_back(is_ours);
  if (is_ours) ++open_;
}

void RangeGate::pop(std::uint64_t thread, const void* domain) {
  const std::lock_guard lock(mutex_);
  const auto stack = stacks_.find({thread, domain});
  // The range was pushed before callbacks were enabled.
  if (stack == stacks_.end()) return;
  if (stack->second.back()) --open_;
  stack->second.pop_back();
  if (stack->second.empty()) stacks_.erase(stack);
}

void RangeGate::start(std::uint64_t id, std::string_view name) {
  if (name != name_) return;
  const std::lock_guard lock(mutex_);
  if (started_.insert(id).second) ++open_;
}

void RangeGate::end(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (started_.erase(id) > 0) --open_;
}

void NvtxRanges::take(CUpti_CallbackId id, const CUpti_NvtxData& data) {
  const auto thread = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  const void* const parameters = data.functionParams;
  const auto started = [&](std::string_view name) {
    if (data.functionReturnValue == nullptr) return;
    gate_.start(*static_cast<const nvtxRangeId_t*>(data.functionReturnValue), name);
  };
  switch (id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA:
      return gate_.push(thread, nullptr,
                        static_cast<const nvtxRangePushA_params*>(parameters)->message);
    case CUPTI_CBID_NVTX_nvtxRangePushW:
      return gate_.push(thread, nullptr, "");
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
      return gate_.push(thread, nullptr,
                        words(static_cast<const nvtxRangePushEx_params*>(parameters)->eventAttrib));
    case CUPTI_CBID_NVTX_nvtxRangePop:
      return gate_.pop(thread, nullptr);
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx: {
      const auto* push = static_cast<const nvtxDomainRangePushEx_params*>(parameters);
      return gate_.push(thread, push->domain, words(push->core.eventAttrib));
    }
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
      return gate_.pop(thread, static_cast<const nvtxDomainRangePop_params*>(parameters)->domain);
    case CUPTI_CBID_NVTX_nvtxRangeStartA:
      return started(static_cast<const nvtxRangeStartA_params*>(parameters)->message);
    case CUPTI_CBID_NVTX_nvtxRangeStartEx:
      return started(words(static_cast<const nvtxRangeStartEx_params*>(parameters)->eventAttrib));
    case CUPTI_CBID_NVTX_nvtxDomainRangeStartEx:
      return started(
          words(static_cast<const nvtxDomainRangeStartEx_params*>(parameters)->core.eventAttrib));
    case CUPTI_CBID_NVTX_nvtxRangeEnd:
      return gate_.end(static_cast<const nvtxRangeEnd_params*>(parameters)->id);
    case CUPTI_CBID_NVTX_nvtxDomainRangeEnd:
      return gate_.end(static_cast<const nvtxDomainRangeEnd_params*>(parameters)->core.id);
    case CUPTI_CBID_NVTX_nvtxDomainRegisterStringA: {
      const auto* string = static_cast<const nvtxDomainRegisterStringA_params*>(parameters);
      if (data.functionReturnValue == nullptr || string->string == nullptr) return;
      const auto handle = *static_cast<const nvtxStringHandle_t*>(data.functionReturnValue);
      const std::lock_guard lock(mutex_);
      if (name_ == string->string) strings_.insert(handle);
      return;
    }
    default:
      return;
  }
}

std::string NvtxRanges::words(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return "";
  if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII) {
    return attributes->message.ascii == nullptr ? "" : attributes->message.ascii;
  }
  if (attributes->messageType != NVTX_MESSAGE_TYPE_REGISTERED) return "";
  const std::lock_guard lock(mutex_);
  return strings_.contains(attributes->message.registered) ? name_ : "";
}

}  // namespace benanza::record
