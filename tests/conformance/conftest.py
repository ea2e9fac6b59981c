"""Modules of cases that are not test files: what they assert is told as in tests."""

import pytest

pytest.register_assert_rewrite("renting", "tour", "wire_cases")
