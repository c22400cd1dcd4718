"""The recipe for Conan 2: `conan create packaging/conan` in the sources makes the package.

It has the libraries, the tool and the headers. The modules of libvips, FFmpeg, libarchive and MPI are left
to the packages of systems, as each brings dozens of libraries along.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain

ROOT = os.path.join("..", "..")


class Lumagraph(ConanFile):
    name = "lumagraph"
    description = "measures and filters images on any GPU and on the CPU"
    license = "MIT"
    topics = ("image-processing", "histogram", "threshold", "simd", "vulkan")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in ("shared", "vulkan", "tiff", "jansson")}
    default_options = {"shared": True, "vulkan": True, "tiff": True, "jansson": True}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "meson.build"))
        self.version = re.search(r"version: '([0-9.]+)'", text).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        for pattern in ("meson.build", "meson_options.txt", "LICENSE", "src/*", "include/*", "tool/*",
                        "bench/*", "scripts/*.py", "packaging/meson.build", "packaging/*.in"):
            copy(self, pattern, root, self.export_sources_folder, excludes="*__pycache__*")

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        basic_layout(self)

    def requirements(self):
        if self.options.tiff:
            self.requires("libtiff/[>=4.1 <5]")
        if self.options.jansson:
            self.requires("jansson/[>=2.10 <3]")

    def build_requirements(self):
        self.tool_requires("meson/[>=1.0 <2]")
        if self.options.vulkan:
            self.tool_requires("glslang/[>=1.3 <2]")
            self.tool_requires("spirv-tools/[>=1.3 <2]")
            self.requires("vulkan-headers/[>=1.3 <2]", visible=False)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("lumagraph's recipe is for Linux on x86_64 and armv8")

    def generate(self):
        PkgConfigDeps(self).generate()
        meson = MesonToolchain(self)
        said = {True: "enabled", False: "disabled"}
        for name in ("vulkan", "tiff", "jansson"):
            meson.project_options[name] = said[bool(self.options.get_safe(name))]
        for name in ("shaderc", "vips", "av", "archive", "openmpi", "mpich"):
            meson.project_options[name] = "disabled"
        meson.project_options["tests"] = False
        meson.project_options["b_ndebug"] = "if-release"
        meson.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    # Both forms are always built; the package has the one that was asked for.
    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        libraries = os.path.join(self.package_folder, "lib")
        for folder in ("pkgconfig", "cmake"):
            rmdir(self, os.path.join(libraries, folder))
        for name in os.listdir(libraries):
            if name.endswith(".a") == bool(self.options.shared):
                os.remove(os.path.join(libraries, name))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "lumagraph")
        core = self.cpp_info.components["core"]
        core.set_property("pkg_config_name", "lumagraph")
        core.set_property("cmake_target_name", "lumagraph::lumagraph")
        core.libs = ["lumagraph"]
        core.system_libs = ["pthread", "dl", "m"]
        files = self.cpp_info.components["io"]
        files.set_property("pkg_config_name", "lumagraph-io")
        files.set_property("cmake_target_name", "lumagraph::io")
        files.libs = ["lumagraph-io"]
        # Where a profile says that the system has one ([platform_requires]), there is no package to name.
        packages = {dependency.ref.name for dependency in self.dependencies.host.values()}
        wanted = [name for name in ("libtiff", "jansson") if self.options.get_safe(name.removeprefix("lib"))]
        files.requires = ["core", *(f"{name}::{name}" for name in wanted if name in packages)]
        if not self.options.shared:
            files.system_libs = [name.removeprefix("lib") for name in wanted if name not in packages]
