"""What the tests of this folder share: one account at the AWS of the lab for each module."""

from collections.abc import Iterator

import pytest
from aws_ground import Ground, aws


@pytest.fixture(scope="module")
def aws_account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with aws(tmp_path_factory.mktemp("settings")) as made:
        yield made


@pytest.fixture
def ground(aws_account: Ground) -> Iterator[Ground]:
    yield aws_account
    aws_account.clean()
