#include "explore/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

// 100 MB, looked at after each: the ends are kept, as if the whole text had been shortened.
TEST(OutputFileTest, TakesWhatIsWrittenAndKeepsTheEnds) {
  const Result<OutputFile> file = OutputFile::Make();
  ASSERT_TRUE(file.ok());
  std::string all;
  for (int i = 0; i < 100; ++i) {
    const std::string part(std::size_t{1} << 20, static_cast<char>('!' + i % 90));
    ASSERT_EQ(write(file->descriptor(), part.data(), part.size()),
              static_cast<ssize_t>(part.size()));
    file->KeepEnds();
    all += part;
  }

  EXPECT_EQ(file->Text(), ShortOutput(all));
  struct stat status = {};
  ASSERT_EQ(fstat(file->descriptor(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 16 << 20);
}

TEST(OutputFileTest, AShortTextIsKeptWhole) {
  const Result<OutputFile> file = OutputFile::Make();
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(write(file->descriptor(), "first run\n", 10), 10);
  lseek(file->descriptor(), 0, SEEK_SET);
  ASSERT_EQ(write(file->descriptor(), "second", 6), 6);

  EXPECT_EQ(file->Text(), "second");
}

}  // namespace
}  // namespace heddle
