"""Packs the catalog's largest table when a wheel is made; all else that is to be said is in pyproject.toml."""

import gzip
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TABLE = "tradewind/catalog/data/prices.csv"  # 950 kB of text in 75; catalog/parts.py finds either form


class Packing(build_py):
    """``build_py`` that leaves ``prices.csv.gz`` for ``prices.csv``; an editable install keeps the text."""

    def run(self) -> None:
        """Build, then pack."""
        super().run()
        if not self.editable_mode:
            plain = Path(self.build_lib, TABLE)
            plain.with_name(f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
            plain.unlink()


setup(cmdclass={"build_py": Packing})
