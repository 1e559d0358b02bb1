"""Ranks are actors, as in Ray: each is a process that takes calls of its methods from a queue."""

from multiprocessing import Process, Queue

import numpy as np

import redist

PLAN = redist.Plan((300, 200), "(cyclic(16), *) onto 3", "(*, cyclic(10)) onto 4", "f8")


class Rank:
    def __init__(self, rank, queues, results):
        self.rank, self.queues, self.results = rank, queues, results

    def live(self):
        self.packing, self.out = PLAN.packing(self.rank), PLAN.empty("dst", self.rank)
        for _ in range(1 + len(self.packing.receives)):
            method, *arguments = self.queues[self.rank].get()
            getattr(self, method)(*arguments)
        self.results.put((self.rank, self.out))

    def send(self, part):
        for peer, elements in self.packing.sends.items():
            self.packing.pack(part, peer, buffer := self.packing.empty(elements))
            self.queues[peer].put(("receive", self.rank, buffer))

    def receive(self, sender, buffer):
        self.packing.unpack(buffer, sender, self.out)


if __name__ == "__main__":
    whole = np.arange(300 * 200.0).reshape(300, 200)
    queues, results = [Queue() for _ in range(PLAN.ranks)], Queue()
    for rank, part in enumerate(PLAN.scatter(whole)):
        Process(target=Rank(rank, queues, results).live, daemon=True).start()
        queues[rank].put(("send", part))
    moved = dict(results.get(timeout=60) for _ in queues)
    assert np.array_equal(PLAN.gather([moved[rank] for rank in sorted(moved)]), whole)
    print(f"queues carried {whole.size} elements between {len(moved)} ranks")
