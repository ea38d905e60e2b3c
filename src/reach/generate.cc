#include "reach/generate.h"

#include <vector>

namespace heddle::reach {
namespace {

// What a thread may use. A variable belongs to the object that protects it, or to one thread.
struct Shared {
  Index object = 0;
  ObjectType type = ObjectType::kCountingSemaphore;
  bool is_mutex = false;  // a semaphore used only as P, V around its variable
  Var variable;
  std::vector<Index> conditions;
};

class Generator {
 public:
  Generator(const GenerateOptions& options, Rng& rng) : options_(options), rng_(rng) {}

  Program Make() {
    const int threads = 2 + Below(options_.most_threads - 1);
    const int objects = 1 + Below(options_.most_objects);
    for (int i = 0; i < objects; ++i) MakeObject(threads);
    for (int t = 0; t < threads; ++t) MakeThread(static_cast<Index>(t));
    return program_;
  }

 private:
  int Below(int bound) { return static_cast<int>(rng_.Below(static_cast<std::uint64_t>(bound))); }
  bool OneIn(int n) { return Below(n) == 0; }

  void MakeObject(int threads) {
    Shared shared;
    constexpr int kKinds = 8;
    constexpr int kFirstPort = static_cast<int>(ObjectType::kAsyncPort);
    const int kind = options_.ports_only ? kFirstPort + Below(kKinds - kFirstPort) : Below(kKinds);
    shared.type = static_cast<ObjectType>(kind);
    int initial = 0;
    Index receiver = kNone;
    if (shared.type == ObjectType::kCountingSemaphore) {
      shared.is_mutex = OneIn(2);
      initial = shared.is_mutex ? 1 : Below(3);
    } else if (shared.type == ObjectType::kBinarySemaphore) {
      shared.is_mutex = OneIn(3);
      initial = shared.is_mutex ? 1 : Below(2);
    } else if (shared.type == ObjectType::kBoundedPort) {
      initial = 1 + Below(2);
    }
    if (IsPort(shared.type)) receiver = static_cast<Index>(Below(threads));
    shared.object = AddObject(program_, shared.type, initial, receiver);
    shared.variable = AddVariable(program_);
    if (IsMonitor(shared.type)) {
      const int conditions = 1 + Below(2);
      for (int i = 0; i < conditions; ++i) {
        shared.conditions.push_back(AddCondition(program_, shared.object));
      }
    }
    shared_.push_back(shared);
  }

  void MakeThread(Index thread) {
    Writer writer(&program_);
    t_ = &writer;
    mine_ = AddVariable(program_, static_cast<int>(thread) % 2);
    const int actions = 1 + Below(options_.most_actions);
    for (int i = 0; i < actions; ++i) Action(2);
  }

  void Action(int depth) {
    if (depth > 0 && OneIn(4)) {
      const int value = Below(3);
      const bool has_otherwise = OneIn(2);
      t_->If(
          {mine_ == value}, [&] { Action(depth - 1); },
          has_otherwise ? Writer::Body([&] { Action(depth - 1); }) : Writer::Body());
      return;
    }
    const Shared& shared = shared_[Below(static_cast<int>(shared_.size()))];
    switch (shared.type) {
      case ObjectType::kCountingSemaphore:
      case ObjectType::kBinarySemaphore:
        UseSemaphore(shared);
        break;
      case ObjectType::kLock:
        UseLock(shared, depth);
        break;
      case ObjectType::kMonitorSC:
      case ObjectType::kMonitorSU:
        UseMonitor(shared);
        break;
      case ObjectType::kAsyncPort:
      case ObjectType::kBoundedPort:
      case ObjectType::kSyncPort:
        UsePort(shared);
        break;
    }
  }

  void UseVariable(const Shared& shared) {
    if (OneIn(2)) t_->Increase(shared.variable, 1);
    if (OneIn(2)) t_->Set(mine_, shared.variable);
  }

  void UseSemaphore(const Shared& shared) {
    if (shared.is_mutex) {
      t_->P(shared.object);
      UseVariable(shared);
      t_->V(shared.object);
    } else if (OneIn(2)) {
      t_->P(shared.object);
    } else {
      t_->V(shared.object);
    }
  }

  void UseLock(const Shared& shared, int depth) {
    t_->Lock(shared.object);
    UseVariable(shared);
    if (depth > 0 && OneIn(3)) Action(depth - 1);
    if (!OneIn(12)) t_->Unlock(shared.object);
  }

  void UseMonitor(const Shared& shared) {
    const Index condition = shared.conditions[Below(static_cast<int>(shared.conditions.size()))];
    const Index other = shared.conditions[Below(static_cast<int>(shared.conditions.size()))];
    t_->Enter(shared.object);
    const int form = Below(4);
    const int value = Below(3);
    if (form == 0) {
      t_->WhileAny({{shared.variable == value}}, [&] { t_->Wait(condition); });
    } else if (form == 1) {
      t_->If({shared.variable == value}, [&] { t_->Wait(condition); });
    } else if (form == 2) {
      t_->If({mine_ == value}, [&] { t_->Wait(condition); });
    }
    UseVariable(shared);
    if (OneIn(4)) t_->If({HasWaiters(other)}, [&] { t_->Increase(shared.variable, 1); });
    switch (Below(4)) {
      case 0:
        t_->Signal(other).Exit(shared.object);
        break;
      case 1:
        t_->SignalAll(other).Exit(shared.object);
        break;
      case 2:
        t_->SignalAndExit(other);
        break;
      default:
        t_->Exit(shared.object);
    }
  }

  void UsePort(const Shared& shared) {
    if (program_.objects[shared.object].receiver != t_->thread()) {
      const bool own = OneIn(2);
      const int value = Below(3);
      t_->Send(shared.object, own ? Operand(mine_) : Constant(value));
      return;
    }
    std::vector<Writer::Case> cases;
    for (const Shared& each : shared_) {
      if (!IsPort(each.type) || program_.objects[each.object].receiver != t_->thread()) continue;
      Writer::Case one{.port = each.object, .into = mine_.id};
      if (OneIn(3)) {
        const int value = Below(3);
        one.guard = {mine_ != value};
      }
      cases.push_back(one);
    }
    if (cases.size() == 1 || OneIn(3)) {
      t_->Receive(shared.object, mine_.id);
    } else {
      t_->Select(cases);
    }
  }

  GenerateOptions options_;
  Rng& rng_;
  Program program_;
  std::vector<Shared> shared_;
  Writer* t_ = nullptr;
  Var mine_;
};

}  // namespace

Program RandomProgram(const GenerateOptions& options, Rng& rng) {
  return Generator(options, rng).Make();
}

}  // namespace heddle::reach
