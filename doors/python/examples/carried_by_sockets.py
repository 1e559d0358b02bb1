"""Ranks are processes, and each message is a connection of TCP, which begins with its sender."""

import socket
from multiprocessing import Process
from threading import Thread

import numpy as np

import redist

PLAN = redist.Plan((300, 200), "(cyclic(16), *) onto 3", "(*, cyclic(10)) onto 4", "f8")
WHOLE = np.arange(300 * 200.0).reshape(300, 200)


def send(packing, part, peer, listener):
    buffer = packing.empty(packing.sends[peer])
    packing.pack(part, peer, buffer)
    with socket.create_connection(listener.getsockname(), timeout=60) as connection:
        connection.sendall(packing.rank.to_bytes(8, "big"))
        connection.sendall(buffer)


def live(rank, listeners):
    parts, packing, out = PLAN.scatter(WHOLE), PLAN.packing(rank), PLAN.empty("dst", rank)
    for peer in packing.sends:
        Thread(target=send, args=(packing, parts[rank], peer, listeners[peer])).start()
    for _ in packing.receives:
        with listeners[rank].accept()[0] as connection, connection.makefile("rb") as stream:
            sender = int.from_bytes(stream.read(8), "big")
            packing.unpack(stream.read(8 * packing.receives[sender]), sender, out)
    assert np.array_equal(out, PLAN.simulate(parts)[rank])


if __name__ == "__main__":
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(PLAN.ranks)]
    ranks = [Process(target=live, args=(rank, listeners)) for rank in range(PLAN.ranks)]
    [rank.start() for rank in ranks]
    [rank.join() for rank in ranks]
    assert not any(rank.exitcode for rank in ranks)
    print(f"sockets carried {WHOLE.size} elements between {PLAN.ranks} ranks")
