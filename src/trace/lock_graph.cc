#include "trace/lock_graph.h"

#include <algorithm>

#include "trace/records.h"

namespace heddle {
namespace {

constexpr std::size_t kMostEdges = 4096;

// Whether who takes the lock of the one waits for who holds it in the other.
bool WaitsFor(const LockEdge& taking, const LockEdge& holding) {
  return taking.taken == holding.held && !(taking.takes_to_read && holding.holds_to_read);
}

}  // namespace

void LockGraph::Reset() {
  life_.Reset();
  news_.clear();
  for (std::vector<Held>& held : held_) held.clear();
  edges_.clear();
}

void LockGraph::CatchUp() {
  for (const News& news : news_) {
    if (news.is_joined) {
      life_.ThreadJoined(news.child, news.other);
    } else {
      life_.ThreadCreated(news.child, news.other);
    }
  }
  news_.clear();
}

bool LockGraph::IsKnown(const LockEdge& edge) const {
  return std::any_of(edges_.begin(), edges_.end(), [&edge](const Edge& known) {
    return known.edge.held == edge.held && known.edge.taken == edge.taken &&
           known.edge.holds_to_read == edge.holds_to_read &&
           known.edge.takes_to_read == edge.takes_to_read && known.edge.thread == edge.thread &&
           known.edge.site == edge.site;
  });
}

bool LockGraph::CanMeet(const Edge& a, const Edge& b) const {
  if (a.edge.thread == b.edge.thread) return false;
  const bool has_gate = std::any_of(a.gates.begin(), a.gates.end(), [&b](const Held& gate) {
    return std::any_of(b.gates.begin(), b.gates.end(), [&gate](const Held& other) {
      return gate.lock == other.lock && !(gate.to_read && other.to_read);
    });
  });
  // The older one is over before the newer one's thread could be there.
  return !has_gate && !life_.HappensBefore(a.edge.thread, a.time, b.edge.thread);
}

// Goes on from the last edge of the path; every two edges of it can meet.
bool LockGraph::Reaches(std::vector<const Edge*>* path) const {
  const LockEdge& last = path->back()->edge;
  if (WaitsFor(last, path->front()->edge)) return true;
  if (path->size() == kMaxLockRing) return false;
  for (const Edge& next : edges_) {
    if (!WaitsFor(last, next.edge)) continue;
    const bool fits = std::all_of(path->begin(), path->end(), [&](const Edge* edge) {
      return edge == path->front() ? CanMeet(next, *edge)
                                   : CanMeet(next, *edge) && CanMeet(*edge, next);
    });
    if (!fits) continue;
    path->push_back(&next);
    if (Reaches(path)) return true;
    path->pop_back();
  }
  return false;
}

std::vector<LockEdge> LockGraph::Take(const Taking& taking) {
  std::vector<Held>& held = HeldBy(taking.thread);
  std::vector<LockEdge> ring;
  const bool again = std::any_of(held.begin(), held.end(),
                                 [&taking](const Held& one) { return one.lock == taking.lock; });
  if (!held.empty()) CatchUp();
  for (std::size_t i = 0; i < held.size() && taking.may_block && !again; ++i) {
    Edge edge{.edge = {.held = held[i].lock,
                       .taken = taking.lock,
                       .holds_to_read = held[i].to_read,
                       .takes_to_read = taking.to_read,
                       .thread = taking.thread,
                       .site = taking.site,
                       .event = taking.event},
              .time = life_.TimeOf(taking.thread),
              .gates = held};
    edge.gates.erase(edge.gates.begin() + static_cast<std::ptrdiff_t>(i));
    if (edges_.size() >= kMostEdges || IsKnown(edge.edge)) continue;
    std::vector<const Edge*> path = {&edge};
    if (ring.empty() && Reaches(&path)) {
      for (std::size_t at = 1; at <= path.size(); ++at) {
        ring.push_back(path[at % path.size()]->edge);
      }
    }
    edges_.push_back(std::move(edge));
  }
  held.push_back({taking.lock, taking.to_read});
  return ring;
}

void LockGraph::ReleaseFromBelow(std::vector<Held>* held, ObjectId lock) {
  const auto last = std::find_if(held->rbegin(), held->rend(),
                                 [lock](const Held& one) { return one.lock == lock; });
  if (last != held->rend()) held->erase(std::next(last).base());
}

}  // namespace heddle
