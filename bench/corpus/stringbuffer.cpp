// Appending a buffer to another while a third party shortens it: its length is asked first, its
// characters are fetched later. (after the JDK 1.4 StringBuffer bug, as in SCTBench)
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

class StringBuffer {
 public:
  explicit StringBuffer(std::string text) : text_(std::move(text)) {}

  std::size_t Length() {
    const std::lock_guard guard(lock_);
    return text_.size();
  }
  std::string Characters(std::size_t count) {
    const std::lock_guard guard(lock_);
    assert(count <= text_.size());
    return text_.substr(0, count);
  }
  void Erase(std::size_t from, std::size_t to) {
    const std::lock_guard guard(lock_);
    text_.erase(from, to - from);
  }
  void Append(StringBuffer& other) {
    const std::lock_guard guard(lock_);
#ifdef FIXED
    const std::lock_guard other_guard(other.lock_);
    text_ += other.text_;
#else
    const std::size_t length = other.Length();
    text_ += other.Characters(length);
#endif
  }

 private:
  std::mutex lock_;
  std::string text_;
};

StringBuffer buffer("abc");

int main() {
  std::thread eraser([] { buffer.Erase(0, 3); });
  StringBuffer mine("def");
  mine.Append(buffer);
  eraser.join();
}
