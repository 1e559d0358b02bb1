// Arrays in files of one layout become files of another, from C++, in a process that never calls MPI: the text that is returned,
// and what is thrown. Prints failures; its exit code tells of them.
#include "checks.hpp"

#include <filesystem>
#include <fstream>
#include <numeric>

namespace {

using Path = std::filesystem::path;

void write(const Path &place, const void *bytes, std::size_t count) {
  std::ofstream(place, std::ios::binary).write(static_cast<const char *>(bytes), static_cast<std::streamsize>(count));
}

/// Blocks of a line of ten numbers, in two files, become one file.
void line(const Path &folder) {
  std::vector<std::int32_t> numbers(10), found(10);
  std::iota(numbers.begin(), numbers.end(), 7);
  write(folder / "in.0.raw", numbers.data(), 20);
  std::ofstream(folder / "m.json") << R"({"array": [{"name": "line", "element": "i32", "extents": [10],
    "from": "block onto 2", "in": "in.{rank}.raw", "out": "out.raw"}]})";
  const std::string manifest = (folder / "m.json").string();
  must(status_of([&] { redist::convert(manifest); }) == REDIST_FILE, __LINE__);
  must(std::string(redist_last_message()).find("in.1.raw") != std::string::npos, __LINE__);
  must(!std::filesystem::exists(folder / "out.raw"), __LINE__);
  write(folder / "in.1.raw", numbers.data() + 5, 20);
  must(redist::convert(manifest).find("\"name\":\"line\"") != std::string::npos, __LINE__);
  std::ifstream(folder / "out.raw", std::ios::binary).read(reinterpret_cast<char *>(found.data()), 40);
  must(found == numbers, __LINE__);
  must(redist::verify_files(manifest).find("\"bytes\":40") != std::string::npos, __LINE__);
  redist_file_options options = REDIST_FILE_OPTIONS_INIT;
  must(status_of([&] { redist::convert(manifest, options); }) == REDIST_FILE, __LINE__);
  options.force = 1;
  must(status_of([&] { redist::convert(manifest, options); }) == REDIST_OK, __LINE__);
}

}  // namespace

int main() {
  std::string name = (std::filesystem::temp_directory_path() / "redist-files-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 2;
  line(name);
  std::filesystem::remove_all(name);
  std::printf("%d failures of arrays in files\n", failures);
  return failures > 0;
}
