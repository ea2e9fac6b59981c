"""Faults of the user's own code, told by their own frames."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException

from tradewind.domain.errors import BadInput, NotTraceable, TradewindError, Where

SHAPES = (  # words of errors about a wrong shape or argument
    "argument", "channels", "dim", "expected input", "match", "same size", "shape", "size",
)  # fmt: skip
CUDA = ("cuda", "nvidia")  # words of errors about a GPU that is not here
_OF_SHAPES = (AssertionError, IndexError, RuntimeError, TypeError, ValueError)
_NOT_USERS = ("site-packages", "<frozen", str(Path(__file__).parents[1]))
_FRAMES = 6  # the innermost of the user's own


@contextmanager
def told(model: str, folder: str, running: bool = False) -> Iterator[None]:
    """Turns what the model's code raises into an error with the frames that lie in ``folder``.

    Args:
        running: the model runs, rather than being built; a wrong shape is then a batch that does not match.

    Raises:
        BadInput: ``model-calls-cuda``, ``batch-mismatch`` or ``model-raised``.
        NotTraceable: ``model-reads-values``: the code depends on the values of tensors.
    """
    try:
        yield
    except TradewindError:
        raise
    except (DataDependentOutputException, DynamicOutputShapeException) as error:
        frames = _frames(error, folder)
        raise NotTraceable("model-reads-values", model=model, operation=error.func, frames=frames) from error
    except (Exception, SystemExit) as error:
        text, where, frames = str(error), _where(error, folder), _frames(error, folder)
        what = f"{type(error).__name__}: {text}".splitlines()[0]
        if any(word in text.lower() for word in CUDA):
            raise BadInput("model-calls-cuda", where=where, model=model, error=what, frames=frames) from error
        mismatched = isinstance(error, _OF_SHAPES) and any(word in text for word in SHAPES)
        if running and mismatched:
            raise BadInput("batch-mismatch", where=where, model=model, error=what, frames=frames) from error
        raise BadInput("model-raised", where=where, model=model, error=what, frames=frames) from error


def _own(error: BaseException, folder: str) -> list[traceback.FrameSummary]:
    """The frames of files in ``folder``, without packages installed there."""
    root = Path(folder).resolve()
    every = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in every if not any(word in frame.filename for word in _NOT_USERS)]
    return [frame for frame in own if Path(frame.filename).resolve().is_relative_to(root)][-_FRAMES:]


def _frames(error: BaseException, folder: str) -> str:
    """The user's frames, one a line; empty when the fault is not in their files."""
    lines = (f"{Path(f.filename).name}:{f.lineno} in {f.name}: {f.line}" for f in _own(error, folder))
    return "\n".join(dict.fromkeys(lines))  # of a recursion once


def _where(error: BaseException, folder: str) -> Where | None:
    frames = _own(error, folder)
    if isinstance(error, SyntaxError) and error.filename:
        return Where(error.filename, error.lineno)
    return Where(frames[-1].filename, frames[-1].lineno) if frames else None
