"""Reports: the units that every verifier shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._errors import NotConfirmed

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Reason:
    """Why a unit ended the way it did; ``crosscheck explain CODE`` says more."""

    code: str
    message: str


@dataclass(frozen=True)
class Place:
    """A place that a person or an editor can open."""

    path: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None


@dataclass(frozen=True)
class Unit:
    """One thing that was checked."""

    unit: str
    claim: str
    verdict: str
    reasons: tuple[Reason, ...] = ()
    expected: str | None = None
    observed: str | None = None
    place: Place | None = None
    link: str | None = None

    @classmethod
    def from_json(cls, unit: dict[str, Any]) -> Unit:
        place = unit.get("place")
        return cls(
            unit=unit["unit"],
            claim=unit["claim"],
            verdict=unit["verdict"],
            reasons=tuple(Reason(one["reason"], one["message"]) for one in unit.get("reasons", ())),
            expected=unit.get("expected"),
            observed=unit.get("observed"),
            place=place
            and Place(place["path"], place.get("line"), place.get("column"), place.get("endLine")),
            link=unit.get("link"),
        )


@dataclass(frozen=True)
class Report:
    """The result of a check: a verdict, and a unit for each thing that was checked."""

    verdict: str
    summary: str
    subject: str
    verifier: str
    units: tuple[Unit, ...] = ()
    notices: tuple[str, ...] = ()
    #: The answer of ``crosscheck batch`` that this report was made of.
    answer: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, answer: dict[str, Any]) -> Report:
        return cls(
            verdict=answer["verdict"],
            summary=answer["summary"],
            subject=answer["subject"],
            verifier=answer["verifier"],
            units=tuple(Unit.from_json(unit) for unit in answer["units"]),
            notices=tuple(answer.get("notices", ())),
            answer=answer,
        )

    def __bool__(self) -> bool:
        raise TypeError("a report is neither true nor false: ask report.confirmed, or call report.assert_confirmed()")

    @property
    def confirmed(self) -> bool:
        """Whether everything was checked and is true."""
        return self.verdict == "confirmed"

    @property
    def refuted(self) -> tuple[Unit, ...]:
        """The units that are false."""
        return tuple(unit for unit in self.units if unit.verdict == "refuted")

    def assert_confirmed(self) -> Report:
        """Raises an ``AssertionError`` that says what is not confirmed."""
        if not self.confirmed:
            raise NotConfirmed(self.explain())
        return self

    def assert_not_refuted(self) -> Report:
        """Like ``assert_confirmed``, but lets pass what could not be decided."""
        if self.verdict == "refuted":
            raise NotConfirmed(self.explain())
        return self

    def explain(self) -> str:
        """What is not confirmed, a few lines for each unit."""
        lines = [f"crosscheck {self.verifier}: {self.verdict} ({self.summary})"]
        order = {"refuted": 0, "undecided": 1}
        wrong = [unit for unit in self.units if unit.verdict in order]
        for unit in sorted(wrong, key=lambda unit: order[unit.verdict]):
            where = f"  ({unit.place.path}:{unit.place.line})" if unit.place else ""
            lines.append(f"  {unit.verdict.upper()} {unit.claim}{where}")
            lines += [f"    {reason.code}: {reason.message}" for reason in unit.reasons]
            if unit.expected is not None:
                lines.append(f"    expected: {unit.expected}")
            if unit.observed is not None:
                lines.append(f"    observed: {unit.observed}")
        lines += [f"  note: {notice}" for notice in self.notices]
        return "\n".join(lines)

    def render(self, format: str) -> str:
        """The report as ``human``, ``json``, ``junit``, ``sarif``, ``markdown``, ``html``, ``github`` or ``csv``."""
        from ._worker import default_worker

        wanted = ("verdict", "verifier", "subject", "summary", "notices", "units")
        report = {name: self.answer[name] for name in wanted if name in self.answer}
        return str(default_worker().ask({"task": "render", "format": format, "report": report})["text"])

    def to_html(self) -> str:
        """One HTML page that requests nothing."""
        return self.render("html")

    def _repr_html_(self) -> str:
        # a notebook shows the page in a frame of its own, so that its style stays inside
        from html import escape

        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" sandbox style="width:100%;height:24em;border:0"></iframe>'

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each unit."""
        import pandas

        columns = ["unit", "verdict", "claim", "expected", "observed", "codes", "message", "path", "line"]
        rows = [
            {
                "unit": unit.unit,
                "verdict": unit.verdict,
                "claim": unit.claim,
                "expected": unit.expected,
                "observed": unit.observed,
                "codes": " ".join(reason.code for reason in unit.reasons),
                "message": "; ".join(reason.message for reason in unit.reasons),
                "path": unit.place.path if unit.place else None,
                "line": unit.place.line if unit.place else None,
            }
            for unit in self.units
        ]
        return pandas.DataFrame(rows, columns=columns)
