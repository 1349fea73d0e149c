"""The tables of reproduced.md: every experiment of two papers, on PDNC and GANDALF."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark_data import NAME_PROBES
from figure_tables import (
    Block,
    Card,
    Cell,
    Form,
    Phrase,
    Row,
    Source,
    Table,
    count,
    percent,
    source,
)
from people_tables import FOLDS, LATER

from scholar_cli.laboratory.metrics import Interval

PLAIN: Form = percent(1, None)
SURE: Form = percent(1, 0)

KINDS = ("all", "explicit", "other")


def accuracies(run: str, novels: Sequence[str] = (), system: str = "trained") -> Phrase:
    """Return the accuracy of a system on PDNC: on all, explicit and other quotations."""
    report = source(run, split="micro", system=system)
    only = f" {' '.join(novels)}" if novels else ""
    return Phrase(
        "{all} / {explicit} / {other}",
        {kind: report.cell(f"{kind}{only}", PLAIN) for kind in KINDS},
    )


def folds() -> Phrase:
    """Return the cross-validated accuracies, from the card of the packaged model."""
    return Phrase(
        "{all} / {explicit} / {other}",
        {kind: Card(FOLDS, ("cross-validated", kind), PLAIN) for kind in KINDS},
    )


def gemma(run: str, novels: str = "", system: str = "llm") -> Cell:
    """Return the accuracy on all quotations of the beginnings that a language model read."""
    return source(run, split="micro", system=system).cell(f"everyone {novels}".strip(), SURE)


def probe(name: str, paper: str, where: str, template: str) -> Row:
    """Return the row of a probe of memorisation of *Pride and Prejudice*."""
    forms: dict[str, Form] = {
        "csg_memorised": hundredths,
        "csg_memorised_cloze": hundredths,
        "csg_reasoned": hundredths,
        "name_cloze": hundredths,
        "min_k": decimals,
    }
    report = source("lm-memorisation", split="PrideAndPrejudice")
    figures = {measure: report.cell(measure, form) for measure, form in forms.items()}
    return [name, f"{paper} ({where})", Phrase(template, figures), "`memorisation`"]


def hundredths(interval: Interval) -> str:
    """Return a share as the paper prints it."""
    return f"{interval.mean:.2f}".removeprefix("0")


def decimals(interval: Interval) -> str:
    """Return a mean with two decimals."""
    return f"{interval.mean:.2f}"


def impact(name: str, paper: str) -> Row:
    """Return the row of a test over novels."""
    return [name, paper, "", "`impact`; not run: needs all novels"]


LOST = "lost"

ATTRIBUTION = Table(
    "reproduced.md",
    "rows-attribution",
    ("experiment", "paper", "ours", "command, or why not"),
    [
        [
            "22 novels of the first release †",
            "Llama-3 8b 90.6 / 94.7 / 89.1 (Table 1)",
            folds(),
            "`trained`, by folds: `scholar-lab train speakers`, `scholar-lab bench pdnc --splits`; "
            "Llama-3 not run: 14 GB on a GPU, up to an hour a novel (appendix F)",
        ],
        [
            "the same, BookNLP+",
            "78.5 / 98.6 / 68.9 (Table 1)",
            "",
            "`scholar-lab bench pdnc --data PDNC --predictions FOLDER`; BookNLP+'s answers are not "
            "available",
        ],
        [
            "the same, ChatGPT, one quotation per question",
            f"Table 1; {LOST}",
            Phrase(
                "Gemma {single}; with the others of a part {together}",
                {
                    "single": gemma("lm-pdnc-single"),
                    "together": gemma("lm-pdnc", "HardTimes TheSunAlsoRises"),
                },
            ),
            "`pdnc` with `--strategy single --chunk-tokens 256`, on two novels; "
            "ChatGPT is closed (`--predictions FILE`)",
        ],
        [
            "later novels, annotated after the model was trained †",
            f"six novels, 9 points above BookNLP+ (section 1; Table 1 {LOST})",
            accuracies("pdnc", tuple(LATER)),
            "`scholar-lab bench pdnc --data PDNC`, on the three of them in the shared data",
        ],
        [
            "the same by rules (`sieve`) †",
            "",
            accuracies("pdnc", tuple(LATER), "sieve"),
            "the same with `--system sieve`",
        ],
        [
            "a novel that no model has read, annotated for the paper",
            "1,530 quotations, kappa 97 % (section 3); Llama-3 70b wrong in 3 of 1,442 (section 4)",
            "",
            "unpublished; [with a novel of your own](speakers.md#a-novel-of-your-own): "
            "`scholar-lab bench annotate`, `pdnc`, `agreement`",
        ],
        [
            "quotations in two chunks: the first answer, or the model corrects itself",
            f"the second is slightly better (appendix A, Table 3; {LOST})",
            Phrase(
                "the second: Gemma {incremental}; nearest name {nearest}",
                {
                    "incremental": gemma("lm-pdnc"),
                    "nearest": gemma("lm-pdnc", system="nearest"),
                },
            ),
            "`pdnc` with `--strategy incremental`, `--chunk-tokens 1024`; `first` has no kept run",
        ],
        probe(
            "name cloze",
            "mean 4 %; *Pride and Prejudice* .10",
            "section 5, Table 5",
            "Gemma {name_cloze}",
        ),
        probe(
            "corrupted speakers: memorised; memorised, explicit; reasoned",
            "*Pride and Prejudice* .23; .27; .59, *Hard Times* .01; .01; .78",
            "Table 5",
            "Gemma {csg_memorised}; {csg_memorised_cloze}; {csg_reasoned}",
        ),
        [
            "these against the frequencies of a novel's 10-grams (16 novels)",
            "name cloze .42 .55 .75 .57; memorised .54 .30 .42 .61 (Table 4)",
            "",
            "`impact` with `--counts FILE`; not run: another paper has the counts of Google, Bing, "
            "C4 and The Pile",
        ],
        impact(
            "correlation of accuracy with memorisation, and t-tests of five novels each",
            f"positive for explicit quotations, not over all (section 5, Table 2; {LOST})",
        ),
        probe(
            "Min-K% of the annotation",
            "no figures in the text",
            "Figure 2",
            "Gemma {min_k}",
        ),
        impact(
            "Min-K%, and accuracy, of later novels and of others matched by propensity",
            f"no significant difference (section 5, appendix E; t and p {LOST})",
        ),
    ],
)


def both(run: str, system: str) -> Phrase:
    """Return the accuracy of a system on name2desc and desc2name."""
    kinds = ("name2desc", "desc2name")
    cells = {kind: source(run, system=system, split=kind).cell("accuracy", PLAIN) for kind in kinds}
    return Phrase("{name2desc} / {desc2name}", cells)


def lm_total(kind: str) -> Source:
    """Return the report of the language model on one kind of question."""
    return source("lm-gandalf", system="lm-total", split=kind)


def levels() -> list[Row]:
    """Return the rows of TF-IDF, by level."""
    paper = {
        1: ("19.9 / 21.6", "19.2 / 20.3"),
        2: ("22.9 / 20.9", "22.4 / 20.7"),
        3: ("4.6 / 17.4", "4.6 / 17.2"),
        4: ("6.3 / 19.7", "5.7 / 19.5"),
    }
    return [
        [
            f"TF-IDF, level {level}; shuffled",
            f"{names}; {shuffled} (Table 4)",
            Phrase(
                "{a} / {b}; {c} / {d}",
                {
                    name: source(run, system="tfidf", split=f"{kind} {level}").cell(
                        "accuracy", PLAIN
                    )
                    for run, pairs in (
                        ("gandalf", (("a", "name2desc"), ("b", "desc2name"))),
                        ("gandalf-shuffled", (("c", "name2desc"), ("d", "desc2name"))),
                    )
                    for name, kind in pairs
                },
            ),
            "`--system tfidf`",
        ]
        for level, (names, shuffled) in paper.items()
    ]


DESCRIPTIONS = {
    "level 1": "1,700; 1.05; 13.53; 64,649",
    "level 2": "3,700; 1.05; 13.46; 6,908",
    "level 3": "2,300; 1.16; 28.37; 5,298",
    "level 4": "2,300; 1.17; 28.47; 5,048",
    "all": "10,000; 1.10; 20.35; 9,729",
}
"""Table 1: descriptions, their mean sentences and words, and distinct words."""


def descriptions() -> list[Row]:
    """Return the rows of Table 1."""
    forms = {
        "descriptions": count,
        "sentences": decimals,
        "words": decimals,
        "distinct_words": count,
    }
    template = "; ".join(f"{{{name}}}" for name in forms)
    rows: list[Row] = []
    for part, paper in DESCRIPTIONS.items():
        report = source("gandalf-statistics", split=part)
        cells = {name: report.cell(name, form) for name, form in forms.items()}
        first = "Table 1, descriptions; sentences, words; distinct words:"
        rows.append(
            [f"{'the same,' if rows else first} {part}", paper, Phrase(template, cells), ""]
        )
    return rows


def books() -> Row:
    """Return the row of Table 2."""
    report = source("gandalf-statistics", split="books")
    names = ("books", "characters", "characters_min", "characters_max", "sentences", "words")
    cells = {name: report.cell(name, count) for name in names}
    template = (
        "{characters} characters of {books} books, {characters_min} to {characters_max} of each; "
        "{sentences} sentences, {words} words"
    )
    return [
        "Table 2, Figure 2",
        "4,766 characters of 177 books, 10 to 89 of each; 8,370 sentences, 152,917 words",
        Phrase(template, cells),
        "`scholar-lab bench statistics QUESTIONS` (lengths of all books too); [our banks]"
        "(characters.md#format)",
    ]


def probes() -> list[Row]:
    """Return the rows of the probes of section 7.1."""
    of_names = {
        f"{variant}_{kind}": source(f"gandalf-{variant}", system="tfidf-named", split=kind).cell(
            "accuracy", PLAIN
        )
        for variant in NAME_PROBES
        for kind in ("name2desc", "desc2name")
    }
    template = "; ".join(f"{{{name}_name2desc}} / {{{name}_desc2name}}" for name in NAME_PROBES)
    return [
        [
            "`tfidf-named`, gender of names switched; women's, men's, Swedish names (section 7.1)",
            "no figures",
            Phrase(template, of_names),
            "QUESTIONS-switched, -female, -male, -swedish",
        ],
        [
            "the same, another's description denied",
            "no figures",
            both("gandalf-negated", "tfidf-named"),
            "QUESTIONS-negated; `solver` not run on probes",
        ],
    ]


GANDALF = Table(
    "reproduced.md",
    "rows-gandalf",
    (
        "experiment",
        "paper",
        "ours",
        "after `scholar-lab bench gandalf --data QUESTIONS`, or why not",
    ),
    [
        [
            "the questions",
            "20,000 of 177 books, levels 3 and 4 written by people (Tables 1 and 2)",
            Phrase(
                "{n} of each kind, of five books that nothing was fitted on",
                {"n": source("gandalf", system="random", split="desc2name").n()},
            ),
            "`scholar-lab bench gandalf --make QUESTIONS --texts TEXTS --seed 7 --rep --probe "
            "shuffled`, or `-b BOOK`; levels 3 and 4 are composed",
        ],
        *descriptions(),
        books(),
        [
            "random choice",
            "10.0 / 10.0 (Table 3)",
            both("gandalf", "random"),
            "`--system random`",
        ],
        [
            "TF-IDF",
            "19.9 / 14.4 (Table 3)",
            both("gandalf", "tfidf"),
            "`--system tfidf`",
        ],
        [
            "the same, names shuffled among books (section 4.7)",
            "19.8 / 13.9 (Table 3)",
            both("gandalf-shuffled", "tfidf"),
            "QUESTIONS-shuffled; exactly equal: each name becomes one that is not in the book",
        ],
        [
            "description against paragraphs that name the candidate (ours); shuffled; nationality",
            "",
            Phrase(
                "{a} / {b}; {c} / {d}; {e} / {f}",
                {
                    name: source(run, system="tfidf-named", split=kind).cell("accuracy", PLAIN)
                    for name, run, kind in (
                        ("a", "gandalf", "name2desc"),
                        ("b", "gandalf", "desc2name"),
                        ("c", "gandalf-shuffled", "name2desc"),
                        ("d", "gandalf-shuffled", "desc2name"),
                        ("e", "gandalf-names", "name2desc"),
                        ("f", "gandalf-names", "desc2name"),
                    )
                },
            ),
            "`--system tfidf-named`",
        ],
        *levels(),
        [
            "Transformer-XL, the whole book in its memory; shuffled",
            "12.9 / 9.6; 12.4 / 10.1 (Table 3)",
            "",
            "`--system lm-book-total --llm FOLDER`, an excerpt as long as a model reads; not "
            "run: 16 s of a core for each with Gemma",
        ],
        [
            "GPT-2, Medium, Large, XL, question alone",
            "9.4 / 11.5, 9.5 / 12.2, 10.5 / 12.4, 10.5 / 11.6; shuffled 9.8 / 11.7, 9.4 / 11.8, "
            "10.5 / 12.0, 10.8 / 12.0 (Table 3)",
            Phrase(
                "Gemma {a} / {b} of {n} / {m}",
                {
                    "a": lm_total("name2desc").cell("accuracy", SURE),
                    "b": lm_total("desc2name").cell("accuracy", SURE),
                    "n": lm_total("name2desc").n(),
                    "m": lm_total("desc2name").n(),
                },
            ),
            "`--system lm-total --llm FOLDER` (`lm`: mean over tokens); six questions a book",
        ],
        [
            "question alone, twelve features of its wording (ours)",
            "",
            both("gandalf", "wording"),
            "in every report",
        ],
        [
            "our model (`solver`)",
            "left open (section 7)",
            both("gandalf", "solver"),
            "`--system solver`",
        ],
        [
            "the same, on seventeen novels described later",
            "",
            both("gandalf-later", "solver"),
            "`make figures RUN=gandalf-later` ([by level](characters.md#benchmark))",
        ],
        [
            "the same, names shuffled among books",
            "",
            both("gandalf-shuffled-solver", "solver"),
            "`make figures RUN=gandalf-shuffled-solver`",
        ],
        [
            "the same, names of one nationality",
            "",
            both("gandalf-rep", "solver"),
            "`make figures RUN=gandalf-rep`",
        ],
        [
            "the same, on the novels it was fitted on †",
            "",
            both("gandalf-fitted", "solver"),
            "`make figures RUN=gandalf-fitted`",
        ],
        *probes(),
    ],
)

ROWS: list[Block] = [ATTRIBUTION, GANDALF]
