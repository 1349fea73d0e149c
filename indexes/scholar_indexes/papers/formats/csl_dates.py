"""Dates in CSL-JSON: parsed, and normalized to date-parts with a season."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scholar_indexes.papers import clean

_LATEST_YEAR = 2_999

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
SEASONS = ("spring", "summer", "autumn", "winter")
"""The seasons in the order of their numbers in CSL, from 1; EDTF has 21 to 24."""

_DATE = re.compile(r"(-?[0-9]{1,4})(?:[-/]([0-9]{1,2}))?(?:[-/]([0-9]{1,2}))?(?![0-9])")
_COMPACT_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])")
_NAME = rf"({'|'.join(MONTHS)})[a-z]*\.?"
_MONTH = re.compile(rf"(?i)\b{_NAME}(?:[ /-]+([0-9]{{1,2}})\b)?")
_DAY_BEFORE = re.compile(r"(?<![0-9])([0-9]{1,2})[ .-]+$")
_YEAR = re.compile(r"(?<![0-9])(1[4-9][0-9]{2}|20[0-9]{2})(?![0-9])")
_TO = r"\s*(?:-{1,3}|[–—/]|\bto\b)\s*"
_FULL = r"([0-9]{4}(?:-[0-9]{2}){0,2})"
_RANGE = re.compile(rf"(?<![0-9-])(?:{_FULL}{_TO}{_FULL}|([0-9]{{4}}){_TO}([0-9]{{2}}))(?![0-9/-])")
_SLASHED = re.compile(r"[0-9]{4}(?:/[0-9]{0,2}){2}/")
"""The date in RIS, before a remark such as the range."""

_MONTHS = re.compile(rf"(?i)\b{_NAME}{_TO}{_NAME}")
_SEASON = re.compile(r"(?i)\b(spring|summer|autumn|fall|winter)\b")
_EDTF_SEASON = re.compile(r"\s*-?[0-9]{4}-2([1-4])(?![0-9])")


def normalize_date(value: object) -> dict[str, Any]:
    """Return date-parts, a string or a year as a CSL date, empty if it is not a date.

    >>> normalize_date("Spring 1999")
    {'date-parts': [[1999]], 'season': 1}
    """
    season = 0
    if isinstance(value, Mapping):
        name = clean.plain_text(value.get("season"))
        season = int(name) if re.fullmatch("[1-4]", name) else _season(name)
        parts = value.get("date-parts")
        ends = _ends(parts) if isinstance(parts, list) else []
        if ends:
            return _build(ends, season)
        value = value.get("raw") or value.get("literal") or value.get("year")
    text = clean.plain_text(value)
    return _build(_parse(text), season or _season(text))


def _build(ends: list[list[int]], season: int) -> dict[str, Any]:
    """Return a CSL date; only a single year has a season."""
    has_season = season and list(map(len, ends)) == [1]
    return {"date-parts": ends} | ({"season": season} if has_season else {}) if ends else {}


def _ends(parts: Sequence[object]) -> list[list[int]]:
    """Return the one or two dates in date-parts, as far as they are valid and in order."""
    dates = [_date_parts(part) for part in parts[:2] if isinstance(part, list)]
    is_range = len(dates) == 2 and dates[0] and dates[0] < dates[1]
    return dates if is_range else [date for date in dates[:1] if date]


def _season(text: str) -> int:
    """Return the number of the season that a text names, 0 for none."""
    if edtf := _EDTF_SEASON.match(text):
        return int(edtf[1])
    name = _SEASON.search(text[:100])
    return SEASONS.index(name[1].lower().replace("fall", "autumn")) + 1 if name else 0


def _parse(text: str) -> list[list[int]]:
    """Return the date in a text, or both ends of "2001/2003", "1998-99" or "Jun-Aug 2019"."""
    slashed = _SLASHED.match(text)
    years = _RANGE.search(text, slashed.end() if slashed else 0, 100)
    if years and not _EDTF_SEASON.match(text):
        first, last, year, short = years.groups()
        if year:
            is_month = int(short) <= 12
            first, last = year, year if is_month else f"{year[:2]}{short}"
        ends = _ends([first.split("-"), last.split("-")])
        if len(ends) == 2:
            return ends
    date = _parse_date(text)
    months = _MONTHS.search(text[:100])
    if months and len(date) == 2:
        return _ends([date, [date[0], MONTHS.index(months[2].lower()) + 1]])
    return [date] if date else []


def _parse_date(text: str) -> list[int]:
    """Return year, month and day of "1999-03-12", "19990312", "1999 Mar 12" or "12 March 1999"."""
    match = _COMPACT_DATE.match(text) or _DATE.match(text)
    date_parts = _date_parts([part for part in match.groups() if part]) if match else []
    rest = text[match.end() :] if match else ""
    if date_parts and abs(date_parts[0]) >= 100:
        return date_parts + (_month_and_day(rest) if len(date_parts) == 1 else [])
    year = _YEAR.search(text)
    if year:
        return [int(year[1]), *_month_and_day(text[: year.start()])]
    return [] if rest.strip() else date_parts


def _month_and_day(text: str) -> list[int]:
    """Return the month that a text names, and the day before or after it, as far as it has them."""
    name = _MONTH.search(text[:100])
    if name is None:
        return []
    before = _DAY_BEFORE.search(text[: name.start()])
    day = int(before[1] if before else name[2] or 0)
    month = MONTHS.index(name[1].lower()) + 1
    return [month, day] if 1 <= day <= 31 else [month]


def _date_parts(parts: Sequence[object]) -> list[int]:
    """Return year, month and day up to the first invalid one."""
    numbers: list[int] = []
    for part, latest in zip(parts, (_LATEST_YEAR, 12, 31), strict=False):
        digits = clean.plain_text(part)
        if not re.fullmatch(r"-?[0-9]{1,4}", digits):
            break
        number = int(digits)
        if not (1 <= number <= latest or (not numbers and -latest <= number < 0)):
            break
        numbers.append(number)
    return numbers
