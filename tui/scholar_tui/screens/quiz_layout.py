"""The keys, the views and the style sheet of the quiz."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from scholar_tui.keys import bind
from scholar_tui.widgets.question_view import KEYS

VIEWS_BY_ACTION = {
    "begin": ("start",),
    "due": ("start", "summary", "figures"),
    "resume": ("start",),
    "figures": ("start", "summary"),
    "up_to_my_place": ("start",),
    "clear_filters": ("start",),
    "answer": ("asking",),
    "next": ("asking",),
    "open": ("asking", "summary"),
    "bad": ("asking", "summary"),
    "missed": ("summary",),
    "same": ("summary",),
}
"""The views in which an action is offered; other actions are offered in all of them."""

BINDINGS: list[BindingType] = [
    Binding(
        "1",
        "answer(0)",
        "Answer",
        key_display="1-0",
        tooltip="Answer with the choice of that number; 0 is the tenth",
    ),
    *(Binding(key, f"answer({index})", show=False) for index, key in enumerate(KEYS) if index),
    bind("stop", "answer(-1)", "Pass", "Say that you do not know"),
    Binding("enter", "next", "Next", tooltip="Go to the next question, or save an answer again"),
    bind("go_to", "open", "Open", "Open the passage in the reader; F7 leads back"),
    bind(
        "correct",
        "bad",
        "Bad",
        "Mark the question as bad, never to be asked again; scholar quiz bad undoes it",
    ),
    bind("quiz", "due", "Due", "Start a quiz on the due cards"),
    bind("resume", "resume", "Resume", "Continue the round that was left"),
    bind("repeat_missed", "missed", "Missed", "Repeat the missed questions"),
    bind("quiz_again", "same", "All again", "Repeat all questions of this round", show=False),
    bind("history", "figures", "History", "Show your results, and what is due"),
    bind(
        "filters",
        "up_to_my_place",
        "To my place",
        "Reveal nothing after the chapter where you stopped reading",
        show=False,
    ),
    bind(
        "clear_filters",
        "clear_filters",
        "Clear limits",
        "Ask about all chapters, at all levels, for names and for descriptions",
    ),
    Binding("escape", "back", "Back", tooltip="Go back; a round that is left can be resumed"),
]

CSS = """
    QuizScreen > ContentSwitcher { height: 1fr; }
    QuizScreen.-narrow QuestionView {
        & > #body { layout: vertical; }
        & #after { display: none; }
        &.-answered #after, &.-unsaved #after { display: block; }
        &.-unsaved #after { height: auto; max-height: 6; }
        &.-answered AnswerChoices { height: auto; max-height: 50%; }
        &.-answered ChoiceRow.-other { display: none; }
        &.-answered #after { margin-top: 1; }
    }
    QuizScreen.-wide QuestionView {
        & > #body { layout: horizontal; }
        & #after { width: 2fr; margin-left: 1; border-left: solid $panel; padding-left: 1; }
        & AnswerChoices { width: 3fr; }
    }
    QuizScreen.-narrow QuizStatistics > #columns { layout: vertical; }
    QuizScreen.-wide QuizStatistics > #columns { layout: horizontal; }
    QuizScreen.-wide QuizStatistics #coming { margin-left: 4; width: 44; }
    QuizScreen.-narrow QuizStatistics #coming { margin-top: 1; }
    """
