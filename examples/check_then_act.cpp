// Check, then act: one thread sees a session, another ends it, the first one uses it.
#include <mutex>
#include <thread>

struct Session {
  int requests = 0;
};

struct Server {
  std::mutex lock;
  Session* session = nullptr;

  bool HasSession() {
    std::lock_guard<std::mutex> hold(lock);
    return session != nullptr;
  }
  void Serve() {
    if (!HasSession()) return;
    std::lock_guard<std::mutex> hold(lock);
    session->requests++;
  }
  void End() {
    std::lock_guard<std::mutex> hold(lock);
    delete session;
    session = nullptr;
  }
};

int main() {
  Server server;
  server.session = new Session;
  std::thread client([&] { server.Serve(); });
  std::thread janitor([&] { server.End(); });
  client.join();
  janitor.join();
}
