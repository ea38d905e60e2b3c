// Boost.Asio: a server and a client over TCP in one program, a timer, two threads that run the
// handlers. -DHASTY: it counts on the answer to come before the timer fires.
#include <atomic>
#include <boost/asio.hpp>
#include <cassert>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace asio = boost::asio;
using asio::ip::tcp;

static std::atomic<int> bytes_seen{0};
static std::atomic<bool> fired{false};

// Echoes what comes until the other side ends.
struct Session : std::enable_shared_from_this<Session> {
  explicit Session(tcp::socket socket_in) : socket(std::move(socket_in)) {}
  void Read() {
    socket.async_read_some(
        asio::buffer(data),
        [self = shared_from_this()](boost::system::error_code error, std::size_t size) {
          if (error) return;
          asio::async_write(self->socket, asio::buffer(self->data, size),
                            [self](boost::system::error_code, std::size_t) { self->Read(); });
        });
  }
  tcp::socket socket;
  char data[16];
};

struct Client {
  Client(asio::io_context& context, const tcp::endpoint& to) : socket(asio::make_strand(context)) {
    socket.async_connect(to, [this](boost::system::error_code error) {
      assert(!error);
      asio::async_write(
          socket, asio::buffer("ping", 4), [this](boost::system::error_code, std::size_t) {
            asio::async_read(socket, asio::buffer(answer),
                             [this](boost::system::error_code failed, std::size_t size) {
                               assert(!failed && size == 4 && answer[0] == 'p');
#ifdef HASTY
                               assert(!fired);
#endif
                               bytes_seen += static_cast<int>(size);
                               socket.close();
                             });
          });
    });
  }
  tcp::socket socket;
  char answer[4];
};

int main() {
  asio::io_context io(2);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  int accepted = 0;
  std::function<void()> accept = [&] {
    acceptor.async_accept([&](boost::system::error_code error, tcp::socket socket) {
      if (error) return;
      std::make_shared<Session>(std::move(socket))->Read();
      if (++accepted < 2) accept();
    });
  };
  accept();
  asio::steady_timer timer(io, std::chrono::seconds(1));
  timer.async_wait([&](boost::system::error_code error) { fired = !error; });
  Client first(io, acceptor.local_endpoint()), second(io, acceptor.local_endpoint());
  std::thread other([&io] { io.run(); });
  io.run();
  other.join();
  assert(fired);
  assert(bytes_seen == 8);
}
