#include "stats/sample_log.h"

#include <algorithm>

namespace heddle {

void SampleLog::Add(const Sample& sample) {
  ++runs_;
  hits_ += sample.failed ? 1 : 0;
  if (sample.class_hash) classes_.Add(*sample.class_hash);
  saturation_.Add(runs_, classes_.Seen());
  auto share = std::find_if(samplers_.begin(), samplers_.end(), [&](const SamplerShare& known) {
    return known.name == sample.sampler;
  });
  if (share == samplers_.end()) {
    share = samplers_.insert(samplers_.end(), {.name = std::string(sample.sampler)});
  }
  ++share->runs;
  share->hits += sample.failed ? 1 : 0;
  share->new_pairs += sample.new_pairs;
  share->new_classes += sample.new_class ? 1 : 0;
}

SamplingVerdict SampleLog::Judge(StoppingRule rule) const {
  SamplingVerdict verdict = JudgeSamples(MeasureHits(hits_, runs_, rule), rule, classes_.Counts());
  verdict.saturation = saturation_.Points();
  verdict.samplers = samplers_;
  return verdict;
}

}  // namespace heddle
