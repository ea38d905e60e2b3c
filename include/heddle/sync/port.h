// Ports: many threads send, one receives.
//
// The first thread that receives from a port is its receiver for good. Messages of one sender to
// one port arrive in the order sent; a bounded port keeps the order of all its messages. Nothing
// else is promised: a message may overtake an earlier one of another sender, or to another port.
#ifndef HEDDLE_SYNC_PORT_H_
#define HEDDLE_SYNC_PORT_H_

#include <heddle/sync/core.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace heddle {

class Select;

namespace detail {

struct Message {
  std::uint64_t sender = 0;
  std::uint32_t send = 0;  // the event that sent it
  std::uint64_t arrival = 0;
  bool sent = false;  // until then it only keeps its place, at a bounded port
  bool received = false;
  Message* next = nullptr;
};

// A receiver may wait at several ports, so they share what they wait with.
inline Native ports_native;
inline std::uint64_t port_arrivals = 0;

class Port {
 public:
  Port(SyncKind kind, std::size_t room) : kind_(kind), room_(room) {}
  ~Port() {
    {
      Scope scope(ports_native);
      if (users_ > 0) DieInUse(scope);
    }
    Forget(kind_, this);
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // No more messages. Nobody may be waiting at the port, and no message may be left in it.
  void Close() {
    Scope scope(ports_native);
    scope.Announce(SyncOp::kClose, kind_, this);
    scope.Done(kind_, this);
    if (users_ > 0 || first_ != nullptr)
      scope.Fail(kind_, this,
                 "heddle::Port: closed while in use: a thread waits at it, or a message is in it");
    closed_ = true;
  }

 protected:
  // Asynchronous and bounded: the port owns the message afterwards.
  void Put(Message* message) {
    Scope scope(ports_native);
    RequireOpen(scope);
    message->sender = scope.self();
    if (kind_ == SyncKind::kBoundedPort) {
      ++users_;
      scope.Await(SyncOp::kPut, kind_, this, [this] { return length_ < room_; });
      --users_;
      Append(message);
      scope.Done(kind_, this, room_);
    }
    scope.Announce(SyncOp::kSend, kind_, this);
    if (kind_ != SyncKind::kBoundedPort) Append(message);
    Sent(scope, message);
  }
  // Synchronous: returns when the message was received.
  void Offer(Message* message) {
    Scope scope(ports_native);
    RequireOpen(scope);
    message->sender = scope.self();
    scope.Announce(SyncOp::kSend, kind_, this);
    ++users_;
    Append(message);
    Sent(scope, message);
    scope.Await(SyncOp::kSent, kind_, this, [message] { return message->received; });
    --users_;
    scope.Done(kind_, this);
  }
  // Waits for a message at one of the ports and removes it. Until the message is finished with, it
  // is the caller's; then Finish().
  static Message* Take(Port* const* ports, std::size_t count, std::size_t* which) {
    Scope scope(ports_native);
    for (std::size_t i = 0; i < count; ++i) {
      ports[i]->RequireOpen(scope);
      if (ports[i]->receiver_ == 0) ports[i]->receiver_ = scope.self();
      if (ports[i]->receiver_ != scope.self()) {
        scope.Fail(ports[i]->kind_, ports[i],
                   "heddle::Port: a second thread receives from the port; only the first that "
                   "did may");
      }
      ++ports[i]->users_;
    }
    if (scope.scheduled()) {
      for (std::size_t i = 0; i < count; ++i) {
        heddle_sync_open(static_cast<int>(ports[i]->kind_), ports[i]);
      }
    }
    const SyncOp operation = count > 1 ? SyncOp::kSelect : SyncOp::kReceive;
    scope.Await(operation, ports[0]->kind_, ports[0], [ports, count] {
      for (std::size_t i = 0; i < count; ++i) {
        if (ports[i]->first_ != nullptr && ports[i]->first_->sent) return true;
      }
      return false;
    });
    Message* const message = scope.scheduled() ? Chosen(ports, count) : Oldest(ports, count);
    for (std::size_t i = 0; i < count; ++i) {
      --ports[i]->users_;
      if (ports[i]->Holds(message)) *which = i;
    }
    Port* const port = ports[*which];
    port->Remove(message);
    scope.Done(port->kind_, port, count, message->sender);
    return message;
  }
  // The content was taken out: a synchronous sender may go on.
  static void Finish(Port* port, Message* message) {
    Scope scope(ports_native);
    message->received = true;
    scope.Changed(port->kind_, port);
  }
  SyncKind kind() const { return kind_; }
  // A message that nobody will receive; nullptr: there is none.
  Message* TakeLeftOver() {
    Message* const message = first_;
    if (message != nullptr) first_ = message->next;
    return message;
  }

 private:
  friend class heddle::Select;

  // A destructor does not throw.
  [[noreturn]] void DieInUse(Scope& scope) noexcept {
    scope.Fail(kind_, this, "heddle::Port: destroyed while a thread waits at it");
  }
  void RequireOpen(Scope& scope) const {
    if (closed_) scope.Fail(kind_, this, "heddle::Port: used after it was closed");
  }
  void Append(Message* message) {
    message->arrival = port_arrivals++;
    (first_ == nullptr ? first_ : last_->next) = message;
    last_ = message;
    ++length_;
  }
  void Sent(Scope& scope, Message* message) {
    message->sent = true;
    message->send = scope.Done(kind_, this, length_);
  }
  bool Holds(const Message* message) const {
    for (const Message* m = first_; m != nullptr; m = m->next) {
      if (m == message) return true;
    }
    return false;
  }
  void Remove(Message* message) {
    Message** at = &first_;
    Message* before = nullptr;
    while (*at != message) {
      before = *at;
      at = &(*at)->next;
    }
    *at = message->next;
    if (last_ == message) last_ = before;
    message->next = nullptr;
    --length_;
  }
  // Natively the message that arrived first.
  static Message* Oldest(Port* const* ports, std::size_t count) {
    Message* oldest = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      Message* const first = ports[i]->first_;
      if (first != nullptr && (oldest == nullptr || first->arrival < oldest->arrival)) {
        oldest = first;
      }
    }
    return oldest;
  }
  // Under heddle any message that is the first of its sender at its port (the first of all at a
  // bounded one): which one arrives first is a decision.
  static Message* Chosen(Port* const* ports, std::size_t count) {
    constexpr std::uint32_t kMost = 256;
    Message* candidates[kMost];
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (Message* m = ports[i]->first_; m != nullptr && found < kMost; m = m->next) {
        if (!m->sent) break;
        if (!ports[i]->IsFirstOfSender(m)) continue;
        // By sender, then by the order of sending.
        std::uint32_t at = found++;
        for (; at > 0 && Before(m, candidates[at - 1]); --at) candidates[at] = candidates[at - 1];
        candidates[at] = m;
        if (ports[i]->kind_ == SyncKind::kBoundedPort) break;
      }
    }
    if (found == 1) return candidates[0];
    std::uint64_t senders[kMost];
    std::uint32_t sends[kMost];
    for (std::uint32_t i = 0; i < found; ++i) {
      senders[i] = candidates[i]->sender;
      sends[i] = candidates[i]->send;
    }
    return candidates[heddle_sync_choose(senders, sends, found)];
  }
  static bool Before(const Message* a, const Message* b) {
    return a->sender != b->sender ? a->sender < b->sender : a->send < b->send;
  }
  bool IsFirstOfSender(const Message* message) const {
    for (const Message* m = first_; m != message; m = m->next) {
      if (m->sender == message->sender) return false;
    }
    return true;
  }

  SyncKind kind_;
  std::size_t room_;
  Message* first_ = nullptr;
  Message* last_ = nullptr;
  std::size_t length_ = 0;
  std::size_t users_ = 0;  // threads that wait at it
  std::uint64_t receiver_ = 0;
  bool closed_ = false;
};

// A port for messages of a type. `TakeFrom` gives the content of a message that was received.
template <typename T>
class TypedPort : public Port {
 public:
  using Content = T;

  ~TypedPort() {
    if (this->kind() == SyncKind::kSyncPort) return;  // those are their senders'
    while (Message* const message = this->TakeLeftOver()) delete static_cast<Typed*>(message);
  }

  // Only the port's one receiver.
  T Receive() {
    Port* const self = this;
    std::size_t which = 0;
    return TakeFrom(Take(&self, 1, &which));
  }

 protected:
  using Port::Port;

  struct Typed : Message {
    explicit Typed(T content) : content(std::move(content)) {}
    T content;
  };

  // What runs when content is copied may be the program's own code, and then it is visible.
  static std::unique_ptr<Typed> Pack(T&& content) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      const Quiet quiet;
      return std::make_unique<Typed>(std::move(content));
    } else {
      return std::make_unique<Typed>(std::move(content));
    }
  }
  static T Unpack(Typed* message) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      const Quiet quiet;
      return message->content;
    } else {
      return std::move(message->content);
    }
  }
  // A synchronous message is its sender's, who goes on when it is finished with.
  T TakeFrom(Message* message) {
    auto* const typed = static_cast<Typed*>(message);
    T content = Unpack(typed);
    if (this->kind() == SyncKind::kSyncPort) {
      Port::Finish(this, message);
    } else {
      delete typed;
    }
    return content;
  }

  friend class heddle::Select;
};

}  // namespace detail

// Sending never waits; with a limit it waits while that many messages are in the port.
template <typename T>
class AsyncPort : public detail::TypedPort<T> {
 public:
  AsyncPort() : detail::TypedPort<T>(detail::SyncKind::kAsyncPort, 0) {}
  explicit AsyncPort(std::size_t room)
      : detail::TypedPort<T>(detail::SyncKind::kBoundedPort, room) {
    if (room == 0) throw SyncError("a bounded port has room for at least one message");
  }

  void Send(T content) {
    auto message = detail::TypedPort<T>::Pack(std::move(content));
    this->Put(message.get());
    message.release();
  }
};

// Sender and receiver wait for each other.
template <typename T>
class SyncPort : public detail::TypedPort<T> {
 public:
  SyncPort() : detail::TypedPort<T>(detail::SyncKind::kSyncPort, 0) {}

  void Send(T content) {
    const auto message = detail::TypedPort<T>::Pack(std::move(content));
    this->Offer(message.get());
  }
};

}  // namespace heddle

#endif  // HEDDLE_SYNC_PORT_H_
