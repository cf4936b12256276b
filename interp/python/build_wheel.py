"""What `pip install .` asks (PEP 517): CMake builds the module, here it is packed. Nothing comes from an index."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = "`.ci/setup python` installs what the build needs"
VERSION = re.search(r"project\(tilescope VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
INFO = f"tilescope-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: tilescope
Version: {VERSION}
Summary: Write a GPU kernel once; watch it on the CPU, run it on the GPU
Requires-Python: >=3.9
"""
ENTRY_POINTS = """[pytest11]
tilescope = tilescope.pytest_plugin
"""


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / INFO
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA)
    return INFO


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return pack(build(ROOT / "build" / "pip"), wheel_directory)


def build(folder):
    """Builds the module in `folder`; returns where the package stands."""
    if not shutil.which("cmake"):
        raise SystemExit(f"tilescope: there is no cmake here; {NEEDED}")
    options = ["-DTILESCOPE_TESTS=OFF", "-DTILESCOPE_WINDOW=OFF", "-DCMAKE_UNITY_BUILD=ON",
               f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_REQUIRE_FIND_PACKAGE_Python=ON",
               "-DCMAKE_REQUIRE_FIND_PACKAGE_pybind11=ON"]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    if subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, "--log-level=WARNING", *options]).returncode:
        raise SystemExit(f"tilescope: CMake refuses, see above; {NEEDED}")
    subprocess.run(["cmake", "--build", folder, "--target", "tilescope_python", "--parallel", str(os.cpu_count())],
                   check=True)
    return folder / "python" / "tilescope"


def pack(package, wheel_directory):
    """Writes a wheel of the files of a built package; returns its name."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    files = {f"tilescope/{f.relative_to(package).as_posix()}": f.read_bytes()
             for f in sorted(package.rglob("*")) if f.suffix in (".py", ".so")}
    files[f"{INFO}/METADATA"] = METADATA.encode()
    files[f"{INFO}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{INFO}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tilescope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    name = f"tilescope-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, content in files.items():
            wheel.writestr(file, content)
    return name
