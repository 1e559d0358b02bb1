"""Two molecules of water in atomic orbitals, whose matrices ScaLAPACK diagonalises on four processes, by gpaw."""
from ase import Atoms
from gpaw import GPAW
from gpaw.mpi import world

one = [(0, 0.76, 0.59), (0, -0.76, 0.59), (0, 0, 0)]
atoms = Atoms("H2OH2O", one + [(x + 3, y, z) for x, y, z in one])
atoms.center(vacuum=3)
atoms.calc = GPAW(mode="lcao", basis="dzp", h=0.25, xc="LDA", txt="-", parallel={"sl_default": (2, 2, 8)})
energy = atoms.get_potential_energy()
if world.rank == 0:
    print(f"energy {energy!r}")
