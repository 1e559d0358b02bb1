"""Files of one layout become files of another, by a manifest."""

import json

import numpy
import pytest
import redist


def manifest(folder, **more):
    array = {"name": "w", "extents": [6, 4], "from": "(block, *) onto 2", "element": "f64"}
    files = {"in": f"{folder}/in.{{rank}}.npy", "out": f"{folder}/out.npz"}
    return {"array": [{**array, **files, **more}]}


@pytest.fixture
def whole(tmp_path):
    whole = numpy.arange(24.0).reshape(6, 4)
    for rank in range(2):
        numpy.save(tmp_path / f"in.{rank}.npy", whole[3 * rank : 3 * rank + 3])
    return whole


# feature: arrays in files, to other layouts = `redist.convert`, `redist.verify_files`
def test_a_dictionary_or_a_file_is_a_manifest(tmp_path, whole):
    [array] = redist.convert(manifest(tmp_path), check=True)
    assert (array["name"], array["bytes"], array["files"]) == ("w", 192, (2, 1))
    assert (numpy.load(tmp_path / "out.npz")["w"] == whole).all()
    (tmp_path / "m.json").write_text(json.dumps(manifest(".")))
    [again] = redist.convert(tmp_path / "m.json", force=True, sync=False, threads=1)
    assert again["checksum"] == array["checksum"]
    [compared] = redist.verify_files(str(tmp_path / "m.json"), memory=1 << 16)
    assert compared["checksum"] is None


def test_mistakes_are_told_before_anything_is_written(tmp_path, whole):
    with pytest.raises(redist.PlanError, match="has no `extents`"):
        redist.convert(manifest(tmp_path, extents=None))
    with pytest.raises(redist.PlanError, match="unknown field `form`"):
        redist.convert(manifest(tmp_path, form="(block, *) onto 2"))
    with pytest.raises(redist.PlanError, match="memory is at least 65536"):
        redist.convert(manifest(tmp_path), memory=1)
    with pytest.raises(redist.PlanError, match="the name of a file, or a dictionary"):
        redist.convert(3)
    with pytest.raises(redist.FileError, match="No such file"):
        redist.convert(manifest(tmp_path, **{"in": f"{tmp_path}/none.{{rank}}.npy"}))
    with pytest.raises(redist.FileError, match="no.toml"):
        redist.convert(tmp_path / "no.toml")
    assert not (tmp_path / "out.npz").exists()
    redist.convert(manifest(tmp_path))
    with pytest.raises(redist.FileError, match="`force=True` replaces it"):
        redist.convert(manifest(tmp_path))


def test_files_that_differ_are_found(tmp_path, whole):
    redist.convert(manifest(tmp_path))
    whole[4, 1] = -1.0
    numpy.save(tmp_path / "in.1.npy", whole[3:])
    with pytest.raises(redist.FileError, match=r"element \[4, 1\]"):
        redist.verify_files(manifest(tmp_path))
