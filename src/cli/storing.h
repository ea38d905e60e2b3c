// Findings on their way into the store.
#ifndef HEDDLE_CLI_STORING_H_
#define HEDDLE_CLI_STORING_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "explore/explorer.h"
#include "report/finding_store.h"

namespace heddle {

// Stores findings, some of them while the search goes on; remembers the first failure to do so.
class Storing {
 public:
  explicit Storing(FindingStore* store) : store_(store) {}

  void Now(const Explored::Found& found) {
    Finding finding = found.finding;
    Status saved = store_->Save(&finding, found.schedule);
    if (saved) {
      hits_stored_[finding.fingerprint] = finding.hits;
    } else {
      Note(std::move(saved));
    }
  }

  // Everything, with the final numbers. A finding that could not be stored gets no name to replay
  // it by.
  Status Finish(Explored* explored) {
    // Backwards: what comes first is then the store's last.
    for (auto at = explored->found.rbegin(); at != explored->found.rend(); ++at) {
      Explored::Found& found = *at;
      const std::uint64_t hits = found.finding.hits;
      // The store adds to what it has.
      found.finding.hits -= std::min(hits, hits_stored_[found.finding.fingerprint]);
      Status saved = store_->Save(&found.finding, found.schedule);
      found.finding.hits = hits;
      if (saved) continue;
      found.finding.id.clear();
      found.finding.schedule.clear();
      Note(std::move(saved));
    }
    return first_failure_;
  }

 private:
  void Note(Status status) {
    if (first_failure_) first_failure_ = std::move(status);
  }

  FindingStore* store_;
  std::map<std::string, std::uint64_t> hits_stored_;  // by fingerprint
  Status first_failure_;
};

}  // namespace heddle

#endif  // HEDDLE_CLI_STORING_H_
