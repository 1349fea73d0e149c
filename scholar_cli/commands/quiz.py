"""scholar quiz: who is who in a novel, asked at the keyboard or by other programs."""

from __future__ import annotations

import json as jsons
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.errors import Damaged, NoMatch, ScholarError, UsageError
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.characters.history import History, Score
    from scholar_indexes.characters.questions import Question

app = typer.Typer(rich_markup_mode=None)

MAX_INPUT_CHARS = 64 * 1024**2


class Kind(StrEnum):
    MIXED = "mixed"
    DESC2NAME = "desc2name"
    NAME2DESC = "name2desc"


class Target(StrEnum):
    APKG = "apkg"
    CSV = "csv"
    JSON = "json"


BooksOption = Annotated[
    list[str] | None,
    typer.Option("--book", "-b", metavar="BOOK", help="Only this book; may be repeated."),
]


@app.callback(invoke_without_command=True)
def quiz(
    ctx: typer.Context,
    books: BooksOption = None,
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="How many questions.")] = 10,
    kind: Annotated[Kind, typer.Option(help="Names for a description, or the reverse.")] = (
        Kind.MIXED
    ),
    level: Annotated[
        str, typer.Option(metavar="1-4", help="How roundabout: 1 plain, 4 by way of others.")
    ] = "1-4",
    upto: Annotated[
        int | None, typer.Option(min=1, metavar="CHAPTER", help="Tell nothing of later chapters.")
    ] = None,
    anonymize: Annotated[
        bool, typer.Option("--anonymize", help="Give everybody another name.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Draw these questions again; else others each time.")
    ] = None,
    due: Annotated[bool, typer.Option("--due", help="Ask what is due again.")] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Be asked ten-way questions: which character is it, or which description fits?

    At a terminal questions are asked one by one; elsewhere, or with --format, they are printed
    with their answers, for `scholar quiz grade`. Scores and what is due again are kept.
    """
    if ctx.invoked_subcommand is not None:
        return
    library = common.library()
    now = datetime.now(UTC)
    asked = library.quiz.questions(
        books or (), n=n, seed=int(now.timestamp()) if seed is None else seed, kind=kind.value,
        levels=_levels(level), upto=upto, anonymize=anonymize, due=now if due else None,
    )  # fmt: skip
    if due and not asked:
        common.say("nothing is due; to be asked something new: scholar quiz")
    chosen = common.chosen_format(format, json)
    if chosen is Format.TABLE and sys.stdin.isatty() and sys.stdout.isatty():
        _ask(asked, library.quiz.history)
    else:
        _print(asked, chosen)


@app.command()
def grade(
    questions: Annotated[Path, typer.Argument(help="Questions as scholar quiz printed them.")],
    answers: Annotated[
        str, typer.Argument(help="Answers as JSON lines, a file or - for stdin.")
    ] = "-",
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Grade answers: lines of {"question_id", "answer"}, the answer counted from 0 as choices.

    A line that cannot be read is told and left out; answers count for what is due again.
    """
    from scholar_indexes.characters import questions as forms

    known = {each.id: each for each in forms.from_jsonl(_lines(_text(questions)), str(questions))}
    history, now = common.library().quiz.history, datetime.now(UTC)
    records = []
    for number, line in enumerate(_given(answers).splitlines(), 1):
        if not line.strip():
            continue
        try:
            question, choice = _answer(line, known)
        except ValueError as wrong:
            common.say(f"line {number} of the answers: {wrong}")
            continue
        outcome = history.answered(question, choice, now)
        records.append(
            {
                "question_id": question.id, "right": outcome.right, "chosen": choice,
                "answer": question.answer, "is": question.choices[question.answer],
                "due": outcome.due.isoformat(timespec="seconds"),
            }
        )  # fmt: skip
    if not records:
        raise NoMatch("there was no answer to grade; give lines such as "
                      '{"question_id": "…", "answer": 3}')  # fmt: skip
    right = sum(bool(each["right"]) for each in records)
    render.rows(records, common.chosen_format(format, json), ("question_id", "right", "is", "due"))
    common.say(f"{right} of {len(records)} right")


@app.command()
def stats(
    books: BooksOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show how you have done, by book and level, and how many cards are due."""
    asking = common.library().quiz
    chosen = [asking.book_id(each) for each in books or ()] or None
    found = asking.history.stats(datetime.now(UTC), chosen)
    titles = asking.titles
    rows = [_score("all", found.total)]
    rows += [_score(titles.get(book, book), each) for book, each in found.by_book.items()]
    rows += [_score(f"level {level}", each) for level, each in found.by_level.items()]
    rows += [_score(kind, each) for kind, each in found.by_kind.items()]
    whole = {
        "cards": found.cards, "due": found.due, "streak": found.streak, "longest": found.longest,
        "days": found.days, "retention": found.retention, "recall": found.recall, "scores": rows,
    }  # fmt: skip
    picked = common.chosen_format(format, json)
    if picked in (Format.JSON, Format.JSONL):
        render.record(whole, picked)
        return
    render.rows(rows, picked, ("what", "asked", "right", "share"))
    common.say(f"{found.cards} cards, {found.due} due; {found.streak} right in a row")


@app.command("books")
def list_books(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """List the books that have descriptions, or would get automatic ones."""
    rows = [
        {"id": each.book_id, "title": each.title, "author": each.author,
         "characters": each.characters, "descriptions": each.descriptions,
         "own": "yes" if each.own else "", "automatic": "yes" if each.automatic else ""}
        for each in common.library().quiz.books()
    ]  # fmt: skip
    render.rows(
        rows, common.chosen_format(format, json),
        ("id", "title", "author", "characters", "descriptions", "own", "automatic"),
    )  # fmt: skip


@app.command()
def export(
    to: Annotated[Target, typer.Option("--to", help="Anki's apkg, csv or json.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The file of an apkg; else it is printed.")
    ] = None,
    books: BooksOption = None,
    answers: Annotated[
        bool, typer.Option("--answers", help="The history as csv, not the descriptions.")
    ] = False,
) -> None:
    """Write descriptions and history for other programs."""
    from scholar_indexes.characters import exchange

    asking = common.library().quiz
    banks = asking.banks(books or ())
    if to is Target.CSV:
        render.write(
            exchange.answers_as_csv(asking.history.answers(banks)) if answers
            else exchange.as_csv(banks)
        )  # fmt: skip
    elif to is Target.JSON:
        render.write(exchange.as_json(banks, asking.history.answers(banks)))
    else:
        if out is None:
            raise UsageError("an apkg is a file; say where: --out scholar.apkg")
        cards = asking.history.cards(banks)
        count = exchange.write_apkg(out, banks, datetime.now(UTC), asking.titles, cards)
        common.say(f"{out} has {count} cards")


@app.command("import")
def bring(
    file: Annotated[Path, typer.Argument(help="Descriptions: csv, json or JSON lines.")],
    book: Annotated[
        str | None, typer.Option("--book", "-b", help="The id of the book they are of.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace your own descriptions of that book.")
    ] = False,
) -> None:
    """Add descriptions of your own (docs/characters.md has the format)."""
    for each in common.library().quiz.bring(file, book, replace):
        common.say(
            f"{each.book_id}: {each.descriptions} descriptions of {each.characters} characters"
        )


def _ask(asked: Sequence[Question], history: History) -> None:
    """Ask one by one; every answer is kept before the next question is shown."""
    right = done = 0
    try:
        for number, question in enumerate(asked, 1):
            render.write(_shown(question, f"{number}/{len(asked)}") + "\n")
            choice = _choice(len(question.choices))
            if choice == "q":
                break
            outcome = history.answered(question, choice, datetime.now(UTC))
            done += 1
            right += outcome.right
            render.write(_verdict(question, outcome.right) + "\n")
    except EOFError:
        render.write("\n")
    finally:
        if done:
            common.say(
                f"{right} of {done} right; to be asked again what is due: scholar quiz --due"
            )


def _choice(choices: int) -> Any:
    """A choice from 0, None for no answer, "q" to stop."""
    while True:
        said = input(f"1-{choices}, Enter to pass, q to stop: ").strip().lower()
        if said in ("q", "quit"):
            return "q"
        if not said:
            return None
        number = 10 if said == "0" else int(said) if re.fullmatch(r"[0-9]{1,3}", said) else 0
        if 1 <= number <= choices:
            return number - 1
        common.say(f"that is none of the choices; type a number from 1 to {choices}")


def _shown(question: Question, where: str) -> str:
    asks = "Who is" if question.kind == "desc2name" else "Which is said of"
    head = f"{where}  {asks} {one_line(question.text)}?"
    lines = [render.bold(render.wrapped(head)), ""]
    for number, choice in enumerate(question.choices, 1):
        text = render.wrapped(one_line(choice), "    ")
        lines.append(f"{number:>2}  {text[4:]}")
    return "\n".join(lines) + "\n"


def _verdict(question: Question, right: bool) -> str:
    answer = one_line(question.choices[question.answer])
    lines = ["Right." if right else render.wrapped(f"No: {answer}.")]
    for proof in question.evidence[:2]:
        lines.append(
            render.dim(render.wrapped(f"“{one_line(proof.quote)}” [{proof.locator}]", "    "))
        )
    return "\n".join(lines) + "\n"


def _print(asked: Sequence[Question], chosen: Format) -> None:
    from scholar_indexes.characters import questions as forms

    records = [jsons.loads(line) for line in forms.as_jsonl(asked, full=True).splitlines()]
    table = "\n".join(_shown(each, each.id) for each in asked)
    columns = ("question_id", "book", "kind", "level", "text", "choices")
    render.rows(records, chosen, columns, table=table)


def _levels(said: str) -> list[int]:
    found = re.fullmatch(r"\s*([1-4])(?:\s*-\s*([1-4]))?\s*", said)
    if not found or int(found[2] or found[1]) < int(found[1]):
        raise UsageError(f"{said!r} is no level; write 1, 2, 3, 4 or a range such as 1-2")
    return list(range(int(found[1]), int(found[2] or found[1]) + 1))


def _answer(line: str, known: dict[str, Question]) -> tuple[Question, int | None]:
    try:
        record = jsons.loads(line)
        question, choice = known[record["question_id"]], record["answer"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError('it is no {"question_id", "answer"} of these questions') from None
    if choice is not None and (isinstance(choice, bool) or not isinstance(choice, int)):
        raise ValueError("the answer is no number")
    if choice is not None and not 0 <= choice < len(question.choices):
        raise ValueError(f"the answer is none of 0 to {len(question.choices) - 1}")
    return question, choice


def _lines(text: str) -> str:
    """JSON lines, of a JSON list too."""
    if not text.lstrip().startswith("["):
        return text
    try:
        return "\n".join(jsons.dumps(each) for each in jsons.loads(text))
    except (ValueError, RecursionError) as broken:
        raise Damaged(f"the questions cannot be read ({one_line(str(broken), 80)})") from broken


def _given(answers: str) -> str:
    if answers == "-":
        return sys.stdin.buffer.read(MAX_INPUT_CHARS).decode("utf-8", "replace")
    return _text(Path(answers))


def _text(path: Path) -> str:
    from scholar_indexes.errors import NotThere

    try:
        return path.read_text("utf-8", "replace")
    except FileNotFoundError:
        raise NotThere(f"there is no file {path}; check its name") from None
    except OSError as refusal:
        raise ScholarError(f"{path} cannot be read ({refusal.strerror}); check it") from refusal


def _score(what: str, score: Score) -> dict[str, Any]:
    return {
        "what": what,
        "asked": score.asked,
        "right": score.right,
        "share": round(score.share, 3),
    }
