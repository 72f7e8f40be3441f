"""What `pip install` puts into a program's environment: components/, as frugal_eks.components."""

from setuptools import find_packages, setup

# Commands, stack files and the rehearsal are run in a clone. Components import each other
# relatively, so that they need no other name at the top of somebody else's program.
NAME = "frugal_eks.components"

setup(
    packages=[NAME, *(f"{NAME}.{package}" for package in find_packages("components"))],
    package_dir={NAME: "components"},
)
