#include "trace/lock_graph.h"

#include <algorithm>

#include "trace/records.h"

namespace heddle {
namespace {

constexpr std::size_t kMostEdges = 4096;

}  // namespace

void LockGraph::Reset() {
  life_.Reset();
  news_.clear();
  for (std::vector<ObjectId>& held : held_) held.clear();
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
           known.edge.thread == edge.thread && known.edge.site == edge.site;
  });
}

bool LockGraph::CanMeet(const Edge& a, const Edge& b) const {
  if (a.edge.thread == b.edge.thread) return false;
  const bool has_gate = std::any_of(a.gates.begin(), a.gates.end(), [&b](ObjectId gate) {
    return std::binary_search(b.gates.begin(), b.gates.end(), gate);
  });
  // The older one is over before the newer one's thread could be there.
  return !has_gate && !life_.HappensBefore(a.edge.thread, a.time, b.edge.thread);
}

// Goes on from the last edge of the path; every two edges of it can meet.
bool LockGraph::Reaches(std::vector<const Edge*>* path, ObjectId goal) const {
  const ObjectId at = path->back()->edge.taken;
  if (at == goal) return true;
  if (path->size() == kMaxLockRing) return false;
  for (const Edge& next : edges_) {
    if (next.edge.held != at) continue;
    const bool fits = std::all_of(path->begin(), path->end(), [&](const Edge* edge) {
      return edge == path->front() ? CanMeet(next, *edge)
                                   : CanMeet(next, *edge) && CanMeet(*edge, next);
    });
    if (!fits) continue;
    path->push_back(&next);
    if (Reaches(path, goal)) return true;
    path->pop_back();
  }
  return false;
}

std::vector<LockEdge> LockGraph::Take(const Taking& taking) {
  std::vector<ObjectId>& held = HeldBy(taking.thread);
  std::vector<LockEdge> ring;
  const bool again = std::find(held.begin(), held.end(), taking.lock) != held.end();
  if (!held.empty()) CatchUp();
  for (std::size_t i = 0; i < held.size() && taking.may_block && !again; ++i) {
    Edge edge{.edge = {held[i], taking.lock, taking.thread, taking.site, taking.event},
              .time = life_.TimeOf(taking.thread),
              .gates = held};
    edge.gates.erase(edge.gates.begin() + static_cast<std::ptrdiff_t>(i));
    std::sort(edge.gates.begin(), edge.gates.end());
    if (edges_.size() >= kMostEdges || IsKnown(edge.edge)) continue;
    std::vector<const Edge*> path = {&edge};
    if (ring.empty() && Reaches(&path, held[i])) {
      for (std::size_t at = 1; at <= path.size(); ++at) {
        ring.push_back(path[at % path.size()]->edge);
      }
    }
    edges_.push_back(std::move(edge));
  }
  held.push_back(taking.lock);
  return ring;
}

void LockGraph::ReleaseFromBelow(std::vector<ObjectId>* held, ObjectId lock) {
  const auto last = std::find(held->rbegin(), held->rend(), lock);
  if (last != held->rend()) held->erase(std::next(last).base());
}

}  // namespace heddle
