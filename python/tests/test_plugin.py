"""The fixture of pytest, as another project uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

TEST = """
    import pytest

    TOUR = {tour!r}

    def test_truth(crosscheck):
        crosscheck.rows(TOUR + "/trusted.ndjson", db=TOUR + "/shop.db").assert_confirmed()

    @pytest.mark.parametrize("number", range(6))
    def test_lie(crosscheck, number):
        crosscheck.rows(TOUR + "/calls.ndjson", db=TOUR + "/shop.db").assert_confirmed()
"""


def test_a_failure_says_what_was_refuted(pytester: pytest.Pytester, tour: Path) -> None:
    pytester.makepyfile(TEST.format(tour=str(tour)))
    result = pytester.runpytest_subprocess("-q")
    result.assert_outcomes(passed=1, failed=6)
    result.stdout.fnmatch_lines(["*test_a_failure_says_what_was_refuted.py:10: crosscheck.rows(*", "*crosscheck rows: refuted*", "*REFUTED orders.update*", "*VALUE_MISMATCH*"])
    assert "raise NotConfirmed" not in result.stdout.str()


def test_it_works_under_xdist(pytester: pytest.Pytester, tour: Path) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(TEST.format(tour=str(tour)))
    pytester.runpytest_subprocess("-q", "-n", "2").assert_outcomes(passed=1, failed=6)
