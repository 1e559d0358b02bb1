"""Ranks that are threads of this process, for programs without MPI.

    def program(comm):
        bound = plan.bind(comm)
        ...

    results = redist.threads.run(4, program)
"""

from ._redist import Rank, run

__all__ = ["Rank", "run"]
