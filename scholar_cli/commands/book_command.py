"""The two spellings of the books of a command: BOOK and --book, of which help shows one."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperOption

from scholar_cli.commands.completions import BOOK_ARGUMENTS, complete_books

_BOOK_OPTION = "book_option"


class BookCommand(TyperCommand):
    """A command on books, which can be given as arguments and with --book.

    Its function has one of two parameters. An argument `book` is one book, and --book is another
    spelling of it. An option `books` may be repeated, and all arguments that are left are books
    too. The other spelling is not in the help.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._takes_one = any(parameter.name == "book" for parameter in self.params)
        self.params.append(_book_option() if self._takes_one else _BookArguments())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, and give the function the books of both spellings."""
        rest = super().parse_args(ctx, args)
        if self._takes_one:
            option = ctx.params.pop(_BOOK_OPTION)
            if not ctx.resilient_parsing:
                _check_same_book(ctx.params["book"], option)
        else:
            named = ctx.params.pop(BOOK_ARGUMENTS) or ()
            ctx.params["books"] = [*named, *(ctx.params["books"] or ())] or None
        return rest


class _BookArguments(TyperArgument):
    """The arguments of a command whose help shows --book."""

    def __init__(self) -> None:
        super().__init__(
            param_decls=[BOOK_ARGUMENTS],
            nargs=-1,
            metavar="[BOOK]...",
            autocompletion=complete_books,
            hidden=True,
        )

    def get_usage_pieces(self, ctx: Any) -> list[str]:
        return []


def _book_option() -> TyperOption:
    """Return the option --book of a command whose help shows BOOK."""
    return TyperOption(
        param_decls=[_BOOK_OPTION, "--book", "-b"],
        metavar="BOOK",
        autocompletion=complete_books,
        callback=_be_default_of_argument,
        is_eager=True,
        hidden=True,
    )


def _be_default_of_argument(ctx: Any, _parameter: Any, value: str | None) -> str | None:
    """Make the value of --book the default of the argument, which is read later."""
    if value is not None:
        ctx.default_map = {"book": value}
    return value


def _check_same_book(argument: str | None, option: str | None) -> None:
    """Raise UsageError if an argument and --book are two books."""
    if option is not None and argument != option:
        from scholar_indexes.errors import UsageError

        raise UsageError(f"{argument} and --book {option} are two books; name one")
