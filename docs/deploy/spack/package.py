"""Two Python packages from one source tree. Copy to `packages/py_iotriage/package.py` of a Spack repository of yours;
the page is built with Node, which the installed package does not need."""

from spack.package import depends_on, join_path, license, run_after, run_before, variant, version, which, working_dir
from spack_repo.builtin.build_systems.python import PythonPackage


class PyIotriage(PythonPackage):
    """Says what is wrong with a parallel job's I/O, which document says so, and what to type to fix it."""

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("centre", default=False, description="A warehouse of every job's I/O, and its reports")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-uv-build@0.13", type="build")
    depends_on("node-js@20.19:", type="build")
    depends_on("npm", type="build")

    for name in (
        "py-numpy@2.2:",
        "py-fastapi",
        "py-uvicorn",
        "py-msgspec",
        "py-pydantic@2.14:",
        "py-pydantic-settings",
        "py-sqlalchemy@2.1:",
        "py-alembic",
        "py-cachetools",
        "py-platformdirs",
        "py-structlog",
        "py-tomlkit",
        "py-authlib",
        "py-itsdangerous",
        "py-prometheus-client",
        "py-python-multipart",
    ):
        depends_on(name, type=("build", "run"))
    depends_on("py-duckdb", type="run", when="+centre")

    @property
    def build_directory(self):
        return join_path(self.stage.source_path, "backend")

    @run_before("install")
    def build_page(self):
        with working_dir(self.stage.source_path):
            which("npm")("ci")
            which("npm")("run", "build", "-w", "frontend")
            which("cp")("-r", "frontend/dist", "backend/src/iotriage/web")

    @run_before("install")
    def install_parsers(self):
        with working_dir(join_path(self.stage.source_path, "parsers")):
            install = ("-m", "pip", "install", "--no-deps", "--no-build-isolation", f"--prefix={self.prefix}", ".")
            which("python3")(*install)

    @run_after("install")
    def check(self):
        which(join_path(self.prefix.bin, "iotriage"))("--version")
