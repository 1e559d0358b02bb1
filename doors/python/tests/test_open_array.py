"""Arrays in files are read in boxes, as if they were whole."""

import pickle
import threading

import numpy
import pytest
import redist

LAYOUT = "(cyclic(3), block) onto (2, 3)"


@pytest.fixture(scope="module")
def whole():
    return numpy.arange(23 * 31, dtype="f8").reshape(23, 31)


@pytest.fixture(scope="module")
def files(tmp_path_factory, whole):
    folder = tmp_path_factory.mktemp("open")
    numpy.save(folder / "whole.npy", whole)
    array = {"name": "w", "in": f"{folder}/whole.npy", "out": f"{folder}/part.{{rank}}.npy", "to": LAYOUT}
    redist.convert({"array": [array]})
    return f"{folder}/part.{{rank}}.npy"


@pytest.fixture
def array(files):
    with redist.open_array(files, LAYOUT, shape=(23, 31)) as array:
        yield array


KEYS = [
    numpy.s_[...], numpy.s_[:], numpy.s_[3], numpy.s_[-1], numpy.s_[3, 4], numpy.s_[-23, -31], numpy.s_[2:9],
    numpy.s_[:, 4:30:7], numpy.s_[::-1], numpy.s_[::-3, ::-2], numpy.s_[20:2:-5, 3], numpy.s_[..., 5], numpy.s_[5, ...],
    numpy.s_[..., 1:3], numpy.s_[None, 2:4, None, ::2], numpy.s_[2, None, 3], numpy.s_[4:4], numpy.s_[9:3], numpy.s_[:0:-1, :0],
    numpy.s_[-100:100], numpy.s_[numpy.int64(3), numpy.uint8(4)], numpy.s_[0:1, 0:1], numpy.s_[...,], (), numpy.s_[2, 3, ...],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices_are_those_of_numpy(array, whole, key):
    found, expected = array[key], whole[key]
    assert type(found) is type(expected) and numpy.shape(found) == numpy.shape(expected)
    assert numpy.array_equal(found, expected)


def test_drawn_indices_are_those_of_numpy(files, whole):
    draw = numpy.random.default_rng(7)
    # In so little memory, boxes are cut in halves.
    with redist.open_array(files, LAYOUT, shape=(23, 31), memory=1 << 16) as array:
        for _ in range(300):
            key = []
            for extent in whole.shape:
                start, stop = draw.integers(-extent - 3, extent + 3, 2)
                step = int(draw.choice([-7, -2, -1, 1, 1, 2, 3, 40]))
                key.append(int(draw.integers(-extent, extent)) if draw.random() < 0.2 else slice(int(start), int(stop), step))
            assert numpy.array_equal(array[tuple(key)], whole[tuple(key)]), key


def test_it_is_an_array(array, whole):
    assert (array.shape, array.dtype, array.ndim, array.size, array.nbytes) == ((23, 31), whole.dtype, 2, 713, 5704)
    assert len(array) == 23 and array.chunks is None and "shape (23, 31), dtype float64" in repr(array)
    assert numpy.array_equal(numpy.asarray(array), whole)
    assert numpy.asarray(array, dtype="f4").dtype == numpy.float32
    assert numpy.array_equal(array.read([(2, 5), (30, 31)]), whole[2:5, 30:])
    out = numpy.zeros((3, 1))
    assert array.read([(2, 5), (30, 31)], out) is out and numpy.array_equal(out, whole[2:5, 30:])


def test_mistakes_are_told_before_anything_is_read(array, files):
    for key, words in [((1, 2, 3), "3 indices"), (23, "index 23 is not in -23..23"), ([1, 2], "lists and masks"),
                       (True, "lists and masks"), ("a", "indices are integers"), ((..., ...), "at most")]:
        with pytest.raises(IndexError, match=words):
            array[key]
    with pytest.raises(redist.PlanError, match="expected 2 pairs"):
        array.read([(0, 1)])
    with pytest.raises(redist.PlanError, match=r"dimension 1: 3..32 is not in 0..31"):
        array.read([(0, 1), (3, 32)])
    for out in [numpy.zeros((3, 2)), numpy.zeros((3, 1), "f4"), numpy.zeros((6, 1))[::2]]:
        with pytest.raises(redist.PlanError, match="out: expected an array of shape"):
            array.read([(2, 5), (30, 31)], out)
    with pytest.raises(redist.PlanError, match="memory is at least 65536"):
        redist.open_array(files, LAYOUT, shape=(23, 31), memory=1)
    with pytest.raises(redist.PlanError, match="strid is no key"):
        redist.open_array(files, LAYOUT, shape=(23, 31), strid=3)
    with pytest.raises(redist.PlanError, match="extents"):
        redist.open_array(files, LAYOUT)
    with pytest.raises(redist.FileError, match="shape: expected"):
        redist.open_array(files, LAYOUT, shape=(23, 40))
    with pytest.raises(redist.FileError, match="No such file"):
        redist.open_array(files.replace("part", "none"), LAYOUT, shape=(23, 31), element="f64")


def test_closed_files_are_not_read(files):
    array = redist.open_array(files, LAYOUT, shape=(23, 31))
    array.close()
    array.close()
    assert array.closed and array.shape == (23, 31) and "closed" in repr(array)
    with pytest.raises(redist.FileError, match="the array is closed"):
        array[0]


def test_a_file_that_is_cut_off_meanwhile_is_told(tmp_path):
    (tmp_path / "raw").write_bytes(bytes(8000))
    with redist.open_array(tmp_path / "raw", shape=[1000], element="f64") as array:
        (tmp_path / "raw").write_bytes(bytes(80))
        assert array[9] == 0
        with pytest.raises(redist.FileError, match="has become shorter meanwhile"):
            array[:]


def test_files_of_several_arrays_and_types_that_numpy_lacks(tmp_path):
    numbers = numpy.arange(12, dtype="<u2").reshape(3, 4)
    numbers.tofile(tmp_path / "raw")
    convert = {"name": "b", "in": f"{tmp_path}/raw", "out": f"{tmp_path}/m.safetensors", "extents": [3, 4], "element": "bf16"}
    redist.convert({"array": [convert]})
    with redist.open_array(tmp_path / "m.safetensors", name="b") as array:
        assert array.dtype.itemsize == 2 and array.dtype != numpy.uint16
        assert numpy.array_equal(array[:, ::-1].view("<u2"), numbers[:, ::-1])
    with pytest.raises(redist.FileError, match="has no array `c`"):
        redist.open_array(tmp_path / "m.safetensors", name="c")


def test_steps_read_no_more_than_they_need(tmp_path):
    # A file with a hole of 64 GiB: a column of every 8th MiB.
    with open(tmp_path / "large", "wb") as file:
        file.truncate(64 << 30)
    with redist.open_array(tmp_path / "large", shape=(8192, 1 << 20), element="f64", memory=1 << 20) as array:
        assert array[:: 1 << 10, 5].shape == (8,) and array[1:3, 7:9].sum() == 0
        assert array[-1, -1] == 0


def test_other_threads_read_at_the_same_time(array, whole):
    wrong = []

    def read(first):
        for row in range(first, 23, 4):
            if not numpy.array_equal(array[row, ::2], whole[row, ::2]):
                wrong.append(row)

    threads = [threading.Thread(target=read, args=(first,)) for first in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_another_process_opens_the_files_anew(array, whole):
    with pickle.loads(pickle.dumps(array)) as other:
        assert numpy.array_equal(other[3:5], whole[3:5])


def test_dask_reads_what_it_computes(array, whole):
    dask_array = pytest.importorskip("dask.array")
    for lazy in [dask_array.from_array(array, chunks=(7, 10)), array.to_dask(), array.to_dask((5, 31))]:
        assert lazy.shape == (23, 31) and lazy.dtype == whole.dtype
        assert numpy.array_equal((lazy[2:20:3] * 2).compute(), whole[2:20:3] * 2)


def test_xarray_opens_files_by_the_name_of_the_package(files, whole):
    xarray = pytest.importorskip("xarray")
    from redist._xarray import RedistBackend

    options = {"shape": (23, 31)}
    with xarray.open_dataset(files, engine=RedistBackend, layout=LAYOUT, dims=("y", "x"), options=options) as dataset:
        assert dataset["array"].sizes == {"y": 23, "x": 31}
        assert numpy.array_equal(dataset["array"][3:9, ::-2], whole[3:9, ::-2])
        assert numpy.array_equal(dataset["array"].isel(y=[3, 1], x=slice(2, 5)), whole[[3, 1], 2:5])
