"""Hands out databases of both kinds: every test that takes ``where`` or ``db`` runs on each."""

from store_rows import db, where

__all__ = ["db", "where"]
