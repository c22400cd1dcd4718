"""The types of the package: mypy, its stubtest, and pyright where they are installed."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of NumPy: read once."""
    return tmp_path_factory.mktemp("cache")


def run(tmp_path, *command):
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def needs(module):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def test_mypy(tmp_path, cache):
    """Strict, and an ignored error that is none is an error: what has to be refused is."""
    needs("mypy")
    (tmp_path / "typed_usage.py").write_text((HERE / "typed_usage.py").read_text())
    run(tmp_path, "mypy", "--cache-dir", cache, "--strict", "--warn-unused-ignores", "typed_usage.py")


def test_mypy_of_the_package(tmp_path, cache):
    needs("mypy")
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\n[mypy-dask.*,IPython.*]\nignore_missing_imports = True\n"
        "follow_imports = skip\n"
    )
    run(tmp_path, "mypy", "--cache-dir", cache, "--no-warn-unused-ignores", "-p", "lumagraph")


def test_stubs_are_the_package(tmp_path, cache):
    needs("mypy")
    missing = "[mypy-dask.*,IPython.*]\nignore_missing_imports = True\n"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\ncache_dir = {cache}\n{missing}")
    # Seen from Python 3.12 on only.
    (tmp_path / "allowed").write_text("lumagraph\\._core\\.(Image|Labels)\\.__buffer__\n")
    run(
        tmp_path,
        "mypy.stubtest",
        "lumagraph",
        "--mypy-config-file",
        "mypy.ini",
        "--ignore-missing-stub",
        "--allowlist",
        "allowed",
        "--ignore-unused-allowlist",
    )


def test_pyright(tmp_path):
    needs("basedpyright")
    usage = (HERE / "typed_usage.py").read_text().split("# Each of these is one error.")
    (tmp_path / "good.py").write_text(usage[0])
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    run(tmp_path, "basedpyright", "--pythonpath", sys.executable, "good.py")
    wrong = [line for line in usage[1].splitlines() if line.strip()]
    text = usage[0] + "\n".join(line.split("  #")[0] for line in wrong) + "\n"
    (tmp_path / "wrong.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "wrong.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for number in range(text.count("\n") - len(wrong) + 1, text.count("\n") + 1):
        assert f"wrong.py:{number}:" in done.stdout, (text.splitlines()[number - 1], done.stdout[-3000:])
