"""The wheel itself: its tag, what it carries, and what it takes from the system."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

WHEEL = pathlib.Path(os.environ.get("LUMAGRAPH_WHEEL", ""))
pytestmark = pytest.mark.skipif(not WHEEL.is_file(), reason="LUMAGRAPH_WHEEL names no wheel")
TAG = pathlib.Path(__file__).resolve().parent.parent / "tag.py"


def names():
    with zipfile.ZipFile(WHEEL) as content:
        return content.namelist()


def text_of(end):
    with zipfile.ZipFile(WHEEL) as content:
        return content.read(next(n for n in content.namelist() if n.endswith(end))).decode()


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("readelf"), reason="no readelf here")
def test_the_tag_is_that_of_many_systems():
    found = re.fullmatch(r"lumagraph-[\d.]+-cp311-abi3-(manylinux_2_\d+_\w+)\.whl", WHEEL.name)
    assert found and f"Tag: cp311-abi3-{found[1]}\n" in text_of("/WHEEL") + "\n"


def test_checksums(tmp_path):
    """What pip checks when it installs a wheel."""
    import base64
    import hashlib

    rows = dict(row.split(",", 1) for row in text_of("/RECORD").splitlines())
    with zipfile.ZipFile(WHEEL) as content:
        for name in content.namelist():
            if not name.endswith("/RECORD"):
                data = content.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert rows[name] == f"sha256={digest},{len(data)}", name
    assert len(rows) == len(content.namelist())


def test_auditwheel_says_the_same():
    pytest.importorskip("auditwheel", reason="auditwheel is not installed")
    done = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(WHEEL)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    found = re.findall(r'"(manylinux\w+)"', done.stdout)
    assert found and found[0] in WHEEL.name, done.stdout


def test_licences_and_libraries():
    inside = names()
    assert "MIT" in text_of("licenses/LICENSE")
    libraries = {n for n in inside if re.search(r"\.so(\.|$)", n)}
    assert libraries <= {"lumagraph/_core.abi3.so", "lumagraph/liblumagraph-shaderc.so"}
    has_notice = "lumagraph/liblumagraph-shaderc.NOTICE" in inside
    assert ("lumagraph/liblumagraph-shaderc.so" in inside) == has_notice
    if has_notice:
        notice = text_of(".NOTICE")
        assert all(word in notice for word in ("shaderc", "glslang", "SPIRV-Tools", "Apache License"))
        assert len(notice) > 10000
    assert not [n for n in inside if n.endswith((".c", ".h", ".o", ".a"))]


@pytest.mark.skipif(not shutil.which("readelf"), reason="no readelf here")
def test_a_wheel_with_a_foreign_library_keeps_its_tag(tmp_path):
    """Of a wheel whose library asks for one that not every system has, tag.py says so and changes nothing."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler here")
    for name, more in (("foreign", []), ("ours", ["-L.", "-lforeign"])):
        source = tmp_path / f"{name}.c"
        source.write_text("int foreign(void);\nint ours(void) { return foreign(); }\n" if more else
                          "int foreign(void) { return 1; }\n")  # fmt: skip
        subprocess.run([compiler, "-shared", "-fPIC", "-o", f"lib{name}.so", source.name, *more],
                       cwd=tmp_path, check=True)  # fmt: skip
    wheel = tmp_path / "x-1-cp311-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as content:
        content.write(tmp_path / "libours.so", "x/libours.so")
        content.writestr("x-1.dist-info/WHEEL", "Tag: cp311-abi3-linux_x86_64\n")
        content.writestr("x-1.dist-info/RECORD", "")
    done = subprocess.run([sys.executable, str(TAG), str(wheel)], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "needs libforeign.so" in done.stderr and wheel.is_file()
