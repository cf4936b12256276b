"""What `pip install .` asks (PEP 517): CMake builds the module, here it is packed. Nothing comes from an index."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
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
ENTRY_POINTS = """[console_scripts]
tilescope = tilescope.command:main

[pytest11]
tilescope = tilescope.pytest_plugin
"""
STARTUP = ROOT / "interp/python/tilescope_startup.py"
EDITORS = ROOT / "interp/dap/editors"
PAGE = ROOT / "build/page/tilescope.html"  # where `make page` has built it
# Of every Linux that pip's manylinux tags are for, as PEP 600 has them.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so\b")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / INFO
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA)
    return INFO


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = build(ROOT / "build" / "pip")
    return pack(folder / "python" / "tilescope", wheel_directory, folder / "tilescope")


def build(folder):
    """Builds the module and the program in `folder`."""
    if not shutil.which("cmake"):
        raise SystemExit(f"tilescope: there is no cmake here; {NEEDED}")
    options = ["-DTILESCOPE_TESTS=OFF", "-DTILESCOPE_WINDOW=OFF", "-DCMAKE_UNITY_BUILD=ON",
               f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_REQUIRE_FIND_PACKAGE_Python=ON",
               "-DCMAKE_REQUIRE_FIND_PACKAGE_pybind11=ON"]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    if subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, "--log-level=WARNING", *options]).returncode:
        raise SystemExit(f"tilescope: CMake refuses, see above; {NEEDED}")
    subprocess.run(["cmake", "--build", folder, "--target", "tilescope_python", "tilescope", "--parallel", str(os.cpu_count())],
                   check=True)
    return folder


def pack(package, wheel_directory, program=None):
    """Writes a wheel of a built package, of the program where it comes with it, and of the libraries of both; returns
    its name."""
    files = {f"tilescope/{f.relative_to(package).as_posix()}": f.read_bytes()
             for f in sorted(package.rglob("*")) if f.suffix == ".py"}
    binaries = {f"tilescope/{f.name}": f for f in sorted(package.glob("*.so"))}
    if program:
        binaries["tilescope/bin/tilescope"] = program
        files.update({f"tilescope/share/tilescope/editors/{f.relative_to(EDITORS).as_posix()}": f.read_bytes()
                      for f in sorted(EDITORS.rglob("*")) if f.is_file()})
        if PAGE.is_file():
            files["tilescope/share/tilescope/tilescope.html"] = PAGE.read_bytes()
        else:
            print("tilescope: the wheel is without the browser's page; `make page` builds it", file=sys.stderr)
    for library in libraries_of(binaries.values()):
        binaries[f"tilescope/libs/{library.name}"] = library
    files.update({name: stripped(binary) for name, binary in binaries.items()})
    files["tilescope_startup.py"] = STARTUP.read_bytes()
    files["tilescope.pth"] = b"import tilescope_startup\n"
    tag = tag_of([files[name] for name in binaries])
    files[f"{INFO}/METADATA"] = METADATA.encode()
    files[f"{INFO}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{INFO}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tilescope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{INFO}/RECORD"] = f"{record}{INFO}/RECORD,,\n".encode()
    name = f"tilescope-{VERSION}-{tag}.whl"
    Path(wheel_directory).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, content in files.items():
            entry = zipfile.ZipInfo(file)
            entry.external_attr = (0o100755 if file == "tilescope/bin/tilescope" else 0o100644) << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def libraries_of(binaries):
    """What they need beside the system's own libraries, by ldd; they look for it in libs/ (CMakeLists.txt)."""
    found = {}
    for binary in binaries:
        for line in subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout.splitlines():
            name, arrow, path = line.strip().partition(" => ")
            if arrow and not OF_THE_SYSTEM.fullmatch(name.split(".so")[0] + ".so"):
                found[name] = Path(path.split(" (")[0])
    return [path for _, path in sorted(found.items())]


def stripped(binary):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strip", "-o", out.name, binary], check=True)
        return Path(out.name).read_bytes()


def tag_of(binaries):
    """cp311-cp311-manylinux_2_34_x86_64: of the newest version of glibc that one of them asks for."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    versions = [tuple(map(int, v)) for b in binaries for v in re.findall(rb"GLIBC_(\d+)\.(\d+)", b)]
    machine = sysconfig.get_platform().split("-")[-1]
    major, minor = max(versions, default=(2, 17))
    return f"{python}-{python}-manylinux_{major}_{minor}_{machine}"


if __name__ == "__main__":
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))
