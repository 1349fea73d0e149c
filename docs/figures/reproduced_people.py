"""The experiments of two papers row by row: quotation attribution on PDNC, and GANDALF."""

from __future__ import annotations

from collections.abc import Sequence

from figure_tables import Block, Card, Form, Phrase, Row, Table, percent, source
from people_tables import FOLDS, LATER

HEADER = ("experiment", "the paper's", "ours", "command, or why not")
NO_MODEL = "not run: no language model here"
PLAIN: Form = percent(1, None)

KINDS = ("all", "explicit", "other")


def accuracies(run: str, novels: Sequence[str] = (), system: str = "trained") -> Phrase:
    """Return how often a system is right on PDNC, of all, explicit and other quotations."""
    report = source(run, split="micro", system=system)
    only = f" {' '.join(novels)}" if novels else ""
    return Phrase(
        "{all} / {explicit} / {other}",
        {kind: report.cell(f"{kind}{only}", PLAIN) for kind in KINDS},
    )


def folds() -> Phrase:
    """Return the same of the models of folds, from the card of the packaged model."""
    return Phrase(
        "{all} / {explicit} / {other}",
        {kind: Card(FOLDS, ("cross-validated", kind), PLAIN) for kind in KINDS},
    )


def probe(name: str, paper: str, where: str) -> Row:
    """Return the row of a probe of memorisation."""
    command = "`scholar-lab bench memorisation --data PDNC --llm FOLDER`"
    return [name, f"{paper} ({where})", "", f"{command}; {NO_MODEL}"]


def impact(name: str, paper: str) -> Row:
    """Return the row of a test over novels."""
    command = "`scholar-lab bench impact --accuracy FILE --memorisation FILE`"
    return [name, paper, "", f"{command}, of two runs of a model; {NO_MODEL}"]


LLM = "`scholar-lab bench pdnc --data PDNC --system llm --llm FOLDER`"
LOST = "not in the text that we have"

ATTRIBUTION = Table(
    "reproduced.md",
    "rows-attribution",
    HEADER,
    [
        [
            "22 novels of the first release: all / explicit / other",
            "Llama-3 8b 90.6 / 94.7 / 89.1 (Table 1)",
            folds(),
            "`trained`, by folds: `scholar-lab train speakers`, `scholar-lab bench pdnc --splits`; "
            f"Llama-3: {LLM}, {NO_MODEL}",
        ],
        [
            "the same, BookNLP+",
            "78.5 / 98.6 / 68.9 (Table 1)",
            "",
            "`scholar-lab bench pdnc --data PDNC --predictions FOLDER`; not run: BookNLP+'s "
            "answers are not here",
        ],
        [
            "the same, ChatGPT asked for one quotation at a time",
            f"Table 1; {LOST}",
            "",
            "its answers as `--predictions FILE`; not run: a closed model, whose prompt is another "
            "paper's",
        ],
        [
            "later novels, annotated after the model was trained",
            f"six novels, 9 points above BookNLP+ (section 1; Table 1 {LOST})",
            accuracies("pdnc", tuple(LATER)),
            "`scholar-lab bench pdnc --data PDNC`; three of the six novels are in the shared data, "
            "and all three are in",
        ],
        [
            "the same by rules (`sieve`)",
            "",
            accuracies("pdnc", tuple(LATER), "sieve"),
            "`scholar-lab bench pdnc --data PDNC --system sieve`",
        ],
        [
            "a novel that no model has read, annotated for it",
            "1,530 quotations, kappa 97 % (section 3); Llama-3 70b wrong in 3 of 1,442 (section 4)",
            "",
            "the novel is not published; of your own: `scholar-lab bench annotate`, `bench pdnc "
            "--data`, `bench agreement` ([a novel of your own](speakers.md#a-novel-of-your-own))",
        ],
        [
            "quotations in two chunks: the first answer, or the model corrects itself",
            f"the second is slightly better (appendix A, Table 3; {LOST})",
            "",
            f"{LLM} `--strategy first`, and `incremental`; {NO_MODEL}",
        ],
        probe("name cloze", "4 % in the mean, none in 13 novels", "section 5, Table 5"),
        probe(
            "corrupted speakers: memorised, and of explicit ones",
            "*Pride and Prejudice* .23 and .27, *Hard Times* .01 and .01",
            "Table 5",
        ),
        probe(
            "corrupted speakers: reasoned",
            "*Pride and Prejudice* .59, *Hard Times* .78",
            "Table 5",
        ),
        [
            "these against how often 10-grams of a novel are found (16 novels)",
            "name cloze .42 .55 .75 .57; memorised .54 .30 .42 .61 (Table 4)",
            "",
            "not done: the counts of Google, Bing, C4 and The Pile are in another paper's data",
        ],
        impact(
            "correlation of accuracy with memorisation, and t-tests of five novels each",
            f"positive for explicit quotations, not over all (section 5, Table 2; {LOST})",
        ),
        probe("Min-K% of the annotation", "Figure 2", "no figures in words"),
        impact(
            "Min-K% of later novels and those matched by propensity",
            f"no significant difference (section 5, appendix E; t and p {LOST})",
        ),
        impact(
            "accuracy of the same pairs",
            f"no significant difference (appendix E; t and p {LOST})",
        ),
    ],
)


def both(run: str, system: str) -> Phrase:
    """Return how often a system is right, of name2desc and desc2name."""
    kinds = ("name2desc", "desc2name")
    cells = {kind: source(run, system=system, split=kind).cell("accuracy", PLAIN) for kind in kinds}
    return Phrase("{name2desc} / {desc2name}", cells)


GANDALF_DATA = "`scholar-lab bench gandalf --data QUESTIONS`"


def levels() -> list[Row]:
    """Return the rows of TF-IDF by level."""
    paper = {
        1: ("19.9 / 21.6", "19.2 / 20.3"),
        2: ("22.9 / 20.9", "22.4 / 20.7"),
        3: ("4.6 / 17.4", "4.6 / 17.2"),
        4: ("6.3 / 19.7", "5.7 / 19.5"),
    }
    return [
        [
            f"TF-IDF, level {level}; the same with names shuffled",
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
            f"{GANDALF_DATA} `--system tfidf`, and of QUESTIONS-shuffled",
        ]
        for level, (names, shuffled) in paper.items()
    ]


GANDALF = Table(
    "reproduced.md",
    "rows-gandalf",
    HEADER,
    [
        [
            "the questions",
            "20,000 of 177 books, levels 3 and 4 written by hand (Tables 1 and 2)",
            Phrase(
                "{n} of each kind, of five books that nothing was fitted on",
                {"n": source("gandalf", system="random", split="desc2name").n()},
            ),
            "the data set is not to be had; `scholar-lab bench gandalf --make QUESTIONS --texts "
            "TEXTS --seed 7 --rep --probe shuffled`, of all banks and your own, or of `-b BOOK`; "
            "levels 3 and 4 are composed",
        ],
        [
            "random choice: name2desc / desc2name",
            "10.0 / 10.0 (Table 3)",
            both("gandalf", "random"),
            f"{GANDALF_DATA} `--system random`",
        ],
        [
            "TF-IDF",
            "19.9 / 14.4 (Table 3)",
            both("gandalf", "tfidf"),
            f"{GANDALF_DATA} `--system tfidf`",
        ],
        [
            "TF-IDF, names shuffled among books (section 4.7)",
            "19.8 / 13.9 (Table 3)",
            both("gandalf-shuffled", "tfidf"),
            "the same of QUESTIONS-shuffled; exactly equal, as each name is exchanged for one that "
            "the book does not have",
        ],
        [
            "TF-IDF, names of one nationality (ours)",
            "",
            both("gandalf-names", "tfidf"),
            "the same of QUESTIONS-rep",
        ],
        [
            "description over paragraphs that name the candidate (ours); shuffled; nationality",
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
            f"{GANDALF_DATA} `--system tfidf-named`",
        ],
        *levels(),
        [
            "Transformer-XL, the whole book in its memory; shuffled",
            "12.9 / 9.6; 12.4 / 10.1 (Table 3)",
            "",
            f"{GANDALF_DATA} `--system lm-book --llm FOLDER`: any causal model, with an excerpt as "
            f"long as it reads instead of the book; {NO_MODEL}",
        ],
        [
            "GPT-2, question alone; shuffled",
            "9.4 / 11.5; 9.8 / 11.7 (Table 3)",
            "",
            f"{GANDALF_DATA} `--system lm --llm FOLDER`: the mean probability of a token, where "
            f"the paper says probability; {NO_MODEL}",
        ],
        *(
            [f"GPT-2 {size}, question alone; shuffled", f"{figures} (Table 3)", "", "the same"]
            for size, figures in (
                ("Medium", "9.5 / 12.2; 9.4 / 11.8"),
                ("Large", "10.5 / 12.4; 10.5 / 12.0"),
                ("XL", "10.5 / 11.6; 10.8 / 12.0"),
            )
        ),
        [
            "question alone, twelve features of its wording (ours)",
            "",
            both("gandalf", "wording"),
            GANDALF_DATA,
        ],
        [
            "a model of ours (`solver`)",
            "left open (section 7)",
            both("gandalf", "solver"),
            f"{GANDALF_DATA} `--system solver`",
        ],
        [
            "the same, about seventeen novels that were described later",
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
            "the same, the novels that it was fitted on",
            "",
            both("gandalf-fitted", "solver"),
            "`make figures RUN=gandalf-fitted`",
        ],
        [
            "probes: gender switched, women's or men's names, a nationality, denials (section 7.1)",
            "no figures",
            "",
            "`--probe switched`, `female`, `male`, `swedish` and ten others, `negated`, then "
            f"{GANDALF_DATA}; not run",
        ],
    ],
)

ROWS: list[Block] = [ATTRIBUTION, GANDALF]
