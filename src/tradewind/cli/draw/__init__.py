"""Drawings: contract dicts → rich renderables. Pure; every text comes from ``words``."""
