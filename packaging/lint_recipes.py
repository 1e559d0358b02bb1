"""Checks the recipes that packaging/recipes writes: conda's by rattler-build, which parses and renders it; Spack's against the names
that Spack gives recipes.

    python lint_recipes.py FOLDER
"""

import ast
import sys
from pathlib import Path
from types import ModuleType

SPACK = ["Executable", "depends_on", "extends", "join_path", "license", "python", "variant", "version", "when", "working_dir"]


def conda(recipe):
    """Returns the names of the packages that the recipe makes."""
    from rattler_build import Stage0Recipe, VariantConfig

    rendered = Stage0Recipe.from_file(recipe).render(VariantConfig())
    return sorted({str(one.recipe.package.name) for one in rendered})


def spack(recipe):
    """Runs the recipe with stand-ins for Spack's directives, and returns their calls."""
    calls = []

    class Noted:
        def __init__(self, name):
            self.name = name

        def __call__(self, *positional, **named):
            calls.append((self.name, positional, named))
            return self

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            return False

    names, generic = ModuleType("spack.package"), ModuleType("generic")
    names.__all__ = SPACK
    for name in SPACK:
        setattr(names, name, Noted(name))
    generic.Package = type("Package", (), {})
    source = recipe.read_text()
    ast.parse(source)
    for line in ("from spack.package import *", "from spack_repo.builtin.build_systems.generic import Package"):
        assert line in source, f"{recipe} lacks `{line}`"
    sys.modules.update({"spack": ModuleType("spack"), "spack.package": names})
    for parent in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[parent] = ModuleType(parent)
    sys.modules["spack_repo.builtin.build_systems.generic"] = generic
    scope = {}
    exec(compile(source, str(recipe), "exec"), scope)
    assert len(scope["Redist"].__doc__) > 40 and callable(scope["Redist"].install)
    return calls


def main():
    folder = Path(sys.argv[1])
    packages = conda(folder / "conda" / "recipe.yaml")
    assert packages == ["libredist", "redist"], packages
    calls = spack(folder / "spack" / "packages" / "redist" / "package.py")
    [released] = [named for name, _, named in calls if name == "version"]
    assert len(released["sha256"]) == 64, released
    for path in folder.rglob("*"):
        assert path.is_dir() or "@VERSION@" not in path.read_text() and "@URL@" not in path.read_text(), path
    print(f"conda makes {' and '.join(packages)}; Spack's recipe has {len(calls)} directives")


main()
