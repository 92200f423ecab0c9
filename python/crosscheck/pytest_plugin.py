"""The fixture ``crosscheck``: a check is a line of a test.

.. code-block:: python

    def test_agent(crosscheck):
        crosscheck.rows(run.messages, db=url).assert_confirmed()
"""

from __future__ import annotations

from types import ModuleType

import pytest

import crosscheck as _crosscheck


@pytest.fixture(scope="session")
def crosscheck() -> ModuleType:
    """The module :mod:`crosscheck`; each process of xdist has a worker of its own."""
    return _crosscheck


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    outcome = yield
    error = call.excinfo.value if call.excinfo else None
    if call.when == "call" and isinstance(error, _crosscheck.NotConfirmed):
        # what is not confirmed says more than the lines of code that asked
        # and of those only the line of the test
        own = [one for one in call.excinfo.traceback if one.path == item.path] if call.excinfo else []
        where = f"{own[-1].path}:{own[-1].lineno + 1}: {str(own[-1].statement).strip()}" if own else item.nodeid
        outcome.get_result().longrepr = f"{where}\n{error}"
