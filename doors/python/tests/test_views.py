"""The counts of views on the page, and the packing that `bench_views.py` times."""

import random
import runpy
from pathlib import Path

import pytest

import redist
from conftest import MPI

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "python.md"


@pytest.fixture(scope="module")
def bench():
    if MPI and MPI.COMM_WORLD.size > 1:
        pytest.skip("of one process")
    return runpy.run_path(str(HERE.parent / "bench_views.py"), run_name="bench_views")


def test_the_page_has_the_counts_of_20_pairs(bench):
    table = PAGE.read_text().split("<!-- begin views -->\n")[1].split("<!-- end views -->")[0]
    rows = [
        [cell.strip() for cell in line.split("|")[1:5]]
        for line in table.splitlines()
        if line.startswith("| ")
    ][1:]
    assert len(rows) == 20
    single = 0
    for (name, *numbers), (expected_name, shape, src, dst) in zip(rows, bench["PAIRS"]):
        _, most, count, size = bench["counts"](redist.Plan(shape, src, dst))
        assert (name, numbers) == (expected_name, [f"{number:,}" for number in (most, count, size)])
        single += most == 1
    assert f"In {single} pairs of layouts, each message is one view." in PAGE.read_text()


def test_views_are_counted_by_hand(bench):
    # Each of two ranks has two blocks of three: one stays, and one travels, whole.
    assert bench["counts"](redist.Plan(12, "block onto 2", "cyclic(3) onto 2", "f4")) == (
        0,
        1,
        4,
        12,
    )
    # Rank 0 keeps 0, 1 and 8, and sends 4, 5 and 9: runs of 2 and of 1. So does rank 1.
    assert bench["counts"](redist.Plan(12, "cyclic(2) onto 2", "cyclic(3) onto 2")) == (0, 2, 8, 8)


@pytest.mark.parametrize(
    "dst", ["(cyclic(3), cyclic(5)) onto (2, 2)", "(*, block) onto 3 transposed storage fortran"]
)
def test_all_ways_pack_the_same_elements(bench, dst):
    plan = redist.Plan((24, 30), "(cyclic(4), cyclic(4)) onto (2, 2)", dst)
    for rank in range(plan.ranks):
        calls = bench["ways"](plan, rank)
        assert list(calls) == ["copy", *bench["WAYS"]]
        times = bench["measured"](calls, 5, random.Random(3))
        assert all(len(of_call) == 5 and min(of_call) > 0 for of_call in times.values())


def test_a_figure_has_the_median_and_both_quartiles(bench):
    assert bench["figure"]([3.0, 1.0, 2.0], 2.0) == "1.00 (0.50–1.50)"
