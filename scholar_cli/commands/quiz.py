"""scholar quiz: questions on the characters of a novel, for people and for other programs."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common, quiz_export, quiz_worksheet
from scholar_cli.commands.book_command import BookCommand
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.guarded import read_bytes
from scholar_indexes.sanitize import one_line, visible_line
from scholar_indexes.serialize.quiz_text import count_phrase
from scholar_indexes.serialize.result_formats import (
    COLUMNS,
    QUIZ,
    RECORDS,
    WORKSHEET,
    Format,
    in_words,
)

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.history import History
    from scholar_indexes.characters.quiz.questions import QuizQuestion

app = typer.Typer(rich_markup_mode=None)

MAX_INPUT_CHARS = 64 * 1024**2

QUIT, BAD, BAD_BEFORE = -1, -2, -3
"""Typed instead of a choice: quit, mark this question as bad, or mark the previous one."""

COMMAND_KEYS = {"q": QUIT, "quit": QUIT, "b": BAD, "bb": BAD_BEFORE}


class QuestionKindOption(StrEnum):
    MIXED = "mixed"
    DESC2NAME = "desc2name"
    NAME2DESC = "name2desc"


KindOption = Annotated[
    QuestionKindOption, typer.Option(help="Names for a description, the reverse, or both.")
]
LevelOption = Annotated[
    str, typer.Option(metavar="1-4", help="How indirect: 1 plain, 4 through other characters.")
]
UptoOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHAPTER", help="Reveal nothing after this chapter, by its printed number."
    ),
]
UptoSectionOption = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="SECTION", help="Reveal nothing after this section, counted as in locators."
    ),
]
SeedOption = Annotated[
    int | None, typer.Option(help="Draw the same questions again; default: new ones.")
]


def _last_chapter(upto: str | None, section: int | None) -> str | None:
    """Return the chapter of one of two options; raises UsageError for both."""
    from scholar_indexes.books.reading import chapter_ranges

    counted = None if section is None else str(section)
    return chapter_ranges.choose(upto, counted, "--upto and --upto-section")


@app.callback(invoke_without_command=True)
def quiz(
    ctx: typer.Context,
    books: common.BooksOption = None,
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="Number of questions.")] = 10,
    kind: KindOption = QuestionKindOption.MIXED,
    level: LevelOption = "1-4",
    upto: UptoOption = None,
    upto_section: UptoSectionOption = None,
    anonymize: Annotated[
        bool, typer.Option("--anonymize", help="Give every character another name.")
    ] = False,
    seed: SeedOption = None,
    due: Annotated[bool, typer.Option("--due", help="Ask questions that are due again.")] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Take a quiz on the characters of a novel; missed questions come back.

    Each question has ten choices: which character is it, or which description fits? At a terminal
    questions are asked one by one, and scores and due dates are kept. Elsewhere they are printed
    without answers. With --json, or a --format other than table, they are printed with their
    answers, counted from 0; `scholar quiz grade` reads JSON and JSON lines.
    """
    if ctx.invoked_subcommand is not None:
        return
    from scholar_indexes.characters.quiz.preferences import parse_level_range

    service = common.open_library().quiz
    now = datetime.now(UTC)
    questions = service.questions(
        books or (),
        n=n,
        seed=int(now.timestamp()) if seed is None else seed,
        kind=kind.value,
        levels=parse_level_range(level),
        upto=_last_chapter(upto, upto_section),
        anonymize=anonymize,
        due=now if due else None,
    )
    if due and not questions:
        common.say("nothing is due; for new questions: scholar quiz")
    chosen = common.choose_format(format, json)
    if chosen is Format.TABLE and sys.stdin.isatty() and sys.stdout.isatty():
        _ask(questions, service.history)
    else:
        _print_questions(questions, chosen)


@app.command()
def grade(
    questions: Annotated[
        Path, typer.Argument(help="Questions as printed by scholar quiz --format jsonl.")
    ],
    answers: Annotated[
        str, typer.Argument(help="Answers as JSON lines: a file, or - for stdin.")
    ] = "-",
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Grade the answers to the questions of a quiz.

    Answers are lines of {"question_id", "answer"}, the answer counted from 0 as choices. A line
    that cannot be read is reported and skipped. Answers change what is due again.
    """
    from scholar_indexes.characters.quiz import question_lines
    from scholar_indexes.characters.quiz.grading import grade_answers
    from scholar_indexes.serialize import quiz as serializers

    known = question_lines.from_json(_read_text(questions), str(questions))
    history = common.open_library().quiz.history
    text = _read_answers(answers)
    graded = grade_answers(history, known, text, datetime.now(UTC), common.say)
    render.print_rows(
        [serializers.graded_answer_record(answer) for answer in graded],
        common.choose_format(format, json),
        ("question_id", "right", "is", "due"),
    )
    common.say(f"{sum(answer.outcome.right for answer in graded)} of {len(graded)} right")


@app.command()
def stats(
    books: common.BooksOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show your scores by book and level, and the number of due cards."""
    from scholar_indexes.serialize import quiz as serializers

    service = common.open_library().quiz
    book_ids = [service.book_id(book) for book in books or ()] or None
    statistics = service.history.stats(datetime.now(UTC), book_ids)
    record = serializers.stats_record(statistics, service.titles)
    chosen = common.choose_format(format, json)
    if chosen.writes(RECORDS):
        render.print_record(record, chosen)
        return
    render.print_rows(record["scores"], chosen, ("what", "asked", "right", "share"))
    cards = f"{statistics.cards} cards, {statistics.due} due"
    common.say(f"{cards}; {statistics.streak} right in a row")


@app.command("books")
def list_books(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """List the books that have descriptions, or can get automatic ones."""
    from scholar_indexes.serialize import quiz as serializers

    rows = [serializers.quiz_book_record(book) for book in common.open_library().quiz.books()]
    render.print_rows(
        rows,
        common.choose_format(format, json),
        ("id", "title", "author", "characters", "descriptions", "own", "automatic"),
    )


@app.command(cls=BookCommand)
def export(
    ctx: typer.Context,
    to: Annotated[
        Format,
        common.to_option(
            QUIZ, WORKSHEET, help=f"{in_words(QUIZ)}; or a worksheet: {in_words(WORKSHEET)}."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            parser=common.output_file,
            metavar="PATH",
            help="The file to write, required for apkg and docx; default: print it.",
        ),
    ] = None,
    books: common.BooksOption = None,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers",
            help="For csv, the history instead of the descriptions; "
            "for a worksheet, its answer key in a separate file.",
        ),
    ] = False,
    n: Annotated[
        int,
        typer.Option(
            "--questions", "-n", min=1, max=200, help="Number of questions on a worksheet."
        ),
    ] = 10,
    kind: KindOption = QuestionKindOption.MIXED,
    level: LevelOption = "1-4",
    upto: UptoOption = None,
    upto_section: UptoSectionOption = None,
    seed: SeedOption = None,
    force: common.ForceOption = False,
) -> None:
    """Export descriptions and history, or a worksheet for a class."""
    service = common.open_library().quiz
    wanted = books or ()
    if to.writes(WORKSHEET):
        if len(wanted) != 1:
            raise UsageError("a worksheet is about one book; name it: -b BOOK")
        files = quiz_worksheet.choose_files(to, out, separate_key=answers, force=force)
        last = _last_chapter(upto, upto_section)
        draw = quiz_worksheet.draw_worksheet(service, wanted[0], n, kind.value, level, last, seed)
        quiz_worksheet.write_worksheet(draw, to, files)
        return
    quiz_export.check_options(ctx, to, answers=answers)
    quiz_export.export_banks(service, wanted, to, out, answers=answers, force=force)


@app.command("import", cls=BookCommand)
def import_descriptions(
    file: Annotated[Path, typer.Argument(help="Descriptions: csv, json or JSON lines.")],
    book: Annotated[
        str | None,
        typer.Argument(
            metavar="[BOOK]",
            help="The book they describe; for one not in the library, a new id such as own-diary.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace your own descriptions of that book.")
    ] = False,
) -> None:
    """Add your own descriptions (docs/characters.md has the format)."""
    for bank in common.open_library().quiz.import_banks(file, book, replace):
        common.say(
            f"{bank.book_id}: {bank.descriptions} descriptions of {bank.characters} characters"
        )


@app.command(cls=BookCommand)
def remove(book: common.BookArgument) -> None:
    """Remove your own descriptions of a book.

    Quizzes then use the built-in descriptions, if any.
    """
    book_id, path = common.open_library().quiz.remove_bank(book)
    common.say(
        f"removed your descriptions of {book_id}; to restore them: "
        f"scholar quiz import {shlex.quote(str(path))} {book_id}"
    )


@app.command("bad")
def list_bad_questions(
    books: common.BooksOption = None,
    undo: Annotated[
        list[str] | None,
        typer.Option("--undo", metavar="ID", help="Ask this question again; may be repeated."),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List the questions that you marked as bad, or unmark them.

    They are not asked again. To mark a question as bad, type b when it is asked.
    """
    from scholar_indexes.serialize import quiz as serializers

    service = common.open_library().quiz
    if undo:
        questions = service.history.unmark_bad(undo)
    else:
        book_ids = [service.book_id(book) for book in books or ()] or None
        questions = service.history.bad_questions(book_ids)
        if not questions:
            common.say("no question is marked as bad; to mark one, type b when it is asked")
    render.print_rows(
        list(map(serializers.bad_question_record, questions)),
        common.choose_format(format, json),
        ("id", "book", "character", "description", "level"),
    )
    if undo:
        common.say(f"{count_phrase(len(questions), 'question')} may be asked again")


def _ask(questions: Sequence[QuizQuestion], history: History) -> None:
    """Ask questions one by one; every answer is stored before the next question is shown.

    Ctrl-C raises KeyboardInterrupt with the state of the answers.
    """
    right = answered = passed = 0
    try:
        for number, question in enumerate(questions, 1):
            render.write(_format_question(question, f"{number}/{len(questions)}") + "\n")
            before = questions[number - 2] if number > 1 else None
            choice = _read_answer(question, before, history)
            if choice == QUIT:
                break
            if choice == BAD:
                continue
            outcome = history.record_answer(question, choice, datetime.now(UTC))
            answered += 1
            right += outcome.right
            passed += choice is None
            render.write(_format_verdict(question, choice) + "\n")
    except EOFError:
        render.write("\n")
    except KeyboardInterrupt:
        kept = "your answers are kept" if answered else "nothing was answered"
        raise KeyboardInterrupt(kept) from None
    finally:
        if answered:
            score = f"{right} of {answered} right" + (f", {passed} not answered" if passed else "")
            common.say(f"{score}; missed questions come back when due: scholar quiz --due")


def _read_answer(
    question: QuizQuestion, before: QuizQuestion | None, history: History
) -> int | None:
    """Return the result of _read_choice, except BAD_BEFORE; questions marked as bad are stored."""
    while True:
        choice = _read_choice(len(question.choices))
        if choice == BAD:
            _mark_bad(question, history)
        elif choice == BAD_BEFORE and before is None:
            common.say("there is no previous question; type b if this one is bad")
        elif choice == BAD_BEFORE and before is not None:
            _mark_bad(before, history)
        if choice != BAD_BEFORE:
            return choice


def _mark_bad(question: QuizQuestion, history: History) -> None:
    bad = history.mark_bad(question, datetime.now(UTC))
    common.say(f"it will not be asked again; to undo: scholar quiz bad --undo {bad.id}")


def _read_choice(choices: int) -> int | None:
    """Return the index of a choice that the user types, None for no answer, or one of
    COMMAND_KEYS."""
    while True:
        prompt = (
            f"1-{choices}, Enter if you do not know, b if the question is bad, bb if the previous "
            "one was, q to quit: "
        )
        line = input(prompt).strip().lower()
        if line in COMMAND_KEYS:
            return COMMAND_KEYS[line]
        if not line:
            return None
        number = 10 if line == "0" else int(line) if re.fullmatch(r"[0-9]{1,3}", line) else 0
        if 1 <= number <= choices:
            return number - 1
        common.say(f"that is not a choice; type a number from 1 to {choices}")


def _format_question(question: QuizQuestion, heading: str) -> str:
    from scholar_indexes.serialize.quiz_text import question_sentence

    sentence = render.wrap(f"{heading}  {question_sentence(question)}")
    lines = [render.bold(sentence), ""]
    for number, choice in enumerate(question.choices, 1):
        text = render.wrap(one_line(choice), "    ")
        lines.append(f"{number:>2}  {text[4:]}")
    return "\n".join(lines) + "\n"


def _format_verdict(question: QuizQuestion, choice: int | None) -> str:
    answer = one_line(question.choices[question.answer])
    wrong = "Not answered" if choice is None else "No"
    lines = ["Right." if choice == question.answer else render.wrap(f"{wrong}: {answer}.")]
    for proof in question.evidence[:2]:
        passage = f"“{visible_line(proof.quote)}” [{proof.locator}]"
        lines.append(render.wrap_quotation(passage, "    ", is_faint=True))
    return "\n".join(lines) + "\n"


def _print_questions(questions: Sequence[QuizQuestion], format: Format) -> None:
    from scholar_indexes.serialize import quiz as serializers

    records = serializers.question_records(questions)
    table = "\n".join(_format_question(question, question.id) for question in questions)
    columns = ["question_id", "book", "kind", "level", "text", "answer"]
    if format.writes(COLUMNS):
        most = max((len(question.choices) for question in questions), default=0)
        columns += [f"choice_{number}" for number in range(most)]
        records = [_with_choice_columns(record) for record in records]
    render.print_rows(records, format, columns, table=table)


def _with_choice_columns(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a question with a column for each choice, because choices contain
    commas; the answer is the number of a column."""
    choices = enumerate(record["choices"])
    return {**record, **{f"choice_{number}": choice for number, choice in choices}}


def _read_answers(answers: str) -> str:
    if answers == "-":
        return sys.stdin.buffer.read(MAX_INPUT_CHARS).decode("utf-8", "replace")
    return _read_text(Path(answers))


def _read_text(path: Path) -> str:
    try:
        return read_bytes(path, MAX_INPUT_CHARS).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        raise NotThere(f"there is no file {path}; check its name") from None
    except ValueError as error:
        raise UsageError(f"{path} cannot be read ({error}); split it") from None
    except OSError as error:
        raise ScholarError(f"{path} cannot be read ({error.strerror}); check it") from error
