"""The checks of :mod:`crosscheck` for ``await``: they never block the event loop."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from . import _jobs
from ._report import Report
from ._worker import default_worker

_Parameters = ParamSpec("_Parameters")


def _variant(
    job: Callable[_Parameters, dict[str, Any]],
) -> Callable[_Parameters, Awaitable[Report]]:
    @functools.wraps(job)
    async def ask(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Report:
        # starting the process and a full pipe may block, so a thread asks
        wanted = job(*args, **kwargs)
        answer = await asyncio.to_thread(default_worker().ask, wanted)
        return Report.from_json(answer)

    return ask


rows = _variant(_jobs.rows)
quick = _variant(_jobs.quick)
check = _variant(_jobs.check)
claims = _variant(_jobs.claims)
sources = _variant(_jobs.sources)
trace = _variant(_jobs.trace)
judge = _variant(_jobs.judge)
done = _variant(_jobs.done)
verify = _variant(_jobs.verify)
