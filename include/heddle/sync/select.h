// The selective wait: a message at one of several ports.
//
//   heddle::Select()
//       .When(full < 2, deposit, [&](int item) { ... })
//       .When(full > 0, withdraw, [&](int who) { ... })
//       .Wait();
#ifndef HEDDLE_SYNC_SELECT_H_
#define HEDDLE_SYNC_SELECT_H_

#include <heddle/sync/port.h>

#include <functional>
#include <utility>
#include <vector>

namespace heddle {

// Alternatives whose guard is false are closed. Of the open ones, the one whose message arrived
// first is taken; its function is called with the message. All guards false: SyncError.
class Select {
 public:
  template <typename PortType, typename Handler>
  Select& When(bool guard, PortType& port, Handler handler) {
    detail::Port* const plain = &port;
    for (const detail::Port* other : ports_) RequireOther(plain, other);
    for (const detail::Port* other : closed_) RequireOther(plain, other);
    if (!guard) {
      closed_.push_back(plain);
      return *this;
    }
    ports_.push_back(plain);
    handlers_.push_back([&port, handler = std::move(handler)](detail::Message* message) mutable {
      auto& typed = static_cast<detail::TypedPort<typename PortType::Content>&>(port);
      handler(typed.TakeFrom(message));
    });
    return *this;
  }
  template <typename PortType, typename Handler>
  Select& On(PortType& port, Handler handler) {
    return When(true, port, std::move(handler));
  }

  // Waits for one message. The number of the alternative among the open ones, from 0.
  std::size_t Wait() {
    if (ports_.empty()) throw SyncError("heddle::Select: all guards are closed");
    std::size_t which = 0;
    detail::Message* const message = detail::Port::Take(ports_.data(), ports_.size(), &which);
    handlers_[which](message);
    return which;
  }

 private:
  static void RequireOther(const detail::Port* port, const detail::Port* other) {
    if (port == other) {
      detail::Misuse(port->kind(), port,
                     "heddle::Select: two alternatives for one port; give each port one");
    }
  }

  std::vector<detail::Port*> ports_;
  std::vector<const detail::Port*> closed_;
  std::vector<std::function<void(detail::Message*)>> handlers_;
};

}  // namespace heddle

#endif  // HEDDLE_SYNC_SELECT_H_
