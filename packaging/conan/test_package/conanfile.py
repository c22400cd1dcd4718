"""Programs that use the package, built by CMake and run: the library, and the one for image files."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class TestOfLumagraph(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        folder = self.cpp.build.bindir
        image = os.path.join(self.build_folder, "four.pgm")
        with open(image, "wb") as stream:
            stream.write(b"P5 2 2 255\n\1\2\41\144")
        self.run(f"{os.path.join(folder, 'filter')} cpu", env="conanrun")
        self.run(f"{os.path.join(folder, 'measure_files')} {image} {image}.npy", env="conanrun")
        tool = os.path.join(self.dependencies["lumagraph"].package_folder, "bin", "lumagraph")
        self.run(f"{tool} stats {image}.npy", env="conanrun")
