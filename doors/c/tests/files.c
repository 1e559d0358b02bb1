/* Arrays in files of one layout become files of another, by a manifest, in a process without MPI: what is written, and what is
 * refused with nothing left. Prints failures; its exit code counts them. */
#define _POSIX_C_SOURCE 200809L
#define REDIST_WITHOUT_MPI
#include "checks.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 6, COLUMNS = 4 };

/* The test's own folder, and a name in it. */
static char folder[] = "/tmp/redist-files-XXXXXX";

static const char *in_folder(const char *name) {
  static char path[4][256];
  static int next;
  char *const place = path[next++ % 4];
  snprintf(place, sizeof path[0], "%s/%s", folder, name);
  return place;
}

static void write_bytes(const char *name, const void *bytes, size_t count) {
  FILE *file = fopen(in_folder(name), "wb");
  CHECK(file != NULL && fwrite(bytes, 1, count, file) == count);
  if (file != NULL) fclose(file);
}

static size_t read_bytes(const char *name, void *bytes, size_t count) {
  FILE *file = fopen(in_folder(name), "rb");
  const size_t found = file == NULL ? 0 : fread(bytes, 1, count, file);
  if (file != NULL) fclose(file);
  return found;
}

static double element(int row, int column) { return 10 * row + column; }

/* The two ranks of the source have three rows each. */
static void sources(void) {
  for (int rank = 0; rank < 2; ++rank) {
    double part[ROWS / 2][COLUMNS];
    for (int row = 0; row < ROWS / 2; ++row)
      for (int column = 0; column < COLUMNS; ++column) part[row][column] = element(rank * ROWS / 2 + row, column);
    write_bytes(rank == 0 ? "in.0.raw" : "in.1.raw", part, sizeof part);
  }
}

static void manifest(const char *name, const char *in) {
  char text[400];
  const int length = snprintf(text, sizeof text,
                              "[[array]]\nname = \"w\"\nelement = \"f64\"\nextents = [6, 4]\nfrom = \"(block, *) onto 2\"\n"
                              "to = \"(*, block) onto 2\"\nin = \"%s\"\nout = \"out.{rank}.raw\"\n",
                              in);
  write_bytes(name, text, (size_t)length);
}

/* Files in the folder, whatever their names. */
static int count_files(void) {
  DIR *const opened = opendir(folder);
  int count = 0;
  for (const struct dirent *entry; opened != NULL && (entry = readdir(opened)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) ++count;
  if (opened != NULL) closedir(opened);
  return count;
}

static void remove_all(void) {
  DIR *const opened = opendir(folder);
  for (const struct dirent *entry; opened != NULL && (entry = readdir(opened)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) unlink(in_folder(entry->d_name));
  if (opened != NULL) closedir(opened);
  CHECK(rmdir(folder) == 0);
}

/* A file that is missing, and mistakes of the caller: a message, no text, and no file. */
static void refused(void) {
  redist_file_options options = REDIST_FILE_OPTIONS_INIT;
  char *text = NULL;
  const int before = count_files();
  CHECK(redist_convert(in_folder("none.toml"), NULL, &text) == REDIST_FILE);
  SAYS("No such file");
  CHECK(redist_convert(in_folder("missing.toml"), NULL, &text) == REDIST_FILE);
  SAYS("none.0.raw");
  CHECK(redist_convert(in_folder("strange.toml"), NULL, &text) == REDIST_ARGUMENT);
  SAYS("unknown field `form`");
  options.memory_bytes = 1;
  CHECK(redist_convert(in_folder("w.toml"), &options, &text) == REDIST_ARGUMENT);
  SAYS("memory is at least 65536");
  options.memory_bytes = -1;
  CHECK(redist_convert(in_folder("w.toml"), &options, &text) == REDIST_ARGUMENT);
  SAYS("`options.memory_bytes` is -1");
  options.memory_bytes = 0, options.size = 8;
  CHECK(redist_convert(in_folder("w.toml"), &options, &text) == REDIST_ARGUMENT);
  SAYS("sizeof(redist_file_options)");
  CHECK(redist_convert(NULL, NULL, &text) == REDIST_NULL && redist_verify_files(NULL, NULL, &text) == REDIST_NULL);
  CHECK(redist_verify_files(in_folder("w.toml"), NULL, &text) == REDIST_FILE);
  CHECK(text == NULL && count_files() == before);
}

/* feature: arrays in files, to other layouts = `redist_convert`, `redist_verify_files` */
static void converted(void) {
  redist_file_options options = REDIST_FILE_OPTIONS_INIT;
  char *text = NULL;
  options.check = 1, options.threads = 2, options.memory_bytes = 1 << 16;
  CHECK(redist_convert(in_folder("w.toml"), &options, &text) == REDIST_OK);
  CHECK(text != NULL && strstr(text, "\"name\":\"w\"") != NULL && strstr(text, "\"bytes\":192") != NULL);
  CHECK(text != NULL && strstr(text, "\"files\":[2,2]") != NULL && strstr(text, "\"warnings\":[]") != NULL);
  redist_text_free(text);
  for (int rank = 0; rank < 2; ++rank) {
    double part[ROWS][COLUMNS / 2 + 1];
    double *const first = &part[0][0];
    CHECK(read_bytes(rank == 0 ? "out.0.raw" : "out.1.raw", part, sizeof part) == ROWS * COLUMNS / 2 * sizeof(double));
    for (int at = 0; at < ROWS * COLUMNS / 2; ++at)
      CHECK(first[at] == element(at / (COLUMNS / 2), rank * COLUMNS / 2 + at % (COLUMNS / 2)));
  }
  text = NULL;
  CHECK(redist_verify_files(in_folder("w.toml"), NULL, &text) == REDIST_OK);
  CHECK(text != NULL && strstr(text, "\"checksum\":null") != NULL);
  redist_text_free(text);
  CHECK(redist_convert(in_folder("w.toml"), NULL, NULL) == REDIST_FILE);
  SAYS("`force` replaces it");
  options.force = 1, options.no_sync = 1;
  CHECK(redist_convert(in_folder("w.toml"), &options, NULL) == REDIST_OK);
}

/* One element of the source is another one now. */
static void differs(void) {
  double part[ROWS / 2][COLUMNS];
  CHECK(read_bytes("in.1.raw", part, sizeof part) == sizeof part);
  part[1][2] = -1;
  write_bytes("in.1.raw", part, sizeof part);
  CHECK(redist_verify_files(in_folder("w.toml"), NULL, NULL) == REDIST_FILE);
  SAYS("element [4, 2]");
}

int main(void) {
  const char *const strange = "[[array]]\nname = \"w\"\nform = \"*\"\n";
  if (mkdtemp(folder) == NULL) return 2;
  sources();
  manifest("w.toml", "in.{rank}.raw");
  manifest("missing.toml", "none.{rank}.raw");
  write_bytes("strange.toml", strange, strlen(strange));
  refused();
  converted();
  differs();
  remove_all();
  printf("%d failures of arrays in files\n", failures);
  return failures > 0;
}
