// Ways that move the same elements take turns, in an order that each round draws: alike on all ranks of a launch. Rank 0 prints
// a row as JSON, which the benches of `redist-moves` read.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace turns {

inline int rank, ranks;

[[noreturn]] inline void fail(const std::string &words) {
  std::fprintf(stderr, "rank %d: %s\n", rank, words.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// One way to move. All its calls are collective.
struct Way {
  virtual ~Way() = default;
  virtual const char *name() const = 0;
  virtual void plan() = 0;
  virtual void forget() = 0;
  virtual void move() = 0;
  // Counts elements of this rank that are not as they should be.
  virtual long wrong() = 0;
  // Makes all elements of this rank's destination wrong.
  virtual void spoil() = 0;
};

// Returns the seconds of the rank that takes longest, on all ranks.
template <typename Work>
double timed(Work &&work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  work();
  double own = MPI_Wtime() - began, most = 0;
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

struct Samples {
  std::vector<double> plans, moves;
  double first = 0;
  long wrong = 0;
};

inline long wrong(Way &way) {
  long own = way.wrong(), all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

struct Options {
  std::string row, extent = "10000000";
  double seconds = 0.5;
  unsigned long seed = 1;
  int rounds = 0;
};

// All ways take turns, in an order that each round draws: alike on all ranks.
inline std::vector<Samples> measured(std::vector<std::unique_ptr<Way>> &ways, const Options &options) {
  enum { PLANS = 4, LEAST = 5, MOST = 401 };
  std::vector<Samples> all(ways.size());
  std::vector<std::size_t> order(ways.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  std::mt19937_64 random(options.seed);
  for (int round = 0; round < PLANS; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t number : order) {
      ways[number]->forget();
      all[number].plans.push_back(timed([&] { ways[number]->plan(); }));
    }
  }
  for (std::size_t number : order) {
    all[number].first = timed([&] { ways[number]->move(); });
    all[number].wrong += wrong(*ways[number]);
    ways[number]->spoil();
  }
  double spent = 0;
  const int least = options.rounds > 0 ? options.rounds : LEAST, most = options.rounds > 0 ? options.rounds : MOST;
  for (int round = 0; round < least || (round < most && spent < options.seconds); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t number : order) {
      all[number].moves.push_back(timed([&] { ways[number]->move(); }));
      spent += all[number].moves.back();
    }
  }
  for (std::size_t number : order) all[number].wrong += wrong(*ways[number]);
  return all;
}

inline void tell(const Options &options, const std::vector<std::unique_ptr<Way>> &ways, const std::vector<Samples> &all) {
  std::printf("{\"row\":\"%s\",\"ranks\":%d,\"array\":null,\"wire\":null,\"note\":\"\",\"methods\":[", options.row.c_str(), ranks);
  for (std::size_t number = 0; number < ways.size(); ++number) {
    const Samples &own = all[number];
    const std::vector<double> again(own.plans.begin() + 1, own.plans.end());
    std::printf("%s{\"name\":\"%s\",\"outcome\":{\"Ok\":{\"median\":%.9g,\"least\":%.9g,\"rounds\":%zu,\"setup\":%.9g,"
                "\"setup_again\":%.9g,\"first\":%.9g,\"wrong\":%ld}}}",
                number == 0 ? "" : ",", ways[number]->name(), median(own.moves),
                *std::min_element(own.moves.begin(), own.moves.end()), own.moves.size(), own.plans[0], median(again), own.first,
                own.wrong);
  }
  std::printf("]}\n");
}

// Reads `--name value` and `--name=value`.
inline Options read(int argc, char **argv) {
  Options options;
  for (int at = 1; at < argc; ++at) {
    std::string name = argv[at], value;
    const std::size_t equals = name.find('=');
    if (equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (at + 1 < argc) {
      value = argv[++at];
    }
    if (name == "--worker") options.row = value;
    if (name == "--extent") options.extent = value;
    if (name == "--seconds") options.seconds = std::atof(value.c_str());
    if (name == "--seed") options.seed = std::strtoul(value.c_str(), nullptr, 10);
    if (name == "--rounds") options.rounds = std::atoi(value.c_str());
  }
  return options;
}

}  // namespace turns
